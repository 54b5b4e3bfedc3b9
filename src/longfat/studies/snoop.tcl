# SPDX-License-Identifier: GPL-2.0-only
#
# ns-2's own Snoop over the network of proxies.cell: a wire of WIRE (bit/s) and WIREDELAY (s, one way), a base
# station, and a radio of AIR (bit/s) and AIRDELAY that loses packets to the host with probability LOSS. The
# base station has Snoop if SNOOP is 1. A window of WINDOW segments, DURATION in s, SEED. ns-2 has
# Snoop in the link layer of a local network only: one without cost stands between base station and radio.
# Says what is acknowledged, sent again and waited for by the timer, in lines that begin with "=".

foreach {wire wiredelay air airdelay loss snoop window duration seed tick duplicates} $argv break
set ns [new Simulator]
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ $window
Agent/TCP set maxcwnd_ 64000
Agent/TCP set tcpTick_ 0.001
Agent/TCP set windowInit_ 10
Agent/TCP set syn_ true
Agent/TCP set minrto_ 1
Agent/TCP set numdupacks_ $duplicates
Snoop set srtt_ [expr 2 * $airdelay]
Snoop set rttvar_ 0.1
Snoop set snoopTick_ $tick
Queue set limit_ 400
Mac set bandwidth_ 1Gb ;# what make-lan is told does not reach it: 2 Mb/s otherwise

set sender [$ns node]
set base [$ns node]
set radio [$ns node]
set host [$ns node]
$ns duplex-link $sender $base $wire $wiredelay DropTail
set lan [$ns make-lan [list $radio] 1Gb 0 LL Queue/DropTail Mac Channel]
$lan addNode [list $base] 1Gb 0 [expr {$snoop ? "LL/LLSnoop" : "LL"}] Queue/DropTail Mac
$ns duplex-link $radio $host $air $airdelay DropTail

set random [new RNG]
$random seed $seed
set uniform [new RandomVariable/Uniform]
$uniform use-rng $random
set errors [new ErrorModel]
$errors set rate_ $loss
$errors unit pkt
$errors ranvar $uniform
$errors drop-target [new Agent/Null]
$ns lossmodel $errors $radio $host

set tcp [new Agent/TCP/Newreno]
set sink [new Agent/TCPSink]
$ns attach-agent $sender $tcp
$ns attach-agent $host $sink
$ns connect $tcp $sink
$ns at 0 "[$tcp attach-app FTP] start"
$ns at $duration finish

proc finish {} {
    global tcp
    puts "=acked [$tcp set ack_]"
    puts "=again [$tcp set nrexmitpack_]"
    puts "=timeouts [$tcp set nrexmit_]"
    exit 0
}
$ns run
