# SPDX-License-Identifier: GPL-2.0-only
#
# ns-2's own Quick-Start over the network of routers.saving: a transfer of SEGMENTS over RATE (bit/s),
# DELAY (s, one way) and QUEUE (packets), for which the sender asks ASKED (1000 bytes/s; 0: nothing),
# where the router approves PART of its link's rate (0: it does not speak Quick-Start). Says when the
# last segment is acknowledged, and how many were sent again, in lines that begin with "=".

foreach {rate delay queue segments asked part} $argv break
set ns [new Simulator]
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 64000
Agent/TCP set maxcwnd_ 64000
Agent/TCP set tcpTick_ 0.001
Agent/TCP set windowInit_ 10
Agent/TCP set syn_ true
Agent/TCP set qs_enabled_ true
Agent/TCPSink set qs_enabled_ true
# Mode 1, the default, asks only for what the transfer needs in a round trip of 50 ms.
Agent/TCP set qs_request_mode_ 2
# Algorithm 2: up to the part of the link, unless that much is used or has been approved lately. The
# default cap on a request is 256 kB/s.
Agent/QSAgent set algorithm_ 2
Agent/QSAgent set alloc_rate_ $part
Agent/QSAgent set threshold_ 1
Agent/QSAgent set max_rate_ 1000000
Agent/QSAgent set state_delay_ 0.5
Agent/QSAgent set qs_enabled_ [expr {$part > 0}]

$ns node-config -QS ON
set from [$ns node]
set to [$ns node]
$ns duplex-link $from $to $rate $delay DropTail
$ns queue-limit $from $to $queue
$ns queue-limit $to $from $queue
set tcp [new Agent/TCP/Newreno]
set sink [new Agent/TCPSink]
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$tcp set rate_request_ $asked
Agent/TCP instproc done {} {
    global ns
    puts "=done [$ns now]"
    puts "=again [$self set nrexmitpack_]"
    exit 0
}
$ns at 0 "[$tcp attach-app FTP] producemore $segments"
$ns run
