// SPDX-License-Identifier: GPL-2.0-only
//
// A router that approves Quick-Start requests (RFC 4782, sections 3.3 and 8.2): up to a rate that its
// link may have in all, less what goes over the link and what has been approved lately.

#ifndef LONGFAT_SEGMENT_APPROVAL_H
#define LONGFAT_SEGMENT_APPROVAL_H

#include "event.h"
#include "router-header.h"

#include <algorithm>
#include <deque>

namespace longfat::segment
{

class Approval
{
  public:
    /// What was approved or sent in this time counts: longer than most requests take to be used
    /// (the RFC recommends 150 ms at least).
    static constexpr Ticks LATELY = 500'000'000;

    explicit Approval(double approveBps)
        : m_approveBps(approveBps)
    {
    }

    /// A packet comes to the link; its request is approved, lowered, or deleted.
    void Meet(RouterHeader& header, uint32_t wireBytes, Ticks now)
    {
        if (header.quickStart.kind == QuickStart::REQUEST)
        {
            Decide(header.quickStart, now);
        }
        reported += header.quickStart.kind == QuickStart::REPORT;
        m_traffic.Add(8.0 * wireBytes, now);
    }

    uint64_t approved{0}; //!< requests, whole or in part
    uint64_t reported{0}; //!< reports of an approved rate that came by

  private:
    /// What was added in the last LATELY, in steps of a tenth of it.
    class Recent
    {
      public:
        void Add(double what, Ticks now)
        {
            const Ticks step = now / STEP;
            if (m_steps.empty() || m_steps.back().step != step)
            {
                m_steps.push_back({step, 0});
            }
            m_steps.back().sum += what;
            m_sum += what;
            Forget(now);
        }

        double Sum(Ticks now)
        {
            Forget(now);
            return m_sum;
        }

      private:
        static constexpr Ticks STEP = LATELY / 10;

        struct Step
        {
            Ticks step;
            double sum;
        };

        void Forget(Ticks now)
        {
            while (!m_steps.empty() && m_steps.front().step <= now / STEP - 10)
            {
                m_sum -= m_steps.front().sum;
                m_steps.pop_front();
            }
            m_sum = m_steps.empty() ? 0 : m_sum;
        }

        std::deque<Step> m_steps;
        double m_sum{0};
    };

    void Decide(QuickStart& request, Ticks now)
    {
        const double used = m_traffic.Sum(now) / ToSeconds(LATELY);
        const double left = m_approveBps - used - m_approvals.Sum(now);
        const uint8_t rate = std::min(request.rate, QuickStartRate::AtMost(left));
        if (rate == 0)
        {
            request.rate = 0; // not approved: nobody after this router can take it for approved
            request.ttl = 0;
            request.nonce = 0;
            return;
        }
        const uint32_t steps = QuickStart::Mask(request.rate) & ~QuickStart::Mask(rate);
        const auto other = static_cast<uint32_t>(Scrambled(request.nonce + ++m_draws));
        request.nonce = (request.nonce & ~steps) | (other & steps);
        request.rate = rate;
        --request.ttl;
        m_approvals.Add(QuickStartRate::Bps(rate), now);
        ++approved;
    }

    double m_approveBps;
    uint64_t m_draws{0};
    Recent m_traffic;   //!< bits
    Recent m_approvals; //!< bit/s
};

} // namespace longfat::segment

#endif
