# SPDX-License-Identifier: GPL-2.0-only
#
# ns-2's own XCP over the network of routers.xcp_sharing: RATE (bit/s), QUEUE (packets) and DURATION (s),
# then the one-way delay of each flow's own link, in s. Says the bottleneck's queue and what it has
# sent every hundredth of a second, in lines that begin with "=", and the counts at the end.

foreach {rate delay queue duration} $argv break
set delays [lrange $argv 4 end]
set ns [new Simulator]
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 64000
Agent/TCP set maxcwnd_ 64000
Agent/TCP set tcpTick_ 0.001
Agent/TCP set windowInit_ 10
Agent/TCP set syn_ true

proc cable {from to rate delay queue} {
    global ns
    $ns duplex-link $from $to $rate $delay XCP
    foreach {x y} [list $from $to $to $from] {
        [[$ns link $x $y] queue] set-link-capacity $rate
        $ns queue-limit $x $y $queue
    }
}

set x [$ns node]
set y [$ns node]
cable $x $y $rate $delay $queue
set monitor [$ns monitor-queue $x $y [open /dev/null w] 1000]
foreach own $delays {
    set node [$ns node]
    cable $node $x 1e9 $own 10000
    set tcp [new Agent/TCP/Reno/XCP]
    set sink [new Agent/TCPSink/XCPSink]
    $ns attach-agent $node $tcp
    $ns attach-agent $y $sink
    $ns connect $tcp $sink
    $ns at 0 "[$tcp attach-app FTP] start"
    lappend flows $tcp
}

proc look {} {
    global ns monitor
    puts "=q [$ns now] [$monitor set pkts_] [$monitor set bdepartures_]"
    $ns after 0.01 look
}

proc finish {} {
    global flows monitor
    foreach tcp $flows {
        puts "=flow [$tcp set ack_]"
    }
    puts "=drops [$monitor set pdrops_]"
    exit 0
}

$ns at 0 look
$ns at $duration finish
$ns run
