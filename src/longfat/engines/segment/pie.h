// SPDX-License-Identifier: GPL-2.0-only
//
// Proportional integral controller enhanced (RFC 8033): the probability with which packets are
// dropped, or marked, as they come follows how long they wait and whether that grows. The wait is
// that of the packet which left last, by its time stamp (section 4.3).

#ifndef LONGFAT_SEGMENT_PIE_H
#define LONGFAT_SEGMENT_PIE_H

#include "queue.h"

#include <algorithm>

namespace longfat::segment
{

class PieQueue final : public Queue
{
  public:
    PieQueue(EventQueue& events,
             const LinkSpec& link,
             const Pie& spec,
             PacketCount& count,
             int64_t stream)
        : Queue(link, count),
          m_spec(spec),
          m_events(events),
          m_period(FromSeconds(spec.updateS)),
          m_burstS(spec.maxBurstS),
          m_update(&CallMethod<PieQueue, &PieQueue::OnUpdate>, this)
    {
        m_uniform.SetStream(stream);
        events.Schedule(m_update, events.KeyAt(m_period));
    }

    bool Dequeue(Packet* packet, Ticks now) override
    {
        Ticks since;
        if (!Pop(packet, &since))
        {
            return false;
        }
        m_delayS = Packets() == 0 ? 0 : ToSeconds(now - since);
        return true;
    }

  private:
    static constexpr double SURE = 8.5;  //!< so much probability without a drop makes one sure,
    static constexpr double NONE = 0.85; //!< less than that makes none

    bool Admits(Packet& packet, Ticks) override
    {
        return !DropsEarly() || (m_spec.ecn && m_probability <= m_spec.markBelow && Mark(packet));
    }

    /// drop_early of section 4.1, with the derandomization of section 5.4.
    bool DropsEarly()
    {
        if (m_burstS > 0 || (m_delayBeforeS < m_spec.targetS / 2 && m_probability < 0.2) ||
            Packets() <= 2)
        {
            return false;
        }
        m_sum = m_probability == 0 ? 0 : m_sum + m_probability;
        if (m_sum < NONE || (m_sum < SURE && m_uniform.GetValue(0, 1) >= m_probability))
        {
            return false;
        }
        m_sum = 0;
        return true;
    }

    /// calculate_drop_prob of sections 4.2 and 4.4, with the cap of section 5.5.
    void OnUpdate()
    {
        double change =
            m_spec.alpha * (m_delayS - m_spec.targetS) + m_spec.beta * (m_delayS - m_delayBeforeS);
        change /= Divisor();
        if (m_probability >= 0.1)
        {
            change = std::min(change, 0.02);
        }
        m_probability += change;
        if (m_delayS == 0 && m_delayBeforeS == 0)
        {
            m_probability *= 0.98;
        }
        m_probability = std::clamp(m_probability, 0.0, 1.0);
        m_burstS = std::max(0.0, m_burstS - m_spec.updateS);
        const double quietS = m_spec.targetS / 2;
        if (m_probability == 0 && m_delayS < quietS && m_delayBeforeS < quietS)
        {
            m_burstS = m_spec.maxBurstS;
        }
        m_delayBeforeS = m_delayS;
        m_events.Schedule(m_update, m_events.KeyAt(m_events.Now() + m_period));
    }

    /// Small probabilities move in small steps.
    double Divisor() const
    {
        return m_probability < 0.000001  ? 2048
               : m_probability < 0.00001 ? 512
               : m_probability < 0.0001  ? 128
               : m_probability < 0.001   ? 32
               : m_probability < 0.01    ? 8
               : m_probability < 0.1     ? 2
                                         : 1;
    }

    const Pie m_spec;
    EventQueue& m_events;
    const Ticks m_period;
    double m_burstS; //!< so long nothing is dropped
    double m_probability{0};
    double m_delayS{0};
    double m_delayBeforeS{0}; //!< at the update before
    double m_sum{0};          //!< of probabilities since the last drop
    ns3::UniformRandomVariable m_uniform;
    Event m_update;
};

} // namespace longfat::segment

#endif
