// SPDX-License-Identifier: GPL-2.0-only
//
// The timers that repair what no ACK tells of: the retransmission timeout (RFC 6298); with RACK one
// that waits for reordering to show or probes the tail of a flight (RFC 8985); and while the receiver's
// window is closed one that asks for it (RFC 9293, 3.8.6.1). How long a timeout is, round-trip.h says;
// what is done when one expires, the sender.

#ifndef LONGFAT_CORE_TIMERS_H
#define LONGFAT_CORE_TIMERS_H

#include "event.h"
#include "round-trip.h"
#include "spec.h"

namespace longfat::core
{

class RetransmissionTimers
{
  public:
    /// What happens when one expires.
    class Handler
    {
      public:
        virtual ~Handler() = default;
        virtual void on_retransmission_timeout() = 0;
        virtual void on_reordering_timeout() = 0;
        virtual void on_tail_loss_probe() = 0;
        virtual void on_persist() = 0;
    };

    RetransmissionTimers(EventQueue& events, uint64_t retries, Handler& handler)
        : m_events(events),
          m_most_retries(retries),
          m_handler(handler),
          m_retransmission(events, this),
          m_rack(events, this),
          m_persist(events, this)
    {
    }

    bool is_running() const
    {
        return m_retransmission.is_running();
    }

    /// An ACK advances: the timer begins anew, or stops when nothing is outstanding (RFC 6298, 5.2 and
    /// 5.3). `goes_on`: it does neither.
    void on_advance(bool outstanding, Time rto, bool goes_on = false)
    {
        m_retries = 0;
        if (goes_on)
        {
            return;
        }
        if (outstanding)
        {
            m_retransmission.set(rto);
        }
        else
        {
            m_retransmission.stop();
        }
    }

    /// A segment leaves. `restarts`: the timer begins anew with it.
    void on_sent(bool restarts, Time rto)
    {
        m_persist.stop();
        m_probes = 0;
        if (restarts || !m_retransmission.is_running())
        {
            m_retransmission.set(rto);
        }
    }

    /// The timer has expired; returns false when the retries are over.
    bool on_timeout()
    {
        if (m_retries == m_most_retries)
        {
            return false;
        }
        ++m_retries;
        m_rack.stop();
        return true;
    }

    /// The receiver's window is closed, and nothing is outstanding that would tell when it opens: ask
    /// after a timeout, and then at growing intervals.
    void wait_for_window(Time rto)
    {
        if (!m_persist.is_running())
        {
            m_persist.set(RetransmissionTimeout::backed_off(rto, m_probes));
        }
    }

    /// It is asked now; returns false when too often nothing was heard.
    bool on_persist_timeout()
    {
        ++m_probes;
        return m_unanswered++ < m_most_retries;
    }

    /// An ACK, of whatever.
    void on_heard()
    {
        m_unanswered = 0;
    }

    /// The connection is over.
    void stop()
    {
        m_retransmission.stop();
        m_rack.stop();
        m_persist.stop();
    }

    /// Timeouts since the last ACK that advanced.
    uint64_t retries() const
    {
        return m_retries;
    }

    /// Until more may be found lost, or NEVER.
    void wait_for_reordering(Time wait)
    {
        if (wait == NEVER)
        {
            if (!m_is_probe)
            {
                m_rack.stop();
            }
            return;
        }
        m_is_probe = false;
        m_rack.set(wait);
    }

    /// Probe the tail of the flight then, or in place of a timeout that would come first (RFC 8985,
    /// section 7.2).
    void arm_tail_loss_probe(Time wait)
    {
        const bool waits_for_reordering = m_rack.is_running() && !m_is_probe;
        const Time last = m_retransmission.expires() - m_events.now() - 1;
        if (!waits_for_reordering && m_retransmission.is_running() && last > 0)
        {
            m_is_probe = true;
            m_rack.set(std::min(wait, last));
        }
    }

    void on_tail_probed(Time rto)
    {
        m_retransmission.set(rto);
    }

  private:
    void on_retransmission_timeout()
    {
        m_handler.on_retransmission_timeout();
    }

    void on_rack()
    {
        if (m_is_probe)
        {
            m_handler.on_tail_loss_probe();
        }
        else
        {
            m_handler.on_reordering_timeout();
        }
    }

    void on_persist()
    {
        m_handler.on_persist();
    }

    EventQueue& m_events;
    const uint64_t m_most_retries; //!< R2 of RFC 9293
    Handler& m_handler;
    uint64_t m_retries{0};
    uint64_t m_probes{0};     //!< of the receiver's window, since it is closed
    uint64_t m_unanswered{0}; //!< of them, since an ACK came
    bool m_is_probe{false};   //!< what the second timer is for
    Timer<RetransmissionTimers, &RetransmissionTimers::on_retransmission_timeout> m_retransmission;
    Timer<RetransmissionTimers, &RetransmissionTimers::on_rack> m_rack;
    Timer<RetransmissionTimers, &RetransmissionTimers::on_persist> m_persist;
};

} // namespace longfat::core

#endif
