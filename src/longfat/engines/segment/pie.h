// SPDX-License-Identifier: GPL-2.0-only
//
// Proportional integral controller enhanced (RFC 8033): the probability with which packets are
// dropped, or marked, as they come follows how long they wait and whether that grows. The wait is
// that of the packet which left last, by its time stamp (section 4.3).

#ifndef LONGFAT_CORE_PIE_H
#define LONGFAT_CORE_PIE_H

#include "queue.h"

namespace longfat::core
{

class PieQueue final : public Queue
{
  public:
    PieQueue(EventQueue& events, Link& link, const Pie& spec, Random random)
        : Queue(link),
          m_spec(spec),
          m_events(events),
          m_random(random),
          m_burst_s(spec.max_burst_s),
          m_update(&call<PieQueue, &PieQueue::on_update>, this)
    {
        events.schedule(m_update, events.key_at(from_seconds(spec.update_s)));
    }

    bool dequeue(Waiting* first, Time now) override
    {
        if (!pop(first))
        {
            return false;
        }
        m_delay_s = packets() == 0 ? 0 : seconds(now - first->since);
        return true;
    }

  private:
    static constexpr double SURE = 8.5;  //!< so much probability without a drop makes one sure,
    static constexpr double NONE = 0.85; //!< less than that makes none

    bool admits(Packet& packet, Time) override
    {
        if (!has_room(packet)) // that is no early drop (RFC 8033, appendix A)
        {
            m_sum = 0;
            return true;
        }
        return !drops_early() || (m_spec.ecn && m_probability <= m_spec.mark_below && mark(packet));
    }

    /// drop_early of section 4.1, with the derandomization of section 5.4.
    bool drops_early()
    {
        if (m_burst_s > 0 || (m_delay_before_s < m_spec.target_s / 2 && m_probability < 0.2) ||
            packets() <= 2)
        {
            return false;
        }
        m_sum = m_probability == 0 ? 0 : m_sum + m_probability;
        if (m_sum < NONE || (m_sum < SURE && m_random.uniform() >= m_probability))
        {
            return false;
        }
        m_sum = 0;
        return true;
    }

    /// calculate_drop_prob of sections 4.2 and 4.4, with the cap of section 5.5.
    void on_update()
    {
        double change = m_spec.alpha * (m_delay_s - m_spec.target_s) +
                        m_spec.beta * (m_delay_s - m_delay_before_s);
        change /= divisor();
        if (m_probability >= 0.1)
        {
            change = std::min(change, 0.02);
        }
        m_probability += change;
        if (m_delay_s == 0 && m_delay_before_s == 0)
        {
            m_probability *= 0.98;
        }
        m_probability = std::clamp(m_probability, 0.0, 1.0);
        m_burst_s = std::max(0.0, m_burst_s - m_spec.update_s);
        const double quiet_s = m_spec.target_s / 2;
        if (m_probability == 0 && m_delay_s < quiet_s && m_delay_before_s < quiet_s)
        {
            m_burst_s = m_spec.max_burst_s;
        }
        m_delay_before_s = m_delay_s;
        const Time next = m_events.now() + from_seconds(m_spec.update_s);
        m_events.schedule(m_update, m_events.key_at(next));
    }

    /// Small probabilities move in small steps.
    double divisor() const
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
    Random m_random;
    double m_burst_s; //!< so long nothing is dropped
    double m_probability{0};
    double m_delay_s{0};
    double m_delay_before_s{0}; //!< at the update before
    double m_sum{0};            //!< of probabilities since the last drop
    Event m_update;
};

} // namespace longfat::core

#endif
