// SPDX-License-Identifier: GPL-2.0-only
//
// Scalable TCP (paper: survey, equations 15 and 18; T. Kelly, "Scalable TCP: improving performance
// in highspeed wide area networks", 2003).
//
// Above the legacy window every ACK adds A = 0.01 segments, so that a round trip adds a hundredth of
// the window, and a loss takes away an eighth of it. Both take the same time at every window (36). Up to
// the legacy window it is standard TCP.

#ifndef LONGFAT_CC_SCALABLE_H
#define LONGFAT_CC_SCALABLE_H

#include "newreno.h"

namespace longfat::core
{

class Scalable
{
  public:
    static constexpr Entry entry{.name = "scalable",
                                 .title = "Scalable TCP",
                                 .source = "paper survey, equations (15), (18); Kelly 2003",
                                 .colour = "#009e73",
                                 .marker = "^",
                                 .linux = "scalable"};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Scalable>{"increase_segments",
                                &Scalable::m_increase,
                                0.01,
                                0,
                                1,
                                "segments",
                                "A, what an ACK adds",
                                "paper survey, (18)"},
            Parameter<Scalable>{"decrease",
                                &Scalable::m_decrease,
                                0.125,
                                0,
                                1,
                                "",
                                "part of the window that a loss takes away",
                                "paper survey, (18)"},
            Parameter<Scalable>{"legacy_window_segments",
                                &Scalable::m_legacy_window,
                                16,
                                0,
                                1e9,
                                "segments",
                                "standard TCP up to here",
                                "Kelly 2003"},
            Parameter<Scalable>{"max_ssthresh_segments",
                                &Scalable::m_max_ssthresh,
                                0,
                                0,
                                1e6,
                                "segments",
                                "window from which on slow start is limited; 0: never",
                                "RFC 3742; off, as in ns-2"}};
    }

    Control on_ack(const Ack& ack, Control now)
    {
        m_aimd.slow_start.max_ssthresh = static_cast<double>(m_max_ssthresh);
        m_aimd.a = now.cwnd <= m_legacy_window ? 1 : m_increase * now.cwnd;
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion&, const Control& now)
    {
        m_aimd.b = now.cwnd <= m_legacy_window ? 0.5 : m_decrease;
        return m_aimd.decreased(now.cwnd);
    }

  private:
    double m_increase{};
    double m_decrease{};
    double m_legacy_window{};
    int64_t m_max_ssthresh{};
    Aimd<LimitedSlowStart> m_aimd;
};

LONGFAT_CONGESTION_CONTROL(Scalable);

} // namespace longfat::core

#endif
