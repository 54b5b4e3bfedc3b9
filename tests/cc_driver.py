"""A congestion control of the core without TCP: told event by event, it answers with its window."""

import hashlib
import json
import math
import subprocess
from functools import cache
from pathlib import Path

from longfat import builds, paths
from longfat.cc import catalogue

HERE = Path(__file__).parent
MSS = 1000  # bytes
STATES = ["open", "disorder", "cwr", "recovery", "loss"]


@cache
def program() -> Path:
    """Return the program of cc_driver.cc with all congestion controls, compiled once for all."""
    headers = sorted(catalogue.FOLDER.glob("*.h"))
    included = [*headers, HERE / "cc_watched.h", HERE / "cc_driver.cc"]
    text = "".join(f'#include "{path}"\n' for path in included)
    source = (
        paths.builds() / "tests" / f"driver-{hashlib.sha256(text.encode()).hexdigest()[:16]}.cc"
    )
    with builds.scratch(source.parent) as scratch:
        fresh = scratch / source.name
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(source)
    flags, folders = [*catalogue.FLAGS, "-O0"], [catalogue.CORE, catalogue.ENGINES]
    return builds.compiled("tests", "cc-driver", flags, [source], folders)


class Driver:
    """One congestion control, whose whole window is in flight and limits the sender.

    Windows are in segments of 1000 bytes, times in seconds. After each event `cwnd`, `ssthresh`,
    `pacing_bps`, `bandwidth_bps`, `utilization` and `timer_s` are what it has decided and tells.
    """

    def __init__(
        self,
        name: str,
        window: float = 10,
        threshold: float = 2,
        start_up: dict | None = None,
        **parameters,
    ) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([program()], stdin=pipe, stdout=pipe, text=True, bufsize=1)
        self._write(f"make {name} {json.dumps(parameters)}")
        if wrong := self._process.stdout.readline().strip():
            raise ValueError(wrong)
        if start_up:
            self._write(f"start_up {json.dumps(start_up)}")
            if wrong := self._process.stdout.readline().strip():
                raise ValueError(wrong)
        self.now_s, self.una, self.nxt = 0.0, 0, 0
        self.delivered = 0
        self.rtt_s = self.srtt_s = 0.1
        self.min_rtt_s = math.inf
        self.limited, self.state = True, "open"
        known = catalogue.algorithms().get(name)
        self._hears_what_is_sent = known is not None and "sent" in known.events
        self.fills = True  # what an ACK allows to be sent is sent
        self.bandwidth_bps = self.utilization = self.timer_s = self.pacing_bps = math.nan
        self.returned, self.requests = 0.0, list[str]()  # what the last event gave, and asked for
        self.set(window, threshold)
        self._tell(now=0, mss=MSS, rtt=1e8, advertised_window=1e15)

    def __del__(self) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def set(self, window: float, threshold: float | None = None) -> None:
        """Set the window, and fill it."""
        self.cwnd = window
        self._write(f"set cwnd {window!r}")
        if threshold is not None:
            self.ssthresh = threshold
            self._write(f"set ssthresh {threshold!r}")
        self.fill(window)

    def fill(self, window: float) -> None:
        """So much is sent and not acknowledged."""
        new = range(self.nxt, self.una + int(window) * MSS, MSS)
        self.nxt = max(self.nxt, self.una + int(window) * MSS)
        for sequence in new if self._hears_what_is_sent else ():
            self._tell(now=self.now_s * 1e9, sequence=sequence, pipe=sequence + MSS - self.una)
            self._event("sent")

    def established(self, rtt_s: float = 0.1, **fields: float) -> float:
        self._tell(rtt=rtt_s * 1e9, **fields)
        return self._event("established")

    def ack(
        self,
        rtt_s: float | None = None,
        segments: int = 1,
        delivered: int | None = None,
        sacked: int = 0,
        sample: bool = True,
        delay_s: float | None = None,
        prior_state: str | None = None,
        **fields: float,
    ) -> float:
        """An ACK that advances by so many segments, of which `delivered` are news; 0: a duplicate.

        `delay_s` is the one-way delay of the segment that caused it. Returns the window.
        """
        self.rtt_s = self.rtt_s if rtt_s is None else rtt_s
        if sample:
            self.min_rtt_s = min(self.min_rtt_s, self.rtt_s)
        news = (segments or sacked) if delivered is None else delivered
        in_flight = self.nxt - self.una
        self.una += segments * MSS
        self.nxt = max(self.nxt, self.una)
        self.delivered += news * MSS
        told = dict(
            now=self.now_s * 1e9,
            snd_una=self.una,
            snd_nxt=self.nxt,
            newly_acked=segments * MSS,
            newly_sacked=sacked * MSS,
            newly_delivered=news * MSS,
            delivered=self.delivered,
            prior_in_flight=in_flight,
            pipe=in_flight - news * MSS,
            rtt=self.rtt_s * 1e9 if sample else -1,
            latest_rtt=self.rtt_s * 1e9,
            srtt=self.rtt_s * 1e9,
            min_rtt=self.min_rtt_s * 1e9 if self.min_rtt_s < math.inf else 2**62,
            cwnd_limited=self.limited,
            state=STATES.index(self.state),
            prior_state=STATES.index(prior_state or self.state),
            segment_sent=-1 if delay_s is None else (self.now_s - delay_s) * 1e9,
            segment_received=-1 if delay_s is None else self.now_s * 1e9,
        )
        self._tell(**told | fields)
        self._event("ack")
        if self.fills:
            self.fill(self.cwnd)
        return self.cwnd

    def round(self, rtt_s: float | None = None, **more) -> float:
        """All that is in flight is acknowledged, segment by segment, within a round trip."""
        self.rtt_s = self.rtt_s if rtt_s is None else rtt_s
        end, count = self.nxt, (self.nxt - self.una) // MSS
        while self.una < end:
            self.now_s += self.rtt_s / count
            self.ack(rtt_s, **more)
        return self.cwnd

    def wait(self, duration_s: float) -> None:
        self.now_s += duration_s

    def threshold(self, cause: str = "loss") -> float:
        """What congestion of that cause (loss, again, ecn, timeout) leaves, in segments."""
        self._tell(
            now=self.now_s * 1e9,
            snd_una=self.una,
            snd_nxt=self.nxt,
            pipe=self.nxt - self.una,
            srtt=self.rtt_s * 1e9,
            min_rtt=self.min_rtt_s * 1e9 if self.min_rtt_s < math.inf else 2**63 - 1025,
        )
        self._event(f"congestion {cause}")
        return self.ssthresh

    def recovery(self, state: str = "recovery") -> float:
        """A loss, and the recovery that repairs it; the window at its end."""
        self.threshold("ecn" if state == "cwr" else "loss")
        self.set(self.ssthresh)
        self._event(f"recovered {state}")
        return self.cwnd

    def timeout(self) -> float:
        """A timeout: a window of one. Returns the threshold."""
        self.threshold("timeout")
        self.set(1)
        self._event("timeout")
        self.state = "loss"
        return self.ssthresh

    def restart(self, idle_s: float) -> float:
        self._tell(now=self.now_s * 1e9, idle=idle_s * 1e9)
        return self._event("restart")

    def event(self, line: str, **fields: float) -> float:
        """Any other event, with its fields; `returned` is what it gives, if it does."""
        self._tell(**{"now": self.now_s * 1e9} | fields)
        return self._event(line)

    def _tell(self, **fields: float) -> None:
        for name, value in fields.items():
            self._write(f"set {name} {float(value)!r}")

    def _event(self, line: str) -> float:
        self._write(line)
        words = self._process.stdout.readline().split()
        self.cwnd, self.ssthresh, self.pacing_bps = map(float, words[:3])
        self.bandwidth_bps, self.utilization, self.timer_s = map(float, words[3:6])
        self.returned, self.requests = float(words[6]), words[7:]
        return self.cwnd

    def _write(self, line: str) -> None:
        self._process.stdin.write(line + "\n")
