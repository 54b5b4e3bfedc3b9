// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Probing (V. Tsaoussidis and H. Badr, "TCP-Probing: towards an error control schema with energy
// and throughput performance gains", ICNP 2000; paper: tcpj, reference 12).
//
// NewReno's window (newreno.h); but where it would time out or begin a recovery it suspends the data
// and begins a probe cycle: PROBE1, its answer, PROBE2, its answer, two packets without data and two
// round trips. A probe that is not answered in time begins the cycle anew, so that it lasts as long as
// an outage does. Then, by the two round trips,
//
//     both short     immediate recovery: window and threshold stay
//     else           what it would have done: half the window, or slow start after a timeout
//
// Assumed, for the paper is at hand as an abstract only: short is up to best + short (worst - best) of
// the round trips seen; a probe has `patience` smoothed round trips; after immediate recovery what was
// outstanding and is not reported is sent again within the window, and what is lost of that lowers the
// window as NewReno's: a whole window at once may be what the queue does not hold.

#ifndef LONGFAT_CC_PROBING_H
#define LONGFAT_CC_PROBING_H

#include "newreno.h"

namespace longfat::core
{

class Probing
{
  public:
    static constexpr Entry entry{.name = "probing",
                                 .title = "TCP-Probing",
                                 .source = "Tsaoussidis and Badr 2000; paper tcpj, reference 12",
                                 .colour = "#cc6677",
                                 .marker = "d",
                                 .events =
                                     event::START | event::TIMER | event::ANSWER | event::HOLDS};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Probing>{
                "short",
                &Probing::m_short,
                0.5,
                0,
                1,
                "",
                "round trips up to this part of the way from best to worst are short",
                "assumed"},
            Parameter<Probing>{"patience",
                               &Probing::m_patience,
                               2,
                               1,
                               100,
                               "round trips",
                               "smoothed round trips that a probe may take",
                               "assumed"},
            Parameter<Probing>{"probes_at_duplicates",
                               &Probing::m_at_duplicates,
                               1,
                               0,
                               1,
                               "",
                               "probes in place of a recovery too, not only of a timeout",
                               "Tsaoussidis and Badr 2000"}};
    }

    void on_start(Requests& requests)
    {
        m_requests = &requests;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        if (ack.rtt != NO_RTT)
        {
            m_best = std::min(m_best, ack.rtt);
            m_worst = std::max(m_worst, ack.rtt);
        }
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control&)
    {
        return m_aimd.decreased(congestion.segments(congestion.flight_size));
    }

    bool holds(const Congestion& congestion)
    {
        m_timeout = congestion.cause == Congestion::TIMEOUT;
        const bool begins = congestion.cause == Congestion::LOSS && m_at_duplicates;
        if (!m_timeout && !begins)
        {
            return false;
        }
        const double srtt_s = congestion.srtt == NO_RTT ? 1 : seconds(congestion.srtt);
        m_wait = static_cast<Time>(1e9 * m_patience * srtt_s);
        probe(1);
        return true;
    }

    /// `now` is the sender's own: to resume sets another window, and that one stays.
    Control on_answer(const Answer& answer, const Control& now)
    {
        if (answer.number != m_number) // of a cycle that was given up
        {
            return now;
        }
        const double limit_s = seconds(m_best) + m_short * (seconds(m_worst) - seconds(m_best));
        m_long = m_long || seconds(answer.now - answer.asked) > limit_s;
        if (m_step == 1)
        {
            probe(2);
            return now;
        }
        m_number = 0;
        m_requests->timer(NEVER);
        m_requests->resume(!m_long     ? Resumption::UNCHANGED
                           : m_timeout ? Resumption::TIMEOUT
                                       : Resumption::REDUCED);
        return now;
    }

    /// The last probe, or its answer, is lost.
    Control on_timer(Time, const Control& now)
    {
        probe(1);
        return now;
    }

  private:
    void probe(int step)
    {
        m_step = step;
        m_long = m_long && step > 1;
        m_number = m_requests->probe(0, false);
        m_requests->timer(m_wait);
    }

    double m_short{};
    double m_patience{};
    bool m_at_duplicates{};
    Requests* m_requests{nullptr};
    Aimd<SlowStart> m_aimd;
    Time m_best{NEVER};   //!< round trip
    Time m_worst{0};      //!< round trip
    Time m_wait{NEVER};   //!< for an answer
    bool m_timeout{};     //!< began the cycle
    bool m_long{false};   //!< a round trip of this cycle was
    int m_step{0};        //!< which probe of the cycle is under way
    uint64_t m_number{0}; //!< of that probe; 0: none is under way
};

LONGFAT_CONGESTION_CONTROL(Probing);

} // namespace longfat::core

#endif
