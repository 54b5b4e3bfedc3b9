"""What ns-3 3.44 does otherwise than the RFCs say, by name (data/faults.csv tells each).

The engine `segment` does as the RFCs say, and as ns-3 does where a scenario names the fault. With
all of them it equals stock ns-3 in every count; with those `OF_ITS_SOCKET`, what the engine `ns3`
gives, since that has our loss recovery. Faults of congestion controls are parameters of theirs
(`as_ns3_3_44`). `longfat.ns3_3_44` is `NS3_3_44`.

>>> from longfat import ns3_3_44, simulate, topologies
>>> scenario = topologies.satellite(loss=1e-3, duration_s=200)
>>> right, wrong = simulate(scenario), simulate(scenario, faults=ns3_3_44)
>>> float(right.flows["goodput_bps"].iloc[0] / wrong.flows["goodput_bps"].iloc[0]) > 1.02
True
"""

from typing import Literal, get_args

Recovery = Literal["prr-overflow", "prr-counts-twice", "prr-from-pipe", "prr-unsafe-ack"]
Socket = Literal[
    "lost-retransmission",
    "sacked-in-flight",
    "cwr-untold",
    "recovery-credit",
    "limited-transmit",
    "recover-reached",
    "partial-ack-burst",
    "impatient-timer",
    "timeout-cuts-again",
    "backoff-forgotten",
    "smoothed-rtt",
    "loss-in-cwr",
    "echo-in-recovery",
    "echo-on-duplicate",
    "window-overwritten",
    "disorder-credit",
    "no-rescue",
    "timeout-order",
    "highest-sacked",
    "pipe-as-flight",
    "syn-timeout",
    "repairs-as-losses",
    "stale-pipe",
]
Fault = Literal[Recovery, Socket]

OF_ITS_RECOVERY: tuple[Fault, ...] = get_args(Recovery)
OF_ITS_SOCKET: tuple[Fault, ...] = get_args(Socket)
NS3_3_44: tuple[Fault, ...] = (*OF_ITS_RECOVERY, *OF_ITS_SOCKET)
