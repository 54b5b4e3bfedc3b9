// SPDX-License-Identifier: GPL-2.0-only
//
// Transfers by datagrams: data over UDP at a rate, control messages over TCP.
//
// Control messages go over the engine's own TCP (NewReno), a connection in each direction, which
// begin with the transfer. TCP carries bytes here in segments of one size, so that a message takes
// whole ones.

#ifndef LONGFAT_SEGMENT_DATAGRAMS_H
#define LONGFAT_SEGMENT_DATAGRAMS_H

#include "transfer.h"

namespace longfat::segment
{

/// A TCP connection for messages. What a message means is a function that is called when it has come.
class Channel
{
  public:
    Channel(EventQueue& events, const FlowSpec& spec)
        : m_stream{spec.segmentBytes},
          m_sender(events, spec, m_stream, m_forth),
          m_receiver(events, spec, m_stream, m_back)
    {
        m_forth.end = &m_receiver;
        m_back.end = &m_sender;
        m_sender.Offer(0);
        m_receiver.onDelivery = [this] { OnDelivery(); };
    }

    Channel(const Channel&) = delete;

    /// Say that in so many bytes.
    void Say(uint64_t bytes, std::function<void()> meaning)
    {
        m_said += bytes;
        m_offered += (bytes + m_stream.segmentBytes - 1) / m_stream.segmentBytes;
        m_underWay.emplace_back(m_offered, std::move(meaning));
        m_sender.Offer(m_offered);
    }

    /// Begin the handshake; `onDone` is called at its end.
    void Open(std::function<void()> onDone)
    {
        m_sender.onRoom = [this, onDone = std::move(onDone)] {
            if (!m_open) // else it tells of an acknowledgment
            {
                m_open = true;
                onDone();
            }
        };
        m_sender.Start();
    }

    /// Bytes of messages, so far.
    uint64_t Said() const
    {
        return m_said;
    }

    Route& Forth()
    {
        return m_forth;
    }

    Route& Back()
    {
        return m_back;
    }

    const char* WhatIsWrong() const
    {
        return !m_receiver.IsConsistent() ? "a receiver of messages has lost or doubled segments"
                                          : m_sender.WhatIsWrong(m_receiver.DeliveredSegments());
    }

  private:
    void OnDelivery()
    {
        while (!m_underWay.empty() && m_underWay.front().first <= m_receiver.DeliveredSegments())
        {
            const auto meaning = std::move(m_underWay.front().second);
            m_underWay.pop_front();
            meaning();
        }
    }

    const Stream m_stream;
    Route m_forth;
    Route m_back;
    Sender m_sender;
    Receiver m_receiver;
    uint64_t m_said{0};    //!< bytes
    uint64_t m_offered{0}; //!< segments
    bool m_open{false};
    std::deque<std::pair<uint64_t, std::function<void()>>> m_underWay; //!< with their last segment
};

/// The ends of a transfer by datagrams, and the file's blocks.
class DatagramTransfer : public Transfer, public Endpoint
{
  public:
    /// `header`: bytes of the method's own in a datagram, beside those of PPP, IP and UDP.
    DatagramTransfer(EventQueue& events,
                     const TransferSpec& spec,
                     const FlowSpec& control,
                     uint32_t header)
        : Transfer(events, spec),
          orders(events, control),
          reports(events, control),
          m_header(PPP_IP_UDP + header),
          m_blocks((spec.fileBytes + spec.blockBytes - 1) / spec.blockBytes),
          m_came(m_blocks, false),
          m_left(m_blocks)
    {
        data.end = this;
    }

    /// Begin the handshakes of both control connections.
    void Start()
    {
        orders.Open([this] { Begin(); });
        reports.Open([] {});
    }

    /// A datagram has come to the receiver's socket.
    void Receive(const Packet& packet, Ticks now) override
    {
        if (Ignores(packet.number))
        {
            return;
        }
        if (m_spec.drainBps < std::numeric_limits<double>::infinity())
        {
            const double nowS = ToSeconds(now);
            m_waiting = std::max(0.0, m_waiting - (nowS - m_waitingAtS) * m_spec.drainBps / 8);
            m_waitingAtS = nowS;
            if (m_waiting + static_cast<double>(m_spec.blockBytes) >
                static_cast<double>(m_spec.socketBytes))
            {
                ++m_count.overrun;
                return;
            }
            m_waiting += static_cast<double>(Size(packet.number));
        }
        const bool isNew = !m_came[packet.number];
        if (isNew)
        {
            m_came[packet.number] = true;
            --m_left;
            Add(Size(packet.number), packet.datagram.fingerprint);
        }
        OnDatagram(packet.number, packet.datagram.kind, isNew);
    }

    TransferCount Total() const override
    {
        TransferCount sum = m_count;
        sum.controlBytes = orders.Said() + reports.Said();
        return sum;
    }

    const char* WhatIsWrong() const override
    {
        const char* control = orders.WhatIsWrong();
        control = control ? control : reports.WhatIsWrong();
        const bool late = m_left == 0 && std::isnan(m_count.thereS);
        return control ? control
               : late  ? "a file has arrived with bytes missing, doubled or misplaced"
                       : Transfer::WhatIsWrong();
    }

    Route data;
    Channel orders;  //!< from the source
    Channel reports; //!< to it

  protected:
    using Kind = Datagram::Kind;

    /// The source may send.
    virtual void Begin()
    {
    }

    /// The receiver wants to know nothing of such a block now.
    virtual bool Ignores(uint64_t) const
    {
        return false;
    }

    /// A datagram was read by the receiver.
    virtual void OnDatagram(uint64_t, Kind, bool)
    {
    }

    void Send(uint64_t block, Kind kind)
    {
        const Ticks now = m_events.Now();
        m_packet.route = &data;
        m_packet.number = block;
        m_packet.sent = now;
        m_packet.flags = 0;
        m_packet.wireBytes = static_cast<uint16_t>(m_header + Size(block));
        const uint64_t begin = block * m_spec.blockBytes;
        m_packet.datagram = {Fingerprint(begin, begin + Size(block)), kind};
        ++m_count.packets;
        m_count.packetsAgain += kind != Kind::ORIGINAL;
        m_count.packetBytes += m_packet.wireBytes;
        data.first->Send(m_packet, now);
    }

    uint64_t Size(uint64_t block) const
    {
        return std::min(m_spec.blockBytes, m_spec.fileBytes - block * m_spec.blockBytes);
    }

    uint64_t Blocks() const
    {
        return m_blocks;
    }

    uint64_t Left() const
    {
        return m_left;
    }

    bool Has(uint64_t block) const
    {
        return m_came[block];
    }

    void Known()
    {
        m_count.knownS = ToSeconds(m_events.Now());
        onEnd();
    }

  private:
    static constexpr uint32_t PPP_IP_UDP = 2 + 20 + 8;

    const uint64_t m_header;
    const uint64_t m_blocks;
    std::vector<bool> m_came;
    uint64_t m_left;
    double m_waiting{0}; //!< bytes in the receiver's socket
    double m_waitingAtS{0};
    Packet m_packet{};
};

} // namespace longfat::segment

#endif
