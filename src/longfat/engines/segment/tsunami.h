// SPDX-License-Identifier: GPL-2.0-only
//
// Tsunami (M. R. Meiss, "Tsunami: a high-speed rate-controlled protocol for file transfer", Indiana
// University, 2004). Where that is silent, as the program's source has it (client and server of
// tsunami-udp, 2006 to 2013), read and written anew:
//
//   server  sends block after block, one each inter-packet delay, at first three times that of the
//           rate asked for. Instead of the next block it answers a request, if one has come: a block
//           again, a new delay, or to begin again at a block. It sends the last block on and on, at
//           eleven times the delay, until it is told to stop.
//   client  notes what is missing below each new original block. Every 350 ms, looked at after every
//           50 datagrams, and whenever the last block comes, it asks again for all of that which
//           has not come, and tells its error rate; for 2048 blocks or more it asks to begin again
//           at the first, and ignores what lies beyond until it is there.
//   rate    e = history of it before + (1 - history) (asked / (1 + asked + new)) / 2. The other half
//           is how full the ring before the disk is: never, here. Above the threshold E the delay
//           is multiplied by 1 + (slower - 1) (e - E) / (1 - E), else by `faster`. It is never
//           less than that of the rate asked for, nor more than 10 ms.

#ifndef LONGFAT_CORE_TSUNAMI_H
#define LONGFAT_CORE_TSUNAMI_H

#include "datagrams.h"

#include <set>

namespace longfat::core
{

class Tsunami final : public DatagramTransfer
{
  public:
    Tsunami(EventQueue& events,
            Network& network,
            const TransferSpec& spec,
            const FlowSpec& control,
            Checks& checks)
        : DatagramTransfer(events,
                           network,
                           spec,
                           std::get<TsunamiSpec>(spec.method),
                           control,
                           NUMBER_AND_TYPE,
                           checks),
          m_own(std::get<TsunamiSpec>(spec.method)),
          m_shortest_s(8 * static_cast<double>(m_own.payload_bytes) / m_own.rate_bps),
          m_delay_s(3 * m_shortest_s),
          m_timer(events, this)
    {
    }

  private:
    static constexpr uint32_t NUMBER_AND_TYPE = 6;
    static constexpr uint64_t REQUEST = 12; //!< bytes of one
    static constexpr double LONGEST_DELAY_S = 0.01;
    static constexpr uint64_t LOOK_EVERY = 50; //!< datagrams

    // The server

    void begin() override
    {
        m_count.rounds = 1;
        m_due_s = seconds(m_events.now());
        on_time();
    }

    void on_time()
    {
        if (m_stopped)
        {
            return;
        }
        double delay_s = m_delay_s;
        if (!m_requests.empty())
        {
            const auto request = std::move(m_requests.front());
            m_requests.pop_front();
            request();
        }
        else if (m_next + 1 >= blocks())
        {
            m_count.packets_again -= !m_last_sent; // the first time it is not sent again
            m_last_sent = true;
            send(blocks() - 1, Kind::LAST);
            delay_s *= 11;
        }
        else
        {
            m_count.packets_again += m_next < m_begun_before;
            send(m_next++, Kind::ORIGINAL);
        }
        keep("rate_bps", 8 * static_cast<double>(m_own.payload_bytes) / m_delay_s);
        m_due_s += delay_s;
        m_timer.set(std::max<Time>(0, from_seconds(m_due_s) - m_events.now()));
    }

    void on_error_rate(double error)
    {
        const double excess = (error - m_own.threshold) / (1 - m_own.threshold);
        m_delay_s *= excess > 0 ? 1 + (m_own.slower - 1) * excess : m_own.faster;
        m_delay_s = std::max(std::min(m_delay_s, LONGEST_DELAY_S), m_shortest_s);
        keep("error_rate", error);
    }

    /// A request has come over; it waits for its turn.
    void ask(std::function<void()> request)
    {
        m_requests.push_back(std::move(request));
    }

    // The client

    bool ignores(uint64_t block) const override
    {
        return m_restarting && block > m_restart_end;
    }

    void on_datagram(uint64_t block, Kind kind, bool is_new) override
    {
        if (m_done)
        {
            return;
        }
        if (is_new || kind == Kind::LAST || m_restarting)
        {
            note_missing(block);
            if (kind == Kind::LAST)
            {
                if (left() == 0)
                {
                    stop();
                    return;
                }
                ask_again();
            }
            else if (kind == Kind::ORIGINAL)
            {
                m_highest = block;
                m_expected = block + 1;
            }
            m_restarting = m_restarting && m_expected < m_restart_end;
        }
        if (++m_datagrams % LOOK_EVERY == 0 &&
            seconds(m_events.now()) - m_reported_s > m_own.report_every_s)
        {
            ask_again();
            report();
        }
    }

    void note_missing(uint64_t block)
    {
        for (uint64_t before = m_expected; before < block; ++before)
        {
            if (!has(before))
            {
                m_missing.insert(before);
            }
        }
    }

    void stop()
    {
        m_done = true;
        m_reports.say(REQUEST, [this] {
            ask([this] {
                m_stopped = true;
                end();
            });
        });
    }

    void ask_again()
    {
        if (m_missing.size() >= m_own.most_requests)
        {
            begin_again();
            return;
        }
        std::erase_if(m_missing, [this](uint64_t block) { return has(block); });
        m_asked = m_missing.size();
        if (m_asked == 0)
        {
            return;
        }
        // One message: they leave together, and each has its turn at the server.
        m_reports.say(REQUEST * m_asked,
                      [this, blocks = std::vector<uint64_t>(m_missing.begin(), m_missing.end())] {
                          for (const uint64_t block : blocks)
                          {
                              ask([this, block] { send(block, Kind::AGAIN); });
                          }
                      });
    }

    void begin_again()
    {
        const uint64_t first = *m_missing.begin();
        m_restart_end = *m_missing.rbegin();
        m_restarting = true;
        m_asked = m_own.most_requests;
        m_expected = m_highest = m_highest_before = first;
        m_missing.clear();
        m_reports.say(REQUEST, [this, first] {
            ask([this, first] {
                ++m_count.rounds;
                m_begun_before = std::max(m_begun_before, m_next);
                m_next = first;
            });
        });
    }

    void report()
    {
        const double fresh = static_cast<double>(m_highest - m_highest_before);
        const double asked = static_cast<double>(m_asked);
        m_error = m_own.history * m_error + (1 - m_own.history) * 0.5 * asked / (1 + asked + fresh);
        m_reports.say(REQUEST,
                      [this, error = m_error] { ask([this, error] { on_error_rate(error); }); });
        m_highest_before = m_highest;
        m_asked = 0;
        m_reported_s = seconds(m_events.now());
    }

    const TsunamiSpec& m_own;
    // Of the server
    const double m_shortest_s; //!< delay between packets
    double m_delay_s;
    double m_due_s{0};
    uint64_t m_next{0};         //!< block to send
    uint64_t m_begun_before{0}; //!< blocks before that one were sent before a restart
    bool m_last_sent{false};    //!< the last block was
    bool m_stopped{false};
    std::deque<std::function<void()>> m_requests;
    Timer<Tsunami, &Tsunami::on_time> m_timer;
    // Of the client
    std::set<uint64_t> m_missing; //!< noted, and not yet found to have come
    uint64_t m_expected{0};       //!< block
    uint64_t m_highest{0};        //!< the last original block that came
    uint64_t m_highest_before{0}; //!< when it last reported
    uint64_t m_asked{0};
    uint64_t m_datagrams{0};
    uint64_t m_restart_end{0};
    bool m_restarting{false};
    bool m_done{false};
    double m_error{0};
    double m_reported_s{0};
};

} // namespace longfat::core

#endif
