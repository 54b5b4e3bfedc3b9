// SPDX-License-Identifier: GPL-2.0-only
//
// What a congestion control has decided, held within bounds, and kept as series where they are asked for.

#ifndef LONGFAT_CORE_CONGESTION_WINDOW_H
#define LONGFAT_CORE_CONGESTION_WINDOW_H

#include "../series.h"
#include "connection.h"

namespace longfat::core
{

/// The series of a sender: those that are kept.
struct SenderSeries
{
    Series* cwnd{nullptr};
    Series* ssthresh{nullptr};
    Series* rtt{nullptr};
    Series* bandwidth{nullptr};
    Series* utilization{nullptr};
    Series* acknowledged{nullptr};
};

class CongestionWindow
{
  public:
    CongestionWindow(Bytes mss, double max_window, const SenderSeries& series, Checks& checks)
        : m_mss(mss),
          m_max_window(max_window),
          m_series(series),
          m_checks(checks)
    {
    }

    const Control& control() const
    {
        return m_control;
    }

    Bytes cwnd() const
    {
        return in_bytes(m_control.cwnd);
    }

    Bytes ssthresh() const
    {
        return in_bytes(m_control.ssthresh);
    }

    bool is_paced() const
    {
        return m_control.pacing_bps < UNLIMITED;
    }

    /// From now on that holds. What nothing could be sent with ends the run.
    void decide(const Control& control, Time now)
    {
        if (!(control.cwnd > 0) || !(control.pacing_bps > 0))
        {
            m_checks.expect(false,
                            "a congestion control has decided on a window or a pacing rate that is "
                            "not a number above 0");
            return;
        }
        // A window of less than one segment could never send one.
        m_control.cwnd = std::min(std::max(control.cwnd, 1.0), m_max_window);
        m_control.pacing_bps = control.pacing_bps;
        set_ssthresh(control.ssthresh, now);
        if (m_series.cwnd)
        {
            m_series.cwnd->Add(seconds(now), m_control.cwnd);
        }
    }

    void set_ssthresh(double threshold, Time now)
    {
        if (threshold != threshold)
        {
            m_checks.expect(false,
                            "a congestion control has decided on a threshold that is not a number");
            return;
        }
        if (m_series.ssthresh && threshold != m_control.ssthresh && threshold < UNLIMITED)
        {
            m_series.ssthresh->Add(seconds(now), threshold);
        }
        m_control.ssthresh = threshold;
    }

    /// The window of a recovery or after a timeout, until the next decision.
    void set_cwnd(Bytes bytes)
    {
        m_control.cwnd = static_cast<double>(bytes) / static_cast<double>(m_mss);
    }

  private:
    Bytes in_bytes(double segments) const
    {
        constexpr double MOST = 4e18;
        return static_cast<Bytes>(std::min(segments * static_cast<double>(m_mss), MOST));
    }

    const Bytes m_mss;
    const double m_max_window;
    const SenderSeries& m_series;
    Checks& m_checks;
    Control m_control{};
};

} // namespace longfat::core

#endif
