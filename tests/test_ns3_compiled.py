"""What the engine compiles: each header by itself, once, and again only when it has changed."""

import os
import re
import resource
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from longfat import InputError, SimulationError
from longfat.cc import catalogue
from longfat.engines import host, ns3
from longfat.engines.ns3 import compiled
from longfat.topologies import satellite

pytestmark = pytest.mark.ns3

SCALABLE = catalogue.find("scalable")


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A header of one's own, under the name `own`: a copy of Scalable TCP's.

    The test has builds of its own: the engine's, and whatever else there was, is among them.
    """
    compiled.build(ns3.ENGINE)
    shutil.copytree(compiled.folder(), tmp_path / "builds" / "ns3", copy_function=os.symlink)
    monkeypatch.setenv("LONGFAT_BUILDS", str(tmp_path / "builds"))
    header = tmp_path / "own.h"
    theirs = SCALABLE.header_path
    text = re.sub(
        r'#include "(?!ns3/)(.+?)"',
        lambda found: f'#include "{theirs.with_name(found[1])}"',
        theirs.read_text("utf-8"),
    )
    header.write_text(text)
    monkeypatch.setitem(catalogue.algorithms(), "own", replace(SCALABLE, header=str(header)))
    return header


def delivered_bytes(congestion_control):
    scenario = satellite(loss=1e-3, duration_s=20).with_(
        flows=[{"source": "sender", "target": "receiver", "congestion_control": congestion_control}]
    )
    return ns3.simulate(scenario).flows["delivered_bytes"].item()


def test_a_changed_header_is_used_without_a_new_process(own):
    before = delivered_bytes("own")
    assert before == delivered_bytes("scalable")
    process = ns3._server.process
    own.write_text(own.read_text().replace("0.01", "0.05"))
    assert delivered_bytes("own") > 1.05 * before
    assert ns3._server.process is process


def test_a_header_that_does_not_compile_takes_only_itself_away(own):
    own.write_text(own.read_text().replace("class TcpScalable", "class TcpScalable;;\nclas Tcp"))
    line = 1 + own.read_text().splitlines().index(
        next(line for line in own.read_text().splitlines() if line.startswith("clas Tcp"))
    )
    with pytest.raises(InputError, match=rf"'own' cannot be used: {own}:{line}:\d+: error: "):
        delivered_bytes("own")
    assert delivered_bytes("scalable") > 0


def test_an_unchanged_header_is_compiled_once(own, tmp_path, monkeypatch):
    library = compiled.build(own)
    assert library.parent == tmp_path / "builds" / "ns3"
    monkeypatch.setenv("CXX", "false")
    assert compiled.build(own) == library
    own.write_text(own.read_text() + "\n")
    with pytest.raises(compiled.CompilerError, match="false failed"):
        compiled.build(own)


def test_another_ns3_asks_for_another_build_but_not_parts_of_seconds(monkeypatch, tmp_path):
    """The image of a container keeps no parts of seconds."""
    monkeypatch.setattr(compiled, "ns3", lambda: tmp_path)
    (tmp_path / "lib64").mkdir()
    names = []
    for time_ns in (
        1_700_000_000_123_456_789,
        1_700_000_000_000_000_000,
        1_700_000_001_000_000_000,
    ):
        for name in compiled.LIBRARIES:
            (tmp_path / "lib64" / name).touch()
            os.utime(tmp_path / "lib64" / name, ns=(time_ns, time_ns))
        compiled._ns3_version.cache_clear()
        names.append(compiled.name_of(ns3.ENGINE))
    compiled._ns3_version.cache_clear()
    assert names[0] == names[1] != names[2]


def test_where_nothing_can_be_written_a_sentence_names_the_folder(own, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LONGFAT_BUILDS", str(tmp_path / "file"))
    with pytest.raises(SimulationError, match=f"be kept in {tmp_path}/file/ns3: Not a directory"):
        compiled.build(own)


def test_a_first_result_takes_seconds():
    """Processor time of a new process with all of its children: the machine may be busy."""
    say = (
        "from longfat.engines import ns3; from longfat.topologies import satellite;"
        "ns3.simulate(satellite(loss=1e-3, duration_s=1))"
    )
    ns3.simulate(satellite(loss=1e-3, duration_s=1))  # all is compiled
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", say], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert 0.1 < used_s < 10


@pytest.mark.parametrize("features", [(), ns3.FEATURES])
def test_no_warnings(features):
    command = [*compiled.compiler(), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command += [
        *host.macros(features),
        "-DNS3_ASSERT_ENABLE",
        "-isystem",
        str(compiled.ns3() / "include"),
    ]
    path = Path(ns3.__file__).with_name("engine.cc")
    done = subprocess.run([*command, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
