// SPDX-License-Identifier: GPL-2.0-only
//
// A packet, its way, and one direction of a link: a queue, a transmitter, a delay, and what is lost
// at the far end. Here is the drop-tail link; one whose queue is managed, that repeats what it loses, or
// whose router or base station looks on, is in step-link.h.
//
// A drop-tail link needs one event a packet, its arrival. When a packet comes to the queue it is
// already certain when it will leave and arrive, unless the link changes before: then the times of
// those that still wait are worked out again.
//
// A packet often comes at the very nanosecond at which a transmission ends: its sender hears from
// packets that were sent in just that rhythm. Is the queue's next packet still in the queue? As with
// a device that has an event at the end of a transmission, that depends on which of both was caused
// first.

#ifndef LONGFAT_CORE_LINK_H
#define LONGFAT_CORE_LINK_H

#include "../series.h"
#include "event.h"
#include "exact-math.h"
#include "options.h"
#include "random.h"
#include "spec.h"

#include <algorithm>
#include <array>
#include <list>
#include <string>
#include <vector>

namespace longfat::core
{

class Link;
struct Packet;

/// A sender or a receiver.
class Endpoint
{
  public:
    virtual ~Endpoint() = default;
    virtual void receive(const Packet& packet, Time now) = 0;
};

/// The way of a connection's packets in one direction.
struct Route
{
    Link* first{nullptr};    //!< that they begin with
    std::vector<Link*> next; //!< by node: the link that they leave it by; null at the end
    Endpoint* end{nullptr};
    const Route* other{nullptr}; //!< the way back; null: of no connection
};

/// Segments [begin, end) that have arrived above the cumulative acknowledgment, counted from it.
struct SackBlock
{
    uint32_t begin;
    uint32_t end;
};

/// What every packet carries. Segments have numbers, from 0; an acknowledgment carries the number of the
/// segment that is expected next, and how many bytes of that it acknowledges too: none, unless the
/// receiver divides its ACKs.
struct PacketHeader
{
    enum Flag : uint16_t
    {
        SYN = 1,
        ACK = 2, //!< without data
        ECT = 4, //!< can be marked (RFC 3168)
        CE = 8,  //!< marked
        ECE = 16,
        CWR = 32,
        PROBE = 64,         //!< asks for an acknowledgment, or answers a question
        LOW = 128,          //!< of low priority: a full queue drops it first
        LOST_BY_LINK = 256, //!< acknowledgment: a link has lost what it asks for (step-link.h)
        SACK_HIDDEN = 512,  //!< acknowledgment: a base station has taken its SACK blocks out
        NEWEST = 1024, //!< acknowledgment, for the engine's own checks: the segment that caused it
                       //!< had not come before, nor had any that was sent later
        AGAIN = 2048, //!< acknowledgment, for the engine's own checks: that segment had come before
    };

    const Route* route;
    uint64_t number;
    Time sent;             //!< TSval, before it is cut to the clock's tick
    Time echo;             //!< TSecr (RFC 7323)
    Time segment_sent;     //!< acknowledgment: when the segment that caused it was sent, or NEVER
    Time segment_received; //!< and received
    Bytes window;          //!< acknowledgment: advertised window
    Bytes arrived;         //!< acknowledgment: all that has arrived, for the engine's own checks
    uint64_t duplicate;    //!< DSACK (RFC 2883): segment that came twice, or NO_LIMIT
    uint32_t wire_bytes;   //!< all headers included
    uint32_t part;         //!< acknowledgment: bytes of the segment of that number
    uint16_t flags;
    uint8_t sack_blocks;
    std::array<SackBlock, 4> sack;
};

/// A packet on its way: a segment or an acknowledgment.
struct Packet : PacketHeader
{
    mutable Rare<Options> options; //!< which every router on the way may change

    /// Of a TCP connection, with payload.
    bool is_segment() const
    {
        return route->other && !(flags & (SYN | ACK | PROBE));
    }

    /// Of a TCP connection, without payload, and neither of a handshake nor a question.
    bool is_acknowledgment() const
    {
        return route->other && (flags & (SYN | ACK | PROBE)) == ACK;
    }
};

/// What happened to every packet of one direction of a link: the sums are the same.
struct PacketCount
{
    uint64_t offered{0};   //!< came to the queue
    uint64_t overflow{0};  //!< dropped by the full queue
    uint64_t sent{0};      //!< transmissions finished
    Bytes sent_bytes{0};   //!< the same in bytes, all headers included
    uint64_t lost{0};      //!< at the far end, by loss per packet or per bit
    uint64_t outage{0};    //!< at the far end, by an outage
    uint64_t arrived{0};   //!< whole at the far end
    uint64_t under_way{0}; //!< transmitted but not yet arrived when the run ended
    uint64_t waiting{0};   //!< in the queue or being transmitted when the run ended
    uint64_t marked{0};
    uint64_t early{0};                 //!< dropped by active queue management
    uint64_t again{0};                 //!< transmissions that repeat one, by ARQ
    uint64_t repaired{0};              //!< packets that the base station has sent again
    uint64_t held_back{0};             //!< acknowledgments that it has not passed on
    uint64_t cached{0};                //!< packets that it had in its cache, at most
    uint64_t told{0};                  //!< acknowledgments that tell of a loss of this link
    uint64_t quick_starts_approved{0}; //!< requests, whole or in part
    uint64_t quick_starts_reported{0}; //!< reports of an approved rate that came by
    SeriesByName series;               //!< those that are kept
};

/// One direction of a link, of whatever kind.
class Link
{
  public:
    Link(EventQueue& events, const LinkSpec& spec, uint32_t target)
        : spec(spec),
          m_events(events),
          m_target(target),
          m_rate_bps(spec.rate_bps)
    {
    }

    Link(const Link&) = delete;
    virtual ~Link() = default;

    /// Put a packet into the queue, or drop it.
    virtual void send(const Packet& packet, Time now) = 0;

    /// Count what is under way or waits at the end of the run; returns whether no packet has come or
    /// gone otherwise.
    virtual bool finish(Time now) = 0;

    double rate_bps() const
    {
        return m_rate_bps;
    }

    /// Keep that series.
    void record(const std::string& name, double duration_s, uint32_t points)
    {
        Series& kept = count.series.try_emplace(name, duration_s, points).first->second;
        (name == "queue_packets" ? m_queue_series : m_sent_series) = &kept;
    }

    const LinkSpec spec;
    PacketCount count;

  protected:
    /// From the far end a packet goes on to the next link, or has reached its end.
    [[gnu::always_inline]]
    void go_on(const Packet& packet, Time now)
    {
        if (Link* next = packet.route->next[m_target])
        {
            next->send(packet, now);
        }
        else
        {
            packet.route->end->receive(packet, now);
        }
    }

    Time transmission_time(uint64_t bytes) const
    {
        return static_cast<Time>(std::floor(8e9 * static_cast<double>(bytes) / m_rate_bps));
    }

    EventQueue& m_events;
    const uint32_t m_target; //!< node at the far end
    double m_rate_bps;
    Series* m_queue_series{nullptr}; //!< if it is kept
    Series* m_sent_series{nullptr};  //!< the same
};

/// What is lost at the far end: by chance for each packet and bit, in bursts (E. N. Gilbert, "Capacity
/// of a burst-noise channel", 1960; E. O. Elliott, 1963), and in outages.
class Losses
{
  public:
    enum class Fate : uint8_t
    {
        ARRIVES,
        LOST,
        OUTAGE,
    };

    Losses(const LinkSpec& spec, uint64_t link, uint64_t seed)
        : m_outages(spec.outages),
          m_per_packet(spec.loss_per_packet),
          m_per_bit(spec.loss_per_bit),
          m_random(link, seed),
          m_bursts(spec.loss_bursts),
          m_burst_random(stream_of(Use::BURSTS, link), seed)
    {
        if (m_bursts)
        {
            m_end_of_burst = 1 / m_bursts->mean_packets;
            // Of all packets, those within bursts are this part, where losses are `loss_within`.
            const double within = m_bursts->loss_per_packet / m_bursts->loss_within;
            m_begin_of_burst = within / (1 - within) * m_end_of_burst;
            m_in_burst = m_burst_random.uniform() < within;
        }
    }

    /// What a link needs random numbers for besides these losses: streams of their own, as many for each
    /// link, after those of the losses.
    enum class Use : uint64_t
    {
        QUEUE,
        BURSTS,
        ARQ,
        COUNT,
    };

    static constexpr uint64_t stream_of(Use use, uint64_t link)
    {
        return 500'000 + static_cast<uint64_t>(Use::COUNT) * link + static_cast<uint64_t>(use);
    }

    void change(const LinkChange& change)
    {
        m_per_packet = change.loss_per_packet.value_or(m_per_packet);
        m_per_bit = change.loss_per_bit.value_or(m_per_bit);
        m_survival.clear();
    }

    /// The probability that so many bytes arrive, but for bursts and outages.
    double survival(uint32_t bytes)
    {
        return m_per_bit > 0 ? bits_survival(bytes) : 1 - m_per_packet;
    }

    /// What becomes of something that has that probability to arrive now.
    Fate meet(double survival, Time now)
    {
        const bool in_burst = m_bursts && is_lost_in_burst();
        for (const Outage& outage : m_outages)
        {
            if (outage.start <= now && now < outage.end)
            {
                return Fate::OUTAGE;
            }
        }
        const bool lost = survival < 1 && m_random.uniform() >= survival;
        return lost || in_burst ? Fate::LOST : Fate::ARRIVES;
    }

  private:
    [[gnu::noinline]]
    double bits_survival(uint32_t bytes)
    {
        if (bytes >= m_survival.size())
        {
            m_survival.resize(bytes + 1, -1);
        }
        double& known = m_survival[bytes];
        if (known < 0)
        {
            known = (1 - m_per_packet) * exact_pow(1 - m_per_bit, 8.0 * bytes);
        }
        return known;
    }

    /// A chain of two states, one step a packet.
    bool is_lost_in_burst()
    {
        const bool lost = m_in_burst && (m_bursts->loss_within == 1 ||
                                         m_burst_random.uniform() < m_bursts->loss_within);
        const double change = m_in_burst ? m_end_of_burst : m_begin_of_burst;
        m_in_burst = m_in_burst != (m_burst_random.uniform() < change);
        return lost;
    }

    const std::vector<Outage>& m_outages;
    double m_per_packet;
    double m_per_bit;
    std::vector<double> m_survival; //!< by bytes; -1: not yet known
    Random m_random;
    const std::optional<LossBursts> m_bursts;
    Random m_burst_random;
    double m_begin_of_burst{0};
    double m_end_of_burst{0};
    bool m_in_burst{false};
};

/// A drop-tail queue, in packets or bytes, which may mark packets that find many before them.
class DropTailLink final : public Link
{
  public:
    DropTailLink(
        EventQueue& events, const LinkSpec& spec, uint32_t target, uint64_t number, uint64_t seed)
        : Link(events, spec, target),
          m_delay(from_seconds(spec.delay_s)),
          m_losses(this->spec, number, seed),
          m_arrival(&call<DropTailLink, &DropTailLink::on_arrival>, this)
    {
        for (const LinkChange& each : this->spec.changes)
        {
            events.at(each.at, [this, &each] { change(each); });
        }
    }

    void send(const Packet& packet, Time now) override
    {
        ++count.offered;
        if (packet.options) [[unlikely]]
        {
            packet.options->on_router();
        }
        const Time caused = m_events.caused();
        if (m_waiting > 0)
        {
            drain_queue(now, caused);
        }
        const bool idle = is_idle(now, caused);
        if (!has_room(packet) && !make_room(packet, now)) [[unlikely]]
        {
            return;
        }
        m_low_came |= (packet.flags & Packet::LOW) != 0;
        Flying& flying = m_flying.push();
        flying.packet = packet;
        if (m_waiting >= spec.mark_above_packets && (packet.flags & Packet::ECT))
        {
            count.marked += !(packet.flags & Packet::CE);
            flying.packet.flags |= Packet::CE;
        }
        flying.began = idle ? now : m_free;
        set_times(flying, packet.wire_bytes);
        flying.number = m_events.next_number();
        m_free = flying.ended;
        if (!idle)
        {
            ++m_waiting;
            m_waiting_bytes += packet.wire_bytes;
            record_queue(now);
        }
        if (m_flying.size() == 1)
        {
            m_events.schedule(m_arrival, flying.key_of_arrival());
        }
    }

    bool finish(Time now) override
    {
        const Time caused = m_events.caused(); // what ends the run can come first
        drain_queue(now, caused);
        const auto finish_one = [&](const Flying& flying) {
            const bool sent = is_over(flying, now, caused);
            count.under_way += sent;
            count.waiting += !sent;
            if (sent)
            {
                count_sent(flying);
            }
        };
        for (std::size_t i = 0; i < m_flying.size(); ++i)
        {
            finish_one(m_flying[i]);
        }
        for (const Detached& detached : m_detached)
        {
            finish_one(detached.flying);
        }
        return count.offered == count.overflow + count.sent + count.waiting &&
               count.sent == count.lost + count.outage + count.arrived + count.under_way;
    }

  private:
    /// A packet that has been given to the link, and its times.
    struct Flying
    {
        Packet packet;
        Time began; //!< when its transmission begins
        Time ended; //!< and ends
        Time arrives;
        uint64_t number; //!< of its arrival, among the events of one moment

        /// The beginning of the transmission makes the arrival certain.
        Key key_of_arrival() const
        {
            return {arrives, began, number};
        }
    };

    /// What was under way when the link changed: it arrives by an event of its own, for it may be
    /// overtaken, and is lost as before the change.
    struct Detached
    {
        Detached(DropTailLink* link, const Flying& flying)
            : link(link),
              flying(flying),
              survival(link->m_losses.survival(flying.packet.wire_bytes)),
              arrival(&call<Detached, &Detached::on_arrival>, this)
        {
        }

        void on_arrival()
        {
            link->count_sent(flying);
            link->arrive(flying, survival);
            link->m_events.cancel(arrival);
            link->m_detached.remove_if([this](const Detached& other) { return &other == this; });
        }

        DropTailLink* link;
        Flying flying;
        double survival; //!< probability, but for bursts and outages
        Event arrival;
    };

    Time known_transmission_time(uint32_t wire_bytes)
    {
        if (wire_bytes >= m_transmission.size())
        {
            m_transmission.resize(wire_bytes + 1, -1);
        }
        Time& time = m_transmission[wire_bytes];
        return time >= 0 ? time : time = transmission_time(wire_bytes);
    }

    /// When its transmission began is known: then so is the rest.
    void set_times(Flying& flying, uint32_t wire_bytes)
    {
        flying.ended = later(flying.began, known_transmission_time(wire_bytes));
        flying.arrives = later(flying.ended, m_delay);
    }

    /// Whether a transmission is over, for an event that happens now and was caused then.
    static bool is_over(const Flying& flying, Time now, Time caused)
    {
        return flying.ended < now || (flying.ended == now && flying.began <= caused);
    }

    bool is_idle(Time now, Time caused)
    {
        return m_flying.empty() ? m_free <= now : is_over(m_flying.back(), now, caused);
    }

    /// The packets whose transmission has begun wait no longer.
    void drain_queue(Time now, Time caused)
    {
        while (m_waiting > 0)
        {
            const std::size_t next = m_flying.size() - m_waiting;
            // After a change the transmission before may be of a packet that has left the ring.
            if (next > 0 ? !is_over(m_flying[next - 1], now, caused) : m_flying[0].began > now)
            {
                return;
            }
            --m_waiting;
            m_waiting_bytes -= m_flying[next].packet.wire_bytes;
            record_queue(m_flying[next].began);
        }
    }

    void on_arrival()
    {
        const Flying& flying = m_flying.front(); // stays there until the next send
        if (m_waiting == m_flying.size())
        {
            drain_queue(flying.arrives, flying.began);
        }
        m_flying.pop();
        if (!m_flying.empty())
        {
            m_events.schedule(m_arrival, m_flying.front().key_of_arrival());
        }
        count_sent(flying);
        arrive(flying, m_losses.survival(flying.packet.wire_bytes));
    }

    [[gnu::always_inline]]
    void arrive(const Flying& flying, double survival)
    {
        const Losses::Fate fate = m_losses.meet(survival, flying.arrives);
        if (fate != Losses::Fate::ARRIVES) [[unlikely]]
        {
            (fate == Losses::Fate::LOST ? count.lost : count.outage) += 1;
            return;
        }
        ++count.arrived;
        go_on(flying.packet, flying.arrives);
    }

    bool has_room(const Packet& packet) const
    {
        return m_waiting + 1 <= spec.queue_packets &&
               m_waiting_bytes + packet.wire_bytes <= spec.queue_bytes;
    }

    /// Drop packets of low priority, or that which comes; returns whether it has room then.
    [[gnu::noinline]]
    bool make_room(const Packet& packet, Time now)
    {
        do
        {
            ++count.overflow;
            if ((packet.flags & Packet::LOW) || !push_out(now))
            {
                return false;
            }
        } while (!has_room(packet));
        return true;
    }

    /// Drop the last packet of low priority that waits. Returns false when there is none.
    bool push_out(Time now)
    {
        if (!m_low_came)
        {
            return false; // without a look at all that waits
        }
        const std::size_t first = m_flying.size() - m_waiting;
        std::size_t gone = m_flying.size();
        while (gone > first && !(m_flying[gone - 1].packet.flags & Packet::LOW))
        {
            --gone;
        }
        if (gone == first)
        {
            return false;
        }
        --gone; // counted from 1 so far
        --m_waiting;
        m_waiting_bytes -= m_flying[gone].packet.wire_bytes;
        const Time begins = m_flying[gone].began;
        m_flying.remove(gone);
        set_times_from(gone, begins);
        record_queue(now);
        return true;
    }

    /// What waits from that place on begins then, one after the other.
    void set_times_from(std::size_t place, Time begins)
    {
        for (std::size_t i = place; i < m_flying.size(); ++i)
        {
            m_flying[i].began = begins;
            set_times(m_flying[i], m_flying[i].packet.wire_bytes);
            begins = m_flying[i].ended;
        }
        m_free = begins;
        if (place == 0) // all wait, since a change
        {
            m_events.cancel(m_arrival);
            if (!m_flying.empty())
            {
                m_events.schedule(m_arrival, m_flying.front().key_of_arrival());
            }
        }
    }

    void count_sent(const Flying& flying)
    {
        ++count.sent;
        count.sent_bytes += flying.packet.wire_bytes;
        if (m_sent_series)
        {
            m_sent_series->Add(seconds(flying.ended), static_cast<double>(count.sent_bytes));
        }
    }

    void record_queue(Time when)
    {
        if (m_queue_series)
        {
            m_queue_series->Add(seconds(when), static_cast<double>(m_waiting));
        }
    }

    /// From now on the link is another. What is under way or being sent arrives as before, each with
    /// an event of its own, for it may be overtaken.
    void change(const LinkChange& change)
    {
        const Time now = m_events.now();
        drain_queue(now, 0);
        while (m_flying.size() > m_waiting)
        {
            Detached& detached = m_detached.emplace_back(this, m_flying.front());
            m_flying.pop();
            m_events.schedule(detached.arrival, detached.flying.key_of_arrival());
        }
        const Time begins = m_waiting > 0 ? m_flying.front().began : m_free;
        if (change.rate_bps)
        {
            m_rate_bps = *change.rate_bps;
            m_transmission.clear();
        }
        if (change.delay_s)
        {
            m_delay = from_seconds(*change.delay_s);
        }
        m_losses.change(change);
        set_times_from(0, begins);
    }

    Time m_delay;
    Losses m_losses;
    std::vector<Time> m_transmission; //!< that a packet takes, by its bytes; -1: not yet known
    Ring<Flying> m_flying;            //!< what has been given to the link, the last `m_waiting`
                                      //!< of them in the queue
    uint64_t m_waiting{0};
    uint64_t m_waiting_bytes{0};
    bool m_low_came{false};         //!< a packet of low priority has ever come
    Time m_free{0};                 //!< when the transmitter has sent all that there is
    std::list<Detached> m_detached; //!< under way since before a change
    Event m_arrival;                //!< of the first packet of the ring
};

} // namespace longfat::core

#endif
