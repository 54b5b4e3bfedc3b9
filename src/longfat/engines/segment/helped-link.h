// SPDX-License-Identifier: GPL-2.0-only
//
// A link that has helpers: a queue that may be managed, a transmitter that may follow a trace, a
// medium that may lose in bursts, and automatic repeat request. Where Link works all of a packet's
// times out when it comes, here every step has an event of its own, since what comes later decides.
// With helpers that do nothing, both do the same, digit by digit.
//
// ARQ (RFC 3366). Stop and wait: the transmitter waits for each packet's acknowledgment. Selective
// repeat: it goes on; what is lost comes before what is new, and what arrives is held back, if so
// wished, until all before it has arrived or been given up. A radio may cut a packet into frames, of
// which only those that are lost are sent again.
//
// Explicit loss notification (H. Balakrishnan, R. H. Katz, "Explicit loss notification and wireless
// web performance", 1998): the far end of a link knows which segments the link has lost. An
// acknowledgment that asks for one of them is marked there on its way back.

#ifndef LONGFAT_SEGMENT_HELPED_LINK_H
#define LONGFAT_SEGMENT_HELPED_LINK_H

#include "base-station.h"
#include "codel.h"
#include "medium.h"
#include "pie.h"
#include "red.h"

#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace longfat::segment
{

class HelpedLink final : public LinkHelper
{
  public:
    /// `number` of the link, for its random numbers.
    HelpedLink(EventQueue& events, Link& link, uint64_t number)
        : m_events(events),
          m_link(link),
          m_spec(link.spec),
          m_queue(MakeQueue(events, link, number)),
          m_medium(link.spec, number),
          m_delay(FromSeconds(link.spec.delayS)),
          m_lossPerPacket(link.spec.lossPerPacket),
          m_lossPerBit(link.spec.lossPerBit),
          m_transmitted(&CallMethod<HelpedLink, &HelpedLink::OnTransmitted>, this),
          m_chance(&CallMethod<HelpedLink, &HelpedLink::OnChance>, this)
    {
        SetRate(m_spec.rateBps);
        if (!m_spec.deliveryMs.empty())
        {
            m_trace.emplace(m_spec.deliveryMs);
        }
        if (m_spec.baseStation)
        {
            m_agent.emplace(events, *m_spec.baseStation, link.count);
            m_agent->sendFirst = [this](const Packet& packet) { SendFirst(packet); };
            m_agent->onFree = [this] { Go(m_events.Now()); };
        }
        m_jitter.SetStream(StreamOf(HelperStream::ARQ, number));
        for (const LinkChange& change : m_spec.changes)
        {
            events.At(FromSeconds(change.atS), [this, &change] { Change(change); });
        }
    }

    /// The link back, of the same cable.
    void Pair(HelpedLink& back)
    {
        m_back = &back;
        if (m_agent)
        {
            m_agent->sendBack = [&back](const Packet& ack) {
                back.m_link.GoOn(ack, back.m_events.Now());
            };
        }
    }

    void Send(const Packet& packet, Ticks now) override
    {
        Packet coming = packet;
        if (m_agent)
        {
            m_agent->OnCome(coming, now);
        }
        if (m_back && m_back->m_spec.notifiesLoss && coming.IsAcknowledgment())
        {
            m_back->Notify(coming);
        }
        m_queue->Enqueue(coming, now);
        Go(now);
        RecordQueue(now);
    }

    bool PassesOn(Packet& packet, Ticks now) override
    {
        return !m_back || !m_back->m_agent || m_back->m_agent->OnBack(packet, now);
    }

    bool Finish(Ticks) override
    {
        PacketCount& count = m_link.count;
        count.waiting = m_queue->Packets() + m_urgent.Size();
        count.underWay = m_frames.size() - m_free.size() - m_known + m_heldBack;
        return count.offered + count.repaired ==
                   count.overflow + count.early + count.waiting + m_refused + m_taken &&
               m_taken == count.lost + count.outage + count.arrived + count.underWay &&
               (!m_agent || m_agent->IsConsistent());
    }

    void Record(const std::string& name, Series* series) override
    {
        (name == "queue_packets" ? m_queueSeries : m_sentSeries) = series;
    }

  private:
    using Fate = Medium::Fate;

    /// A packet from when it leaves the queue until it has arrived or is given up.
    struct Frame
    {
        explicit Frame(HelpedLink* link)
            : link(link),
              event(&CallMethod<Frame, &Frame::OnEvent>, this)
        {
        }

        void OnEvent()
        {
            (link->*next)(*this);
        }

        HelpedLink* link;
        Packet packet{};
        uint64_t number{0};                        //!< among all that left the queue
        uint64_t transmissions{0};                 //!< so far
        uint32_t missing{0};                       //!< frames of the radio that have not arrived
        double survives{1};                        //!< probability, by the losses when it was sent
        void (HelpedLink::*next)(Frame&){nullptr}; //!< what its event does
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

    static std::unique_ptr<Queue> MakeQueue(EventQueue& events, Link& link, uint64_t number)
    {
        const LinkSpec& spec = link.spec;
        const int64_t stream = StreamOf(HelperStream::QUEUE, number);
        if (const Red* red = std::get_if<Red>(&spec.aqm))
        {
            return std::make_unique<RedQueue>(spec, *red, link.count, stream);
        }
        if (const CoDel* codel = std::get_if<CoDel>(&spec.aqm))
        {
            return std::make_unique<CoDelQueue>(spec, *codel, link.count);
        }
        if (const Pie* pie = std::get_if<Pie>(&spec.aqm))
        {
            return std::make_unique<PieQueue>(events, spec, *pie, link.count, stream);
        }
        return std::make_unique<Queue>(spec, link.count);
    }

    void SetRate(double rateBps)
    {
        m_rate = ns3::DataRate(static_cast<uint64_t>(std::llround(rateBps)));
    }

    /// Send on, if there is something and the transmitter is free.
    void Go(Ticks now)
    {
        if (m_trace)
        {
            if (!m_isDue && (m_unsent || HasSomething()))
            {
                m_isDue = true;
                m_events.Schedule(m_chance, m_events.KeyAt(m_trace->Take(now)));
            }
            return;
        }
        if (m_sending)
        {
            return;
        }
        if (!m_repeats.Empty())
        {
            Frame* frame = m_repeats.Front();
            m_repeats.Pop();
            Transmit(*frame, now);
        }
        else if (Frame* frame = TakeFromQueue(now))
        {
            Transmit(*frame, now);
        }
    }

    bool HasSomething() const
    {
        return !m_urgent.Empty() || (m_queue->Packets() > 0 && (!m_agent || m_agent->MayStart()));
    }

    /// A packet that the base station sends again.
    void SendFirst(const Packet& packet)
    {
        m_urgent.Push() = packet;
        Go(m_events.Now());
    }

    /// The next packet to be sent that has not yet been sent from the queue, if there is one.
    bool TakePacket(Packet* packet, Ticks now)
    {
        if (!m_urgent.Empty())
        {
            *packet = m_urgent.Front();
            m_urgent.Pop();
            return true;
        }
        while (HasSomething())
        {
            const bool had = m_queue->Dequeue(packet, now);
            RecordQueue(now);
            if (!had || !m_agent || m_agent->OnLeave(*packet, now))
            {
                return had;
            }
            ++m_refused;
        }
        return false;
    }

    Frame* TakeFromQueue(Ticks now)
    {
        Packet packet;
        if (!TakePacket(&packet, now))
        {
            return nullptr;
        }
        if (m_free.empty())
        {
            m_free.push_back(&m_frames.emplace_back(this));
        }
        Frame* frame = m_free.back();
        m_free.pop_back();
        frame->packet = packet;
        frame->number = m_taken++;
        frame->transmissions = 0;
        frame->missing = Frames(packet);
        if (KeepsOrder())
        {
            m_places.Push().state = Place::OPEN;
        }
        return frame;
    }

    bool KeepsOrder() const
    {
        return m_spec.arq && m_spec.arq->inOrder && !m_spec.arq->waits;
    }

    uint64_t FrameBytes() const
    {
        return m_spec.arq ? m_spec.arq->frameBytes : 0;
    }

    uint32_t Frames(const Packet& packet) const
    {
        const uint64_t bytes = FrameBytes();
        return bytes > 0 ? (packet.wireBytes + bytes - 1) / bytes : 1;
    }

    /// What a transmission has: all of the packet, or the frames that are missing.
    uint32_t BytesToSend(const Frame& frame) const
    {
        return FrameBytes() > 0 ? frame.missing * FrameBytes() : frame.packet.wireBytes;
    }

    void Transmit(Frame& frame, Ticks now)
    {
        m_sending = &frame;
        HelpersMark& mark = frame.packet.helpers;
        if (mark.came >= 0) // what it has waited here is no part of the round trip
        {
            frame.packet.sent += now - mark.came;
            mark.came = now;
        }
        const Ticks ends = now + m_rate.CalculateBytesTxTime(BytesToSend(frame)).GetTimeStep();
        m_events.Schedule(m_transmitted, m_events.KeyAt(ends));
        SetOff(frame, AtIntervalsEnd(ends));
    }

    /// A radio that sends in intervals has delivered a frame when its interval ends.
    Ticks AtIntervalsEnd(Ticks time) const
    {
        const Ticks interval = m_spec.arq ? FromSeconds(m_spec.arq->intervalS) : 0;
        return interval > 0 ? (time + interval - 1) / interval * interval : time;
    }

    /// A transmission that ends then goes on to the far end.
    void SetOff(Frame& frame, Ticks ends)
    {
        m_link.count.again += frame.transmissions > 0;
        ++frame.transmissions;
        frame.survives = 1 - m_lossPerPacket;
        if (m_lossPerBit > 0)
        {
            const double bytes = FrameBytes() > 0 ? FrameBytes() : frame.packet.wireBytes;
            frame.survives *= std::pow(1 - m_lossPerBit, 8 * bytes);
        }
        Wait(frame, ends + m_delay, &HelpedLink::OnArrival);
    }

    void Wait(Frame& frame, Ticks until, void (HelpedLink::*next)(Frame&))
    {
        frame.next = next;
        m_events.Schedule(frame.event, m_events.KeyAt(until));
    }

    void OnTransmitted()
    {
        const Ticks now = m_events.Now();
        CountSent(*m_sending, now);
        if (m_spec.arq && m_spec.arq->waits)
        {
            return; // until it is known what has become of it
        }
        m_sending = nullptr;
        Go(now);
    }

    /// A chance of the trace: 1500 bytes leave, be they parts of packets.
    void OnChance()
    {
        const Ticks now = m_events.Now();
        m_isDue = false;
        for (uint32_t room = Trace::BYTES; room > 0;)
        {
            if (!m_unsent)
            {
                m_unsent = TakeFromQueue(now);
                m_unsentBytes = m_unsent ? m_unsent->packet.wireBytes : 0;
            }
            if (!m_unsent)
            {
                break;
            }
            const uint32_t bytes = std::min(room, m_unsentBytes);
            room -= bytes;
            m_unsentBytes -= bytes;
            if (m_unsentBytes == 0)
            {
                CountSent(*m_unsent, now);
                SetOff(*m_unsent, now);
                m_unsent = nullptr;
            }
        }
        Go(now);
    }

    void CountSent(const Frame& frame, Ticks now)
    {
        PacketCount& count = m_link.count;
        ++count.sent;
        count.sentBytes += BytesToSend(frame);
        if (m_sentSeries)
        {
            m_sentSeries->Add(ToSeconds(now), count.sentBytes);
        }
    }

    void RecordQueue(Ticks now)
    {
        if (m_queueSeries && m_queue->Packets() != m_recorded)
        {
            m_recorded = m_queue->Packets();
            m_queueSeries->Add(ToSeconds(now), m_recorded);
        }
    }

    void OnArrival(Frame& frame)
    {
        const Ticks now = m_events.Now();
        const Fate fate = Meet(frame, now);
        if (fate != Fate::ARRIVES && m_spec.arq && frame.transmissions <= m_spec.arq->persistence)
        {
            const double jitterS =
                m_spec.arq->jitterS > 0 ? m_jitter.GetValue(0, m_spec.arq->jitterS) : 0;
            Wait(frame,
                 now + FromSeconds(m_spec.arq->feedbackS + jitterS),
                 &HelpedLink::OnNegative);
            return;
        }
        const Packet packet = frame.packet;
        const uint64_t number = frame.number;
        if (m_spec.arq && m_spec.arq->waits)
        {
            Wait(frame, now + FromSeconds(m_spec.arq->feedbackS), &HelpedLink::OnKnown);
            ++m_known;
        }
        else
        {
            m_free.push_back(&frame);
        }
        if (m_spec.notifiesLoss && packet.IsSegment())
        {
            Note(packet, fate == Fate::ARRIVES);
        }
        m_link.count.lost += fate == Fate::LOST;
        m_link.count.outage += fate == Fate::OUTAGE;
        HandOn(packet, number, fate == Fate::ARRIVES, now);
    }

    /// What becomes of a transmission: of all that it has, or of each frame.
    Fate Meet(Frame& frame, Ticks now)
    {
        if (FrameBytes() == 0)
        {
            return m_medium.Meet(frame.survives, now);
        }
        Fate worst = Fate::ARRIVES;
        uint32_t missing = 0;
        for (uint32_t i = 0; i < frame.missing; ++i)
        {
            const Fate fate = m_medium.Meet(frame.survives, now);
            missing += fate != Fate::ARRIVES;
            worst = std::max(worst, fate);
        }
        frame.missing = missing;
        return worst;
    }

    /// The far end knows what the link has lost.
    void Note(const Packet& packet, bool arrived)
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
    void Notify(Packet& ack)
    {
        std::set<uint64_t>& lost = m_lost[ack.route->other->end];
        lost.erase(lost.begin(), lost.lower_bound(ack.number));
        ack.helpers.lostByLink = ack.helpers.lostByLink || lost.contains(ack.number);
        m_link.count.told += lost.contains(ack.number);
    }

    /// The transmitter knows that the packet is lost.
    void OnNegative(Frame& frame)
    {
        const Ticks now = m_events.Now();
        if (m_spec.arq->waits)
        {
            Transmit(frame, now);
            return;
        }
        m_repeats.Push() = &frame;
        Go(now);
    }

    /// The transmitter knows that the packet has arrived, or gives it up: it is free again.
    void OnKnown(Frame& frame)
    {
        --m_known;
        m_free.push_back(&frame);
        m_sending = nullptr;
        Go(m_events.Now());
    }

    /// What has arrived goes on, in order if so wished.
    void HandOn(const Packet& packet, uint64_t number, bool arrived, Ticks now)
    {
        if (!KeepsOrder())
        {
            if (arrived)
            {
                m_link.Deliver(packet, now);
            }
            return;
        }
        Place& place = m_places[number - m_handedOn];
        place.state = arrived ? Place::ARRIVED : Place::GIVEN_UP;
        place.packet = packet;
        m_heldBack += arrived;
        while (!m_places.Empty() && m_places.Front().state != Place::OPEN)
        {
            const Place first = m_places.Front();
            m_places.Pop();
            ++m_handedOn;
            if (first.state == Place::ARRIVED)
            {
                --m_heldBack;
                m_link.Deliver(first.packet, now);
            }
        }
    }

    /// From now on the link is another; what is under way or being sent arrives as before.
    void Change(const LinkChange& change)
    {
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
    }

    EventQueue& m_events;
    Link& m_link;
    const LinkSpec& m_spec;
    HelpedLink* m_back{nullptr}; //!< if that has helpers or carries answers
    std::optional<BaseStationAgent> m_agent;
    std::unique_ptr<Queue> m_queue;
    Ring<Packet> m_urgent;                                //!< before all that waits
    std::map<const Endpoint*, std::set<uint64_t>> m_lost; //!< segments, by receiver
    Medium m_medium;
    std::optional<Trace> m_trace;
    ns3::DataRate m_rate;
    Ticks m_delay;
    double m_lossPerPacket;
    double m_lossPerBit;
    ns3::UniformRandomVariable m_jitter;
    std::deque<Frame> m_frames; //!< all, in use or free
    std::vector<Frame*> m_free;
    Frame* m_sending{nullptr}; //!< by a transmitter without a trace
    Frame* m_unsent{nullptr};  //!< with a trace: what is only sent in part
    uint32_t m_unsentBytes{0}; //!< the rest of it
    bool m_isDue{false};       //!< a chance of the trace is taken
    Ring<Frame*> m_repeats;    //!< to be sent again
    Ring<Place> m_places;      //!< of what has left the queue and was not yet handed on, in order
    uint64_t m_handedOn{0};    //!< so many were, or were given up
    uint64_t m_heldBack{0};    //!< so many have arrived before their turn
    uint64_t m_known{0};       //!< frames that are counted as arrived or lost, and wait for OnKnown
    uint64_t m_taken{0};       //!< packets that have left the queue
    uint64_t m_refused{0};     //!< of them not sent, since the host has them
    uint64_t m_recorded{0};    //!< packets in the queue, as recorded last
    Series* m_queueSeries{nullptr}; //!< if it is kept
    Series* m_sentSeries{nullptr};  //!< if it is kept
    Event m_transmitted;
    Event m_chance;
};

} // namespace longfat::segment

#endif
