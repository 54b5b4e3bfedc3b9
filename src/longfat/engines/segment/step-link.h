// SPDX-License-Identifier: GPL-2.0-only
//
// A link whose steps have an event each, since what comes later decides: a queue that may be managed,
// a transmitter that may follow a trace or repeat what is lost, a delay, and a medium that loses. A base
// station and a router may look on. Where none of that does anything, it is the drop-tail link (link.h),
// digit by digit.
//
// ARQ (RFC 3366). Stop and wait: the transmitter waits for each packet's acknowledgment. Selective
// repeat: it goes on; what is lost comes before what is new, and what arrives is held back, if so
// wished, until all before it has arrived or been given up. A radio may cut a packet into frames, of
// which only those that are lost are sent again.
//
// Explicit loss notification (H. Balakrishnan, R. H. Katz, "Explicit loss notification and wireless
// web performance", 1998): the far end of a link knows which segments the link has lost. An
// acknowledgment that asks for one of them is marked there on its way back.

#ifndef LONGFAT_CORE_STEP_LINK_H
#define LONGFAT_CORE_STEP_LINK_H

#include "base-station.h"
#include "codel.h"
#include "fq-codel.h"
#include "delivery-trace.h"
#include "pie.h"
#include "quick-start-router.h"
#include "red.h"
#include "xcp-router.h"

#include <deque>
#include <map>
#include <memory>
#include <set>

namespace longfat::core
{

class StepLink final : public Link
{
  public:
    /// Both directions of a cable have numbers that follow each other.
    StepLink(
        EventQueue& events, const LinkSpec& spec, uint32_t target, uint64_t number, uint64_t seed)
        : Link(events, spec, target),
          m_address(static_cast<uint32_t>(number + 1)),
          m_queue(make_queue(number, seed)),
          m_losses(this->spec, number, seed),
          m_jitter(Losses::stream_of(Losses::Use::ARQ, number), seed),
          m_delay(from_seconds(spec.delay_s)),
          m_transmitted(&call<StepLink, &StepLink::on_transmitted>, this),
          m_opportunity(&call<StepLink, &StepLink::on_opportunity>, this)
    {
        if (!this->spec.delivery_ms.empty())
        {
            m_trace.emplace(this->spec.delivery_ms);
        }
        if (spec.xcp)
        {
            m_xcp.emplace(events, *this, *spec.xcp, [this] { return m_queue->bytes(); });
        }
        if (spec.approve_bps > 0)
        {
            m_quick_start.emplace(spec.approve_bps, count);
        }
        if (this->spec.base_station)
        {
            m_agent.emplace(events, *this->spec.base_station, count);
            m_agent->send_first = [this](const Packet& packet, Time since) {
                m_urgent.push() = {packet, since};
                go(m_events.now());
            };
            m_agent->on_free = [this] { go(m_events.now()); };
        }
        for (const LinkChange& each : this->spec.changes)
        {
            events.at(each.at, [this, &each] { change(each); });
        }
    }

    /// The link back, of the same cable.
    void pair(StepLink& back)
    {
        m_back = &back;
        if (m_agent)
        {
            m_agent->send_back = [&back](const Packet& ack) {
                back.go_on(ack, back.m_events.now());
            };
        }
    }

    void send(const Packet& packet, Time now) override
    {
        ++count.offered;
        if (packet.options)
        {
            packet.options->on_router();
            if (spec.ptp)
            {
                write_record(packet.options->question, now);
            }
        }
        if (m_quick_start)
        {
            m_quick_start->on_arrival(packet, now);
        }
        if (m_xcp)
        {
            m_xcp->on_arrival(packet);
        }
        if (m_back && m_back->spec.notifies_loss && packet.is_acknowledgment())
        {
            Packet ack = packet;
            m_back->notify(ack);
            m_queue->enqueue(std::move(ack), now);
        }
        else
        {
            m_queue->enqueue(packet, now);
        }
        go(now);
        record_queue(now);
    }

    bool finish(Time) override
    {
        count.waiting = m_queue->packets() + m_urgent.size();
        count.under_way = m_under_way.size() - m_free.size() - m_known + m_held_back;
        return count.offered + count.repaired ==
                   count.overflow + count.early + count.waiting + m_refused + m_taken &&
               m_taken == count.lost + count.outage + count.arrived + count.under_way &&
               (!m_agent || m_agent->is_consistent());
    }

  private:
    using Fate = Losses::Fate;

    /// A packet from when it leaves the queue until it has arrived or is given up.
    struct UnderWay
    {
        explicit UnderWay(StepLink* link)
            : link(link),
              event(&call<UnderWay, &UnderWay::act>, this)
        {
        }

        void act()
        {
            (link->*next)(*this);
        }

        StepLink* link;
        Packet packet{};
        Time since{0};                              //!< it has waited here
        uint64_t number{0};                         //!< among all that left the queue
        uint64_t transmissions{0};                  //!< so far
        uint32_t missing{0};                        //!< frames of the radio that have not arrived
        double survival{1};                         //!< probability, by the losses when it was sent
        void (StepLink::*next)(UnderWay&){nullptr}; //!< what its event does
        Event event;
    };

    /// A place in the order in which packets are handed on.
    struct Place
    {
        enum State : uint8_t
        {
            OPEN,
            ARRIVED,
            GIVEN_UP,
        };

        State state;
        Packet packet;
    };

    std::unique_ptr<Queue> make_queue(uint64_t number, uint64_t seed)
    {
        const Random random(Losses::stream_of(Losses::Use::QUEUE, number), seed);
        if (const Red* red = std::get_if<Red>(&spec.aqm))
        {
            return std::make_unique<RedQueue>(*this, *red, random);
        }
        if (const CoDel* codel = std::get_if<CoDel>(&spec.aqm))
        {
            return std::make_unique<CoDelQueue>(*this, *codel);
        }
        if (const FqCoDel* fq = std::get_if<FqCoDel>(&spec.aqm))
        {
            return std::make_unique<FqCoDelQueue>(*this, *fq);
        }
        if (const Pie* pie = std::get_if<Pie>(&spec.aqm))
        {
            return std::make_unique<PieQueue>(m_events, *this, *pie, random);
        }
        return std::make_unique<Queue>(*this);
    }

    /// PTP: a record of the link as it is now.
    void write_record(Question& question, Time now)
    {
        if (question.kind == Question::QUERY && !question.is_answer &&
            question.records.size() < Question::MOST_RECORDS)
        {
            question.records.push_back({m_address, m_rate_bps, count.sent_bytes, now});
        }
    }

    /// Send on, if there is something and the transmitter is free.
    void go(Time now)
    {
        if (m_trace)
        {
            if (!m_is_due && (m_unsent || has_something()))
            {
                m_is_due = true;
                m_events.schedule(m_opportunity, m_events.key_at(m_trace->take(now)));
            }
            return;
        }
        if (m_sending)
        {
            return;
        }
        if (!m_repeats.empty())
        {
            UnderWay* repeat = m_repeats.front();
            m_repeats.pop();
            transmit(*repeat, now);
        }
        else if (UnderWay* fresh = take_from_queue(now))
        {
            transmit(*fresh, now);
        }
    }

    bool has_something() const
    {
        return !m_urgent.empty() || (m_queue->packets() > 0 && (!m_agent || m_agent->may_start()));
    }

    /// The next packet to be sent that has not yet been sent from the queue, if there is one.
    bool take_packet(Waiting* next, Time now)
    {
        if (!m_urgent.empty())
        {
            *next = std::move(m_urgent.front());
            m_urgent.pop();
            return true;
        }
        while (has_something())
        {
            const bool had = m_queue->dequeue(next, now);
            record_queue(now);
            if (had && m_xcp)
            {
                m_xcp->on_departure(next->packet, m_queue->bytes());
            }
            if (!had || !m_agent || m_agent->on_leave(next->packet, next->since, now))
            {
                return had;
            }
            ++m_refused;
        }
        return false;
    }

    UnderWay* take_from_queue(Time now)
    {
        Waiting next;
        if (!take_packet(&next, now))
        {
            return nullptr;
        }
        if (m_free.empty())
        {
            m_free.push_back(&m_under_way.emplace_back(this));
        }
        UnderWay* fresh = m_free.back();
        m_free.pop_back();
        fresh->packet = std::move(next.packet);
        fresh->since = next.since;
        fresh->number = m_taken++;
        fresh->transmissions = 0;
        fresh->missing = frames(fresh->packet);
        if (keeps_order())
        {
            m_places.push().state = Place::OPEN;
        }
        return fresh;
    }

    bool keeps_order() const
    {
        return spec.arq && spec.arq->in_order && !spec.arq->waits;
    }

    uint32_t frame_bytes() const
    {
        return spec.arq ? spec.arq->frame_bytes : 0;
    }

    uint32_t frames(const Packet& packet) const
    {
        const uint32_t bytes = frame_bytes();
        return bytes > 0 ? (packet.wire_bytes + bytes - 1) / bytes : 1;
    }

    /// What a transmission has: all of the packet, or the frames that are missing.
    uint64_t bytes_to_send(const UnderWay& sent) const
    {
        return frame_bytes() > 0 ? uint64_t(sent.missing) * frame_bytes() : sent.packet.wire_bytes;
    }

    void transmit(UnderWay& sent, Time now)
    {
        m_sending = &sent;
        if (m_agent && m_agent->hides_time() && sent.packet.is_segment())
        {
            Rare<Options>& options = sent.packet.options;
            (options ? *options : options.emplace()).hidden += now - sent.since;
            sent.since = now;
        }
        const Time ends = later(now, transmission_time(bytes_to_send(sent)));
        m_events.schedule(m_transmitted, m_events.key_at(ends));
        set_off(sent, at_end_of_interval(ends));
    }

    /// A radio that sends in intervals has delivered a frame when its interval ends.
    Time at_end_of_interval(Time time) const
    {
        const Time interval = spec.arq ? from_seconds(spec.arq->interval_s) : 0;
        return interval > 0 ? (time + interval - 1) / interval * interval : time;
    }

    /// A transmission that ends then goes on to the far end.
    void set_off(UnderWay& sent, Time ends)
    {
        count.again += sent.transmissions > 0;
        ++sent.transmissions;
        sent.survival =
            m_losses.survival(frame_bytes() > 0 ? frame_bytes() : sent.packet.wire_bytes);
        wait(sent, later(ends, m_delay), &StepLink::on_arrival);
    }

    void wait(UnderWay& sent, Time until, void (StepLink::*next)(UnderWay&))
    {
        sent.next = next;
        m_events.schedule(sent.event, m_events.key_at(until));
    }

    void on_transmitted()
    {
        const Time now = m_events.now();
        count_sent(*m_sending, now);
        if (spec.arq && spec.arq->waits)
        {
            return; // until it is known what has become of it
        }
        m_sending = nullptr;
        go(now);
    }

    /// An opportunity of the trace: 1500 bytes leave, be they parts of packets.
    void on_opportunity()
    {
        const Time now = m_events.now();
        m_is_due = false;
        for (uint32_t room = DeliveryTrace::BYTES; room > 0;)
        {
            if (!m_unsent)
            {
                m_unsent = take_from_queue(now);
                m_unsent_bytes = m_unsent ? m_unsent->packet.wire_bytes : 0;
            }
            if (!m_unsent)
            {
                break;
            }
            const uint32_t bytes = std::min(room, m_unsent_bytes);
            room -= bytes;
            m_unsent_bytes -= bytes;
            if (m_unsent_bytes == 0)
            {
                count_sent(*m_unsent, now);
                set_off(*m_unsent, now);
                m_unsent = nullptr;
            }
        }
        go(now);
    }

    void count_sent(const UnderWay& sent, Time now)
    {
        ++count.sent;
        count.sent_bytes += static_cast<Bytes>(bytes_to_send(sent));
        if (m_sent_series)
        {
            m_sent_series->Add(seconds(now), static_cast<double>(count.sent_bytes));
        }
    }

    void record_queue(Time now)
    {
        if (m_queue_series && m_queue->packets() != m_recorded)
        {
            m_recorded = m_queue->packets();
            m_queue_series->Add(seconds(now), static_cast<double>(m_recorded));
        }
    }

    void on_arrival(UnderWay& sent)
    {
        const Time now = m_events.now();
        const Fate fate = meet(sent, now);
        if (fate != Fate::ARRIVES && spec.arq && sent.transmissions <= spec.arq->persistence)
        {
            const double jitter_s =
                spec.arq->jitter_s > 0 ? m_jitter.uniform() * spec.arq->jitter_s : 0;
            wait(sent, now + from_seconds(spec.arq->feedback_s + jitter_s), &StepLink::on_negative);
            return;
        }
        const Packet packet = std::move(sent.packet);
        const uint64_t number = sent.number;
        if (spec.arq && spec.arq->waits)
        {
            wait(sent, now + from_seconds(spec.arq->feedback_s), &StepLink::on_known);
            ++m_known;
        }
        else
        {
            m_free.push_back(&sent);
        }
        if (spec.notifies_loss && packet.is_segment())
        {
            note_fate(packet, fate == Fate::ARRIVES);
        }
        count.lost += fate == Fate::LOST;
        count.outage += fate == Fate::OUTAGE;
        hand_on(packet, number, fate == Fate::ARRIVES, now);
    }

    /// What becomes of a transmission: of all that it has, or of each frame.
    Fate meet(UnderWay& sent, Time now)
    {
        if (frame_bytes() == 0)
        {
            return m_losses.meet(sent.survival, now);
        }
        Fate worst = Fate::ARRIVES;
        uint32_t missing = 0;
        for (uint32_t i = 0; i < sent.missing; ++i)
        {
            const Fate fate = m_losses.meet(sent.survival, now);
            missing += fate != Fate::ARRIVES;
            worst = std::max(worst, fate);
        }
        sent.missing = missing;
        return worst;
    }

    /// The far end knows what the link has lost.
    void note_fate(const Packet& packet, bool arrived)
    {
        std::set<uint64_t>& lost = m_lost[packet.route->end];
        if (arrived)
        {
            lost.erase(packet.number);
        }
        else
        {
            lost.insert(packet.number);
        }
    }

    /// And tells it by an acknowledgment that asks for what was lost.
    void notify(Packet& ack)
    {
        std::set<uint64_t>& lost = m_lost[ack.route->other->end];
        lost.erase(lost.begin(), lost.lower_bound(ack.number));
        if (lost.contains(ack.number))
        {
            ack.flags |= Packet::LOST_BY_LINK;
            ++count.told;
        }
    }

    /// The transmitter knows that the packet is lost.
    void on_negative(UnderWay& sent)
    {
        const Time now = m_events.now();
        if (spec.arq->waits)
        {
            transmit(sent, now);
            return;
        }
        m_repeats.push() = &sent;
        go(now);
    }

    /// The transmitter knows that the packet has arrived, or gives it up: it is free again.
    void on_known(UnderWay& sent)
    {
        --m_known;
        m_free.push_back(&sent);
        m_sending = nullptr;
        go(m_events.now());
    }

    /// What has arrived goes on, in order if so wished.
    void hand_on(const Packet& packet, uint64_t number, bool arrived, Time now)
    {
        if (!keeps_order())
        {
            if (arrived)
            {
                deliver(packet, now);
            }
            return;
        }
        Place& place = m_places[number - m_handed_on];
        place.state = arrived ? Place::ARRIVED : Place::GIVEN_UP;
        place.packet = packet;
        m_held_back += arrived;
        while (!m_places.empty() && m_places.front().state != Place::OPEN)
        {
            const Place first = std::move(m_places.front());
            m_places.pop();
            ++m_handed_on;
            if (first.state == Place::ARRIVED)
            {
                --m_held_back;
                deliver(first.packet, now);
            }
        }
    }

    void deliver(const Packet& packet, Time now)
    {
        ++count.arrived;
        if (!m_back || !m_back->m_agent)
        {
            go_on(packet, now);
            return;
        }
        Packet ack = packet;
        if (m_back->m_agent->on_back(ack, now))
        {
            go_on(ack, now);
        }
    }

    /// From now on the link is another; what is under way or being sent arrives as before.
    void change(const LinkChange& change)
    {
        m_rate_bps = change.rate_bps.value_or(m_rate_bps);
        m_delay = change.delay_s ? from_seconds(*change.delay_s) : m_delay;
        m_losses.change(change);
    }

    const uint32_t m_address; //!< by which queries know it
    const std::unique_ptr<Queue> m_queue;
    StepLink* m_back{nullptr}; //!< if one of both looks on what the other carries
    std::optional<BaseStationAgent> m_agent;
    std::optional<XcpRouter> m_xcp;
    std::optional<QuickStartRouter> m_quick_start;
    std::optional<DeliveryTrace> m_trace;
    Losses m_losses;
    Random m_jitter;
    Time m_delay;
    Ring<Waiting> m_urgent;                               //!< before all that waits
    std::map<const Endpoint*, std::set<uint64_t>> m_lost; //!< segments, by receiver
    std::deque<UnderWay> m_under_way;                     //!< all, in use or free
    std::vector<UnderWay*> m_free;
    UnderWay* m_sending{nullptr}; //!< by a transmitter without a trace
    UnderWay* m_unsent{nullptr};  //!< with a trace: what is only sent in part
    uint32_t m_unsent_bytes{0};   //!< the rest of it
    bool m_is_due{false};         //!< an opportunity of the trace is taken
    Ring<UnderWay*> m_repeats;    //!< to be sent again
    Ring<Place> m_places;    //!< of what has left the queue and was not yet handed on, in order
    uint64_t m_handed_on{0}; //!< so many were, or were given up
    uint64_t m_held_back{0}; //!< so many have arrived before their turn
    uint64_t m_known{0};     //!< packets that are counted as arrived or lost, and wait for on_known
    uint64_t m_taken{0};     //!< packets that have left the queue
    uint64_t m_refused{0};   //!< of them not sent, since the host has them
    uint64_t m_recorded{0};  //!< packets in the queue, as recorded last
    Event m_transmitted;
    Event m_opportunity;
};

} // namespace longfat::core

#endif
