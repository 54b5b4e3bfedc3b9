// SPDX-License-Identifier: GPL-2.0-only
//
// Reliable Blast UDP (E. He, J. Leigh, O. Yu and T. DeFanti, "Reliable Blast UDP: predictable high
// performance bulk data transfer", IEEE Cluster 2002): the source sends the whole file at a rate,
// then says by TCP that this is all; the receiver answers with a bitmap of what it has, and what is
// missing is sent at the same rate, until nothing is.

#ifndef LONGFAT_SEGMENT_RBUDP_H
#define LONGFAT_SEGMENT_RBUDP_H

#include "datagrams.h"

namespace longfat::segment
{

class Rbudp final : public DatagramTransfer
{
  public:
    Rbudp(EventQueue& events, const TransferSpec& spec, const FlowSpec& control)
        : DatagramTransfer(events, spec, control, SEQUENCE_NUMBER),
          m_timer(events, this)
    {
    }

  private:
    static constexpr uint32_t SEQUENCE_NUMBER = 4;
    static constexpr uint64_t DONE = 8; //!< bytes of that message

    void Begin() override
    {
        for (uint64_t block = 0; block < Blocks(); ++block)
        {
            m_blast.push_back(block);
        }
        Blast();
    }

    void Blast()
    {
        ++m_count.rounds;
        m_next = 0;
        m_dueS = ToSeconds(m_events.Now());
        Keep("rate_bps", m_spec.payloadBps);
        OnTime();
    }

    void OnTime()
    {
        if (m_next == m_blast.size())
        {
            Keep("rate_bps", 0);
            orders.Say(DONE, [this] { OnDone(); });
            return;
        }
        const uint64_t block = m_blast[m_next++];
        Send(block, m_count.rounds == 1 ? Kind::ORIGINAL : Kind::AGAIN);
        m_dueS += 8 * static_cast<double>(Size(block)) / m_spec.payloadBps;
        m_timer.Set(std::max<Ticks>(0, FromSeconds(m_dueS) - m_events.Now()));
    }

    /// At the receiver: the blast is over.
    void OnDone()
    {
        std::vector<uint64_t> missing;
        for (uint64_t block = 0; block < Blocks() && Left() > 0; ++block)
        {
            if (!Has(block))
            {
                missing.push_back(block);
            }
        }
        const uint64_t bitmap = (Blocks() + 7) / 8;
        reports.Say(bitmap, [this, missing = std::move(missing)] { OnBitmap(missing); });
    }

    void OnBitmap(const std::vector<uint64_t>& missing)
    {
        if (missing.empty())
        {
            Known();
            return;
        }
        m_blast = missing;
        Blast();
    }

    void OnDatagram(uint64_t, Kind, bool) override
    {
    }

    std::vector<uint64_t> m_blast; //!< the blocks of this one
    std::size_t m_next{0};
    double m_dueS{0};
    Timer<Rbudp, &Rbudp::OnTime> m_timer;
};

} // namespace longfat::segment

#endif
