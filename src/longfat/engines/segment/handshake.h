// SPDX-License-Identifier: GPL-2.0-only
//
// A sender's part of the handshake: a SYN, sent again until it is answered or the retries are over.

#ifndef LONGFAT_CORE_HANDSHAKE_H
#define LONGFAT_CORE_HANDSHAKE_H

#include "connection.h"

namespace longfat::core
{

class Handshake
{
  public:
    /// What it asks of its sender.
    class Handler
    {
      public:
        virtual ~Handler() = default;
        virtual void send_syn(Time now) = 0;
        virtual void give_up(Time now) = 0;
    };

    Handshake(EventQueue& events, Handler& handler)
        : m_events(events),
          m_handler(handler),
          m_timer(events, this)
    {
    }

    void start()
    {
        send_syn();
    }

    /// The SYN is answered; returns the round trip, or NO_RTT where it was sent twice.
    Time on_answer(Time now)
    {
        m_established = true;
        m_timer.stop();
        return m_syns == 1 ? now - m_sent : NO_RTT;
    }

    void stop()
    {
        m_timer.stop();
    }

    bool is_established() const
    {
        return m_established;
    }

    bool is_syn_lost() const
    {
        return m_syns > 1;
    }

  private:
    void send_syn()
    {
        const Time now = m_events.now();
        if (m_syns > SYN_RETRIES)
        {
            m_handler.give_up(now);
            return;
        }
        m_timer.set(SYN_TIMEOUT << m_syns);
        m_sent = now;
        ++m_syns;
        m_handler.send_syn(now);
    }

    EventQueue& m_events;
    Handler& m_handler;
    bool m_established{false};
    uint64_t m_syns{0}; //!< sent
    Time m_sent{0};     //!< the last of them
    Timer<Handshake, &Handshake::send_syn> m_timer;
};

} // namespace longfat::core

#endif
