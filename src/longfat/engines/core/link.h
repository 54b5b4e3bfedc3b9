// SPDX-License-Identifier: GPL-2.0-only
//
// A packet, its way, and one direction of a link: a queue, a transmitter, a delay, and what is lost
// at the far end.
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
    Time sent;             //!< TSval, before it is cut to the clock's tick
    Time echo;             //!< TSecr (RFC 7323)
    Time segment_sent;     //!< acknowledgment: when the segment that caused it was sent, or NEVER
    Time segment_received; //!< and received
    Bytes window;          //!< acknowledgment: advertised window
    Bytes arrived;         //!< acknowledgment: all that has arrived, for the engine's own checks
    uint64_t duplicate;    //!< DSACK (RFC 2883): segment that came twice, or NO_LIMIT
    uint32_t wire_bytes;   //!< all headers included
    uint8_t flags;
    uint8_t sack_blocks;
    std::array<SackBlock, 4> sack;
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
    SeriesByName series; //!< those that are kept

    bool is_conserved() const
    {
        return offered == overflow + sent + waiting && sent == lost + outage + arrived + under_way;
    }
};

/// One direction of a link, of whatever kind.
class Link
{
  public:
    Link(EventQueue& events, const LinkSpec& spec, uint32_t target)
        : spec(spec),
          m_events(events),
          m_target(target)
    {
    }

    Link(const Link&) = delete;
    virtual ~Link() = default;

    /// Put a packet into the queue, or drop it.
    virtual void send(const Packet& packet, Time now) = 0;

    /// Count what is under way or waits at the end of the run.
    virtual void finish(Time now) = 0;

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
        ++count.arrived;
        if (Link* next = packet.route->next[m_target])
        {
            next->send(packet, now);
        }
        else
        {
            packet.route->end->receive(packet, now);
        }
    }

    EventQueue& m_events;
    const uint32_t m_target;         //!< node at the far end
    Series* m_queue_series{nullptr}; //!< if it is kept
    Series* m_sent_series{nullptr};  //!< the same
};

/// What is lost at the far end: by chance for each packet and bit, in bursts, and in outages.
class Losses
{
  public:
    Losses(const LinkSpec& spec, uint64_t link, uint64_t seed)
        : m_per_packet(spec.loss_per_packet),
          m_per_bit(spec.loss_per_bit),
          m_random(link, seed),
          m_burst_random(FIRST_BURST_STREAM + STREAMS_A_LINK * link, seed)
    {
        if (spec.loss_bursts)
        {
            m_bursts = spec.loss_bursts;
            m_end_of_burst = 1 / m_bursts->mean_packets;
            // Of all packets, those within bursts are this part, where losses are `loss_within`.
            const double within = m_bursts->loss_per_packet / m_bursts->loss_within;
            m_begin_of_burst = within / (1 - within) * m_end_of_burst;
            m_in_burst = m_burst_random.uniform() < within;
        }
    }

    struct Chances
    {
        double per_packet;
        double per_bit;
    };

    Chances chances() const
    {
        return {m_per_packet, m_per_bit};
    }

    void set(Chances chances)
    {
        m_per_packet = chances.per_packet;
        m_per_bit = chances.per_bit;
        m_survival.clear();
    }

    bool takes(uint32_t wire_bytes)
    {
        return takes_with(m_per_bit > 0 ? survival(wire_bytes) : 1 - m_per_packet);
    }

    bool takes(uint32_t wire_bytes, Chances chances)
    {
        return takes_with(survival(wire_bytes, chances));
    }

  private:
    // Streams of random numbers as those of the links with helpers of the engine `segment`.
    static constexpr uint64_t FIRST_BURST_STREAM = 500'001;
    static constexpr uint64_t STREAMS_A_LINK = 3;

    bool takes_with(double survives)
    {
        bool lost = m_bursts && is_lost_in_burst();
        if (survives < 1)
        {
            lost = m_random.uniform() >= survives || lost;
        }
        return lost;
    }

    /// A chain of two states, one step a packet (Gilbert and Elliott).
    bool is_lost_in_burst()
    {
        const bool lost = m_in_burst && (m_bursts->loss_within == 1 ||
                                         m_burst_random.uniform() < m_bursts->loss_within);
        const double change = m_in_burst ? m_end_of_burst : m_begin_of_burst;
        m_in_burst = m_in_burst != (m_burst_random.uniform() < change);
        return lost;
    }

    static double survival(uint32_t wire_bytes, Chances chances)
    {
        const double bits = 8.0 * wire_bytes;
        return (1 - chances.per_packet) *
               (chances.per_bit > 0 ? exact_pow(1 - chances.per_bit, bits) : 1);
    }

    double survival(uint32_t wire_bytes)
    {
        if (wire_bytes >= m_survival.size())
        {
            m_survival.resize(wire_bytes + 1, -1);
        }
        double& known = m_survival[wire_bytes];
        return known >= 0 ? known : known = survival(wire_bytes, chances());
    }

    double m_per_packet;
    double m_per_bit;
    std::vector<double> m_survival; //!< by bytes; -1: not yet known
    Random m_random;
    std::optional<LossBursts> m_bursts;
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
          m_losses(spec, number, seed),
          m_arrival(&call<DropTailLink, &DropTailLink::on_arrival>, this)
    {
        set_rate(spec.rate_bps);
        for (const LinkChange& each : this->spec.changes)
        {
            events.at(each.at, [this, &each] { change(each); });
        }
    }

    void send(const Packet& packet, Time now) override
    {
        ++count.offered;
        const Time caused = m_events.caused();
        if (m_waiting > 0)
        {
            drain_queue(now, caused);
        }
        const bool idle = is_idle(now, caused);
        if (m_waiting + 1 > spec.queue_packets ||
            m_waiting_bytes + packet.wire_bytes > spec.queue_bytes)
        {
            ++count.overflow;
            return;
        }
        Flying& flying = m_flying.push();
        flying.packet = packet;
        if (m_waiting >= spec.mark_above_packets && (packet.flags & Packet::ECT))
        {
            count.marked += !(packet.flags & Packet::CE);
            flying.packet.flags |= Packet::CE;
        }
        flying.began = idle ? now : m_free;
        set_times(flying);
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

    void finish(Time now) override
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
              chances(link->m_losses.chances()),
              arrival(&call<Detached, &Detached::on_arrival>, this)
        {
        }

        void on_arrival()
        {
            link->count_sent(flying);
            const bool lost =
                link->is_in_outage(flying.arrives) ||
                (link->m_losses.takes(flying.packet.wire_bytes, chances) && ++link->count.lost);
            if (!lost)
            {
                link->go_on(flying.packet, flying.arrives);
            }
            link->m_events.cancel(arrival);
            link->m_detached.remove_if([this](const Detached& other) { return &other == this; });
        }

        DropTailLink* link;
        Flying flying;
        Losses::Chances chances;
        Event arrival;
    };

    void set_rate(double rate_bps)
    {
        m_rate_bps = rate_bps;
        m_transmission.clear();
    }

    Time transmission_time(uint32_t wire_bytes)
    {
        if (wire_bytes >= m_transmission.size())
        {
            m_transmission.resize(wire_bytes + 1, -1);
        }
        Time& time = m_transmission[wire_bytes];
        if (time < 0)
        {
            time = static_cast<Time>(std::floor(8e9 * wire_bytes / m_rate_bps));
        }
        return time;
    }

    /// When its transmission began is known: then so is the rest.
    void set_times(Flying& flying)
    {
        constexpr Time LATEST = NEVER - 1; // what is later than any scenario need not be told apart
        const Time takes = transmission_time(flying.packet.wire_bytes);
        flying.ended = flying.began > LATEST - takes ? LATEST : flying.began + takes;
        flying.arrives = flying.ended > LATEST - m_delay ? LATEST : flying.ended + m_delay;
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
            if (next > 0 && !is_over(m_flying[next - 1], now, caused))
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
        const Time now = flying.arrives;
        if (m_waiting == m_flying.size())
        {
            drain_queue(now, flying.began);
        }
        m_flying.pop();
        if (!m_flying.empty())
        {
            m_events.schedule(m_arrival, m_flying.front().key_of_arrival());
        }
        count_sent(flying);
        if (is_in_outage(now))
        {
            return;
        }
        if (m_losses.takes(flying.packet.wire_bytes))
        {
            ++count.lost;
            return;
        }
        go_on(flying.packet, now);
    }

    bool is_in_outage(Time now)
    {
        for (const Outage& outage : spec.outages)
        {
            if (outage.start <= now && now < outage.end)
            {
                ++count.outage;
                return true;
            }
        }
        return false;
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
        Time begins = m_waiting > 0 ? m_flying.front().began : m_free;
        if (change.rate_bps)
        {
            set_rate(*change.rate_bps);
        }
        if (change.delay_s)
        {
            m_delay = from_seconds(*change.delay_s);
        }
        const Losses::Chances before = m_losses.chances();
        m_losses.set({change.loss_per_packet.value_or(before.per_packet),
                      change.loss_per_bit.value_or(before.per_bit)});
        for (std::size_t i = 0; i < m_flying.size(); ++i)
        {
            m_flying[i].began = begins;
            set_times(m_flying[i]);
            begins = m_flying[i].ended;
        }
        m_free = begins;
        m_events.cancel(m_arrival); // it was for a packet that has left the ring
        if (!m_flying.empty())
        {
            m_events.schedule(m_arrival, m_flying.front().key_of_arrival());
        }
    }

    double m_rate_bps{0};
    Time m_delay;
    Losses m_losses;
    std::vector<Time> m_transmission; //!< that a packet takes, by its bytes; -1: not yet known
    Ring<Flying> m_flying;            //!< what has been given to the link, the last `m_waiting`
                                      //!< of them in the queue
    uint64_t m_waiting{0};
    uint64_t m_waiting_bytes{0};
    Time m_free{0};                 //!< when the transmitter has sent all that there is
    std::list<Detached> m_detached; //!< under way since before a change
    Event m_arrival;                //!< of the first packet of the ring
};

} // namespace longfat::core

#endif
