// SPDX-License-Identifier: GPL-2.0-only
//
// A link whose router speaks XCP: a drop-tail queue, a transmitter, a delay, losses. Where Link works
// all of a packet's times out when it comes, here every step has an event of its own, since what
// comes later decides about the header. For packets without XCP's header both do the same.

#ifndef LONGFAT_SEGMENT_XCP_LINK_H
#define LONGFAT_SEGMENT_XCP_LINK_H

#include "link.h"
#include "xcp-controller.h"

#include <cmath>
#include <deque>
#include <vector>

namespace longfat::segment
{

class XcpLink final : public LinkRouter
{
  public:
    /// `number` of the link, for its random numbers: the same losses as without XCP.
    XcpLink(EventQueue& events, Link& link, uint64_t number)
        : m_events(events),
          m_link(link),
          m_spec(link.spec),
          m_controller(*link.spec.xcp, link.spec.rateBps),
          m_delay(FromSeconds(link.spec.delayS)),
          m_lossPerPacket(link.spec.lossPerPacket),
          m_lossPerBit(link.spec.lossPerBit),
          m_transmitted(&CallMethod<XcpLink, &XcpLink::OnTransmitted>, this),
          m_control(&CallMethod<XcpLink, &XcpLink::OnControl>, this),
          m_estimate(&CallMethod<XcpLink, &XcpLink::OnEstimate>, this)
    {
        SetRate(m_spec.rateBps);
        m_uniform.SetStream(static_cast<int64_t>(number));
        const Ticks first = FromSeconds(XcpController::FIRST_INTERVAL_S);
        m_events.Schedule(m_control, m_events.KeyAt(first));
        m_events.Schedule(m_estimate, m_events.KeyAt(first));
        for (const LinkChange& change : m_spec.changes)
        {
            events.At(FromSeconds(change.atS), [this, &change] { Change(change); });
        }
    }

    void Send(const Packet& packet, Ticks now) override
    {
        m_controller.OnArrival(packet.router.xcp, packet.wireBytes);
        if (m_waiting.Size() + 1 > m_spec.queuePackets ||
            m_waitingBytes + packet.wireBytes > m_spec.queueBytes)
        {
            ++m_link.count.overflow;
            return;
        }
        Packet& waiting = m_waiting.Push();
        waiting = packet;
        if (m_waiting.Size() > m_spec.markAbovePackets && (packet.flags & Packet::ECT))
        {
            waiting.flags |= Packet::CE;
        }
        m_waitingBytes += packet.wireBytes;
        Go(now);
        RecordQueue(now);
    }

    bool Finish(Ticks) override
    {
        PacketCount& count = m_link.count;
        count.waiting = m_waiting.Size();
        count.underWay = m_frames.size() - m_free.size();
        return count.offered == count.overflow + count.waiting + m_taken &&
               m_taken == count.lost + count.outage + count.arrived + count.underWay;
    }

    void Record(const std::string& name, Series* series) override
    {
        (name == "queue_packets" ? m_queueSeries : m_sentSeries) = series;
    }

  private:
    /// A packet from when its transmission begins until it arrives.
    struct Frame
    {
        explicit Frame(XcpLink* link)
            : link(link),
              arrival(&CallMethod<Frame, &Frame::OnArrival>, this)
        {
        }

        void OnArrival()
        {
            link->Arrive(*this);
        }

        XcpLink* link;
        Packet packet{};
        double survives{1}; //!< probability, by the losses when it was sent
        Event arrival;
    };

    void SetRate(double rateBps)
    {
        m_rate = ns3::DataRate(static_cast<uint64_t>(std::llround(rateBps)));
        m_controller.SetRate(rateBps);
    }

    void Go(Ticks now)
    {
        if (m_sending || m_waiting.Empty())
        {
            return;
        }
        if (m_free.empty())
        {
            m_free.push_back(&m_frames.emplace_back(this));
        }
        Frame* frame = m_free.back();
        m_free.pop_back();
        frame->packet = m_waiting.Front();
        m_waiting.Pop();
        ++m_taken;
        const uint32_t bytes = frame->packet.wireBytes;
        m_waitingBytes -= bytes;
        RecordQueue(now);
        m_controller.OnDeparture(frame->packet.router.xcp, bytes, m_waitingBytes);
        frame->survives = 1 - m_lossPerPacket;
        if (m_lossPerBit > 0)
        {
            frame->survives *= std::pow(1 - m_lossPerBit, 8.0 * bytes);
        }
        m_sending = frame;
        m_sendingBytes = bytes;
        const Ticks ends = now + m_rate.CalculateBytesTxTime(bytes).GetTimeStep();
        m_events.Schedule(m_transmitted, m_events.KeyAt(ends));
        m_events.Schedule(frame->arrival, m_events.KeyAt(ends + m_delay));
    }

    void OnTransmitted()
    {
        const Ticks now = m_events.Now();
        PacketCount& count = m_link.count;
        ++count.sent;
        count.sentBytes += m_sendingBytes;
        if (m_sentSeries)
        {
            m_sentSeries->Add(ToSeconds(now), count.sentBytes);
        }
        m_sending = nullptr;
        Go(now);
    }

    void Arrive(Frame& frame)
    {
        const Ticks now = m_events.Now();
        const double nowS = ToSeconds(now);
        const Packet packet = frame.packet;
        const double survives = frame.survives;
        m_free.push_back(&frame);
        for (const Outage& outage : m_spec.outages)
        {
            if (outage.startS <= nowS && nowS < outage.endS)
            {
                ++m_link.count.outage;
                return;
            }
        }
        if (survives < 1 && m_uniform.GetValue(0, 1) >= survives)
        {
            ++m_link.count.lost;
            return;
        }
        m_link.HandOn(packet, now);
    }

    void OnControl()
    {
        const Ticks next = m_events.Now() + FromSeconds(m_controller.Control());
        m_events.Schedule(m_control, m_events.KeyAt(next));
    }

    void OnEstimate()
    {
        const double wait = m_controller.EstimateQueue(m_waitingBytes);
        m_events.Schedule(m_estimate, m_events.KeyAt(m_events.Now() + FromSeconds(wait)));
    }

    void RecordQueue(Ticks now)
    {
        if (m_queueSeries && m_waiting.Size() != m_recorded)
        {
            m_recorded = m_waiting.Size();
            m_queueSeries->Add(ToSeconds(now), static_cast<double>(m_recorded));
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
    XcpController m_controller;
    ns3::DataRate m_rate;
    Ticks m_delay;
    double m_lossPerPacket;
    double m_lossPerBit;
    ns3::UniformRandomVariable m_uniform;
    Ring<Packet> m_waiting;
    uint64_t m_waitingBytes{0};
    std::deque<Frame> m_frames; //!< all, in use or free
    std::vector<Frame*> m_free;
    Frame* m_sending{nullptr};
    uint32_t m_sendingBytes{0};
    uint64_t m_taken{0};            //!< packets that have left the queue
    uint64_t m_recorded{0};         //!< packets in the queue, as recorded last
    Series* m_queueSeries{nullptr}; //!< if it is kept
    Series* m_sentSeries{nullptr};  //!< if it is kept
    Event m_transmitted;
    Event m_control;
    Event m_estimate;
};

} // namespace longfat::segment

#endif
