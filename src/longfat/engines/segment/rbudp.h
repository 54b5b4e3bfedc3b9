// SPDX-License-Identifier: GPL-2.0-only
//
// Reliable Blast UDP (E. He, J. Leigh, O. Yu and T. DeFanti, "Reliable Blast UDP: predictable high
// performance bulk data transfer", IEEE Cluster 2002): the source sends the whole file at a rate,
// then says by TCP that this is all; the receiver answers with a bitmap of what it has, and what is
// missing is sent at the same rate, until nothing is.

#ifndef LONGFAT_CORE_RBUDP_H
#define LONGFAT_CORE_RBUDP_H

#include "datagrams.h"

namespace longfat::core
{

class Rbudp final : public DatagramTransfer
{
  public:
    Rbudp(EventQueue& events,
          Network& network,
          const TransferSpec& spec,
          const FlowSpec& control,
          Checks& checks)
        : DatagramTransfer(events,
                           network,
                           spec,
                           std::get<RbudpSpec>(spec.method),
                           control,
                           SEQUENCE_NUMBER,
                           checks),
          m_timer(events, this)
    {
    }

  private:
    static constexpr uint32_t SEQUENCE_NUMBER = 4;
    static constexpr uint64_t DONE = 8; //!< bytes of that message

    void begin() override
    {
        for (uint64_t block = 0; block < blocks(); ++block)
        {
            m_blast.push_back(block);
        }
        blast();
    }

    void blast()
    {
        ++m_count.rounds;
        m_next = 0;
        m_due_s = seconds(m_events.now());
        keep("rate_bps", m_way.rate_bps);
        on_time();
    }

    void on_time()
    {
        if (m_next == m_blast.size())
        {
            keep("rate_bps", 0);
            m_orders.say(DONE, [this] { on_done(); });
            return;
        }
        const uint64_t block = m_blast[m_next++];
        send(block, m_count.rounds == 1 ? Kind::ORIGINAL : Kind::AGAIN);
        m_due_s += 8 * static_cast<double>(size(block)) / m_way.rate_bps;
        m_timer.set(std::max<Time>(0, from_seconds(m_due_s) - m_events.now()));
    }

    /// At the receiver: the blast is over.
    void on_done()
    {
        std::vector<uint64_t> missing;
        for (uint64_t block = 0; block < blocks() && left() > 0; ++block)
        {
            if (!has(block))
            {
                missing.push_back(block);
            }
        }
        const uint64_t bitmap = (blocks() + 7) / 8;
        m_reports.say(bitmap, [this, missing = std::move(missing)] { on_bitmap(missing); });
    }

    void on_bitmap(const std::vector<uint64_t>& missing)
    {
        if (missing.empty())
        {
            end();
            return;
        }
        m_blast = missing;
        blast();
    }

    void on_datagram(uint64_t, Kind, bool) override
    {
    }

    std::vector<uint64_t> m_blast; //!< the blocks of this one
    std::size_t m_next{0};
    double m_due_s{0};
    Timer<Rbudp, &Rbudp::on_time> m_timer;
};

} // namespace longfat::core

#endif
