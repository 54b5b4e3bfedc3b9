"""A congestion control that sends packets of its own, without an engine: what it asks is kept."""

from functools import cache

from longfat.cc import catalogue
from longfat.engines.ns3 import bindings

CODE = """
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"

namespace own_packets_test
{
using State = ns3::TcpSocketState;

/// Keeps what it is asked for: "probe 1 0", "supplement", "timer 0.2", "resume 0".
struct Engine : longfat::OwnPackets
{
    void SendProbe(uint32_t number, uint32_t bytes, bool low) override
    {
        asked.push_back("probe " + std::to_string(number) + " " + std::to_string(bytes) +
                        (low ? " low" : ""));
    }

    bool SendSupplement(bool low) override
    {
        asked.push_back(low ? "supplement low" : "supplement");
        return hasRoom;
    }

    void SetOwnTimer(ns3::Time after) override
    {
        timerS = after.GetSeconds();
    }

    void Resume(longfat::Resumption how) override
    {
        asked.push_back("resume " + std::to_string(static_cast<int>(how)));
    }

    uint32_t GetReceiverWindow() const override
    {
        return window;
    }

    std::vector<std::string> asked;
    double timerS{-1};
    bool hasRoom{true};
    uint32_t window{100};
};

/// Windows are in segments of 1000 bytes, times in seconds.
struct Driver
{
    Driver(const std::string& type, const std::map<std::string, std::string>& attributes)
    {
        ns3::ObjectFactory factory(type);
        for (const auto& [name, value] : attributes)
        {
            factory.Set(name, ns3::StringValue(value));
        }
        ops = factory.Create<ns3::TcpCongestionOps>();
        signal = dynamic_cast<longfat::OwnPacketsSignal*>(ns3::PeekPointer(ops));
        tcb->m_segmentSize = 1000;
        tcb->m_isCwndLimited = true;
        tcb->m_ssThresh = 0xffffffff;
        tcb->m_cWnd = 10000;
        ops->Init(tcb);
        signal->SetOwnPackets(tcb, &engine);
    }

    void At(double timeS)
    {
        ns3::Simulator::Stop(ns3::Seconds(timeS) - ns3::Simulator::Now());
        ns3::Simulator::Run();
    }

    void Ack(double rttS)
    {
        tcb->m_lastRtt = ns3::Seconds(rttS);
        tcb->m_srtt = ns3::Seconds(rttS);
        ops->PktsAcked(tcb, 1, ns3::Seconds(rttS));
    }

    bool Suspends(bool timeout)
    {
        return signal->Suspends(tcb, timeout);
    }

    void Answer(uint32_t number, double sentS)
    {
        signal->OnProbeAnswer(tcb, number, ns3::Seconds(sentS));
    }

    void Timer()
    {
        signal->OnOwnTimer(tcb);
    }

    void Arrive(int supplements)
    {
        for (int i = 0; i < supplements; ++i)
        {
            signal->OnSupplementArrived(tcb);
        }
    }

    void Enter(int state)
    {
        ops->CongestionStateSet(tcb, static_cast<State::TcpCongState_t>(state));
        tcb->m_congState = static_cast<State::TcpCongState_t>(state);
    }

    void SetWindow(double segments)
    {
        tcb->m_cWnd = segments * 1000;
    }

    void SetThreshold(double segments)
    {
        tcb->m_ssThresh = segments * 1000;
    }

    double Window() const
    {
        return tcb->m_cWnd.Get() / 1000.0;
    }

    double Threshold() const
    {
        return tcb->m_ssThresh.Get() / 1000.0;
    }

    /// What was asked for since the last time.
    std::vector<std::string> Asked()
    {
        return std::exchange(engine.asked, {});
    }

    Engine engine;
    ns3::Ptr<State> tcb{ns3::CreateObject<State>()};
    ns3::Ptr<ns3::TcpCongestionOps> ops;
    longfat::OwnPacketsSignal* signal;
};
}
"""
LOSS, RECOVERY, OPEN = 4, 3, 0


@cache
def _load():
    bindings.load(headers=False)
    import cppyy

    for name in ("probing", "cherry", "peach"):
        cppyy.include(str(catalogue.find(name).header_path))
    cppyy.cppdef(CODE)
    return cppyy.gbl


def make(name: str, **attributes):
    """Return a driver of that congestion control, at time 0."""
    loaded = _load()
    loaded.ns3.Simulator.Destroy()
    text = {key: str(value).lower() for key, value in attributes.items()}
    return loaded.own_packets_test.Driver(catalogue.find(name).type_id, text)


def asked(driver) -> list[str]:
    """Return what it has asked the engine for since the last time."""
    return [str(one) for one in driver.Asked()]
