"""Drives a congestion control ACK by ACK, or two side by side, without a socket."""

from functools import cache

from longfat.cc import catalogue
from longfat.engines.ns3 import bindings

HEADERS = (
    "vegas",
    "veno",
    "illinois",
    "yeah",
    "htcp",
    "bic",
    "lp",
    "ledbat",
    "highspeed",
    "scalable",
    "card",
    "dual",
    "africa",
    "pert",
    "cdg",
    "cdg-linux",
    "hybla-2004",
    "hd-freebsd",
    "chd-freebsd",
)

DRIVER = """
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"
#include <array>
#include <random>

namespace window_test
{
using State = ns3::TcpSocketState;

/// A congestion control and the socket state that it works on. Windows are in segments.
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
        tcb->m_segmentSize = 1000;
        tcb->m_isCwndLimited = true;
    }

    void Set(double window, double threshold)
    {
        tcb->m_cWnd = window * 1000;
        tcb->m_ssThresh = std::min(threshold * 1000, 4294967295.0);
        tcb->m_nextTxSequence = tcb->m_lastAckedSeq + tcb->m_cWnd.Get();
        tcb->m_highTxMark = tcb->m_nextTxSequence.Get();
        roundEnd = tcb->m_nextTxSequence;
        ops->CongestionStateSet(tcb, State::CA_OPEN); // the connection is made
    }

    /// The smallest round trip of the connection.
    void Least(double rttS)
    {
        tcb->m_minRtt = ns3::Seconds(rttS);
    }

    void Limit(bool byWindow)
    {
        tcb->m_isCwndLimited = byWindow;
    }

    void At(double timeS)
    {
        ns3::Simulator::Stop(ns3::Seconds(timeS) - ns3::Simulator::Now());
        ns3::Simulator::Run();
    }

    /// The one-way delay that the timestamps of the next ACKs tell. Negative: they have none.
    void Delay(double toBeTold)
    {
        delayS = toBeTold;
    }

    /// An ACK of so many segments; the sender then fills its window.
    double Ack(double rttS, uint32_t segments = 1)
    {
        tcb->m_lastAckedSeq += segments * 1000;
        tcb->m_lastAckedSackedBytes = segments * 1000;
        tcb->m_bytesInFlight = tcb->m_nextTxSequence.Get() - tcb->m_lastAckedSeq;
        tcb->m_lastRtt = ns3::Seconds(rttS);
        tcb->m_srtt = ns3::Seconds(rttS);
        if (delayS >= 0)
        {
            const ns3::Time sent = ns3::Simulator::Now() - ns3::Seconds(rttS);
            tcb->m_rcvTimestampEchoReply = sent.GetMilliSeconds();
            tcb->m_rcvTimestampValue = sent.GetMilliSeconds() + std::llround(1000 * delayS);
        }
        ops->PktsAcked(tcb, segments, tcb->m_srtt);
        ops->IncreaseWindow(tcb, segments);
        tcb->m_nextTxSequence = std::max(tcb->m_nextTxSequence.Get(),
                                         tcb->m_lastAckedSeq +
                                             ns3::SequenceNumber32(tcb->m_cWnd.Get()));
        tcb->m_highTxMark = tcb->m_nextTxSequence.Get();
        return Window();
    }

    /// An ACK of many segments that newly delivers so many, and leaves so many in flight.
    double AckOf(uint32_t segments, uint32_t delivered, uint32_t inFlight)
    {
        tcb->m_lastAckedSackedBytes = delivered * 1000;
        tcb->m_bytesInFlight = inFlight * 1000;
        ops->IncreaseWindow(tcb, segments);
        return Window();
    }

    /// Acknowledge what had been sent when the last round began; returns the window.
    double Round(double rttS)
    {
        const ns3::SequenceNumber32 end = roundEnd;
        while (tcb->m_lastAckedSeq < end)
        {
            roundEnd = tcb->m_nextTxSequence;
            Ack(rttS);
        }
        return Window();
    }

    /// Duplicate ACKs reveal a loss, in the order of TcpSocketBase::EnterRecovery.
    double Recovery()
    {
        ops->CongestionStateSet(tcb, State::CA_RECOVERY);
        tcb->m_congState = State::CA_RECOVERY;
        tcb->m_ssThresh = ops->GetSsThresh(tcb, tcb->m_cWnd);
        tcb->m_cWnd = tcb->m_ssThresh.Get();
        Open();
        return Window();
    }

    /// The timer expires, as in TcpSocketBase::ReTxTimeout; returns the new threshold.
    double Timeout()
    {
        tcb->m_ssThresh = ops->GetSsThresh(tcb, tcb->m_cWnd);
        ops->CwndEvent(tcb, State::CA_EVENT_LOSS);
        ops->CongestionStateSet(tcb, State::CA_LOSS);
        tcb->m_congState = State::CA_LOSS;
        tcb->m_cWnd = 1000;
        return Threshold();
    }

    void Open()
    {
        ops->CongestionStateSet(tcb, State::CA_OPEN);
        tcb->m_congState = State::CA_OPEN;
    }

    double Window() const
    {
        return tcb->m_cWnd.Get() / 1000.0;
    }

    double Threshold() const
    {
        return tcb->m_ssThresh.Get() / 1000.0;
    }

    ns3::Ptr<State> tcb{ns3::CreateObject<State>()};
    ns3::Ptr<ns3::TcpCongestionOps> ops;
    ns3::SequenceNumber32 roundEnd{0};
    double delayS{-1};
};

/// Drive both through the same random life of a connection, in the order in which a socket calls
/// (engines/segment/sender.h); return the step after which their windows or thresholds differ, -1
/// if none.
int
FirstDifference(Driver& one, Driver& other, uint32_t seed, int steps)
{
    std::mt19937 random(seed);
    auto draw = [&random](uint32_t below) { return uint32_t(random() % below); };
    const uint32_t mss = std::array{200, 536, 1000, 1448}[draw(4)];
    const bool timestamps = draw(4) > 0;
    const uint32_t largest = std::array{30, 300, 3000, 100000}[draw(4)];
    const double baseS = std::array{0.02, 0.1, 0.55}[draw(3)];
    std::array<Driver*, 2> both{&one, &other};
    auto each = [&both](auto&& act) { std::for_each(both.begin(), both.end(), act); };
    uint32_t nowMs = 1000;
    each([&](Driver* d) {
        d->tcb->m_segmentSize = mss;
        d->tcb->m_cWnd = (1 + seed % 10) * mss;
        d->tcb->m_ssThresh = seed % 2 ? 0xffffffff : largest / 3 * mss;
        d->ops->CongestionStateSet(d->tcb, State::CA_OPEN);
    });
    double queueS = 0;
    for (int step = 0; step < steps; ++step)
    {
        const uint32_t act = draw(100);
        const uint32_t queue = draw(1000);
        const uint32_t passed = draw(20) == 0 ? draw(3000) : draw(30);
        const uint32_t acked = draw(50) == 0 ? 200 : draw(4);
        const uint32_t flight = draw(1000);
        const uint32_t jump = 1 + draw(largest);
        const bool early = draw(2);
        queueS = 0.95 * queueS + 0.05 * (early ? 0 : baseS * queue / 1000);
        nowMs += passed;
        ns3::Simulator::Stop(ns3::MilliSeconds(passed));
        ns3::Simulator::Run();
        each([&](Driver* d) {
            State& s = *d->tcb;
            s.m_srtt = ns3::NanoSeconds(std::llround(1e9 * (baseS + queueS)));
            s.m_lastRtt = ns3::NanoSeconds(std::llround(1e9 * (baseS + queueS)));
            s.m_rcvTimestampValue = timestamps ? nowMs : 0;
            s.m_rcvTimestampEchoReply =
                timestamps ? nowMs - uint32_t(1000 * (baseS / 2 + queueS)) : 0;
            s.m_lastAckedSeq += acked * mss;
            s.m_nextTxSequence = s.m_lastAckedSeq + ns3::SequenceNumber32(s.m_cWnd.Get());
            s.m_highTxMark = s.m_nextTxSequence.Get();
            s.m_lastAckedSackedBytes = acked * mss;
            const uint32_t inFlight = s.m_cWnd.Get() / 1000.0 * flight;
            s.m_bytesInFlight = inFlight;
            if (act < 88) // an ACK that advances
            {
                d->ops->PktsAcked(d->tcb, acked, s.m_srtt);
                d->ops->IncreaseWindow(d->tcb, acked);
            }
            else if (act < 92) // duplicates, and a recovery
            {
                d->ops->CongestionStateSet(d->tcb, State::CA_DISORDER);
                s.m_congState = State::CA_DISORDER;
                d->ops->PktsAcked(d->tcb, 1, s.m_srtt);
                d->ops->CongestionStateSet(d->tcb, State::CA_RECOVERY);
                s.m_congState = State::CA_RECOVERY;
                s.m_ssThresh = d->ops->GetSsThresh(d->tcb, inFlight);
                d->ops->PktsAcked(d->tcb, 1, s.m_srtt);
                d->ops->PktsAcked(d->tcb, acked, s.m_srtt);
                d->ops->CwndEvent(d->tcb, State::CA_EVENT_COMPLETE_CWR);
                d->ops->CongestionStateSet(d->tcb, State::CA_OPEN);
                s.m_congState = State::CA_OPEN;
                s.m_cWnd = std::max(mss, std::min(s.m_ssThresh.Get(), largest * mss));
                d->ops->IncreaseWindow(d->tcb, acked);
            }
            else if (act < 93) // duplicates, and then an answer to ECN
            {
                d->ops->CongestionStateSet(d->tcb, State::CA_DISORDER);
                s.m_ssThresh = d->ops->GetSsThresh(d->tcb, inFlight);
                s.m_congState = State::CA_CWR;
                d->ops->PktsAcked(d->tcb, acked, s.m_srtt);
                s.m_congState = State::CA_OPEN;
            }
            else if (act < 95) // a timeout
            {
                s.m_ssThresh = d->ops->GetSsThresh(d->tcb, inFlight);
                d->ops->CwndEvent(d->tcb, State::CA_EVENT_LOSS);
                d->ops->CongestionStateSet(d->tcb, State::CA_LOSS);
                s.m_congState = State::CA_LOSS;
                s.m_cWnd = mss;
                d->ops->PktsAcked(d->tcb, acked, s.m_srtt);
                d->ops->IncreaseWindow(d->tcb, acked);
                d->ops->CongestionStateSet(d->tcb, State::CA_OPEN);
                s.m_congState = State::CA_OPEN;
            }
            else if (act < 98) // somewhere else
            {
                s.m_cWnd = jump * mss;
            }
            else
            {
                s.m_cWnd = jump * mss;
                s.m_ssThresh = early ? jump / 2 * mss : 2 * jump * mss;
            }
        });
        if (one.tcb->m_cWnd != other.tcb->m_cWnd || one.tcb->m_ssThresh != other.tcb->m_ssThresh)
        {
            return step;
        }
    }
    return -1;
}
}
"""


@cache
def cpp():
    """Return the C++ namespace of the driver."""
    bindings.load(headers=False)  # a few are enough
    import cppyy

    for header in HEADERS:
        cppyy.include(str(catalogue.find(header).header_path))
    cppyy.cppdef(DRIVER)
    return cppyy.gbl.window_test


def driver(kind, attributes):
    """Return a driver of that class with these attributes."""
    return cpp().Driver(kind, {name: str(value) for name, value in attributes.items()})


def make(kind, window=100, threshold=10, **attributes):
    """Return a driver of our class `kind`, with a window and a threshold in segments, at 1 s."""
    import cppyy

    made = driver(f"longfat::Tcp{kind}", attributes)
    cppyy.gbl.ns3.Simulator.Destroy()
    made.At(1)
    made.Set(window, threshold)
    return made
