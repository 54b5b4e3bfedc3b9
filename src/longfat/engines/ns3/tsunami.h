// SPDX-License-Identifier: GPL-2.0-only
//
// Tsunami (Meiss 2004) over ns-3's sockets, by the rules that ../segment/tsunami.h lists: there they
// are functions that are called in time, here they are messages of twelve bytes over TCP.

#ifndef LONGFAT_NS3_TSUNAMI_H
#define LONGFAT_NS3_TSUNAMI_H

#include "datagrams.h"

#include <bit>
#include <deque>
#include <set>

namespace longfat
{

class Tsunami final : public DatagramTransfer
{
  public:
    Tsunami(const TransferSpec& spec, const FlowSpec& control, Network& network, uint16_t port)
        : DatagramTransfer(spec, control, network, port, NUMBER_AND_TYPE),
          m_shortest(8.0 * spec.blockBytes / spec.payloadBps),
          m_delayS(3 * m_shortest)
    {
        m_orders.size = [] { return MESSAGE; };
        m_reports.size = [] { return MESSAGE; };
        m_reports.onMessage = [this](const Bytes& message) {
            m_requests.emplace_back(NumberAt(message, 0, 4), NumberAt(message, 4, 8));
        };
    }

  private:
    static constexpr uint32_t NUMBER_AND_TYPE = 6;
    static constexpr std::size_t MESSAGE = 12; //!< a type and a value
    static constexpr double LONGEST_DELAY_S = 0.01;
    static constexpr uint64_t LOOK_EVERY = 50; //!< datagrams

    enum Kind : uint64_t
    {
        ORIGINAL,
        AGAIN,
        LAST,
    };

    enum Request : uint64_t
    {
        BLOCK,   //!< send it again
        RESTART, //!< begin again there
        RATE,    //!< the error rate is that
        STOP,
    };

    // The server

    void Begin() override
    {
        m_count.rounds = 1;
        m_dueS = NowS();
        OnTime();
    }

    void OnTime()
    {
        double delayS = m_delayS;
        if (!m_requests.empty())
        {
            const auto [request, value] = m_requests.front();
            m_requests.pop_front();
            if (request == STOP)
            {
                Known();
                return;
            }
            Answer(request, value);
        }
        else if (m_next + 1 < Blocks())
        {
            Send(m_next, ORIGINAL, m_next < m_begunBefore);
            ++m_next;
        }
        else
        {
            Send(Blocks() - 1, LAST, m_saidLast);
            m_saidLast = true;
            delayS *= 11;
        }
        Keep("rate_bps", 8.0 * m_spec.blockBytes / m_delayS);
        m_dueS += delayS;
        At(m_dueS, &Tsunami::OnTime, this);
    }

    void Answer(uint64_t request, uint64_t value)
    {
        if (request == BLOCK)
        {
            Send(value, AGAIN, true);
        }
        else if (request == RESTART)
        {
            ++m_count.rounds;
            m_begunBefore = std::max(m_begunBefore, m_next);
            m_next = value;
        }
        else
        {
            const double error = std::bit_cast<double>(value);
            const double over = (error - m_spec.threshold) / (1 - m_spec.threshold);
            const double factor = over > 0 ? 1 + over * (m_spec.slower - 1) : m_spec.faster;
            m_delayS = std::clamp(m_delayS * factor, m_shortest, Longest());
            Keep("error_rate", error);
        }
    }

    double Longest() const
    {
        return std::max(m_shortest, LONGEST_DELAY_S);
    }

    // The client

    void Ask(Request request, uint64_t value)
    {
        Bytes message;
        Append(message, request, 4);
        Append(message, value, 8);
        m_reports.Say(message);
    }

    bool Ignores(uint64_t block) const override
    {
        return m_restarting && block > m_restartEnd;
    }

    void OnDatagram(uint64_t block, uint64_t kind, bool isNew) override
    {
        if (m_stopped)
        {
            return;
        }
        if (isNew || kind == LAST || m_restarting)
        {
            for (uint64_t before = m_expected; before < block; ++before)
            {
                if (!Has(before))
                {
                    m_missing.insert(before);
                }
            }
            if (kind == LAST && HasAll())
            {
                m_stopped = true;
                Ask(STOP, 0);
                return;
            }
            if (kind == LAST)
            {
                AskAgain();
            }
            if (kind == ORIGINAL)
            {
                m_highest = block;
                m_expected = block + 1;
            }
            m_restarting = m_restarting && m_expected < m_restartEnd;
        }
        if (++m_datagrams % LOOK_EVERY == 0 && NowS() - m_reportedS > m_spec.everyS)
        {
            AskAgain();
            Report();
        }
    }

    void AskAgain()
    {
        if (m_missing.size() > m_spec.mostAsked)
        {
            m_restarting = true;
            m_restartEnd = *m_missing.rbegin();
            m_asked = m_spec.mostAsked;
            m_expected = m_highest = m_highestBefore = *m_missing.begin();
            m_missing.clear();
            Ask(RESTART, m_expected);
            return;
        }
        std::erase_if(m_missing, [this](uint64_t block) { return Has(block); });
        m_asked = m_missing.size();
        for (const uint64_t block : m_missing)
        {
            Ask(BLOCK, block);
        }
    }

    void Report()
    {
        const double asked = m_asked;
        const double fresh = double(m_highest) - double(m_highestBefore);
        m_error =
            m_spec.history * m_error + (1 - m_spec.history) * 0.5 * asked / (1 + asked + fresh);
        Ask(RATE, std::bit_cast<uint64_t>(m_error));
        m_highestBefore = m_highest;
        m_asked = 0;
        m_reportedS = NowS();
    }

    // Of the server
    const double m_shortest; //!< delay between packets, s
    double m_delayS;
    double m_dueS{0};
    uint64_t m_next{0};        //!< block to send
    uint64_t m_begunBefore{0}; //!< blocks before that one were sent before a restart
    bool m_saidLast{false};    //!< the last block was sent
    std::deque<std::pair<uint64_t, uint64_t>> m_requests;
    // Of the client
    std::set<uint64_t> m_missing; //!< noted, and not yet found to have come
    uint64_t m_expected{0};       //!< block
    uint64_t m_highest{0};        //!< the last original block that came
    uint64_t m_highestBefore{0};  //!< when it last reported
    uint64_t m_asked{0};
    uint64_t m_datagrams{0};
    uint64_t m_restartEnd{0};
    bool m_restarting{false};
    bool m_stopped{false};
    double m_error{0};
    double m_reportedS{0};
};

} // namespace longfat

#endif
