// SPDX-License-Identifier: GPL-2.0-only
//
// Transfers by flows of the scenario.
//
// Parallel TCP: each flow has a part of the file from the beginning.
//
// GridFTP (W. Allcock (ed.), "GridFTP: protocol extensions to FTP for the Grid", GFD.20, 2003): in its
// extended block mode each block has a header of 17 bytes with its place in the file, and a flow
// takes the next one from a common queue as soon as its send buffer has room. A block is as many
// whole segments as it needs. Restart markers: the receiver writes down from time to time which ranges
// it has; whoever goes on after a cut sends what is missing in the last marker.
//
// The number of streams (a rule of this book's own): it begins with one, and is doubled from interval to
// interval for as long as the interval after a doubling delivered so much more than the one before.

#ifndef LONGFAT_CORE_STREAMS_H
#define LONGFAT_CORE_STREAMS_H

#include "transfer.h"

namespace longfat::core
{

class StreamsTransfer final : public Transfer
{
  public:
    /// `flows`: those of the beginning, and of each cut.
    StreamsTransfer(EventQueue& events,
                    const TransferSpec& spec,
                    std::vector<Flow*> flows,
                    Checks& checks)
        : Transfer(events, spec, checks),
          m_streams(std::get<StreamsSpec>(spec.method)),
          m_end(m_streams.cuts.empty() ? flows.size() : m_streams.cuts.front().first_flow)
    {
        m_count.rounds = 1;
        for (Flow* flow : flows)
        {
            m_carriers.push_back({flow, 0, {}});
        }
        m_left.emplace_back(0, spec.bytes);
        if (!m_streams.blocks)
        {
            give_parts();
            return;
        }
        for (Carrier& carrier : m_carriers)
        {
            carrier.flow->first().sender->offer(0);
            carrier.flow->first().sender->on_room = [this, &carrier] { fill(carrier); };
        }
        for (std::size_t i = 0; i < m_streams.cuts.size(); ++i)
        {
            events.at(m_streams.cuts[i].at, [this, i] { cut(i); });
        }
        if (m_streams.marker_every && !m_streams.cuts.empty())
        {
            repeat(*m_streams.marker_every, [this] { m_marker = m_there; });
        }
        if (m_streams.adapt_every)
        {
            m_open = 1;
            repeat(*m_streams.adapt_every, [this] { adapt(); });
        }
    }

    /// The last receiver of a flow has more in order.
    void on_delivery(std::size_t number)
    {
        if (number < m_begin || number >= m_end)
        {
            return; // it was cut
        }
        Carrier& carrier = m_carriers[number];
        const auto delivered = static_cast<uint64_t>(carrier.flow->delivered_bytes());
        while (!carrier.pieces.empty() && carrier.pieces.front().arrives <= delivered)
        {
            const Piece piece = carrier.pieces.front();
            carrier.pieces.pop_front();
            m_there[piece.begin] = piece.end;
            if (add(piece.begin, piece.end))
            {
                on_end();
            }
        }
    }

    TransferCount count() const override
    {
        TransferCount sum = m_count;
        for (const Carrier& carrier : m_carriers)
        {
            const SenderCount sent = carrier.flow->count();
            const uint64_t headers =
                HEADER_BYTES + (carrier.flow->spec.timestamps ? TIMESTAMP_BYTES : 0);
            sum.packets += sent.segments;
            sum.packets_again += sent.retransmissions;
            sum.packet_bytes += sent.segments * (carrier.flow->stream.mss + headers);
        }
        return sum;
    }

  private:
    static constexpr uint64_t BLOCK_HEADER = 17; //!< 8 bits of flags, 64 of count, 64 of offset

    /// Bytes of the file, and with which byte of the flow the last of them arrives.
    struct Piece
    {
        uint64_t begin;
        uint64_t end;
        uint64_t arrives;
    };

    struct Carrier
    {
        Flow* flow;
        uint64_t offered; //!< segments
        std::deque<Piece> pieces;
    };

    /// Do it again and again, as long as the file is under way.
    void repeat(Time interval, std::function<void()> what)
    {
        if (interval >= NEVER - 1 - m_events.now())
        {
            return;
        }
        m_events.at(m_events.now() + interval, [this, interval, what] {
            if (m_count.received == NEVER)
            {
                what();
                repeat(interval, what);
            }
        });
    }

    void give_parts()
    {
        for (std::size_t i = 0; i < m_carriers.size(); ++i)
        {
            const uint64_t given = m_left.empty() ? m_spec.bytes : m_left.front().first;
            const uint64_t others = m_carriers.size() - i;
            const uint64_t part = (m_spec.bytes - given + others - 1) / others;
            take(m_carriers[i], part, 0);
            end_stream(m_carriers[i], part);
            m_carriers[i].flow->first().sender->offer(m_carriers[i].offered);
        }
    }

    /// The next blocks, as long as the send buffer has room.
    void fill(Carrier& carrier)
    {
        const uint64_t size = carrier.flow->stream.mss;
        const uint64_t segments = (m_streams.block_bytes + BLOCK_HEADER + size - 1) / size;
        Sender& sender = *carrier.flow->first().sender;
        while (!m_left.empty() && sender.room() > carrier.offered)
        {
            const uint64_t ends = take(carrier, segments * size - BLOCK_HEADER, BLOCK_HEADER);
            if (m_left.empty())
            {
                end_stream(carrier, ends);
            }
            sender.offer(carrier.offered);
        }
    }

    /// Take so many bytes of the file, or what is left before the next that is there; returns where that
    /// ends in the flow.
    uint64_t take(Carrier& carrier, uint64_t most, uint64_t header)
    {
        const uint64_t size = carrier.flow->stream.mss;
        uint64_t ends = carrier.offered * size + header;
        if (!m_left.empty() && most > 0)
        {
            auto& [begin, end] = m_left.front();
            const uint64_t taken = std::min(most, end - begin);
            ends += taken;
            carrier.pieces.push_back({begin, begin + taken, ends});
            begin += taken;
            if (begin == end)
            {
                m_left.pop_front();
            }
        }
        carrier.offered = (ends + size - 1) / size;
        return ends;
    }

    /// That is the last byte that it carries.
    static void end_stream(Carrier& carrier, uint64_t ends)
    {
        carrier.flow->stream.bytes = ends;
        carrier.flow->stream.segments = carrier.offered;
    }

    /// All connections end; those of that cut go on where the last marker says.
    void cut(std::size_t number)
    {
        if (m_count.received != NEVER)
        {
            return;
        }
        for (std::size_t i = m_begin; i < m_end; ++i)
        {
            m_carriers[i].flow->first().sender->end();
        }
        ++m_count.rounds;
        m_begin = m_end;
        m_end = number + 1 < m_streams.cuts.size() ? m_streams.cuts[number + 1].first_flow
                                                   : m_carriers.size();
        m_there = m_marker;
        m_left.clear();
        forget();
        uint64_t next = 0;
        for (const auto& [begin, end] : m_there)
        {
            if (next < begin)
            {
                m_left.emplace_back(next, begin);
            }
            next = end;
            add(begin, end);
        }
        if (next < m_spec.bytes)
        {
            m_left.emplace_back(next, m_spec.bytes);
        }
        keep("received_bytes", static_cast<double>(m_count.unique_bytes));
    }

    void adapt()
    {
        const uint64_t delivered = m_count.unique_bytes - m_before;
        m_before = m_count.unique_bytes;
        if (m_settled || delivered == 0) // nothing can be told of an interval without data
        {
            return;
        }
        m_settled = static_cast<double>(delivered) < (1 + m_streams.adapt_gain) * m_delivered_last;
        m_delivered_last = static_cast<double>(delivered);
        const std::size_t wanted = m_settled ? m_open : std::min(2 * m_open, m_end);
        for (; m_open < wanted; ++m_open)
        {
            m_carriers[m_open].flow->first().sender->start();
        }
    }

    const StreamsSpec& m_streams;
    std::deque<Carrier> m_carriers;
    std::size_t m_begin{0};                           //!< the carriers of now: from that one
    std::size_t m_end;                                //!< to before that one
    std::deque<std::pair<uint64_t, uint64_t>> m_left; //!< ranges that no carrier has taken
    std::map<uint64_t, uint64_t> m_there;             //!< what the receiver has: end by begin
    std::map<uint64_t, uint64_t> m_marker;            //!< what it had when it last wrote it down
    // The number of streams
    std::size_t m_open{0};
    bool m_settled{false};
    uint64_t m_before{0};       //!< bytes that were there at the last look
    double m_delivered_last{0}; //!< in the interval before that
};

} // namespace longfat::core

#endif
