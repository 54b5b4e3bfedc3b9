// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Cherry (S. Utsumi, S. M. S. Zabir and N. Shiratori, "TCP-Cherry: a new approach for TCP
// congestion control over satellite IP networks", Computer Communications 31, 2008).
//
// Standard TCP that asks the path how much it holds by supplement segments: low-priority segments with
// data that were not sent before, beyond the window. A router that has no room drops them first, so
// that they take nothing from others, and each that arrives says that there was room for one more.
// Fast-Forward Start and First-Aid Recovery are the start and the recovery of supplements.h, so that a
// loss of the link costs a round trip or two, and one of the queue its half, as ever.
//
// Assumed, for the papers are at hand as abstracts only, and by the example of TCP-Peach (Akyildiz,
// Morabito and Palazzo 2001), on which it is built: the numbers there; no slow start; a timeout starts
// anew; `spare` against supplements that the link loses ("a simple scheme" of the abstract); supplements
// carry the data next in line, and what is dropped is sent again as any segment.

#ifndef LONGFAT_CC_CHERRY_H
#define LONGFAT_CC_CHERRY_H

#include "supplements.h"

namespace longfat::core
{

class Cherry
{
  public:
    static constexpr Entry entry{.name = "cherry",
                                 .title = "TCP-Cherry",
                                 .source =
                                     "Utsumi, Zabir and Shiratori 2008; Akyildiz, Morabito and "
                                     "Palazzo 2001",
                                 .colour = "#aa4499",
                                 .marker = "D",
                                 .events = event::START | event::ESTABLISHED | event::TIMEOUT |
                                           event::TIMER | event::SUPPLEMENT};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Cherry>{"spare",
                              &Cherry::m_spare,
                              0.1,
                              0,
                              1,
                              "",
                              "supplements of a recovery beyond the window, as a part of it",
                              "assumed"},
            Parameter<Cherry>{"low_priority",
                              &Cherry::m_low_priority,
                              1,
                              0,
                              1,
                              "",
                              "queues drop supplements before other packets",
                              "Utsumi, Zabir and Shiratori 2008"}};
    }

    void on_start(Requests& requests)
    {
        m_supplements.on_start(requests);
    }

    Control on_established(const Established& established, const Control& now)
    {
        m_supplements.on_established(established);
        return now;
    }

    Control on_ack(const Ack& ack, const Control& now)
    {
        return m_supplements.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        m_supplements.spare = m_spare;
        return m_supplements.ssthresh(congestion, now);
    }

    Control on_timeout(Time, const Control& now)
    {
        return m_supplements.start(now);
    }

    Control on_timer(Time, const Control& now)
    {
        m_supplements.on_timer(
            [this](Requests& requests) { return requests.supplement(m_low_priority); });
        return now;
    }

    Control on_supplement(const Supplement& supplement, const Control& now)
    {
        return m_supplements.on_arrival(supplement.state, now);
    }

  private:
    double m_spare{};
    bool m_low_priority{};
    Supplements m_supplements;
};

LONGFAT_CONGESTION_CONTROL(Cherry);

} // namespace longfat::core

#endif
