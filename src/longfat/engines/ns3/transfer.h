// SPDX-License-Identifier: GPL-2.0-only
//
// A file on its way from here to there over ns-3 (longfat.transfers says what each method is). Packets
// carry the file's own bytes, and whoever receives them compares each with what the file has in that
// place: a byte that is wrong, or counted twice, ends the run.

#ifndef LONGFAT_NS3_TRANSFER_H
#define LONGFAT_NS3_TRANSFER_H

#include "counts.h"
#include "spec.h"
#include "flow.h"

#include "ns3/abort.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace longfat
{

using Bytes = std::vector<uint8_t>;

/// Append a number of so many bytes, the highest first.
inline void
Append(Bytes& bytes, uint64_t number, uint32_t size)
{
    for (uint32_t left = size; left > 0; --left)
    {
        bytes.push_back(number >> 8 * (left - 1) & 0xff);
    }
}

/// The number of so many bytes that begins there.
inline uint64_t
NumberAt(const Bytes& bytes, std::size_t place, uint32_t size)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < size; ++i)
    {
        number = number << 8 | bytes[place + i];
    }
    return number;
}

/// What a packet holds.
inline Bytes
BytesOf(const ns3::Packet& packet)
{
    Bytes bytes(packet.GetSize());
    packet.CopyData(bytes.data(), bytes.size());
    return bytes;
}

/// What is in the file there: noise that is the same in every run.
inline uint8_t
FileByte(uint64_t place)
{
    uint64_t x = (place / 8 + 1) * 0x9e3779b97f4a7c15;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9;
    return x >> (place % 8 * 8);
}

/// What a transfer has sent, and what has come of it (longfat.Result says what each is).
struct TransferCount
{
    double receivedS{std::numeric_limits<double>::quiet_NaN()};
    double acknowledgedS{std::numeric_limits<double>::quiet_NaN()};
    uint64_t uniqueBytes{0};
    uint64_t packets{0};
    uint64_t packetsAgain{0};
    uint64_t packetBytes{0};
    uint64_t overrun{0};
    uint64_t controlBytes{0};
    uint64_t rounds{0};
    SeriesByName kept;
};

class Transfer
{
  public:
    explicit Transfer(const TransferSpec& spec)
        : m_spec(spec)
    {
    }

    virtual ~Transfer() = default;
    Transfer(const Transfer&) = delete;

    virtual TransferCount Total() const = 0;

    void Record(const std::string& name, double durationS, uint32_t points)
    {
        m_count.kept.try_emplace(name, durationS, points);
    }

    bool IsDone() const
    {
        return m_done;
    }

    std::function<void()> onEnd; //!< called when there is no more to do

  protected:
    void Keep(const std::string& name, double value)
    {
        const auto found = m_count.kept.find(name);
        if (found != m_count.kept.end())
        {
            found->second.Add(NowS(), value);
        }
    }

    void AppendFile(Bytes& bytes, uint64_t begin, uint64_t end) const
    {
        for (uint64_t place = begin; place < end; ++place)
        {
            bytes.push_back(FileByte(place));
        }
    }

    /// These bytes of the file, from `begin` on, have come for the first time; returns whether they
    /// were the last.
    bool Add(uint64_t begin, const uint8_t* bytes, uint64_t size)
    {
        Compare(begin, bytes, size);
        const uint64_t end = begin + size;
        auto next = m_received.lower_bound(begin);
        NS_ABORT_MSG_IF(next != m_received.end() && next->first < end, "a file's bytes came twice");
        uint64_t first = begin;
        uint64_t last = end;
        if (next != m_received.begin())
        {
            const auto before = std::prev(next);
            NS_ABORT_MSG_IF(before->second > begin, "a file's bytes came twice");
            if (before->second == begin)
            {
                first = before->first;
            }
        }
        if (next != m_received.end() && next->first == end)
        {
            last = next->second;
            m_received.erase(next);
        }
        m_received[first] = last;
        m_count.uniqueBytes += size;
        Keep("received_bytes", static_cast<double>(m_count.uniqueBytes));
        const auto whole = m_received.begin();
        if (whole->first != 0 || whole->second != m_spec.fileBytes)
        {
            return false;
        }
        m_count.receivedS = NowS();
        return true;
    }

    void End()
    {
        m_done = true;
        onEnd();
    }

    const TransferSpec m_spec;
    TransferCount m_count;

  private:
    void Compare(uint64_t begin, const uint8_t* bytes, uint64_t size) const
    {
        NS_ABORT_MSG_IF(begin + size > m_spec.fileBytes, "bytes came that the file does not have");
        for (uint64_t i = 0; i < size; ++i)
        {
            NS_ABORT_MSG_IF(bytes[i] != FileByte(begin + i), "a file has arrived otherwise");
        }
    }

    std::map<uint64_t, uint64_t> m_received; //!< begin and end of what has come
    bool m_done{false};
};

/// Parallel TCP, where each flow has a part of the file, and GridFTP in its extended block mode, where
/// each takes the next block when its socket has room, with a header of flags, count and offset.
class StreamsTransfer final : public Transfer
{
  public:
    StreamsTransfer(const TransferSpec& spec, const std::vector<Flow*>& flows)
        : Transfer(spec)
    {
        m_count.rounds = 1;
        for (std::size_t i = 0; i < flows.size(); ++i)
        {
            auto& stream = *m_streams.emplace_back(std::make_unique<Stream>(*this, *flows[i]));
            if (spec.method == TransferSpec::PARTS)
            {
                const uint64_t left = flows.size() - i;
                stream.end = m_given + (spec.fileBytes - m_given + left - 1) / left;
                stream.place = stream.next = m_given;
                stream.expected = stream.end - stream.next;
                m_given = stream.end;
            }
            flows[i]->source = &stream;
        }
    }

    TransferCount Total() const override
    {
        TransferCount sum = m_count;
        for (const auto& stream : m_streams)
        {
            const FlowCount sent = stream->flow.Total();
            sum.packets += sent.segments;
            sum.packetsAgain += sent.retransmissions;
            sum.packetBytes += sent.segments * stream->flow.WireBytes();
        }
        return sum;
    }

  private:
    static constexpr uint32_t HEADER = 17;
    static constexpr uint8_t DATA = 0; //!< no flag of GFD.20 is set

    struct Stream final : FlowSource
    {
        Stream(StreamsTransfer& transfer, Flow& flow)
            : transfer(transfer),
              flow(flow)
        {
        }

        uint32_t Size() override
        {
            return std::min<uint64_t>(flow.SegmentBytes(), transfer.Waiting(*this));
        }

        ns3::Ptr<ns3::Packet> Give(uint32_t size) override
        {
            const Bytes bytes = transfer.Next(*this, size);
            return ns3::Create<ns3::Packet>(bytes.data(), bytes.size());
        }

        void Take(ns3::Ptr<ns3::Packet> packet) override
        {
            transfer.Read(*this, BytesOf(*packet));
        }

        StreamsTransfer& transfer;
        Flow& flow;
        // Sender
        uint64_t next{0}; //!< of the file, to be sent
        uint64_t end{0};  //!< of the part or the block
        // Receiver
        Bytes header;         //!< what has come of one
        uint64_t place{0};    //!< where the next byte belongs
        uint64_t expected{0}; //!< bytes of the part or the block
    };

    bool HasBlocks() const
    {
        return m_spec.method == TransferSpec::BLOCKS;
    }

    /// A block fills whole segments, except for the file's last one.
    uint64_t NextBlock(const Stream& stream) const
    {
        const uint64_t segment = stream.flow.SegmentBytes();
        const uint64_t segments = (m_spec.blockBytes + HEADER + segment - 1) / segment;
        return std::min(segments * segment - HEADER, m_spec.fileBytes - m_given);
    }

    /// Bytes that the stream has for its socket: of its block, else of the next with its header.
    uint64_t Waiting(const Stream& stream) const
    {
        if (stream.next < stream.end || !HasBlocks() || m_given == m_spec.fileBytes)
        {
            return stream.end - stream.next;
        }
        return HEADER + NextBlock(stream);
    }

    Bytes Next(Stream& stream, uint32_t size)
    {
        Bytes bytes;
        bytes.reserve(size);
        if (stream.next == stream.end)
        {
            stream.next = m_given;
            stream.end = m_given += NextBlock(stream);
            Append(bytes, DATA, 1);
            Append(bytes, stream.end - stream.next, 8);
            Append(bytes, stream.next, 8);
        }
        const uint64_t taken = size - bytes.size();
        AppendFile(bytes, stream.next, stream.next + taken);
        stream.next += taken;
        return bytes;
    }

    void Read(Stream& stream, const Bytes& bytes)
    {
        std::size_t at = 0;
        while (at < bytes.size())
        {
            if (stream.expected == 0)
            {
                stream.header.push_back(bytes[at++]);
                if (stream.header.size() == HEADER)
                {
                    stream.expected = NumberAt(stream.header, 1, 8);
                    stream.place = NumberAt(stream.header, 9, 8);
                    stream.header.clear();
                }
                continue;
            }
            const uint64_t size = std::min<uint64_t>(stream.expected, bytes.size() - at);
            const bool all = Add(stream.place, &bytes[at], size);
            stream.place += size;
            stream.expected -= size;
            at += size;
            if (all)
            {
                End();
            }
        }
    }

    std::vector<std::unique_ptr<Stream>> m_streams;
    uint64_t m_given{0}; //!< of the file, from its begin
};

} // namespace longfat

#endif
