# SPDX-License-Identifier: GPL-2.0-only
#
# The words that a plan (planning.py) is made of, and what is said at the end, in lines that begin with
# "=": ns-2 has its own things to say on the same output. Sizes are in bytes, times in seconds.

remove-all-packet-headers
add-packet-header IP TCP Flags RTP

# ns-2 draws a random number for each agent's timer, too: a stream of its own.
proc begin {seed nodes} {
    global ns node defaultRNG
    set ns [new Simulator]
    $defaultRNG seed $seed
    for {set number 0} {$number < $nodes} {incr number} {
        set node($number) [$ns node]
    }
}

# Losses of the link: by packet, by byte, and all in an outage. Each is a stage that hands on or drops.
proc stage {number kind unit} {
    global errors lost rng
    set errors($number,$kind) [new ErrorModel]
    set lost($number,$kind) [new Agent/LossMonitor]
    $errors($number,$kind) unit $unit
    $errors($number,$kind) drop-target $lost($number,$kind)
    $errors($number,$kind) set rate_ 0
    set random [new RandomVariable/Uniform]
    $random use-rng $rng($number)
    $errors($number,$kind) ranvar $random
    return $errors($number,$kind)
}

# Stages are those that this link needs, the one that packets meet last first; before is 1 where losses
# stand before the queue, and not at the link's end. DropTail keeps one packet less than its limit.
proc link {number source target rate delay limit unit seed stages before} {
    global ns node queue delay_of monitor rng
    $ns simplex-link $node($source) $node($target) $rate $delay DropTail
    set it [$ns link $node($source) $node($target)]
    set queue($number) [$it queue]
    $queue($number) set limit_ $limit
    if {$unit eq "bytes"} {
        $queue($number) set queue_in_bytes_ true
        $queue($number) set mean_pktsize_ 1
    }
    set monitor($number) [new QueueMonitor]
    $it attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] [new SnoopQueue/Drop] $monitor($number)
    set delay_of($number) [$it link]
    set rng($number) [new RNG]
    $rng($number) seed $seed
    foreach {kind unit} $stages {
        set stage [stage $number $kind $unit]
        if {$before && $kind ne "outage"} {
            $it add-to-head $stage
        } else {
            $stage target [$delay_of($number) target]
            $delay_of($number) target $stage
        }
    }
}

# From now on each node of this path sends along it what goes to one of its ends. What is under way to
# another node goes on from there as before.
proc route {path} {
    global ns node
    foreach way [list $path [lreverse $path]] {
        set last [$node([lindex $way end]) id]
        foreach from [lrange $way 0 end-1] to [lrange $way 1 end] {
            $node($from) add-route $last [[$ns link $node($from) $node($to)] head]
        }
    }
}

proc change {number kind rate} {
    global errors
    $errors($number,$kind) set rate_ $rate
}

# A sender and a receiver; settings are names and values of theirs.
proc flow {number source target sender sender_settings receiver receiver_settings} {
    global ns node tcp sink completed
    set tcp($number) [new $sender]
    set sink($number) [new $receiver]
    foreach {name value} $sender_settings {
        $tcp($number) set $name $value
    }
    foreach {name value} $receiver_settings {
        $sink($number) set $name $value
    }
    $ns attach-agent $node($source) $tcp($number)
    $ns attach-agent $node($target) $sink($number)
    $ns connect $tcp($number) $sink($number)
    set completed($number) -1
}

# The agents are reset when the simulator begins: what it would forget is set now. The first segment of
# ns-2 is the SYN: it asks for one more itself.
proc start {number ssthresh algorithm parameters segments} {
    global tcp
    $tcp($number) set cwnd_ 1
    $tcp($number) set ssthresh_ $ssthresh
    if {$algorithm ne ""} {
        $tcp($number) select_ca $algorithm
        foreach {module name value} $parameters {
            $tcp($number) set_ca_param $module $name $value
        }
    }
    if {$segments} {
        $tcp($number) advanceby $segments
    } else {
        $tcp($number) send -1
    }
}

# The application writes no more: what is sent, or in the send buffer of so many segments, is all.
proc stop {number buffered} {
    global tcp
    set it $tcp($number)
    $it advance [expr {max([$it set maxseq_], [$it set ack_] + $buffered) + 1}]
}

# When the receiver has so many segments in order: at each that it delivers, it tells how many more.
Class Application/Count -superclass Application

Application/Count instproc recv {bytes} {
    $self instvar left_ number_
    incr left_ -$bytes
    if {$left_ == 0} {
        global ns completed
        set completed($number_) [$ns now]
    }
}

proc count {number bytes} {
    global sink
    set it [new Application/Count]
    $it set left_ $bytes
    $it set number_ $number
    $it attach-agent $sink($number)
    $it start
}

proc sample {flows links} {
    global ns tcp sink monitor estimate
    set now [$ns now]
    foreach number $flows {
        set it $tcp($number)
        set rate [expr {[info exists estimate($number)] ? [$estimate($number) $it] : 0}]
        puts "=f $number $now [$it set cwnd_] [$it set ssthresh_] [$it set srtt_] [$sink($number) set bytes_] [$it set ack_] $rate"
    }
    foreach number $links {
        puts "=l $number $now [$monitor($number) set pkts_] [$monitor($number) set bdepartures_]"
    }
}

proc finish {} {
    global ns tcp sink completed monitor lost
    puts "=end [$ns now] [ns-version]"
    foreach number [lsort -integer [array names tcp]] {
        set it $tcp($number)
        puts "=flow $number $completed($number) [$sink($number) set bytes_] [$it set ack_] [$it set ndatapack_]\
            [$it set ndatabytes_] [$it set nrexmitpack_] [$it set ncwndcuts_] [$it set nrexmit_]"
    }
    foreach number [lsort -integer [array names monitor]] {
        set it $monitor($number)
        set losses {}
        foreach kind {packet bit outage} {
            lappend losses [expr {[info exists lost($number,$kind)] ? [$lost($number,$kind) set npkts_] : 0}]
        }
        puts "=link $number [$it set pdepartures_] [$it set pdrops_] $losses"
    }
    exit 0
}
