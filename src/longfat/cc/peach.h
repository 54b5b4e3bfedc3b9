// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Peach (I. F. Akyildiz, G. Morabito and S. Palazzo, "TCP-Peach: a new congestion control scheme
// for satellite IP networks", IEEE/ACM Transactions on Networking 9, 2001): what TCP-Cherry is built
// on. Its dummy segments are as long as others, of low priority, and carry nothing new: what they take
// of the link is lost. Sudden Start and Rapid Recovery are the start and the recovery of supplements.h.
//
// Assumed, for the paper is at hand as an abstract only: the numbers there. `spare` is TCP-Cherry's, so
// that both can be compared with as many; by the paper it is none.

#ifndef LONGFAT_CC_PEACH_H
#define LONGFAT_CC_PEACH_H

#include "supplements.h"

namespace longfat::core
{

class Peach
{
  public:
    static constexpr Entry entry{.name = "peach",
                                 .title = "TCP-Peach",
                                 .source = "Akyildiz, Morabito and Palazzo 2001",
                                 .colour = "#e69f00",
                                 .marker = "o",
                                 .events = event::START | event::ESTABLISHED | event::TIMEOUT |
                                           event::TIMER | event::ANSWER};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Peach>{"spare",
                             &Peach::m_spare,
                             0.1,
                             0,
                             1,
                             "",
                             "dummies of a recovery beyond the window, as a part of it",
                             "assumed"},
            Parameter<Peach>{"low_priority",
                             &Peach::m_low_priority,
                             1,
                             0,
                             1,
                             "",
                             "queues drop dummies before other packets",
                             "Akyildiz, Morabito and Palazzo 2001"}};
    }

    void on_start(Requests& requests)
    {
        m_supplements.on_start(requests);
    }

    Control on_established(const Established& established, const Control& now)
    {
        m_supplements.on_established(established);
        m_mss = established.mss;
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
        m_supplements.on_timer([this](Requests& requests) {
            return requests.probe(m_mss, m_low_priority) > 0; // for a dummy there is always room
        });
        return now;
    }

    Control on_answer(const Answer& answer, const Control& now)
    {
        return m_supplements.on_arrival(answer.state, now);
    }

  private:
    double m_spare{};
    bool m_low_priority{};
    Bytes m_mss{0};
    Supplements m_supplements;
};

LONGFAT_CONGESTION_CONTROL(Peach);

} // namespace longfat::core

#endif
