// SPDX-License-Identifier: GPL-2.0-only
//
// A file on its way from here to there, and what its methods have in common: what is counted, and the
// proof that every byte arrived once.
//
// The proof: a block [begin, end) of the file carries the difference of a hash of its end and one of
// its begin. Over blocks that cover the file, each once, whatever their order and sizes, these add up
// to the difference between the file's end and its begin; a block that is missing, doubled or
// misplaced would have to be made good by another of 64 bits.

#ifndef LONGFAT_SEGMENT_TRANSFER_H
#define LONGFAT_SEGMENT_TRANSFER_H

#include "../json.h"
#include "../series.h"
#include "../transfer-spec.h"
#include "receiver.h"
#include "sender.h"

#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace longfat::segment
{

/// Of bytes [begin, end) of a file.
inline uint64_t
Fingerprint(uint64_t begin, uint64_t end)
{
    const auto hash = [](uint64_t x) { // splitmix64
        x += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    };
    return hash(end) - hash(begin);
}

/// What a transfer has sent, and what has come of it.
struct TransferCount
{
    double thereS{
        std::numeric_limits<double>::quiet_NaN()}; //!< the last byte came and all is right
    double knownS{std::numeric_limits<double>::quiet_NaN()}; //!< the source knows
    uint64_t uniqueBytes{0};                                 //!< of the file, at the receiver
    uint64_t packets{0};                                     //!< with data
    uint64_t packetsAgain{0};
    uint64_t packetBytes{0}; //!< of all these on the wire
    uint64_t overrun{0};     //!< packets that the receiver's socket had no room for
    uint64_t controlBytes{0};
    uint64_t rounds{0}; //!< blasts, or 1 and each restart
    SeriesByName kept;
};

class Transfer
{
  public:
    Transfer(EventQueue& events, const TransferSpec& spec)
        : m_events(events),
          m_spec(spec)
    {
    }

    virtual ~Transfer() = default;
    Transfer(const Transfer&) = delete;

    /// What was counted, all of it. (Pure virtual methods are avoided here: in WebAssembly they bring
    /// along what would print that one was called.)
    virtual TransferCount Total() const
    {
        return m_count;
    }

    /// What the run's own checks find at its end, or nothing.
    virtual const char* WhatIsWrong() const
    {
        const bool whole = !std::isnan(m_count.thereS);
        return whole && (m_count.uniqueBytes != m_spec.fileBytes ||
                         m_sum != Fingerprint(0, m_spec.fileBytes))
                   ? "a file has arrived with bytes missing, doubled or misplaced"
                   : nullptr;
    }

    void Record(const std::string& name, double durationS, uint32_t points)
    {
        m_count.kept.try_emplace(name, durationS, points);
    }

    std::function<void()> onEnd; //!< called when there is no more to do

  protected:
    void Keep(const char* name, double value)
    {
        const auto found = m_count.kept.find(name);
        if (found != m_count.kept.end())
        {
            found->second.Add(ToSeconds(m_events.Now()), value);
        }
    }

    /// So many more bytes are at the receiver; returns whether that is all.
    bool Add(uint64_t bytes, uint64_t fingerprint)
    {
        m_count.uniqueBytes += bytes;
        m_sum += fingerprint;
        Keep("there_bytes", static_cast<double>(m_count.uniqueBytes));
        if (m_count.uniqueBytes != m_spec.fileBytes || m_sum != Fingerprint(0, m_spec.fileBytes))
        {
            return false;
        }
        m_count.thereS = ToSeconds(m_events.Now());
        return true;
    }

#ifdef LONGFAT_RESTARTS
    /// The receiver has so much, and no more than that.
    void GoBack(uint64_t bytes, uint64_t fingerprints)
    {
        m_count.uniqueBytes = bytes;
        m_sum = fingerprints;
        Keep("there_bytes", static_cast<double>(bytes));
    }

#endif
    EventQueue& m_events;
    const TransferSpec& m_spec;
    TransferCount m_count;

  private:
    uint64_t m_sum{0};
};

/// A flow that carries blocks of a file: with relays, the first sender and the last receiver.
struct Carrier
{
    struct Piece
    {
        uint64_t from; //!< in the file
        uint64_t to;
        uint64_t arrives; //!< with that byte of the flow
    };

    const FlowSpec& flow;
    Sender& first;
    Receiver& last;
    std::vector<Stream*> streams; //!< of each connection
    std::function<SenderCount()> count;
    uint64_t offered{0}; //!< segments
    std::deque<Piece> pieces;
};

/// Parallel TCP, where each flow has a part of the file from the beginning, and GridFTP (W. Allcock
/// (ed.), "GridFTP: protocol extensions to FTP for the Grid", GFD.20, 2003): in its extended block
/// mode each block has a header of 17 bytes with its place in the file, and a flow takes the next
/// one from a common queue as soon as its send buffer has room. A block is as many whole segments as
/// it needs.
class StreamsTransfer final : public Transfer
{
  public:
    static constexpr uint64_t BLOCK_HEADER = 17; //!< 8 bits of flags, 64 of count, 64 of offset

    StreamsTransfer(EventQueue& events, const TransferSpec& spec, std::vector<Carrier> carriers)
        : Transfer(events, spec),
          m_carriers(std::move(carriers))
    {
        m_count.rounds = 1;
        const bool parts = spec.method == TransferSpec::PARTS;
        for (std::size_t i = 0; i < m_carriers.size(); ++i)
        {
            Carrier& carrier = m_carriers[i];
            if (parts)
            {
                const uint64_t left = m_carriers.size() - i;
                Take(carrier, (m_spec.fileBytes - m_given + left - 1) / left, 0);
            }
            else
            {
                carrier.first.Offer(0);
                carrier.first.onRoom = [this, &carrier] { Fill(carrier); };
            }
        }
    }

    /// A carrier's last receiver has more in order.
    void OnDelivery(std::size_t number)
    {
        Carrier& carrier = m_carriers[number];
        const uint64_t delivered = carrier.last.DeliveredBytes();
        auto& pieces = carrier.pieces;
        while (!pieces.empty() && pieces.front().arrives <= delivered)
        {
            const Carrier::Piece piece = pieces.front();
            pieces.pop_front();
            if (Add(piece.to - piece.from, Fingerprint(piece.from, piece.to)))
            {
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
    /// The carrier takes that many bytes of the file, or what there still is, and a header.
    void Take(Carrier& carrier, uint64_t bytes, uint64_t header)
    {
        const uint64_t size = carrier.flow.segmentBytes;
        const uint64_t taken = std::min(bytes, m_spec.fileBytes - m_given);
        const uint64_t before = carrier.offered * size;
        const uint64_t ends = before + header + taken;
        carrier.offered = (ends + size - 1) / size;
        if (m_given + taken == m_spec.fileBytes || header == 0)
        {
            for (Stream* stream : carrier.streams) // the last that it carries
            {
                stream->bytes = ends;
                stream->segments = carrier.offered;
            }
        }
        if (taken > 0)
        {
            carrier.pieces.push_back({m_given, m_given + taken, ends});
        }
        m_given += taken;
        carrier.first.Offer(carrier.offered);
    }

    void Fill(Carrier& carrier)
    {
        const uint64_t size = carrier.flow.segmentBytes;
        const uint64_t segments = (m_spec.blockBytes + BLOCK_HEADER + size - 1) / size;
        while (m_given < m_spec.fileBytes && carrier.first.Room() > carrier.offered)
        {
            Take(carrier, segments * size - BLOCK_HEADER, BLOCK_HEADER);
        }
    }

    std::vector<Carrier> m_carriers;
    uint64_t m_given{0}; //!< of the file, from its begin
};

} // namespace longfat::segment

#endif
