// SPDX-License-Identifier: GPL-2.0-only
//
// A TCP receiver: what has arrived, and when to acknowledge it. As ns-3's TcpSocketBase and
// TcpRxBuffer do it: delayed ACKs (RFC 5681), none delayed while there is a gap or when one is
// filled, selective acknowledgments (RFC 2018), echoes of ECN (RFC 3168), a fixed window.

#ifndef LONGFAT_SEGMENT_RECEIVER_H
#define LONGFAT_SEGMENT_RECEIVER_H

#include "connection.h"
#ifdef LONGFAT_ROUTERS
#include "router-ends.h"
#endif

namespace longfat::segment
{

class Receiver : public Endpoint
{
  public:
    Receiver(EventQueue& events, const FlowSpec& spec, const Stream& stream, const Route& back)
        : m_events(events),
          m_spec(spec),
          m_stream(stream),
          m_back(back),
          m_buffer(spec.receiveBufferBytes > 0 ? spec.receiveBufferBytes : LARGEST_AUTO_BUFFER),
          m_windowScale(WindowScale(m_buffer)),
          m_ackTimeout(FromSeconds(spec.ackTimeoutS)),
          m_unacknowledged(spec.segmentsPerAck), // so that the first segment is answered at once
          m_ackTimer(events, this),
          m_handshakeTimer(events, this)
    {
    }

    void Receive(const Packet& packet, Ticks now) override
    {
        if (packet.flags & Packet::SYN)
        {
            OnSyn(packet, now);
            return;
        }
        if (!m_established)
        {
            m_established = true;
            m_handshakeTimer.Stop();
            if (m_spec.receiveBufferBytes == 0)
            {
                m_buffer = SMALLEST_AUTO_BUFFER;
            }
            if (onAccepted)
            {
                onAccepted();
            }
        }
#ifdef LONGFAT_PROBES
        if (packet.own.kind == OwnPart::PROBE)
        {
            Packet& answer = Prepare(now);
            answer.flags = Packet::ACK;
            answer.own = {OwnPart::ANSWER, false, packet.own.number, packet.own.sent};
            answer.wireBytes = AckWireBytes(m_spec.timestamps, 0);
            Transmit(now);
            return;
        }
#endif
#ifdef LONGFAT_PTP
        if (packet.query.kind == PathQuery::QUERY)
        {
            Packet& answer = Prepare(now);
            answer.flags = Packet::ACK | Packet::PROBE;
            answer.query = packet.query;
            answer.query.kind = PathQuery::ANSWER;
            answer.wireBytes = packet.wireBytes;
            Transmit(now);
            return;
        }
#endif
        if (packet.flags & Packet::PROBE)
        {
            SendAck(now);
            return;
        }
        if (packet.flags & Packet::ACK)
        {
            m_echo = packet.sent; // the end of the handshake
            return;
        }
        OnSegment(packet, now);
    }

    /// Payload in order, so far.
    uint64_t DeliveredBytes() const
    {
        return m_stream.Offset(m_next);
    }

    uint32_t BufferBytes() const
    {
        return m_buffer;
    }

    uint64_t DeliveredSegments() const
    {
        return m_next;
    }

    std::function<void()> onAccepted; //!< called when the connection is there
    std::function<void()> onDelivery; //!< called when there is more of it

    /// At the end of a run: whether every segment that came was new once.
    bool IsConsistent() const
    {
        return m_came == m_next + m_gaps + m_again;
    }

    /// A relay has so many bytes that it cannot pass on yet. As Linux does, tell the sender when
    /// the window has become at least twice what was advertised last.
    void Hold(uint64_t bytes)
    {
        m_unread = bytes;
        const uint32_t window = Window();
        if (2 * uint64_t(m_advertised) <= m_buffer && window >= 2 * m_advertised &&
            window >= std::min(m_spec.segmentBytes, m_buffer / 2))
        {
            SendAck(m_events.Now());
        }
    }

  private:
    /// TcpSocketBase::CompleteFork, and a SYN that comes again.
    void OnSyn(const Packet& packet, Ticks now)
    {
        if (m_established)
        {
            return;
        }
        if (!m_handshakeTimer.IsRunning())
        {
            m_echo = packet.sent;
        }
#ifdef LONGFAT_ROUTERS
        m_routers.OnSyn(packet.router);
#endif
        m_ecn = m_spec.ecn && (packet.flags & Packet::ECE);
        SendSynAck(now);
    }

    void OnHandshakeTimeout()
    {
        SendSynAck(m_events.Now());
    }

    void SendSynAck(Ticks now)
    {
        if (m_handshakes == SYN_RETRIES)
        {
            return;
        }
        if (!m_handshakeTimer.IsRunning())
        {
            m_handshakeTimer.Set(SynTimeout(m_spec.faults) << m_handshakes);
        }
        ++m_handshakes;
        Packet& answer = Prepare(now);
        answer.flags = Packet::SYN | Packet::ACK | (m_ecn ? Packet::ECE : 0);
        answer.wireBytes = SynWireBytes(m_spec.timestamps, m_spec.sack);
        answer.window = std::min(m_buffer, UNSCALED_WINDOW); // not scaled
#ifdef LONGFAT_ROUTERS
        m_routers.Answer(answer.router, true);
#endif
        Transmit(now);
#ifdef LONGFAT_ROUTERS
        if (m_routers.HasApproval())
        {
            // A SYN's window is not scaled, so that 64 KB would be all that Quick-Start can send
            // (draft-scharf-tsvwg-quick-start-flow-control): tell the whole one at once.
            SendAck(now);
            m_unacknowledged = m_spec.segmentsPerAck;
        }
#endif
    }

    /// TcpSocketBase::ForwardUp to ReceivedData.
    [[gnu::always_inline]]
    void OnSegment(const Packet& packet, Ticks now)
    {
        ++m_came;
#ifdef LONGFAT_ROUTERS
        m_routers.OnSegment(packet.router);
#endif
        if (packet.number + 1 < m_next)
        {
            ++m_again;
            SendAck(now); // out of the window (RFC 9293, 3.10.7.4): nothing else is read
            return;
        }
        m_causeSent = packet.sent;
        m_causeReceived = now;
        if (m_ecn && (packet.flags & Packet::CE) && packet.number + 1 > m_marked)
        {
            m_marked = packet.number + 1;
            m_echoMark = m_lastMarked = true;
        }
        if ((packet.flags & Packet::CWR) && !m_lastMarked)
        {
            m_echoMark = false;
        }
        // RFC 7323, 4.3: echo the timestamp of the segment that the next ACK is about.
        if (Milliseconds(packet.sent) >= Milliseconds(m_latest))
        {
            m_latest = packet.sent;
            if (packet.number == m_next && packet.number <= m_acknowledged)
            {
                m_echo = packet.sent;
            }
        }
        const uint64_t expected = m_next;
        if (!Store(packet.number))
        {
            ++m_again;
            SendAck(now); // it was there before
            return;
        }
        if (m_spec.receiveBufferBytes == 0)
        {
            GrowBuffer(packet, m_stream.Offset(m_next) - m_stream.Offset(expected), now);
        }
        if (m_next > expected && onDelivery)
        {
            onDelivery();
        }
        if (m_gaps > 0 || m_next > expected + 1)
        {
            SendAck(now);
        }
        else if (++m_unacknowledged >= m_spec.segmentsPerAck)
        {
            SendAck(now);
        }
        else if (!m_ackTimer.IsRunning())
        {
            m_ackTimer.Set(m_ackTimeout);
        }
    }

    uint32_t Window() const
    {
        return m_buffer - std::min<uint64_t>(m_unread, m_buffer);
    }

    /// A segment has made so many bytes readable.
    void GrowBuffer(const Packet& packet, uint64_t bytes, Ticks now)
    {
        if (m_spec.timestamps)
        {
            m_rightSizing.OnEcho(Milliseconds(packet.echo), Milliseconds(now));
        }
        m_buffer = std::max(m_buffer, m_rightSizing.OnRead(bytes, ns3::Time(now)));
    }

    static uint32_t WindowScale(uint32_t bytes)
    {
        uint32_t scale = 0;
        for (; bytes >> scale > UNSCALED_WINDOW; ++scale)
        {
        }
        return scale;
    }

    /// Keep a segment; returns false for one that was there before.
    [[gnu::always_inline]]
    bool Store(uint64_t number)
    {
        if (number < m_next)
        {
            return false;
        }
        if (number == m_next)
        {
            ++m_next;
            if (!m_early.Empty())
            {
                m_early.Pop();
                while (!m_early.Empty() && m_early.Front())
                {
                    m_early.Pop();
                    ++m_next;
                    --m_gaps;
                }
                ClearSackBlocks();
            }
            return true;
        }
        while (m_early.Size() <= number - m_next)
        {
            m_early.Push() = 0;
        }
        if (m_early[number - m_next])
        {
            return false;
        }
        m_early[number - m_next] = 1;
        ++m_gaps;
        UpdateSackBlocks(number);
        return true;
    }

    /// TcpRxBuffer::UpdateSackList: the newest block first, joined with those next to it; four at
    /// most are remembered.
    void UpdateSackBlocks(uint64_t number)
    {
        Block newest{number, number + 1};
        for (std::size_t i = 0; i < m_blocks.size();)
        {
            if (m_blocks[i].end == newest.begin || newest.end == m_blocks[i].begin)
            {
                newest.begin = std::min(newest.begin, m_blocks[i].begin);
                newest.end = std::max(newest.end, m_blocks[i].end);
                m_blocks.erase(m_blocks.begin() + i);
                i = 0;
            }
            else
            {
                ++i;
            }
        }
        m_blocks.insert(m_blocks.begin(), newest);
        if (m_blocks.size() > MOST_BLOCKS)
        {
            m_blocks.pop_back();
        }
    }

    void ClearSackBlocks()
    {
        std::erase_if(m_blocks, [this](const Block& block) { return block.end <= m_next; });
    }

    void OnAckTimeout()
    {
        SendAck(m_events.Now());
    }

    [[gnu::always_inline]]
    void SendAck(Ticks now)
    {
        m_ackTimer.Stop();
        m_unacknowledged = 0;
        m_acknowledged = m_next;
        Packet& ack = Prepare(now);
        ack.flags = Packet::ACK | (m_echoMark ? Packet::ECE : 0);
#ifdef LONGFAT_ROUTERS
        m_routers.Answer(ack.router, false);
#endif
        m_lastMarked = false;
        if (m_spec.sack)
        {
            const std::size_t most = m_spec.timestamps ? 3 : 4;
            for (; ack.sackBlocks < std::min(m_blocks.size(), most); ++ack.sackBlocks)
            {
                const Block& block = m_blocks[ack.sackBlocks];
                ack.sack[ack.sackBlocks] = {static_cast<uint32_t>(block.begin - m_next),
                                            static_cast<uint32_t>(block.end - m_next)};
            }
        }
        ack.wireBytes = AckWireBytes(m_spec.timestamps, ack.sackBlocks);
        Transmit(now);
    }

    Packet& Prepare(Ticks now)
    {
        m_packet.route = &m_back;
#ifdef LONGFAT_PROBES
        m_packet.own = {};
#endif
#ifdef LONGFAT_PTP
        m_packet.query.Clear();
#endif
        m_packet.number = m_next;
        m_packet.sent = now;
        m_packet.echo = m_echo;
        m_packet.causeSent = m_causeSent;
        m_packet.causeReceived = m_causeReceived;
        m_causeSent = NEVER;
        m_advertised = Window();
        m_packet.window = m_advertised >> m_windowScale << m_windowScale;
        m_packet.sackBlocks = 0;
        return m_packet;
    }

    void Transmit(Ticks now)
    {
        m_back.first->Send(m_packet, now);
    }

    struct Block
    {
        uint64_t begin;
        uint64_t end;
    };

    static constexpr std::size_t MOST_BLOCKS = 4;

    EventQueue& m_events;
    const FlowSpec& m_spec;
    const Stream& m_stream;
    const Route& m_back;
    uint32_t m_buffer;                 //!< in bytes
    uint32_t m_windowScale;            //!< the window is told in units of 2 to that power
    uint32_t m_advertised{0xffffffff}; //!< last window that the sender was told, in bytes
    uint64_t m_unread{0};              //!< bytes in order that a relay could not yet pass on
    RightSizing m_rightSizing;         //!< of a buffer that grows
    Ticks m_ackTimeout;
    bool m_established{false};
    uint32_t m_handshakes{0};    //!< SYN-ACKs sent
    uint64_t m_next{0};          //!< first segment that has not arrived
    Ring<uint8_t> m_early;       //!< from the next on: whether it has arrived
    uint64_t m_gaps{0};          //!< how many have arrived early
    uint64_t m_came{0};          //!< segments, all that have come
    uint64_t m_again{0};         //!< of them, those that had come before
    std::vector<Block> m_blocks; //!< of early segments, the newest first
    uint64_t m_acknowledged{0};  //!< highest number sent in an ACK
    uint32_t m_unacknowledged;   //!< segments since the last ACK
    Ticks m_latest{0};           //!< latest timestamp that has come
    Ticks m_echo{0};             //!< timestamp to echo
    Ticks m_causeSent{NEVER};    //!< of the segment that came last; NEVER: an ACK has told
    Ticks m_causeReceived{0};
    bool m_ecn{false};        //!< was agreed on
    uint64_t m_marked{0};     //!< after the highest segment that came with a mark
    bool m_echoMark{false};   //!< until the sender has reacted
    bool m_lastMarked{false}; //!< since the last ACK
#ifdef LONGFAT_ROUTERS
    RouterReceiver m_routers;
#endif
    Packet m_packet;
    Timer<Receiver, &Receiver::OnAckTimeout> m_ackTimer;
    Timer<Receiver, &Receiver::OnHandshakeTimeout> m_handshakeTimer;
};

} // namespace longfat::segment

#endif
