// SPDX-License-Identifier: GPL-2.0-only
//
// A window that never moves, of a sender that uses what a congestion control may ask for, by `what`: 0
// probes, 1 queries, 2 supplements, 3 holds when it would react to congestion, and resumes after a second,
// 4 listens to routers (XCP's window, draft-falk-xcp-spec-03, section 3), 5 as 3, with a reduced window, 6 adds
// up what ACKs deliver, and counts those that tell of another snd_nxt than the end of what it has sent.
// What it has seen is its series: `bandwidth` and `utilization`, as tests/test_segment_routers.py reads them.

#ifndef LONGFAT_TESTS_CORE_ASKER_H
#define LONGFAT_TESTS_CORE_ASKER_H

#include "model.h"

#include <algorithm>
#include <array>

class Asker
{
    using Ack = longfat::core::Ack;
    using Answer = longfat::core::Answer;
    using Control = longfat::core::Control;
    using Congestion = longfat::core::Congestion;
    using Time = longfat::core::Time;

    static constexpr Time EVERY = 50'000'000;

  public:
    static constexpr longfat::core::Entry entry{
        .name = "asker",
        .title = "Asker",
        .source = "a test",
        .events = longfat::core::event::START | longfat::core::event::SENT |
                  longfat::core::event::TIMER | longfat::core::event::ANSWER |
                  longfat::core::event::SUPPLEMENT | longfat::core::event::HOLDS |
                  longfat::core::event::BANDWIDTH | longfat::core::event::UTILIZATION,
        .needs = longfat::core::need::ROUTER_FEEDBACK};

    static constexpr auto parameters()
    {
        using P = longfat::core::Parameter<Asker>;
        return std::array{P{"what", &Asker::m_what, 0, 0, 6, "", "which request"},
                          P{"window", &Asker::m_window, 10, 1, 1e6, "segments", "the window"}};
    }

    void on_start(longfat::core::Requests& requests)
    {
        m_requests = &requests;
        requests.timer(EVERY);
    }

    void on_sent(const longfat::core::Sent& sent)
    {
        m_highest = std::max(m_highest, sent.sequence + sent.bytes);
    }

    Control on_timer(Time, const Control& now)
    {
        switch (m_what)
        {
        case 0:
            m_asked = m_requests->probe(0, false);
            break;
        case 1:
            m_asked = m_requests->query();
            break;
        case 2:
            m_asked += m_requests->supplement(true);
            break;
        case 3:
        case 5:
            if (m_holds)
            {
                using longfat::core::Resumption;
                m_holds = false;
                m_requests->resume(m_what == 3 ? Resumption::UNCHANGED : Resumption::REDUCED);
            }
            return now;
        default:
            return now;
        }
        m_requests->timer(EVERY);
        return now;
    }

    Control on_ack(const Ack& ack, const Control& now)
    {
        if (m_what == 4 && ack.feedback.present && ack.feedback.complete)
        {
            const double bytes = ack.feedback.rate_change * longfat::core::seconds(ack.srtt);
            m_window = std::max(1.0, m_window + bytes / static_cast<double>(ack.mss));
            m_answered += 1;
        }
        if (m_what == 6)
        {
            m_answered += ack.snd_nxt != m_highest;
            m_told += static_cast<double>(ack.newly_delivered);
        }
        return {m_window, now.ssthresh, now.pacing_bps};
    }

    double ssthresh(const Congestion& congestion, const Control&)
    {
        m_told = m_what == 5 ? congestion.segments(congestion.pipe) : m_told + (m_what != 6);
        return m_window;
    }

    bool holds(const Congestion&)
    {
        if (m_what != 3 && m_what != 5)
        {
            return false;
        }
        m_holds = true;
        m_answered += 1;
        m_requests->timer(1'000'000'000);
        return true;
    }

    Control on_answer(const Answer& answer, const Control& now)
    {
        m_answered += 1;
        m_told = answer.is_query ? static_cast<double>(answer.records.size())
                                 : longfat::core::seconds(answer.now - answer.asked);
        return now;
    }

    Control on_supplement(const longfat::core::Supplement&, const Control& now)
    {
        m_answered += 1;
        return now;
    }

    /// Answers, arrivals of supplements, ACKs with another snd_nxt, or times held.
    double bandwidth_bps() const
    {
        return m_answered;
    }

    /// The last probe's round trip in s, the last query's records, thresholds asked for, the segments in
    /// flight at the last one, or bytes delivered.
    double utilization() const
    {
        return m_told;
    }

  private:
    int64_t m_what{};
    double m_window{};
    longfat::core::Requests* m_requests{nullptr};
    longfat::core::Bytes m_highest{0}; //!< all before it has been sent
    double m_asked{0};
    double m_answered{0};
    double m_told{0};
    bool m_holds{false};
};

LONGFAT_CONGESTION_CONTROL(Asker);

#endif
