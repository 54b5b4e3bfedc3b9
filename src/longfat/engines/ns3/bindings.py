"""ns-3 through its Python bindings, in this process.

For a notebook or a test that calls C++ from Python: after `load`, `cppyy.gbl.ns3` is ns-3, and the
congestion controls that were asked for are known to it ("longfat::hybla"). `execute` runs a request
of the engine, and `names` are those of a program that builds its network itself. Runs of the engine
need none of this (server.py).
"""

import contextlib
import ctypes
import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from longfat.cc import catalogue
from longfat.engines.ns3 import compiled, server

JIT_FLAGS = "-O2 -ffp-contract=off"  # no -march=native: the same digits on every x86-64 machine


def load(*controls: str) -> None:
    """Load ns-3, and these congestion controls that have a header of ours.

    Raises InputError for an unknown one, or one whose header does not compile.
    """
    os.environ["EXTRA_CLING_ARGS"] = JIT_FLAGS
    with _quiet_stderr():  # Cling reports a static initialiser of ns-3's headers that is not used
        from ns import ns  # noqa: F401
    for name in controls:
        if header := catalogue.find(name).header:
            ctypes.CDLL(str(compiled.control(header)), ctypes.RTLD_GLOBAL)
    _engine()  # before any fork


@functools.cache
def _engine() -> Callable[[str], str]:
    return server.load(str(compiled.engine()))


def names(*controls: str) -> dict[str, Any]:
    """Return the names of a program that uses ns-3: `ns`, which is ns-3.

    Its sockets have the first of these congestion controls of ours, and our recovery. Where the
    control needs one-way delays, those of BulkSendApplication are told them, by the PacketSink of
    the address that they send to. Raises InputError as `load` does.
    """
    load(*controls)  # before cppyy, which compiles as it was told when it was first imported
    import cppyy

    ns = cppyy.gbl.ns3
    ns.Config.SetDefault("ns3::TcpL4Protocol::RecoveryType", ns.StringValue("longfat::Prr"))
    if controls:
        ours = f"longfat::{controls[0]}"
        ns.Config.SetDefault("ns3::TcpL4Protocol::SocketType", ns.StringValue(ours))
        if ONE_WAY_DELAY in catalogue.find(controls[0]).needs:
            cppyy.add_include_path(str(compiled.HERE))
            cppyy.cppdef(_TOLD)
            cppyy.gbl.longfat.TellSoon(ours)
    return {"ns": ns}


ONE_WAY_DELAY = "one-way delay"
_TOLD = """
#include "signals.h"

namespace longfat
{

/// Give each BulkSendApplication a congestion control that is told one-way delays.
inline void
Tell(const std::string& control)
{
    std::map<ns3::Address, ns3::Ptr<ns3::TcpSocketBase>> listeners;
    std::map<ns3::Address, ns3::Ptr<ns3::TcpSocketBase>> senders;
    for (uint32_t number = 0; number < ns3::NodeList::GetNNodes(); number++)
    {
        auto node = ns3::NodeList::GetNode(number);
        for (uint32_t place = 0; place < node->GetNApplications(); place++)
        {
            ns3::AddressValue address;
            auto application = node->GetApplication(place);
            if (auto sink = ns3::DynamicCast<ns3::PacketSink>(application))
            {
                sink->GetAttribute("Local", address);
                listeners[address.Get()] =
                    ns3::DynamicCast<ns3::TcpSocketBase>(sink->GetListeningSocket());
            }
            else if (auto source = ns3::DynamicCast<ns3::BulkSendApplication>(application))
            {
                source->GetAttribute("Remote", address);
                NS_ABORT_MSG_IF(senders.count(address.Get()), "one sender a sink, for its delays");
                senders[address.Get()] = ns3::DynamicCast<ns3::TcpSocketBase>(source->GetSocket());
            }
        }
    }
    for (const auto& [address, sender] : senders)
    {
        auto algorithm = ns3::ObjectFactory(control).Create<ns3::TcpCongestionOps>();
        sender->SetCongestionControlAlgorithm(algorithm);
        SignalOneWayDelays(sender,
                           listeners.at(address),
                           dynamic_cast<OneWayDelaySignal*>(ns3::PeekPointer(algorithm)));
    }
}

/// The same as soon as the applications that start at once have.
inline void
TellSoon(const std::string& control)
{
    ns3::Simulator::Schedule(ns3::NanoSeconds(1), [control] { Tell(control); });
}

} // namespace longfat
"""


def execute(request: dict[str, Any]) -> dict[str, Any]:
    """Build the requested network in ns-3, run it, and return what it measured.

    Once in a process, or in a child that was forked for it: ns-3's random streams and addresses go
    on counting.
    """
    return json.loads(_engine()(json.dumps(request)))


@contextlib.contextmanager
def _quiet_stderr() -> Iterator[None]:
    saved = os.dup(2)
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        except BaseException:
            kept.seek(0)
            os.write(saved, kept.read())
            raise
        finally:
            os.dup2(saved, 2)
            os.close(saved)
