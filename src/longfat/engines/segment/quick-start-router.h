// SPDX-License-Identifier: GPL-2.0-only
//
// A router that approves Quick-Start requests (RFC 4782, sections 3.3 and 8.2): up to a rate that its
// link may have in all, less what goes over the link and what has been approved lately.

#ifndef LONGFAT_CORE_QUICK_START_ROUTER_H
#define LONGFAT_CORE_QUICK_START_ROUTER_H

#include "link.h"

#include <deque>

namespace longfat::core
{

class QuickStartRouter
{
  public:
    /// What was approved or sent in this time counts: longer than most requests take to be used
    /// (the RFC recommends 150 ms at least).
    static constexpr Time LATELY = 500'000'000;

    QuickStartRouter(double approve_bps, PacketCount& count)
        : m_approve_bps(approve_bps),
          m_count(count)
    {
    }

    /// A packet comes to the link; its request is approved, lowered, or deleted.
    void on_arrival(const Packet& packet, Time now)
    {
        if (packet.options)
        {
            QuickStart& option = packet.options->quick_start;
            if (option.kind == QuickStart::REQUEST)
            {
                decide(option, now);
            }
            m_count.quick_starts_reported += option.kind == QuickStart::REPORT;
        }
        m_traffic.add(8.0 * packet.wire_bytes, now);
    }

  private:
    /// What was added in the last LATELY, in steps of a tenth of it, and in the step that has begun.
    class Recent
    {
      public:
        void add(double what, Time now)
        {
            const Time step = now / STEP;
            if (m_steps.empty() || m_steps.back().step != step)
            {
                m_steps.push_back({step, 0});
            }
            m_steps.back().sum += what;
            m_sum += what;
            forget(now);
        }

        double sum(Time now)
        {
            forget(now);
            return m_sum;
        }

        /// How long it is that `sum` is of.
        static Time covered(Time now)
        {
            return LATELY + now % STEP;
        }

      private:
        static constexpr Time STEP = LATELY / 10;

        struct Step
        {
            Time step;
            double sum;
        };

        void forget(Time now)
        {
            while (!m_steps.empty() && m_steps.front().step < now / STEP - 10)
            {
                m_sum -= m_steps.front().sum;
                m_steps.pop_front();
            }
            m_sum = m_steps.empty() ? 0 : m_sum;
        }

        std::deque<Step> m_steps;
        double m_sum{0};
    };

    void decide(QuickStart& request, Time now)
    {
        const double used_bps = m_traffic.sum(now) / seconds(Recent::covered(now));
        const double left_bps = m_approve_bps - used_bps - m_approvals.sum(now);
        const uint8_t rate = std::min(request.rate, QuickStartRate::at_most(left_bps));
        if (rate == 0)
        {
            request.rate = 0; // not approved: nobody after this router can take it for approved
            request.ttl = 0;
            request.nonce = 0;
            return;
        }
        const uint32_t steps = QuickStart::mask(request.rate) & ~QuickStart::mask(rate);
        const auto other = static_cast<uint32_t>(scrambled(request.nonce + ++m_draws));
        request.nonce = (request.nonce & ~steps) | (other & steps);
        request.rate = rate;
        --request.ttl;
        m_approvals.add(QuickStartRate::bps(rate), now);
        ++m_count.quick_starts_approved;
    }

    const double m_approve_bps;
    PacketCount& m_count;
    uint64_t m_draws{0};
    Recent m_traffic;   //!< bits
    Recent m_approvals; //!< bit/s
};

} // namespace longfat::core

#endif
