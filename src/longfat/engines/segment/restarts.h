// SPDX-License-Identifier: GPL-2.0-only
//
// GridFTP where its connections are cut, or more of them are opened on the way.
//
// Restart markers (W. Allcock (ed.), GFD.20, 2003): the receiver writes down from time to time which
// ranges of the file it has. Whoever goes on after a failure sends what is missing in the last such
// marker; what came after it counts for nothing.
//
// The number of streams (a rule of this book's own): it begins with one, and is doubled from interval to
// interval for as long as the interval after a doubling delivered so much more than the one before.

#ifndef LONGFAT_SEGMENT_RESTARTS_H
#define LONGFAT_SEGMENT_RESTARTS_H

#include "transfer.h"

#include <map>

namespace longfat::segment
{

class ChangingStreams final : public Transfer
{
  public:
    /// `carriers`: those of the beginning, and of each restart.
    ChangingStreams(EventQueue& events, const TransferSpec& spec, std::vector<Carrier> carriers)
        : Transfer(events, spec),
          m_carriers(std::move(carriers)),
          m_end(spec.restarts.empty() ? m_carriers.size() : spec.restarts.front().firstCarrier),
          m_left{{0, spec.fileBytes}}
    {
        m_count.rounds = 1;
        m_open = spec.adaptEveryS > 0 ? 1 : m_end;
        for (Carrier& carrier : m_carriers)
        {
            carrier.first.Offer(0);
            carrier.first.onRoom = [this, &carrier] { Fill(carrier); };
        }
        for (std::size_t i = 0; i < spec.restarts.size(); ++i)
        {
            events.At(FromSeconds(spec.restarts[i].cutS), [this, i] { Cut(i); });
        }
        if (spec.markerEveryS < std::numeric_limits<double>::infinity())
        {
            Every(spec.markerEveryS, [this] { m_marker = m_there; });
        }
        if (spec.adaptEveryS > 0)
        {
            Every(spec.adaptEveryS, [this] { Adapt(); });
        }
    }

    /// A carrier's last receiver has more in order.
    void OnDelivery(std::size_t number)
    {
        if (number < m_begin || number >= m_end)
        {
            return; // it was cut
        }
        Carrier& carrier = m_carriers[number];
        const uint64_t delivered = carrier.last.DeliveredBytes();
        auto& pieces = carrier.pieces;
        while (!pieces.empty() && pieces.front().arrives <= delivered)
        {
            const Carrier::Piece piece = pieces.front();
            pieces.pop_front();
            m_there[piece.from] = piece.to;
            if (Add(piece.to - piece.from, Fingerprint(piece.from, piece.to)))
            {
                m_done = true;
                onEnd();
            }
        }
    }

    TransferCount Total() const override
    {
        TransferCount sum = m_count;
        for (const Carrier& carrier : m_carriers)
        {
            const SenderCount sent = carrier.count();
            const uint64_t whole =
                carrier.flow.segmentBytes + WireBytes(carrier.flow.timestamps ? 10 : 0);
            sum.packets += sent.segments;
            sum.packetsAgain += sent.retransmissions;
            sum.packetBytes += sent.segments * whole;
        }
        return sum;
    }

  private:
    static constexpr uint64_t BLOCK_HEADER = 17; //!< 8 bits of flags, 64 of count, 64 of offset

    /// Do it again and again, as long as the file is under way.
    void Every(double intervalS, std::function<void()> what)
    {
        m_events.At(m_events.Now() + FromSeconds(intervalS), [this, intervalS, what] {
            if (!m_done)
            {
                what();
                Every(intervalS, what);
            }
        });
    }

    /// The next block, or what is left before the next that is there.
    void Fill(Carrier& carrier)
    {
        const uint64_t size = carrier.flow.segmentBytes;
        const uint64_t segments = (m_spec.blockBytes + BLOCK_HEADER + size - 1) / size;
        while (!m_left.empty() && carrier.first.Room() > carrier.offered)
        {
            auto& [begin, end] = m_left.front();
            const uint64_t taken = std::min(segments * size - BLOCK_HEADER, end - begin);
            const uint64_t ends = carrier.offered * size + BLOCK_HEADER + taken;
            carrier.offered = (ends + size - 1) / size;
            carrier.pieces.push_back({begin, begin + taken, ends});
            begin += taken;
            if (begin == end)
            {
                m_left.pop_front();
            }
            if (m_left.empty())
            {
                for (Stream* stream : carrier.streams) // the last that it carries
                {
                    stream->bytes = ends;
                    stream->segments = carrier.offered;
                }
            }
            carrier.first.Offer(carrier.offered);
        }
    }

    /// All connections end; those of that restart go on where the last marker says.
    void Cut(std::size_t number)
    {
        if (m_done)
        {
            return;
        }
        for (std::size_t i = m_begin; i < m_end; ++i)
        {
            m_carriers[i].first.Fail();
        }
        ++m_count.rounds;
        m_begin = m_end;
        m_end = number + 1 < m_spec.restarts.size() ? m_spec.restarts[number + 1].firstCarrier
                                                    : m_carriers.size();
        m_there = m_marker;
        m_left.clear();
        uint64_t bytes = 0;
        uint64_t sum = 0;
        uint64_t next = 0;
        for (const auto& [begin, end] : m_there)
        {
            if (next < begin)
            {
                m_left.emplace_back(next, begin);
            }
            next = end;
            bytes += end - begin;
            sum += Fingerprint(begin, end);
        }
        if (next < m_spec.fileBytes)
        {
            m_left.emplace_back(next, m_spec.fileBytes);
        }
        GoBack(bytes, sum);
    }

    void Adapt()
    {
        const uint64_t delivered = m_count.uniqueBytes - m_before;
        m_before = m_count.uniqueBytes;
        if (m_settled || delivered == 0) // nothing can be told of an interval without data
        {
            return;
        }
        m_settled = static_cast<double>(delivered) < (1 + m_spec.adaptGain) * m_deliveredLast;
        m_deliveredLast = static_cast<double>(delivered);
        const std::size_t wanted = m_settled ? m_open : std::min(2 * m_open, m_end);
        for (; m_open < wanted; ++m_open)
        {
            m_carriers[m_open].first.Start();
        }
    }

    std::vector<Carrier> m_carriers;
    std::size_t m_begin{0};                           //!< the carriers of now: from that one
    std::size_t m_end;                                //!< to before that one
    std::deque<std::pair<uint64_t, uint64_t>> m_left; //!< ranges that no carrier has taken
    std::map<uint64_t, uint64_t> m_there;             //!< what the receiver has: begin and end
    std::map<uint64_t, uint64_t> m_marker;            //!< what it had when it last wrote it down
    bool m_done{false};
    // The number of streams
    std::size_t m_open{0};
    bool m_settled{false};
    uint64_t m_before{0};      //!< bytes that were there at the last look
    double m_deliveredLast{0}; //!< in the interval before that
};

} // namespace longfat::segment

#endif
