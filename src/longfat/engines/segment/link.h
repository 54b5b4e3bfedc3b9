// SPDX-License-Identifier: GPL-2.0-only
//
// A packet, its way, and one direction of a link: a drop-tail queue, a transmitter, a delay, and
// what is lost at the far end.
//
// A link needs one event a packet, its arrival. When a packet comes to the queue it is already
// certain when it will leave and arrive, unless the link changes before: then the times of those
// that still wait are worked out again.
//
// A packet often comes at the very nanosecond at which a transmission ends: its sender hears from
// packets that were sent in just that rhythm. Is the queue's next packet still in the queue? As
// with ns-3's devices, which have an event at the end of a transmission, that depends on which of
// both events was scheduled first.

#ifndef LONGFAT_SEGMENT_LINK_H
#define LONGFAT_SEGMENT_LINK_H

#include "../ns3/series.h"
#include "event.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/queue-size.h"
#include "ns3/random-variable-stream.h"

#include <array>
#include <cmath>
#include <list>
#include <map>
#include <string>

namespace longfat::segment
{

class Link;
struct Packet;

/// A sender or a receiver.
class Endpoint
{
  public:
    virtual ~Endpoint() = default;
    virtual void Receive(const Packet& packet, Ticks now) = 0;
};

/// The way of a connection's packets in one direction.
struct Route
{
    Link* first{nullptr};    //!< that they begin with
    std::vector<Link*> next; //!< by node: the link that they leave it by; null at the end
    Endpoint* end{nullptr};
};

/// Segments [begin, end) that have arrived above the cumulative acknowledgment, counted from it.
struct SackBlock
{
    uint32_t begin;
    uint32_t end;
};

/// A packet on its way: a segment or an acknowledgment. Segments have numbers, from 0; an
/// acknowledgment carries the number of the segment that is expected next.
struct Packet
{
    enum Flag : uint8_t
    {
        SYN = 1,
        ACK = 2, //!< without data
        ECT = 4, //!< can be marked (RFC 3168)
        CE = 8,  //!< marked
        ECE = 16,
        CWR = 32,
        PROBE = 64, //!< asks for an acknowledgment
    };

    const Route* route;
    uint64_t number;
    Ticks sent;          //!< when it was sent first of all
    Ticks echo;          //!< when the packet was sent whose timestamp it echoes (RFC 7323)
    Ticks causeSent;     //!< acknowledgment: when the segment that caused it was sent, or NEVER
    Ticks causeReceived; //!< and received
    Ticks scheduled;     //!< when the event was scheduled that brought it, or its cause, here
    uint32_t window;     //!< acknowledgment: advertised window, in bytes
    uint16_t wireBytes;  //!< all headers included
    uint8_t flags;
    uint8_t sackBlocks;
    std::array<SackBlock, 4> sack;
};

/// One direction of a link, as the scenario states it.
struct LinkSpec
{
    std::string source;
    std::string target;
    double rateBps{0};
    double delayS{0};
    std::string queueSize; //!< as ns3::QueueSize reads it: "1000p" or "64000B"
    double lossPerPacket{0};
    double lossPerBit{0};
    std::vector<double> outageStartS;
    std::vector<double> outageEndS;
    uint32_t markAbovePackets{0};  //!< 0: no marks
    std::vector<double> changeAtS; //!< one change each; NaN: stays as it was
    std::vector<double> changeRateBps;
    std::vector<double> changeDelayS;
    std::vector<double> changeLossPerPacket;
    std::vector<double> changeLossPerBit;
};

/// What happened to the packets of one direction of a link.
struct LinkCount
{
    uint64_t offered{0};   //!< came to the queue
    uint64_t overflow{0};  //!< dropped by the full queue
    uint64_t sent{0};      //!< transmissions finished
    uint64_t sentBytes{0}; //!< the same in bytes, all headers included
    uint64_t lost{0};      //!< at the far end, by loss per packet or per bit
    uint64_t outage{0};    //!< at the far end, by an outage
    uint64_t arrived{0};   //!< whole at the far end
    uint64_t underWay{0};  //!< transmitted but not yet arrived when the run ended
    uint64_t waiting{0};   //!< in the queue or being transmitted when the run ended
};

class Link
{
  public:
    /// `stream` numbers the random numbers, as in the full ns-3 engine: the same losses.
    Link(const LinkSpec& spec, uint32_t target, int64_t stream)
        : m_target(target),
          m_delay(FromSeconds(spec.delayS)),
          m_lossPerPacket(spec.lossPerPacket),
          m_lossPerBit(spec.lossPerBit),
          m_markAbove(spec.markAbovePackets),
          m_uniform(ns3::CreateObject<ns3::UniformRandomVariable>()),
          m_arrival(ns3::Create<Arrival>(this))
    {
        m_uniform->SetStream(stream);
        SetRate(spec.rateBps);
        const ns3::QueueSize limit(spec.queueSize);
        const bool bytes = limit.GetUnit() == ns3::QueueSizeUnit::BYTES;
        m_mostBytes = bytes ? limit.GetValue() : std::numeric_limits<uint64_t>::max();
        m_mostPackets = bytes ? std::numeric_limits<uint64_t>::max() : limit.GetValue();
        for (std::size_t i = 0; i < spec.outageStartS.size(); ++i)
        {
            m_outages.push_back({spec.outageStartS[i], spec.outageEndS[i]});
        }
        for (std::size_t i = 0; i < spec.changeAtS.size(); ++i)
        {
            ns3::Simulator::Schedule(ns3::Seconds(spec.changeAtS[i]),
                                     &Link::Change,
                                     this,
                                     spec.changeRateBps[i],
                                     spec.changeDelayS[i],
                                     spec.changeLossPerPacket[i],
                                     spec.changeLossPerBit[i]);
        }
    }

    Link(const Link&) = delete;

    /// Put a packet into the queue, or drop it.
    void Send(const Packet& packet, Ticks now)
    {
        ++count.offered;
        if (m_waiting > 0)
        {
            DrainQueue(now, packet.scheduled);
        }
        const bool idle = IsIdle(now, packet.scheduled);
        if (m_waiting + 1 > m_mostPackets || m_waitingBytes + packet.wireBytes > m_mostBytes)
        {
            ++count.overflow;
            return;
        }
        Flying& flying = m_flying.Push();
        flying.packet = packet;
        if (m_markAbove > 0 && m_waiting >= m_markAbove && (packet.flags & Packet::ECT))
        {
            flying.packet.flags |= Packet::CE;
        }
        flying.began = idle ? now : m_free;
        flying.ended = flying.began + TransmissionTime(packet.wireBytes);
        flying.arrives = flying.ended + m_delay;
        m_free = flying.ended;
        if (!idle)
        {
            ++m_waiting;
            m_waitingBytes += packet.wireBytes;
            RecordQueue(now);
        }
        if (m_flying.Size() == 1)
        {
            m_arrival->Schedule(flying.arrives - now);
        }
    }

    /// Count what was under way or waiting at the end of the run. No packet has come or gone
    /// otherwise.
    void Finish(Ticks now)
    {
        DrainQueue(now, now);
        for (std::size_t i = 0; i < m_flying.Size(); ++i)
        {
            const bool sent = m_flying[i].ended <= now;
            count.underWay += sent;
            count.waiting += !sent;
            if (sent)
            {
                CountSent(m_flying[i]);
            }
        }
        for (const Flying& flying : m_detached)
        {
            count.underWay += flying.ended <= now;
            count.waiting += flying.ended > now;
            if (flying.ended <= now)
            {
                CountSent(flying);
            }
        }
        NS_ABORT_MSG_UNLESS(count.offered == count.overflow + count.sent + count.waiting &&
                                count.sent ==
                                    count.lost + count.outage + count.arrived + count.underWay,
                            "a link has not conserved its packets");
    }

    /// Keep that series.
    void Record(const std::string& name, double durationS, uint32_t points)
    {
        Series& kept = series.try_emplace(name, durationS, points).first->second;
        (name == "queue_packets" ? m_queueSeries : m_sentSeries) = &kept;
    }

    LinkCount count;
    SeriesByName series; //!< those that are kept

  private:
    /// A packet that has been given to the link, and its times.
    struct Flying
    {
        Packet packet;
        Ticks began; //!< when its transmission begins
        Ticks ended; //!< and ends
        Ticks arrives;
    };

    struct Outage
    {
        double startS;
        double endS;
    };

    Ticks TransmissionTime(uint32_t wireBytes)
    {
        if (wireBytes >= m_transmission.size())
        {
            m_transmission.resize(wireBytes + 1, -1);
        }
        Ticks& time = m_transmission[wireBytes];
        if (time < 0)
        {
            time = m_rate.CalculateBytesTxTime(wireBytes).GetTimeStep();
        }
        return time;
    }

    void SetRate(double rateBps)
    {
        m_rate = ns3::DataRate(static_cast<uint64_t>(std::llround(rateBps)));
        m_transmission.clear();
    }

    /// Whether a transmission is over, for an event that happens now and was scheduled then.
    static bool IsOver(const Flying& flying, Ticks now, Ticks scheduled)
    {
        return flying.ended < now || (flying.ended == now && flying.began <= scheduled);
    }

    bool IsIdle(Ticks now, Ticks scheduled)
    {
        return m_flying.Empty() ? m_free <= now : IsOver(m_flying.Back(), now, scheduled);
    }

    /// The packets whose transmission has begun wait no longer.
    void DrainQueue(Ticks now, Ticks scheduled)
    {
        while (m_waiting > 0)
        {
            const std::size_t next = m_flying.Size() - m_waiting;
            if (next > 0 && !IsOver(m_flying[next - 1], now, scheduled))
            {
                return;
            }
            --m_waiting;
            m_waitingBytes -= m_flying[next].packet.wireBytes;
            RecordQueue(m_flying[next].began);
        }
    }

    [[gnu::always_inline]]
    void OnArrival()
    {
        DueTimer::ExpireBefore(m_flying.Front().arrives, m_flying.Front().began);
        Flying& flying = m_flying.Front(); // stays there until the next Send
        const Ticks now = flying.arrives;
        if (m_waiting == m_flying.Size())
        {
            DrainQueue(now, flying.began);
        }
        m_flying.Pop();
        if (!m_flying.Empty())
        {
            m_arrival->Schedule(m_flying.Front().arrives - now);
        }
        CountSent(flying);
        flying.packet.scheduled = flying.began;
        Arrive(flying.packet, now, m_lossPerPacket, m_lossPerBit);
    }

    void CountSent(const Flying& flying)
    {
        ++count.sent;
        count.sentBytes += flying.packet.wireBytes;
        if (m_sentSeries)
        {
            m_sentSeries->Add(ToSeconds(flying.ended), count.sentBytes);
        }
    }

    void RecordQueue(Ticks when)
    {
        if (m_queueSeries)
        {
            m_queueSeries->Add(ToSeconds(when), m_waiting);
        }
    }

    /// The packet is lost at the far end, or goes on from there.
    [[gnu::always_inline]]
    void Arrive(const Packet& packet, Ticks now, double lossPerPacket, double lossPerBit)
    {
        const double nowS = m_outages.empty() ? 0 : ToSeconds(now);
        for (const Outage& outage : m_outages)
        {
            if (outage.startS <= nowS && nowS < outage.endS)
            {
                ++count.outage;
                return;
            }
        }
        double survives = 1 - lossPerPacket;
        if (lossPerBit > 0)
        {
            survives *= std::pow(1 - lossPerBit, 8.0 * packet.wireBytes);
        }
        if (survives < 1 && m_uniform->GetValue() >= survives)
        {
            ++count.lost;
            return;
        }
        ++count.arrived;
        if (Link* next = packet.route->next[m_target])
        {
            next->Send(packet, now);
        }
        else
        {
            packet.route->end->Receive(packet, now);
        }
    }

    /// From now on the link is another; what is NaN stays as it was. What is under way or being
    /// sent arrives as before, each with an event of its own, for it may be overtaken.
    void Change(double rateBps, double delayS, double lossPerPacket, double lossPerBit)
    {
        const Ticks now = Now();
        DrainQueue(now, 0);
        const bool wasEmpty = m_flying.Empty();
        while (m_flying.Size() > m_waiting)
        {
            m_detached.push_back(m_flying.Front());
            m_flying.Pop();
            auto flying = std::prev(m_detached.end());
            const double perPacket = m_lossPerPacket;
            const double perBit = m_lossPerBit;
            ns3::Simulator::Schedule(
                ns3::TimeStep(flying->arrives - now),
                [this, flying, perPacket, perBit] {
                    Flying arrived = *flying;
                    m_detached.erase(flying);
                    DueTimer::ExpireBefore(arrived.arrives, arrived.began);
                    CountSent(arrived);
                    arrived.packet.scheduled = arrived.began;
                    Arrive(arrived.packet, arrived.arrives, perPacket, perBit);
                });
        }
        Ticks begins = m_waiting > 0 ? m_flying.Front().began : m_free;
        if (!std::isnan(rateBps))
        {
            SetRate(rateBps);
        }
        if (!std::isnan(delayS))
        {
            m_delay = FromSeconds(delayS);
        }
        m_lossPerPacket = std::isnan(lossPerPacket) ? m_lossPerPacket : lossPerPacket;
        m_lossPerBit = std::isnan(lossPerBit) ? m_lossPerBit : lossPerBit;
        for (std::size_t i = 0; i < m_flying.Size(); ++i)
        {
            Flying& flying = m_flying[i];
            flying.began = begins;
            flying.ended = begins += TransmissionTime(flying.packet.wireBytes);
            flying.arrives = flying.ended + m_delay;
        }
        m_free = begins;
        if (!wasEmpty)
        {
            m_arrival->Cancel(); // it was for a packet that has left the ring
            m_arrival = ns3::Create<Arrival>(this);
            if (!m_flying.Empty())
            {
                m_arrival->Schedule(m_flying.Front().arrives - now);
            }
        }
    }

    using Arrival = Event<Link, &Link::OnArrival>;

    uint32_t m_target; //!< node at the far end
    ns3::DataRate m_rate;
    Ticks m_delay;
    double m_lossPerPacket;
    double m_lossPerBit;
    uint64_t m_mostPackets; //!< that the queue takes
    uint64_t m_mostBytes;
    uint32_t m_markAbove;
    std::vector<Outage> m_outages;
    ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
    std::vector<Ticks> m_transmission; //!< time that a packet takes, by its bytes; -1: not yet known
    Ring<Flying> m_flying;             //!< what has been given to the link, the last `m_waiting`
                                       //!< of them in the queue
    uint64_t m_waiting{0};
    uint64_t m_waitingBytes{0};
    Ticks m_free{0};                   //!< when the transmitter has sent all that there is
    std::list<Flying> m_detached;      //!< under way since before a change
    Series* m_queueSeries{nullptr};    //!< if it is kept
    Series* m_sentSeries{nullptr};     //!< if it is kept
    ns3::Ptr<Arrival> m_arrival;       //!< of the first packet of the ring
};

} // namespace longfat::segment

#endif
