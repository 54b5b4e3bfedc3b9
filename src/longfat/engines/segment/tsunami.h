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
//           has not come, and tells its error rate; for more than 2048 blocks it asks to begin again
//           at the first, and ignores what lies beyond until it is there.
//   rate    e = history of it before + (1 - history) (asked / (1 + asked + new)) / 2. The other half
//           is how full the ring before the disk is: never, here. Above the threshold E the delay
//           is multiplied by 1 + (slower - 1) (e - E) / (1 - E), else by `faster`. It is never
//           less than that of the rate asked for, nor more than 10 ms.

#ifndef LONGFAT_SEGMENT_TSUNAMI_H
#define LONGFAT_SEGMENT_TSUNAMI_H

#include "datagrams.h"

#include <set>

namespace longfat::segment
{

class Tsunami final : public DatagramTransfer
{
  public:
    Tsunami(EventQueue& events, const TransferSpec& spec, const FlowSpec& control)
        : DatagramTransfer(events, spec, control, NUMBER_AND_TYPE),
          m_shortest(8 * static_cast<double>(spec.blockBytes) / spec.payloadBps),
          m_delayS(3 * m_shortest),
          m_timer(events, this)
    {
    }

  private:
    static constexpr uint32_t NUMBER_AND_TYPE = 6;
    static constexpr uint64_t REQUEST = 12; //!< bytes of one
    static constexpr double LONGEST_DELAY_S = 0.01;
    static constexpr uint64_t LOOK_EVERY = 50; //!< datagrams

    // The server

    void Begin() override
    {
        m_count.rounds = 1;
        m_dueS = ToSeconds(m_events.Now());
        OnTime();
    }

    void OnTime()
    {
        if (m_stopped)
        {
            return;
        }
        double delayS = m_delayS;
        if (!m_requests.empty())
        {
            const auto request = std::move(m_requests.front());
            m_requests.pop_front();
            request();
        }
        else
        {
            const bool last = m_next + 1 >= Blocks();
            if (last)
            {
                const bool first = m_lastSent == 0;
                ++m_lastSent;
                Send(Blocks() - 1, first ? Kind::ORIGINAL : Kind::AGAIN, true);
                delayS *= 11;
            }
            else
            {
                Send(m_next, m_next < m_begunBefore ? Kind::AGAIN : Kind::ORIGINAL, false);
                ++m_next;
            }
        }
        Keep("rate_bps", 8 * static_cast<double>(m_spec.blockBytes) / m_delayS);
        m_dueS += delayS;
        m_timer.Set(std::max<Ticks>(0, FromSeconds(m_dueS) - m_events.Now()));
    }

    void Send(uint64_t block, Kind counted, bool last)
    {
        m_count.packetsAgain += counted == Kind::AGAIN;
        DatagramTransfer::Send(block, last ? Kind::LAST : Kind::ORIGINAL);
        m_count.packetsAgain -= last;
    }

    void OnErrorRate(double error)
    {
        const double excess = (error - m_spec.threshold) / (1 - m_spec.threshold);
        m_delayS *= excess > 0 ? 1 + (m_spec.slower - 1) * excess : m_spec.faster;
        m_delayS = std::max(std::min(m_delayS, LONGEST_DELAY_S), m_shortest);
        Keep("error_rate", error);
    }

    /// A request has come over; it waits for its turn.
    void Ask(std::function<void()> request)
    {
        m_requests.push_back(std::move(request));
    }

    // The client

    bool Ignores(uint64_t block) const override
    {
        return m_restarting && block > m_restartEnd;
    }

    void OnDatagram(uint64_t block, Kind kind, bool isNew) override
    {
        if (m_done)
        {
            return;
        }
        if (isNew || kind == Kind::LAST || m_restarting)
        {
            for (uint64_t before = m_expected; before < block; ++before)
            {
                if (!Has(before))
                {
                    m_missing.insert(before);
                }
            }
            if (kind == Kind::LAST)
            {
                if (Left() == 0)
                {
                    m_done = true;
                    reports.Say(REQUEST, [this] {
                        Ask([this] {
                            m_stopped = true;
                            Known();
                        });
                    });
                    return;
                }
                AskAgain();
            }
            else if (kind == Kind::ORIGINAL)
            {
                m_highest = block;
                m_expected = block + 1;
            }
            if (m_restarting && m_expected >= m_restartEnd)
            {
                m_restarting = false;
            }
        }
        if (++m_datagrams % LOOK_EVERY == 0 &&
            ToSeconds(m_events.Now()) - m_reportedS > m_spec.everyS)
        {
            AskAgain();
            Report();
        }
    }

    void AskAgain()
    {
        if (m_missing.size() > m_spec.mostAsked)
        {
            const uint64_t first = *m_missing.begin();
            m_restartEnd = *m_missing.rbegin();
            m_restarting = true;
            m_asked = m_spec.mostAsked;
            m_expected = m_highest = m_highestBefore = first;
            m_missing.clear();
            reports.Say(REQUEST, [this, first] {
                Ask([this, first] {
                    ++m_count.rounds;
                    m_begunBefore = std::max(m_begunBefore, m_next);
                    m_next = first;
                });
            });
            return;
        }
        std::erase_if(m_missing, [this](uint64_t block) { return Has(block); });
        m_asked = m_missing.size();
        if (m_asked == 0)
        {
            return;
        }
        // One message: they leave together, and each has its turn at the server.
        reports.Say(REQUEST * m_asked,
                    [this, blocks = std::vector<uint64_t>(m_missing.begin(), m_missing.end())] {
                        for (const uint64_t block : blocks)
                        {
                            Ask([this, block] { DatagramTransfer::Send(block, Kind::AGAIN); });
                        }
                    });
    }

    void Report()
    {
        const double fresh = static_cast<double>(m_highest - m_highestBefore);
        const double asked = static_cast<double>(m_asked);
        m_error =
            m_spec.history * m_error + (1 - m_spec.history) * 0.5 * asked / (1 + asked + fresh);
        reports.Say(REQUEST,
                    [this, error = m_error] { Ask([this, error] { OnErrorRate(error); }); });
        m_highestBefore = m_highest;
        m_asked = 0;
        m_reportedS = ToSeconds(m_events.Now());
    }

    // Of the server
    const double m_shortest; //!< delay between packets, s
    double m_delayS;
    double m_dueS{0};
    uint64_t m_next{0};        //!< block to send
    uint64_t m_begunBefore{0}; //!< blocks before that one were sent before a restart
    uint64_t m_lastSent{0};    //!< times that the last block was
    bool m_stopped{false};
    std::deque<std::function<void()>> m_requests;
    Timer<Tsunami, &Tsunami::OnTime> m_timer;
    // Of the client
    std::set<uint64_t> m_missing; //!< noted, and not yet found to have come
    uint64_t m_expected{0};       //!< block
    uint64_t m_highest{0};        //!< the last original block that came
    uint64_t m_highestBefore{0};  //!< when it last reported
    uint64_t m_asked{0};
    uint64_t m_datagrams{0};
    uint64_t m_restartEnd{0};
    bool m_restarting{false};
    bool m_done{false};
    double m_error{0};
    double m_reportedS{0};
};

} // namespace longfat::segment

#endif
