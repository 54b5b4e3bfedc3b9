// SPDX-License-Identifier: GPL-2.0-only
//
// What a congestion control asks for besides its window (congestion-control.h, Requests).

#ifndef LONGFAT_CORE_SENDER_REQUESTS_H
#define LONGFAT_CORE_SENDER_REQUESTS_H

#include "../json.h"
#include "connection.h"

namespace longfat::core
{

class SenderRequests final : public Requests
{
  public:
    /// What it asks of its sender.
    class Handler
    {
      public:
        virtual ~Handler() = default;
        virtual void on_own_timer() = 0;
        virtual void on_resume(Resumption how) = 0;
        virtual void send_question(const Question& question, Bytes bytes, bool low_priority) = 0;
        virtual bool send_supplement(bool low_priority) = 0;
    };

    SenderRequests(EventQueue& events, Handler& handler)
        : m_events(events),
          m_handler(handler),
          m_timer(events, this)
    {
    }

    /// No segment leaves.
    bool is_held() const
    {
        return m_is_held;
    }

    /// No segment leaves, in place of a reaction to congestion.
    bool is_suspended() const
    {
        return m_is_suspended;
    }

    void suspend()
    {
        m_is_held = m_is_suspended = true;
    }

    void timer(Time delay) override
    {
        m_timer.stop();
        if (delay < NEVER)
        {
            m_timer.set(delay);
        }
    }

    uint64_t probe(Bytes bytes, bool low_priority) override
    {
        send(Question::PROBE, ++m_probes, bytes, low_priority);
        return m_probes;
    }

    uint64_t query() override
    {
        constexpr Bytes ROOM = Question::MOST_RECORDS * Question::RECORD_BYTES;
        send(Question::QUERY, ++m_queries, ROOM, false);
        return m_queries;
    }

    bool supplement(bool low_priority) override
    {
        return !m_is_held && m_handler.send_supplement(low_priority);
    }

    void hold() override
    {
        m_is_held = true;
    }

    void resume(Resumption how) override
    {
        m_is_held = m_is_suspended = false;
        m_handler.on_resume(how);
    }

    /// The answer to a query has come: whether every router on the way has written into it.
    void on_records(bool complete)
    {
        (complete ? m_complete : m_incomplete) = true;
    }

    void end()
    {
        m_timer.stop();
    }

    void write(JsonWriter& head) const
    {
        if (m_queries > 0)
        {
            head.Name("ptp").Text(m_complete && !m_incomplete ? "spoken"
                                  : m_complete                ? "in part"
                                                              : "fallen back");
            head.Name("ptp_queries").Number(m_queries);
        }
    }

  private:
    void send(Question::Kind kind, uint64_t number, Bytes bytes, bool low_priority)
    {
        Question question;
        question.kind = kind;
        question.number = number;
        question.asked = m_events.now();
        m_handler.send_question(question, bytes, low_priority);
    }

    void on_timer()
    {
        m_handler.on_own_timer();
    }

    EventQueue& m_events;
    Handler& m_handler;
    bool m_is_held{false};
    bool m_is_suspended{false};
    uint64_t m_probes{0};  //!< sent
    uint64_t m_queries{0}; //!< sent
    bool m_complete{false};
    bool m_incomplete{false};
    Timer<SenderRequests, &SenderRequests::on_timer> m_timer;
};

} // namespace longfat::core

#endif
