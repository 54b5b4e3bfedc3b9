// SPDX-License-Identifier: GPL-2.0-only
//
// What a congestion control asks for besides its window (congestion-control.h, Requests).

#ifndef LONGFAT_CORE_SENDER_REQUESTS_H
#define LONGFAT_CORE_SENDER_REQUESTS_H

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
    };

    SenderRequests(EventQueue& events, Handler& handler, Checks& checks)
        : m_handler(handler),
          m_checks(checks),
          m_timer(events, this)
    {
    }

    /// No segment leaves.
    bool is_held() const
    {
        return m_is_held;
    }

    void timer(Time delay) override
    {
        m_timer.set(delay);
    }

    uint64_t probe(Bytes, bool) override
    {
        m_checks.expect(false, "this engine does not send a congestion control's probes yet");
        return 0;
    }

    uint64_t query() override
    {
        m_checks.expect(false, "this engine does not send a congestion control's queries yet");
        return 0;
    }

    bool supplement(bool) override
    {
        m_checks.expect(false, "this engine does not send a congestion control's supplements yet");
        return false;
    }

    void hold() override
    {
        m_is_held = true;
    }

    void resume(Resumption how) override
    {
        m_is_held = false;
        m_handler.on_resume(how);
    }

  private:
    void on_timer()
    {
        m_handler.on_own_timer();
    }

    Handler& m_handler;
    Checks& m_checks;
    bool m_is_held{false};
    Timer<SenderRequests, &SenderRequests::on_timer> m_timer;
};

} // namespace longfat::core

#endif
