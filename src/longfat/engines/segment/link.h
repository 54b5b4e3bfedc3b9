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

#include "../counts.h"
#include "event.h"

#include "ns3/data-rate.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <string>
#include <vector>
#ifdef LONGFAT_HELPERS
#include <memory>
#endif
#ifdef LONGFAT_ROUTERS
#include "approval.h"
#include "router-header.h"

#include <memory>
#include <optional>
#endif
#ifdef LONGFAT_PTP
#include "path-query.h"
#endif
#ifdef LONGFAT_TRANSFERS
#include "datagram.h"
#endif

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
#ifdef LONGFAT_HELPERS
    const Route* other{nullptr};   //!< the way back; null: of no connection
    const Route* current{nullptr}; //!< that packets which leave now take instead, if there is one
#endif
};

/// Segments [begin, end) that have arrived above the cumulative acknowledgment, counted from it.
struct SackBlock
{
    uint32_t begin;
    uint32_t end;
};

#ifdef LONGFAT_PROBES
/// What a packet is that TCP alone would not send (own-packets.h).
struct OwnPart
{
    enum Kind : uint8_t
    {
        NONE,
        PROBE,  //!< is answered at once
        ANSWER, //!< to a probe
    };

    Kind kind;
    bool low;        //!< a queue that is full drops it before others
    uint32_t number; //!< of a probe
    Ticks sent;      //!< probe, or what is answered
};

#endif
#ifdef LONGFAT_HELPERS
/// What the helpers of links write into a packet.
struct HelpersMark
{
    Ticks came{-1}; //!< when it came to a base station that hides its own time; -1: none does
    bool lostByLink{false}; //!< acknowledgment: a link has lost the segment that it asks for (ELN)
};
#endif
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
    uint32_t window;     //!< acknowledgment: advertised window, in bytes
    uint16_t wireBytes;  //!< all headers included
    uint8_t flags;
    uint8_t sackBlocks;
    std::array<SackBlock, 4> sack;
#ifdef LONGFAT_PROBES
    OwnPart own;
#endif
#ifdef LONGFAT_ROUTERS
    mutable RouterHeader router; //!< which every router on the way may change
#endif
#ifdef LONGFAT_PTP
    mutable PathQuery query; //!< into which every router on the way may write
#endif
#ifdef LONGFAT_HELPERS
    HelpersMark helpers;

    /// Of a TCP connection, with payload.
    bool IsSegment() const
    {
        return route->other && !(flags & (SYN | ACK | PROBE));
    }

    /// Of a TCP connection, without payload, and neither of a handshake nor a question.
    bool IsAcknowledgment() const
    {
        return route->other && (flags & (SYN | ACK | PROBE)) == ACK;
    }
#endif
#ifdef LONGFAT_TRANSFERS
    Datagram datagram; //!< of a transfer over UDP
#endif
};

/// What happened to every packet of one direction of a link: the sums are the same.
struct PacketCount : LinkCount
{
    uint64_t offered{0};  //!< came to the queue
    uint64_t arrived{0};  //!< whole at the far end
    uint64_t underWay{0}; //!< transmitted but not yet arrived when the run ended
    uint64_t waiting{0};  //!< in the queue or being transmitted when the run ended
#ifdef LONGFAT_HELPERS
    uint64_t early{0};    //!< dropped by active queue management
    uint64_t marked{0};   //!< by the queue
    uint64_t again{0};    //!< transmissions that repeat one, by ARQ
    uint64_t repaired{0}; //!< packets that the base station has sent again
    uint64_t heldBack{0}; //!< acknowledgments that it has not passed on
    uint64_t cached{0};   //!< packets that it had in its cache, at most
    uint64_t told{0};     //!< acknowledgments that tell of a loss of this link
#endif
};
#ifdef LONGFAT_HELPERS
/// What a link does that has helpers (helped-link.h), in place of Link itself.
class LinkHelper
{
  public:
    virtual ~LinkHelper() = default;
    virtual void Send(const Packet& packet, Ticks now) = 0;
    virtual bool Finish(Ticks now) = 0;
    virtual void Record(const std::string& name, Series* series) = 0;
    /// Returns whether a packet that has arrived goes on.
    virtual bool PassesOn(Packet& packet, Ticks now) = 0;
};
#endif

#ifdef LONGFAT_ROUTERS
/// What a link does whose router speaks XCP (xcp-link.h), in place of Link itself.
class LinkRouter
{
  public:
    virtual ~LinkRouter() = default;
    virtual void Send(const Packet& packet, Ticks now) = 0;
    virtual bool Finish(Ticks now) = 0;
    virtual void Record(const std::string& name, Series* series) = 0;
};

#endif
class Link
{
  public:
    /// `stream` numbers the random numbers, as in the full ns-3 engine: the same losses.
    Link(EventQueue& events, const LinkSpec& spec, uint32_t target, int64_t stream)
        : spec(spec),
          m_events(events),
          m_target(target),
          m_delay(FromSeconds(spec.delayS)),
          m_lossPerPacket(spec.lossPerPacket),
          m_lossPerBit(spec.lossPerBit),
          m_arrival(&CallMethod<Link, &Link::OnArrival>, this)
    {
#ifdef LONGFAT_ROUTERS
        if (this->spec.approveBps > 0)
        {
            approval.emplace(this->spec.approveBps);
        }
        if (this->spec.xcp)
        {
            return; // UseRouter follows
        }
#endif
#ifdef LONGFAT_HELPERS
        if (this->spec.HasHelpers())
        {
            return; // Help follows
        }
#endif
        m_uniform.SetStream(stream);
        SetRate(spec.rateBps);
        for (const LinkChange& change : this->spec.changes)
        {
            events.At(FromSeconds(change.atS), [this, &change] { Change(change); });
        }
    }

    Link(const Link&) = delete;

    const LinkSpec spec;

#ifdef LONGFAT_HELPERS
    /// From the beginning on all is done by the helper, in this link's place.
    void Help(std::unique_ptr<LinkHelper> helper)
    {
        m_helper = std::move(helper);
    }

    /// A packet has come to the far end: it goes on from there.
    void Deliver(Packet packet, Ticks now)
    {
        ++count.arrived;
        if (m_helper->PassesOn(packet, now))
        {
            GoOn(packet, now);
        }
    }

    /// From the far end a packet goes on to the next link, or has reached its end.
    void GoOn(const Packet& packet, Ticks now)
    {
        if (Link* next = packet.route->next[m_target])
        {
            next->Send(packet, now);
        }
        else
        {
            packet.route->end->Receive(packet, now);
        }
    }
#endif
#ifdef LONGFAT_ROUTERS
    /// From the beginning on all is done by the router, in this link's place.
    void UseRouter(std::unique_ptr<LinkRouter> router)
    {
        m_router = std::move(router);
    }

    /// A packet has come to the far end: it goes on from there.
    void HandOn(const Packet& packet, Ticks now)
    {
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

    std::optional<Approval> approval; //!< if the router speaks Quick-Start
#endif
    /// Put a packet into the queue, or drop it.
    void Send(const Packet& packet, Ticks now)
    {
        ++count.offered;
#ifdef LONGFAT_PTP
        if (packet.query.kind == PathQuery::QUERY)
        {
            WriteInto(packet.query, now);
        }
#endif
#ifdef LONGFAT_ROUTERS
        --packet.router.ttl;
        if (approval)
        {
            approval->Meet(packet.router, packet.wireBytes, now);
        }
        if (m_router)
        {
            m_router->Send(packet, now);
            return;
        }
#endif
#ifdef LONGFAT_HELPERS
        if (m_helper)
        {
            m_helper->Send(packet, now);
            return;
        }
#endif
        const Ticks scheduled = m_events.Scheduled();
        if (m_waiting > 0)
        {
            DrainQueue(now, scheduled);
        }
        const bool idle = IsIdle(now, scheduled);
#ifdef LONGFAT_PROBES
        while (!packet.own.low && !HasRoom(packet) && PushOut(now))
        {
        }
#endif
        if (m_waiting + 1 > spec.queuePackets ||
            m_waitingBytes + packet.wireBytes > spec.queueBytes)
        {
            ++count.overflow;
            return;
        }
        Flying& flying = m_flying.Push();
        flying.packet = packet;
        if (m_waiting >= spec.markAbovePackets && (packet.flags & Packet::ECT))
        {
#ifdef LONGFAT_HELPERS
            count.marked += !(flying.packet.flags & Packet::CE);
#endif
            flying.packet.flags |= Packet::CE;
        }
        flying.began = idle ? now : m_free;
        flying.ended = flying.began + TransmissionTime(packet.wireBytes);
        flying.arrives = flying.ended + m_delay;
        flying.number = m_events.NextNumber();
        m_free = flying.ended;
        if (!idle)
        {
            ++m_waiting;
            m_waitingBytes += packet.wireBytes;
            RecordQueue(now);
        }
        if (m_flying.Size() == 1)
        {
            m_events.Schedule(m_arrival, flying.KeyOfArrival());
        }
    }

    /// Count what was under way or waiting at the end of the run; returns whether no packet has come
    /// or gone otherwise.
    bool Finish(Ticks now)
    {
#ifdef LONGFAT_HELPERS
        if (m_helper)
        {
            return m_helper->Finish(now);
        }
#endif
#ifdef LONGFAT_ROUTERS
        if (m_router)
        {
            return m_router->Finish(now);
        }
#endif
        const Ticks scheduled = m_events.Scheduled(); // what ends the run can come first
        DrainQueue(now, scheduled);
        for (std::size_t i = 0; i < m_flying.Size(); ++i)
        {
            const bool sent = IsOver(m_flying[i], now, scheduled);
            count.underWay += sent;
            count.waiting += !sent;
            if (sent)
            {
                CountSent(m_flying[i]);
            }
        }
        for (const Detached& detached : m_detached)
        {
            const bool sent = IsOver(detached.flying, now, scheduled);
            count.underWay += sent;
            count.waiting += !sent;
            if (sent)
            {
                CountSent(detached.flying);
            }
        }
        return count.offered == count.overflow + count.sent + count.waiting &&
               count.sent == count.lost + count.outage + count.arrived + count.underWay;
    }

    /// Keep that series.
    void Record(const std::string& name, double durationS, uint32_t points)
    {
        Series& kept = count.series.try_emplace(name, durationS, points).first->second;
        (name == "queue_packets" ? m_queueSeries : m_sentSeries) = &kept;
#ifdef LONGFAT_ROUTERS
        if (m_router)
        {
            m_router->Record(name, &kept);
        }
#endif
#ifdef LONGFAT_HELPERS
        if (m_helper)
        {
            m_helper->Record(name, &kept);
        }
#endif
    }

    PacketCount count;
#ifdef LONGFAT_PTP
    uint32_t address{0}; //!< by which queries know it
#endif

  private:
    /// A packet that has been given to the link, and its times.
    struct Flying
    {
        Packet packet;
        Ticks began; //!< when its transmission begins
        Ticks ended; //!< and ends
        Ticks arrives;
        uint64_t number; //!< of its arrival, among the events of one moment

        /// ns-3 schedules the arrival when the transmission begins.
        Key KeyOfArrival() const
        {
            return {arrives, began, number};
        }
    };

    /// What was under way when the link changed: it arrives by an event of its own, for it may be
    /// overtaken, and is lost as before the change.
    struct Detached
    {
        Detached(Link* link, const Flying& flying)
            : link(link),
              flying(flying),
              lossPerPacket(link->m_lossPerPacket),
              lossPerBit(link->m_lossPerBit),
              arrival(&CallMethod<Detached, &Detached::OnArrival>, this)
        {
        }

        void OnArrival()
        {
            link->CountSent(flying);
            link->Arrive(flying.packet, flying.arrives, lossPerPacket, lossPerBit);
            link->m_events.Cancel(arrival);
            link->m_detached.remove_if([this](const Detached& other) { return &other == this; });
        }

        Link* link;
        Flying flying;
        double lossPerPacket;
        double lossPerBit;
        Event arrival;
    };

#ifdef LONGFAT_PROBES
    bool HasRoom(const Packet& packet) const
    {
        return m_waiting + 1 <= spec.queuePackets &&
               m_waitingBytes + packet.wireBytes <= spec.queueBytes;
    }

    /// Drop the last packet of low priority that waits. Returns false when there is none.
    bool PushOut(Ticks now)
    {
        const std::size_t size = m_flying.Size();
        std::size_t gone = size;
        while (gone > size - m_waiting && !m_flying[gone - 1].packet.own.low)
        {
            --gone;
        }
        if (gone == size - m_waiting)
        {
            return false;
        }
        --gone; // counted from 1 so far
        ++count.overflow;
        --m_waiting;
        m_waitingBytes -= m_flying[gone].packet.wireBytes;
        Ticks begins = m_flying[gone].began;
        for (std::size_t i = gone; i + 1 < size; ++i)
        {
            m_flying[i] = m_flying[i + 1];
            m_flying[i].began = begins;
            m_flying[i].ended = begins += TransmissionTime(m_flying[i].packet.wireBytes);
            m_flying[i].arrives = m_flying[i].ended + m_delay;
        }
        m_flying.PopBack();
        m_free = begins;
        if (gone == 0) // all wait since a change
        {
            m_events.Cancel(m_arrival);
            if (!m_flying.Empty())
            {
                m_events.Schedule(m_arrival, m_flying.Front().KeyOfArrival());
            }
        }
        RecordQueue(now);
        return true;
    }

#endif
#ifdef LONGFAT_PTP
    /// A query comes by. Its record is of the link as it is now.
    void WriteInto(PathQuery& query, Ticks now)
    {
        ++query.routers;
        if (!spec.ptp)
        {
            return;
        }
        double rateBps = spec.rateBps;
        for (const LinkChange& change : spec.changes)
        {
            rateBps = FromSeconds(change.atS) <= now ? change.rateBps.value_or(rateBps) : rateBps;
        }
        uint64_t bytes = count.sentBytes; // of what has arrived; more has been sent
        const Ticks scheduled = m_events.Scheduled();
        DrainQueue(now, scheduled);
        for (std::size_t i = 0; i < m_flying.Size() && IsOver(m_flying[i], now, scheduled); ++i)
        {
            bytes += m_flying[i].packet.wireBytes;
        }
        for (const Detached& detached : m_detached)
        {
            bytes += IsOver(detached.flying, now, scheduled) ? detached.flying.packet.wireBytes : 0;
        }
        query.Add({address, rateBps, bytes, now});
    }

#endif
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
        const Flying& flying = m_flying.Front(); // stays there until the next Send
        const Ticks now = flying.arrives;
        if (m_waiting == m_flying.Size())
        {
            DrainQueue(now, flying.began);
        }
        m_flying.Pop();
        if (!m_flying.Empty())
        {
            m_events.Schedule(m_arrival, m_flying.Front().KeyOfArrival());
        }
        CountSent(flying);
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
        const double nowS = spec.outages.empty() ? 0 : ToSeconds(now);
        for (const Outage& outage : spec.outages)
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
        if (survives < 1 && m_uniform.GetValue(0, 1) >= survives)
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
    void Change(const LinkChange& change)
    {
        const Ticks now = m_events.Now();
        DrainQueue(now, 0);
        while (m_flying.Size() > m_waiting)
        {
            Detached& detached = m_detached.emplace_back(this, m_flying.Front());
            m_flying.Pop();
            m_events.Schedule(detached.arrival, detached.flying.KeyOfArrival());
        }
        Ticks begins = m_waiting > 0 ? m_flying.Front().began : m_free;
        if (change.rateBps)
        {
            SetRate(*change.rateBps);
        }
        if (change.delayS)
        {
            m_delay = FromSeconds(*change.delayS);
        }
        m_lossPerPacket = change.lossPerPacket.value_or(m_lossPerPacket);
        m_lossPerBit = change.lossPerBit.value_or(m_lossPerBit);
        for (std::size_t i = 0; i < m_flying.Size(); ++i)
        {
            Flying& flying = m_flying[i];
            flying.began = begins;
            flying.ended = begins += TransmissionTime(flying.packet.wireBytes);
            flying.arrives = flying.ended + m_delay;
        }
        m_free = begins;
        m_events.Cancel(m_arrival); // it was for a packet that has left the ring
        if (!m_flying.Empty())
        {
            m_events.Schedule(m_arrival, m_flying.Front().KeyOfArrival());
        }
    }

#ifdef LONGFAT_HELPERS
    std::unique_ptr<LinkHelper> m_helper; //!< if it has helpers
#endif
#ifdef LONGFAT_ROUTERS
    std::unique_ptr<LinkRouter> m_router; //!< if it speaks XCP
#endif
    EventQueue& m_events;
    uint32_t m_target; //!< node at the far end
    ns3::DataRate m_rate;
    Ticks m_delay;
    double m_lossPerPacket;
    double m_lossPerBit;
    ns3::UniformRandomVariable m_uniform;
    std::vector<Ticks> m_transmission; //!< that a packet takes, by its bytes; -1: not yet known
    Ring<Flying> m_flying;             //!< what has been given to the link, the last `m_waiting`
                                       //!< of them in the queue
    uint64_t m_waiting{0};
    uint64_t m_waitingBytes{0};
    Ticks m_free{0};                //!< when the transmitter has sent all that there is
    std::list<Detached> m_detached; //!< under way since before a change
    Series* m_queueSeries{nullptr}; //!< if it is kept
    Series* m_sentSeries{nullptr};  //!< if it is kept
    Event m_arrival;                //!< of the first packet of the ring
};

} // namespace longfat::segment

#endif
