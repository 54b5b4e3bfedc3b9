// SPDX-License-Identifier: GPL-2.0-only
//
// Reliable Blast UDP (He, Leigh, Yu and DeFanti 2002) over ns-3's sockets.

#ifndef LONGFAT_NS3_RBUDP_H
#define LONGFAT_NS3_RBUDP_H

#include "datagrams.h"

namespace longfat
{

class Rbudp final : public DatagramTransfer
{
  public:
    Rbudp(const TransferSpec& spec, const FlowSpec& control, Network& network, uint16_t port)
        : DatagramTransfer(spec, control, network, port, SEQUENCE_NUMBER)
    {
        m_orders.size = [] { return DONE; };
        m_orders.onMessage = [this](const Bytes&) { m_reports.Say(Bitmap()); };
        m_reports.size = [this] { return (Blocks() + 7) / 8; };
        m_reports.onMessage = [this](const Bytes& bitmap) { OnBitmap(bitmap); };
    }

  private:
    static constexpr uint32_t SEQUENCE_NUMBER = 4;
    static constexpr std::size_t DONE = 8; //!< bytes of that message

    void Begin() override
    {
        OnBitmap(Bytes((Blocks() + 7) / 8, 0));
    }

    /// The source learns what is there, and blasts what is not.
    void OnBitmap(const Bytes& bitmap)
    {
        m_blast.clear();
        for (uint64_t block = 0; block < Blocks(); ++block)
        {
            if (!(bitmap[block / 8] >> block % 8 & 1))
            {
                m_blast.push_back(block);
            }
        }
        if (m_blast.empty())
        {
            Known();
            return;
        }
        ++m_count.rounds;
        m_next = 0;
        m_dueS = NowS();
        Keep("rate_bps", m_spec.payloadBps);
        OnTime();
    }

    void OnTime()
    {
        if (m_next == m_blast.size())
        {
            Keep("rate_bps", 0);
            Bytes done;
            Append(done, m_count.rounds, DONE);
            m_orders.Say(done);
            return;
        }
        const uint64_t block = m_blast[m_next++];
        Send(block, 0, m_count.rounds > 1);
        m_dueS += 8.0 * Size(block) / m_spec.payloadBps;
        At(m_dueS, &Rbudp::OnTime, this);
    }

    /// What the receiver has.
    Bytes Bitmap() const
    {
        Bytes bitmap((Blocks() + 7) / 8, 0);
        for (uint64_t block = 0; block < Blocks(); ++block)
        {
            bitmap[block / 8] |= Has(block) << block % 8;
        }
        return bitmap;
    }

    bool Ignores(uint64_t) const override
    {
        return false;
    }

    void OnDatagram(uint64_t, uint64_t, bool) override
    {
    }

    std::vector<uint64_t> m_blast; //!< the blocks of this one
    std::size_t m_next{0};
    double m_dueS{0};
};

} // namespace longfat

#endif
