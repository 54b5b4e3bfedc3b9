// SPDX-License-Identifier: GPL-2.0-only
//
// The congestion controls of ../../cc in ns-3: any of them is an ns3::TcpCongestionOps. A program
// includes this file and then the algorithms that it wants (with ../../cc and ../segment among the
// folders that the compiler looks in); the type of `hybla` is "longfat::hybla", and its attributes are
// the parameters that it declares, by their names:
//
//     #include "adapter.h"
//     #include "hybla.h"
//
//     ns3::Config::SetDefault("ns3::TcpL4Protocol::SocketType",
//                             ns3::TypeIdValue(ns3::TypeId::LookupByName("longfat::hybla")));
//     ns3::Config::SetDefault("longfat::hybla::rtt0_s", ns3::DoubleValue(0.05));
//
// It has CongControl, in the words of ns-3: the socket asks it once an ACK, when all of that is known,
// and leaves window and pacing rate alone. So the window of a recovery is the adapter's affair as well
// (../segment/recovery.h; the attribute Recovery says which), and no maximum pacing rate of the socket
// applies.
//
// What the adapter tells an algorithm, and whence it has it:
//
//     states, pipe, which segments are lost, what an ACK
//     newly delivers, whether the application limits         the socket's own
//     round trips and delivery rates, in ns and 64 bits      its segments as they leave (trace Tx)
//     what an ACK acknowledges and reports, ECN-Echo         the ACKs as they arrive (trace Rx)
//     one-way delays                                         OneWayDelaySignal, where it is served
//
// The socket has round trips and delivery rates too, but smoothed, in ms, or wrong (data/faults.csv).
//
// What it cannot tell, for the socket does not do it: undo, answers to probes and queries, supplements,
// pauses, feedback of routers. But for undo, an algorithm that asks for one of these is refused when its
// connection begins. What the socket does on its own authority is ns-3's (data/faults.csv): when a
// recovery begins, which segment is sent again, when the timer expires, and a window of one segment after
// that.

#ifndef LONGFAT_NS3_ADAPTER_H
#define LONGFAT_NS3_ADAPTER_H

#ifdef LONGFAT_CORE_MODEL_H
#error "include adapter.h before the congestion controls, which it makes known to ns-3"
#endif

#undef linux // which compilers define where their extensions of C++ are on

#include "../segment/model.h"
#include "../segment/rate-sampler.h"
#include "../segment/recovery.h"
#include "../segment/round-trip.h"
#include "signals.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/integer.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/object-map.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace longfat
{

/// What all algorithms have in common in ns-3.
class CongestionOps : public ns3::TcpCongestionOps, public HandoffSignal, private core::Requests
{
    using Socket = ns3::TcpSocketBase;
    using Tcb = ns3::TcpSocketState;
    using Bytes = core::Bytes;
    using Time = core::Time;
    using State = core::State;
    using Control = core::Control;

  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::CongestionOps")
                .SetParent<ns3::TcpCongestionOps>()
                .AddAttribute("MaxWindow",
                              "no decision goes beyond so many segments; 0: any",
                              ns3::UintegerValue(0),
                              ns3::MakeUintegerAccessor(&CongestionOps::m_max_window),
                              ns3::MakeUintegerChecker<uint64_t>())
                .AddAttribute("Recovery",
                              "window of a recovery: prr (RFC 9937) or halving (RFC 6675)",
                              ns3::StringValue("prr"),
                              ns3::MakeStringAccessor(&CongestionOps::m_recovery_name),
                              ns3::MakeStringChecker())
                .AddAttribute("Seed",
                              "of an algorithm's random numbers",
                              ns3::UintegerValue(1),
                              ns3::MakeUintegerAccessor(&CongestionOps::m_seed),
                              ns3::MakeUintegerChecker<uint64_t>())
                .AddAttribute("Flow",
                              "the connection's number: each has random numbers of its own",
                              ns3::UintegerValue(0),
                              ns3::MakeUintegerAccessor(&CongestionOps::m_flow),
                              ns3::MakeUintegerChecker<uint64_t>())
                .AddTraceSource("Bandwidth",
                                "the algorithm's estimate of the bandwidth, bit/s",
                                ns3::MakeTraceSourceAccessor(&CongestionOps::m_bandwidth_bps),
                                "ns3::TracedValueCallback::Double")
                .AddTraceSource("Utilization",
                                "the algorithm's estimate of the utilization",
                                ns3::MakeTraceSourceAccessor(&CongestionOps::m_utilization),
                                "ns3::TracedValueCallback::Double");
        return tid;
    }

    CongestionOps() = default;

    /// One for another connection: with the same attributes, and nothing else.
    CongestionOps(const CongestionOps& other)
        : ns3::TcpCongestionOps(other),
          HandoffSignal(other),
          core::Requests(other),
          m_max_window(other.m_max_window),
          m_recovery_name(other.m_recovery_name),
          m_seed(other.m_seed),
          m_flow(other.m_flow),
          m_values(other.m_values)
    {
    }

    std::string GetName() const override
    {
        return entry().name;
    }

    /// Of a parameter, by its name.
    void set_value(const std::string& name, const Json& value)
    {
        for (auto& [known, kept] : m_values)
        {
            if (known == name)
            {
                kept = value;
                return;
            }
        }
        m_values.emplace_back(name, value);
    }

    const Json* value(const std::string& name) const
    {
        for (const auto& [known, kept] : m_values)
        {
            if (known == name)
            {
                return &kept;
            }
        }
        return nullptr;
    }

    // What the socket calls

    void Init(ns3::Ptr<Tcb> tcb) override
    {
        m_tcb = ns3::PeekPointer(tcb);
        m_syn_sent = now();
        // The socket is not yet among those of its node.
        ns3::Simulator::ScheduleNow(&CongestionOps::find_socket, ns3::Ptr<CongestionOps>(this));
    }

    bool HasCongControl() const override
    {
        return true;
    }

    void CongestionStateSet(ns3::Ptr<Tcb>, const Tcb::TcpCongState_t state) override
    {
        if (!m_cc)
        {
            establish();
        }
        else if (state == Tcb::CA_RECOVERY)
        {
            m_enters_recovery = true;
        }
        else if (state == Tcb::CA_LOSS)
        {
            on_timeout();
        }
    }

    uint32_t GetSsThresh(ns3::Ptr<const Tcb>, uint32_t in_flight) override
    {
        const bool is_timeout = !is_in_ack();
        if (is_timeout)
        {
            lose_all();
            ask_ssthresh(core::Congestion::TIMEOUT, in_flight);
        }
        else
        {
            find_losses();
            const bool is_loss = std::exchange(m_enters_recovery, false);
            if (!is_loss && m_state == State::CWR) // the one before ends with the same ACK
            {
                end_recovery(State::OPEN);
            }
            begin_recovery(is_loss);
        }
        return in_32_bits(m_control.ssthresh);
    }

    void CongControl(ns3::Ptr<Tcb>,
                     const ns3::TcpRateOps::TcpRateConnection& connection,
                     const ns3::TcpRateOps::TcpRateSample& sample) override
    {
        if (!is_in_ack())
        {
            return;
        }
        find_losses();
        const State state = state_of(m_tcb->m_congState);
        if (state != m_state)
        {
            end_recovery(state);
        }
        core::Ack& ack = m_ack;
        ack.newly_delivered = m_has_sack ? Bytes(sample.m_ackedSacked) : guess_delivered();
        ack.newly_lost = m_lost - m_lost_before;
        ack.pipe = m_socket->GetTxBuffer()->BytesInFlight() - m_sent_in_ack;
        if (is_reducing() && !entry().regulates_recovery)
        {
            const bool safe = ack.newly_acked > 0 && ack.newly_lost == 0;
            m_control.cwnd = segments(m_recovery->on_ack(ack.newly_delivered,
                                                         ack.pipe,
                                                         in_bytes(m_control.ssthresh),
                                                         safe,
                                                         m_mss));
        }
        ack.advertised_window = m_advertised_window;
        ack.snd_una = m_una;
        ack.snd_nxt = m_nxt;
        ack.delivered = m_rate.delivered();
        ack.lost = m_lost;
        ack.latest_rtt = m_round_trips.latest();
        ack.srtt = m_round_trips.srtt();
        ack.min_rtt = m_round_trips.min();
        ack.state = m_state;
        if (connection.m_appLimited != std::exchange(m_app_limited, connection.m_appLimited))
        {
            m_rate.on_app_limited(ack.pipe);
        }
        m_rate.take_sample(ack.rate, m_lost, ack.min_rtt, now());
        ack.app_limited = m_rate.is_app_limited();
        decide_in_state(m_cc->on_ack(ack, m_control));
        m_has_ack = false;
        tell_sent();
        keep_series();
    }

    void CwndEvent(ns3::Ptr<Tcb>, const Tcb::TcpCAEvent_t event) override
    {
        if (event == Tcb::CA_EVENT_TX_START && m_una == m_nxt && m_nxt > 0)
        {
            decide(m_cc->on_restart({now(), now() - m_last_sent}, m_control));
        }
    }

    // What a program may tell it

    void OnHandoff(bool local, ns3::DataRate announced, uint32_t advertised_window) override
    {
        if (m_cc)
        {
            const double bps = static_cast<double>(announced.GetBitRate());
            decide_in_state(
                m_cc->on_handoff({now(), local, bps, advertised_window, m_mss}, m_control));
            transmit();
        }
    }

  protected:
    virtual const core::Entry& entry() const = 0;
    virtual std::unique_ptr<core::CongestionControl> make(const core::Algorithm::Values& values,
                                                          std::string* wrong) const = 0;

    /// The next ACK was caused by a segment sent and received then.
    void set_one_way_delay(ns3::Time sent, ns3::Time received)
    {
        m_segment_sent = sent.GetNanoSeconds();
        m_segment_received = received.GetNanoSeconds();
    }

  private:
    static constexpr const char* CANNOT = "ns-3's socket has no ";
    static constexpr uint32_t UNHEARD = core::event::ANSWER | core::event::SUPPLEMENT |
                                        core::event::HOLDS; //!< it tells nothing of these
    static constexpr double MOST = 4e18;                    //!< that a Bytes holds
    static constexpr uint32_t NO_THRESHOLD = 0xffffffff;    //!< in 32 bits
    static constexpr uint32_t LARGEST_WINDOW = 0x7fffffff;  //!< more than a receiver can advertise

    /// A segment that is sent and not acknowledged.
    struct Segment : core::SentSegment
    {
        uint32_t bytes;
    };

    static Time now()
    {
        return ns3::Simulator::Now().GetNanoSeconds();
    }

    // A connection begins

    /// Find the socket that this is the congestion control of, to see what it sends and receives.
    void find_socket()
    {
        for (auto node = ns3::NodeList::Begin(); node != ns3::NodeList::End(); ++node)
        {
            const auto tcp = (*node)->GetObject<ns3::TcpL4Protocol>();
            ns3::ObjectMapValue sockets;
            if (!tcp || !tcp->GetAttributeFailSafe("SocketList", sockets))
            {
                continue;
            }
            for (auto one = sockets.Begin(); one != sockets.End(); ++one)
            {
                ns3::PointerValue ops;
                one->second->GetAttribute("CongestionOps", ops);
                if (ops.GetObject() == this)
                {
                    attach(ns3::DynamicCast<Socket>(one->second));
                    return;
                }
            }
        }
    }

    void attach(ns3::Ptr<Socket> socket)
    {
        m_socket = ns3::PeekPointer(socket);
        const ns3::Ptr<CongestionOps> own(this);
        socket->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&CongestionOps::on_sent, own));
        socket->TraceConnectWithoutContext("Rx",
                                           ns3::MakeCallback(&CongestionOps::on_received, own));
        socket->TraceConnectWithoutContext("RWND",
                                           ns3::MakeCallback(&CongestionOps::on_window, own));
        m_syns = is_connecting(*socket) ? 1 : 0; // in the event that has made the socket
    }

    static bool is_connecting(const Socket& socket)
    {
        ns3::Address peer;
        if (socket.GetPeerName(peer) != 0)
        {
            return false;
        }
        return ns3::InetSocketAddress::IsMatchingType(peer)
                   ? ns3::InetSocketAddress::ConvertFrom(peer).GetPort() != 0
                   : ns3::Inet6SocketAddress::ConvertFrom(peer).GetPort() != 0;
    }

    void establish()
    {
        if (!m_socket) // one that was accepted joins its node's later
        {
            find_socket();
        }
        NS_ABORT_MSG_UNLESS(m_socket, "the socket of a congestion control belongs to no node");
        NS_ABORT_MSG_IF((entry().events & UNHEARD) || (entry().needs & core::need::ROUTER_FEEDBACK),
                        "'" << entry().name << "' sends packets of its own or hears of routers: "
                            << CANNOT << "part in that");
        std::string wrong;
        m_cc = make(m_values, &wrong);
        NS_ABORT_MSG_UNLESS(m_cc, entry().name << ": " << wrong);
        const bool halving = m_recovery_name == "halving";
        NS_ABORT_MSG_UNLESS(halving || m_recovery_name == "prr",
                            "Recovery: '" << m_recovery_name << "' is neither prr nor halving");
        m_recovery.emplace(halving);
        ns3::BooleanValue flag;
        m_socket->GetAttribute("Sack", flag);
        m_has_sack = flag.Get();
        m_socket->GetAttribute("Timestamp", flag);
        m_has_timestamps = flag.Get();
        m_mss = m_tcb->m_segmentSize;
        const Time rtt = m_syns == 1 ? now() - m_syn_sent : core::NO_RTT;
        if (rtt != core::NO_RTT)
        {
            m_round_trips.on_sample(rtt, rtt);
        }
        m_control.cwnd = segments(m_tcb->m_cWnd.Get());
        const uint32_t threshold = m_tcb->m_ssThresh.Get();
        m_control.ssthresh = threshold == NO_THRESHOLD ? core::UNLIMITED : segments(threshold);
        m_cc->on_start(*this);
        const core::Established established{now(),
                                            m_mss,
                                            rtt,
                                            max_window(),
                                            m_seed,
                                            m_flow,
                                            m_has_sack,
                                            header_bytes(),
                                            {}};
        decide(m_cc->on_established(established, m_control));
    }

    /// IP and TCP; ns-3's socket does not know its link.
    Bytes header_bytes() const
    {
        return 20 + 20 + (m_has_timestamps ? 12 : 0);
    }

    double max_window() const
    {
        return m_max_window == 0 ? core::UNLIMITED : static_cast<double>(m_max_window);
    }

    // Segments leave

    void on_sent(ns3::Ptr<const ns3::Packet> packet,
                 const ns3::TcpHeader& header,
                 ns3::Ptr<const Socket>)
    {
        if (header.GetFlags() & ns3::TcpHeader::SYN)
        {
            ++m_syns;
            m_syn_sent = now();
        }
        const uint32_t bytes = packet->GetSize();
        if (!m_cc || bytes == 0)
        {
            return;
        }
        const uint32_t sequence = header.GetSequenceNumber().GetValue();
        m_first = m_nxt == 0 ? sequence : m_first;
        const Bytes begin = unwrapped(sequence);
        const Bytes end = begin + bytes;
        const bool again = begin < m_nxt;
        if (begin >= m_nxt)
        {
            Segment& fresh = m_sent[begin];
            fresh.bytes = bytes;
            fresh.first_sent = now();
        }
        ++m_transmissions;
        const Bytes pipe = m_socket->GetTxBuffer()->BytesInFlight();
        for (auto at = m_sent.lower_bound(begin); at != m_sent.end() && at->first < end; ++at)
        {
            Segment& segment = at->second;
            segment.order = m_transmissions;
            segment.sent = now();
            m_rate.on_sent(segment, pipe, segment.bytes, m_lost, now());
            segment.ambiguous = again;
            segment.retransmitted = again && segment.lost;
        }
        m_nxt = std::max(m_nxt, end);
        m_last_sent = now();
        m_untold.push_back({now(), begin, bytes, pipe, again});
        if (is_in_ack())
        {
            m_sent_in_ack += bytes;
        }
        else
        {
            tell_sent();
        }
    }

    /// What leaves while the socket is busy with an ACK, leaves after it for recovery and algorithm.
    void tell_sent()
    {
        for (const core::Sent& sent : std::exchange(m_untold, {}))
        {
            if (is_reducing())
            {
                m_recovery->on_sent(sent.bytes);
            }
            m_cc->on_sent(sent);
        }
    }

    /// Let the socket send what it now may.
    void transmit()
    {
        m_socket->Send(ns3::Create<ns3::Packet>(0), 0);
    }

    // ACKs arrive

    /// Before the socket does anything with it.
    void on_received(ns3::Ptr<const ns3::Packet> packet,
                     const ns3::TcpHeader& header,
                     ns3::Ptr<const Socket>)
    {
        const auto flags = header.GetFlags();
        const bool is_ack =
            (flags & ns3::TcpHeader::ACK) && !(flags & (ns3::TcpHeader::SYN | ns3::TcpHeader::RST));
        const Bytes acked =
            std::min(unwrapped(header.GetAckNumber().GetValue()), m_nxt); // FIN has a number too
        if (!m_cc || !is_ack || m_nxt == 0 || acked < m_una)
        {
            return;
        }
        m_sent.erase(m_sent.begin(), m_sent.lower_bound(m_una)); // what the last one acknowledged
        m_rate.begin_ack();
        m_ack = core::Ack{};
        m_has_ack = true;
        m_ack.now = now();
        m_ack.mss = m_mss;
        m_ack.prior_state = m_state;
        m_ack.prior_in_flight = m_socket->GetTxBuffer()->BytesInFlight();
        if (m_ack.prior_in_flight + m_mss > Bytes(m_tcb->m_cWnd.Get()))
        {
            m_cwnd_limited = true;
        }
        else if (!m_tcb
                      ->m_pacing) // which keeps segments from leaving too, and says nothing of cwnd
        {
            m_cwnd_limited = false;
        }
        m_ack.cwnd_limited = m_cwnd_limited;
        m_ack.ece = flags & ns3::TcpHeader::ECE;
        m_ack.segment_sent = std::exchange(m_segment_sent, core::NEVER);
        m_ack.segment_received = std::exchange(m_segment_received, core::NEVER);
        m_lost_before = m_lost;
        m_sent_in_ack = 0;
        m_enters_recovery = false;
        m_is_duplicate = acked == m_una && m_una < m_nxt && packet->GetSize() == 0;

        core::RoundTripSample round_trip(m_has_timestamps, TICK, echo_of(header));
        const auto sack =
            ns3::DynamicCast<const ns3::TcpOptionSack>(header.GetOption(ns3::TcpOption::SACK));
        if (sack)
        {
            for (const auto& [begin, end] : sack->GetSackList())
            {
                report(unwrapped(begin.GetValue()), unwrapped(end.GetValue()), round_trip);
            }
        }
        m_ack.newly_acked = acked - m_una;
        acknowledge(acked, round_trip);
        m_ack.rtt = round_trip.newest(now());
        if (m_ack.rtt != core::NO_RTT)
        {
            m_round_trips.on_sample(m_ack.rtt, round_trip.oldest(now()));
        }
    }

    static constexpr Time TICK = 1'000'000; //!< of ns-3's timestamps

    static Time echo_of(const ns3::TcpHeader& header)
    {
        const auto times =
            ns3::DynamicCast<const ns3::TcpOptionTS>(header.GetOption(ns3::TcpOption::TS));
        return times ? TICK * times->GetEcho() : 0;
    }

    void report(Bytes begin, Bytes end, core::RoundTripSample& round_trip)
    {
        for (auto at = m_sent.lower_bound(begin); at != m_sent.end() && at->first < end; ++at)
        {
            Segment& segment = at->second;
            if (!segment.sacked)
            {
                segment.sacked = true;
                m_ack.newly_sacked += segment.bytes;
                m_sacked_out += segment.bytes;
                deliver(segment, false, round_trip);
            }
        }
    }

    void acknowledge(Bytes acked, core::RoundTripSample& round_trip)
    {
        m_una = acked;
        for (auto at = m_sent.begin(); at != m_sent.end() && at->first < acked; ++at)
        {
            if (at->second.sacked)
            {
                m_sacked_out -= at->second.bytes;
            }
            else
            {
                deliver(at->second, true, round_trip);
            }
        }
    }

    void deliver(Segment& segment, bool acknowledged, core::RoundTripSample& round_trip)
    {
        round_trip.add(segment, acknowledged);
        m_rate.on_delivered(segment, segment.bytes, now());
        m_lost_out -= segment.lost ? segment.bytes : 0;
        segment.lost = false;
    }

    void on_window(uint32_t, uint32_t bytes)
    {
        m_advertised_window = bytes;
    }

    bool is_in_ack() const
    {
        return m_has_ack && m_ack.now == now();
    }

    /// Without SACK (RFC 9937, section 6): a duplicate ACK delivers a segment, another what none of
    /// those have told before.
    Bytes guess_delivered()
    {
        if (m_is_duplicate && m_state != State::LOSS)
        {
            m_guessed += m_mss;
            return m_mss;
        }
        const Bytes known = std::clamp<Bytes>(m_ack.newly_acked - m_mss, 0, m_guessed);
        m_guessed -= known;
        return m_ack.newly_acked - known;
    }

    void keep_series()
    {
        if (entry().events & core::event::BANDWIDTH)
        {
            m_bandwidth_bps = m_cc->bandwidth_bps();
        }
        if (entry().events & core::event::UTILIZATION)
        {
            m_utilization = m_cc->utilization();
        }
    }

    // Losses and recoveries

    /// Ask the socket which segments it thinks are lost, when it thinks so of others than before.
    void find_losses()
    {
        const auto buffer = m_socket->GetTxBuffer();
        const auto all_are_known = [&] { return Bytes(buffer->GetLost()) == m_lost_out; };
        for (auto at = m_sent.lower_bound(m_una); at != m_sent.end() && !all_are_known(); ++at)
        {
            Segment& segment = at->second;
            if (segment.lost || segment.sacked)
            {
                continue; // the socket would look for it from the head of its list on
            }
            // Without SACK the socket does not say, but it can only be the head.
            if (m_has_sack ? buffer->IsLost(in_socket(at->first)) : at->first == m_una)
            {
                lose(at->first, segment);
            }
        }
    }

    void lose(Bytes sequence, Segment& segment)
    {
        m_lost += segment.bytes;
        m_cc->on_lost({now(),
                       sequence,
                       segment.bytes,
                       segment.sent,
                       segment.delivered,
                       m_lost - segment.lost_before,
                       segment.tx_in_flight,
                       segment.is_app_limited});
        m_lost_out += segment.lost ? 0 : segment.bytes;
        segment.lost = true;
        segment.retransmitted = false;
    }

    /// The timer has expired: all that was not reported, and is not known to be lost.
    void lose_all()
    {
        for (auto at = m_sent.lower_bound(m_una); at != m_sent.end(); ++at)
        {
            Segment& segment = at->second;
            if (!segment.sacked && (!segment.lost || segment.retransmitted))
            {
                lose(at->first, segment);
            }
        }
        m_guessed = 0;
    }

    void ask_ssthresh(core::Congestion::Cause cause, Bytes pipe)
    {
        core::Congestion congestion{};
        congestion.cause = cause;
        congestion.now = now();
        congestion.mss = m_mss;
        congestion.snd_una = m_una;
        congestion.snd_nxt = m_nxt;
        // Without what limited transmit has sent beyond the window; at a timeout all that is
        // outstanding, unless the window has been reduced: a second sign of congestion must not leave
        // a higher threshold than the first. (The socket asks at each timeout.)
        const bool is_first = m_state == State::OPEN || m_state == State::DISORDER;
        const Bytes outstanding = m_nxt - m_una;
        congestion.flight_size = cause == core::Congestion::TIMEOUT && is_first
                                     ? outstanding
                                     : std::min(outstanding, in_bytes(m_control.cwnd));
        congestion.pipe = pipe;
        congestion.advertised_window = m_advertised_window;
        congestion.srtt = m_round_trips.srtt();
        congestion.min_rtt = m_round_trips.min();
        m_control.ssthresh = m_cc->ssthresh(congestion, m_control);
    }

    void begin_recovery(bool is_loss)
    {
        ask_ssthresh(is_loss ? core::Congestion::LOSS : core::Congestion::ECN,
                     m_ack.prior_in_flight);
        m_state = is_loss ? State::RECOVERY : State::CWR;
        const Bytes reported = std::max<Bytes>(m_sacked_out - m_ack.newly_sacked, 0);
        m_recovery->begin(m_nxt - m_una + m_ack.newly_acked - reported);
    }

    void end_recovery(State now_in)
    {
        const State from = std::exchange(m_state, now_in);
        if ((from == State::RECOVERY || from == State::CWR) &&
            (now_in == State::OPEN || now_in == State::DISORDER))
        {
            m_guessed = 0;
            const bool told = entry().events & core::event::RECOVERED;
            if (told || !entry().regulates_recovery)
            {
                const Bytes pipe = m_socket->GetTxBuffer()->BytesInFlight();
                decide(m_cc->on_recovered({now(), m_mss, pipe, from}, m_control));
            }
        }
    }

    void on_timeout()
    {
        lose_all();
        m_state = State::LOSS;
        if (!entry().regulates_recovery)
        {
            m_control.cwnd = 1;
        }
        decide(m_cc->on_timeout(now(), m_control));
    }

    bool is_reducing() const
    {
        return m_state == State::RECOVERY || m_state == State::CWR;
    }

    static State state_of(Tcb::TcpCongState_t state)
    {
        return state == Tcb::CA_DISORDER   ? State::DISORDER
               : state == Tcb::CA_CWR      ? State::CWR
               : state == Tcb::CA_RECOVERY ? State::RECOVERY
               : state == Tcb::CA_LOSS     ? State::LOSS
                                           : State::OPEN;
    }

    // Decisions

    void decide_in_state(Control control)
    {
        if (is_reducing() && !entry().regulates_recovery)
        {
            control.cwnd = m_control.cwnd;
            control.ssthresh = m_control.ssthresh;
        }
        decide(control);
    }

    /// Keep it, and give the socket what 32 bits can hold of it.
    void decide(const Control& control)
    {
        NS_ABORT_MSG_IF(std::isnan(control.cwnd) || std::isnan(control.ssthresh) ||
                            std::isnan(control.pacing_bps),
                        "a decision of '" << entry().name << "' is not a number");
        m_control = control;
        m_control.cwnd = std::min(std::max(control.cwnd, 1.0), max_window());
        const uint32_t cwnd = std::min(in_32_bits(m_control.cwnd), LARGEST_WINDOW);
        m_tcb->m_cWnd = cwnd;
        m_tcb->m_cWndInfl = cwnd;
        m_tcb->m_ssThresh = in_32_bits(m_control.ssthresh);
        m_tcb->m_pacing = m_tcb->m_paceInitialWindow = control.pacing_bps < core::UNLIMITED;
        if (m_tcb->m_pacing)
        {
            const double bps = std::clamp(control.pacing_bps, 1.0, 1e19);
            m_tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(bps));
        }
    }

    // What an algorithm asks for

    void timer(Time delay) override
    {
        m_timer.Cancel();
        m_timer = ns3::Simulator::Schedule(ns3::NanoSeconds(delay), &CongestionOps::on_timer, this);
    }

    void on_timer()
    {
        decide_in_state(m_cc->on_timer(now(), m_control));
        transmit();
    }

    uint64_t probe(Bytes, bool) override
    {
        NS_ABORT_MSG(CANNOT << "probes");
    }

    uint64_t query() override
    {
        NS_ABORT_MSG(CANNOT << "queries");
    }

    bool supplement(bool) override
    {
        NS_ABORT_MSG(CANNOT << "supplements");
    }

    void hold() override
    {
        NS_ABORT_MSG(CANNOT << "pauses");
    }

    void resume(core::Resumption) override
    {
        NS_ABORT_MSG(CANNOT << "pauses");
    }

    // Units

    double segments(Bytes bytes) const
    {
        return static_cast<double>(bytes) / static_cast<double>(m_mss);
    }

    Bytes in_bytes(double segments) const
    {
        return static_cast<Bytes>(std::min(segments * static_cast<double>(m_mss), MOST));
    }

    uint32_t in_32_bits(double segments) const
    {
        return static_cast<uint32_t>(std::min<Bytes>(in_bytes(segments), NO_THRESHOLD));
    }

    /// The place in the stream of one of the socket's sequence numbers, which is not 2 GB away.
    Bytes unwrapped(uint32_t sequence) const
    {
        const uint32_t at = m_first + static_cast<uint32_t>(m_nxt);
        return m_nxt + static_cast<int32_t>(sequence - at);
    }

    ns3::SequenceNumber32 in_socket(Bytes place) const
    {
        return ns3::SequenceNumber32(m_first + static_cast<uint32_t>(place));
    }

    uint64_t m_max_window{0};
    std::string m_recovery_name{"prr"};
    uint64_t m_seed{1};
    uint64_t m_flow{0};
    core::Algorithm::Values m_values; //!< of the parameters

    Tcb* m_tcb{nullptr};
    Socket* m_socket{nullptr};                     //!< whose congestion control this is
    std::unique_ptr<core::CongestionControl> m_cc; //!< from when the connection is there
    Control m_control{};
    State m_state{State::OPEN};
    Bytes m_mss{1};
    bool m_has_sack{true};
    bool m_has_timestamps{true};
    uint32_t m_syns{0}; //!< sent
    Time m_syn_sent{0};
    uint32_t m_first{0}; //!< sequence number of the first byte
    Bytes m_una{0};
    Bytes m_nxt{0};
    std::map<Bytes, Segment> m_sent; //!< by their first byte
    uint64_t m_transmissions{0};
    Bytes m_advertised_window{0};
    bool m_cwnd_limited{false};
    Time m_last_sent{0};
    core::RateSampler m_rate;
    uint32_t m_app_limited{0}; //!< as the socket has last told
    Bytes m_sacked_out{0};
    Bytes m_lost{0};                   //!< again and again
    Bytes m_lost_out{0};               //!< as the socket counts it
    Bytes m_guessed{0};                //!< by duplicate ACKs without SACK, not yet acknowledged
    core::RoundTrips m_round_trips{0}; //!< the timeout is the socket's own
    core::Ack m_ack{};                 //!< that the socket is busy with
    bool m_has_ack{false};
    Bytes m_lost_before{0}; //!< it
    Bytes m_sent_in_ack{0};
    bool m_is_duplicate{false};
    bool m_enters_recovery{false};
    Time m_segment_sent{core::NEVER};
    Time m_segment_received{core::NEVER};
    std::vector<core::Sent> m_untold;
    std::optional<core::Recovery> m_recovery; //!< from when the connection is there
    ns3::EventId m_timer;
    ns3::TracedValue<double> m_bandwidth_bps{0};
    ns3::TracedValue<double> m_utilization{0};
};

/// A parameter as an attribute: a value that the algorithm is made with.
class ParameterAccessor : public ns3::AttributeAccessor
{
  public:
    ParameterAccessor(std::string name, Json initial)
        : m_name(std::move(name)),
          m_initial(std::move(initial))
    {
    }

    bool Set(ns3::ObjectBase* object, const ns3::AttributeValue& value) const override
    {
        auto ops = dynamic_cast<CongestionOps*>(object);
        Json number = m_initial;
        if (auto real = dynamic_cast<const ns3::DoubleValue*>(&value))
        {
            number.number = real->Get();
        }
        else if (auto whole = dynamic_cast<const ns3::IntegerValue*>(&value))
        {
            number.number = static_cast<double>(whole->Get());
        }
        else if (auto truth = dynamic_cast<const ns3::BooleanValue*>(&value))
        {
            number.number = truth->Get();
        }
        else
        {
            return false;
        }
        if (ops)
        {
            ops->set_value(m_name, number);
        }
        return ops;
    }

    bool Get(const ns3::ObjectBase* object, ns3::AttributeValue& value) const override
    {
        auto ops = dynamic_cast<const CongestionOps*>(object);
        if (!ops)
        {
            return false;
        }
        const Json* kept = ops->value(m_name);
        const double number = (kept ? *kept : m_initial).number;
        if (auto real = dynamic_cast<ns3::DoubleValue*>(&value))
        {
            real->Set(number);
        }
        else if (auto whole = dynamic_cast<ns3::IntegerValue*>(&value))
        {
            whole->Set(static_cast<int64_t>(number));
        }
        else if (auto truth = dynamic_cast<ns3::BooleanValue*>(&value))
        {
            truth->Set(number != 0);
        }
        return true;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    std::string m_name;
    Json m_initial;
};

/// What only those have that need one-way delays: the signal is served at some cost.
struct NoOneWayDelay
{
};

/// The algorithm T in ns-3.
template <class T>
class CongestionOpsOf final
    : public CongestionOps,
      public std::conditional_t<(T::entry.needs & core::need::ONE_WAY_DELAY) != 0,
                                OneWayDelaySignal,
                                NoOneWayDelay>
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = declared();
        return tid;
    }

    ns3::TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<CongestionOpsOf>(this);
    }

    /// Of OneWayDelaySignal, where it is one.
    virtual void OnOneWayDelay(ns3::Time sent, ns3::Time received)
    {
        set_one_way_delay(sent, received);
    }

  protected:
    const core::Entry& entry() const override
    {
        return T::entry;
    }

    std::unique_ptr<core::CongestionControl> make(const core::Algorithm::Values& values,
                                                  std::string* wrong) const override
    {
        for (const core::Algorithm* algorithm : core::Algorithm::all())
        {
            if (&algorithm->entry() == &T::entry)
            {
                return algorithm->make(values, wrong);
            }
        }
        *wrong = "the algorithm is not registered";
        return nullptr;
    }

  private:
    static ns3::TypeId declared()
    {
        ns3::TypeId tid = ns3::TypeId(std::string("longfat::") + T::entry.name)
                              .SetParent<CongestionOps>()
                              .template AddConstructor<CongestionOpsOf>();
        if constexpr (requires { T::parameters(); })
        {
            for (const auto& parameter : T::parameters())
            {
                tid = with_attribute(tid, parameter);
            }
        }
        return tid;
    }

    static ns3::TypeId with_attribute(ns3::TypeId tid, const core::Parameter<T>& parameter)
    {
        constexpr std::size_t REAL = 0;
        constexpr std::size_t WHOLE = 1;
        const auto add = [&](const ns3::AttributeValue& initial,
                             Json::Type type,
                             ns3::Ptr<const ns3::AttributeChecker> checker) {
            Json json;
            json.type = type;
            json.number = parameter.initial;
            return tid.AddAttribute(parameter.name,
                                    parameter.meaning,
                                    initial,
                                    ns3::Create<const ParameterAccessor>(parameter.name, json),
                                    checker);
        };
        if (parameter.member.index() == REAL)
        {
            return add(ns3::DoubleValue(parameter.initial),
                       Json::NUMBER,
                       ns3::MakeDoubleChecker<double>(parameter.minimum, parameter.maximum));
        }
        if (parameter.member.index() == WHOLE)
        {
            return add(ns3::IntegerValue(static_cast<int64_t>(parameter.initial)),
                       Json::NUMBER,
                       ns3::MakeIntegerChecker<int64_t>(static_cast<int64_t>(parameter.minimum),
                                                        static_cast<int64_t>(parameter.maximum)));
        }
        return add(ns3::BooleanValue(parameter.initial != 0),
                   Json::BOOLEAN,
                   ns3::MakeBooleanChecker());
    }
};

} // namespace longfat

#undef LONGFAT_CONGESTION_CONTROL
/// Make a class known to the engine and to ns-3 under the name in its entry.
#define LONGFAT_CONGESTION_CONTROL(Class)                                                          \
    static const ::longfat::core::AlgorithmOf<Class> algorithm_of_##Class(__FILE__);               \
    static const ::ns3::TypeId type_of_##Class = ::longfat::CongestionOpsOf<Class>::GetTypeId()

#endif
