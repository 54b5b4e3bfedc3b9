"""A sender of Linux, ACK by ACK (linux_sender.c), in the emulated kernel of engine `linux`."""

import base64
import functools
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from longfat.engines import linux

HERE = Path(__file__).parent


@functools.cache
def _program() -> str:
    """Compile the program, once a process; return it in base64."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "linux_sender"
        command = ["gcc", "-O1", "-Wall", str(HERE / "linux_sender.c"), "-o", str(program), "-lm"]
        subprocess.run(command, check=True)
        return base64.encodebytes(program.read_bytes()).decode()


def play(
    window: int, words: list[str], *, sack: bool, end_s: float, rtt_s: float, gap_s: float
) -> list[dict[str, Any]]:
    """Return what Linux sent after each ACK of the far end that the words describe (peer.h)."""
    common = "address 02:00:00:00:00:01 mtu 9200 gso_max_segs 1"
    route = f"10.2.0.1/32 dev host advmss 1000 initcwnd {window} rto_min 1000ms"
    ecn = int("ecn" in words)
    script = f"""
ip netns add s
ip netns add r
ip link add host {common} netns s type veth peer name host {common} netns r
ip -n s addr add 10.1.0.1/32 dev host
ip -n r addr add 10.2.0.1/32 dev host
ip -n s link set host up arp off
ip -n r link set host up arp off
ip -n s route add {route}
/run/guest sysctl s tcp_sack={int(sack)} tcp_ecn={ecn} tcp_timestamps=0 \
    tcp_wmem='4096 4000000 64000000'
base64 -d >linux_sender <<.
{_program()}.
chmod +x linux_sender
echo == answers
./linux_sender {end_s} {rtt_s} {gap_s} {int(sack)} {" ".join(words)}
"""
    status, output = linux._run(linux.folder() / "linux", script, 1, 60, None)
    sections = linux._sections(output)
    if status or "plan ended with status 0" not in sections:
        raise RuntimeError(f"Linux ended before its plan did: {output[-2000:]}")
    return [json.loads(line) for line in sections["answers"] if line.startswith("{")]
