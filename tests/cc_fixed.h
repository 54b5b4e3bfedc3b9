// SPDX-License-Identifier: GPL-2.0-only
//
// A congestion control of the tests: a fixed window, paced on demand, that tells the engine's samples of
// the delivery rate as its bandwidth, the largest so far.

#ifndef LONGFAT_TESTS_CORE_FIXED_H
#define LONGFAT_TESTS_CORE_FIXED_H

#include "model.h"

#include <algorithm>
#include <array>

class Fixed
{
    using Ack = longfat::core::Ack;
    using Control = longfat::core::Control;
    using Congestion = longfat::core::Congestion;
    template <class T>
    using Parameter = longfat::core::Parameter<T>;

  public:
    static constexpr longfat::core::Entry entry{.name = "fixed",
                                                .title = "a fixed window",
                                                .source = "none",
                                                .events = longfat::core::event::BANDWIDTH |
                                                          longfat::core::event::UTILIZATION |
                                                          longfat::core::event::RESTART,
                                                .regulates_recovery = true};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Fixed>{"window", &Fixed::m_window, 10, 1, 1e9, "segments", "its size"},
            Parameter<Fixed>{"pacing_bps", &Fixed::m_pacing, 0, 0, 1e12, "bit/s", "0: not paced"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_limited += ack.rate.interval > 0 && ack.rate.is_app_limited;
        m_largest = std::max(m_largest, ack.rate.bps());
        return decision(now);
    }

    Control on_restart(const longfat::core::Restart&, Control now)
    {
        m_restarts += 1;
        return decision(now);
    }

    /// What has happened, as a number.
    double ssthresh(const Congestion& congestion, const Control&)
    {
        return 1000 + congestion.cause;
    }

    double bandwidth_bps() const
    {
        return m_largest;
    }

    /// How many samples the application has limited, and a million for each restart.
    double utilization() const
    {
        return m_limited + 1e6 * m_restarts;
    }

  private:
    Control decision(Control now) const
    {
        return {m_window, now.ssthresh, m_pacing > 0 ? m_pacing : longfat::core::UNLIMITED};
    }

    double m_window{};
    double m_pacing{};
    double m_largest{0};
    double m_limited{0};
    double m_restarts{0};
};

LONGFAT_CONGESTION_CONTROL(Fixed);

#endif
