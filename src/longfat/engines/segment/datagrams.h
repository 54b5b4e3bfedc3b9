// SPDX-License-Identifier: GPL-2.0-only
//
// Transfers by datagrams: data over UDP at a rate, control messages over TCP (NewReno), a connection in
// each direction, which begin with the transfer. TCP carries bytes here in segments of one size, so that a
// message takes whole ones.

#ifndef LONGFAT_CORE_DATAGRAMS_H
#define LONGFAT_CORE_DATAGRAMS_H

#include "transfer.h"

namespace longfat::core
{

/// A TCP connection for messages. What a message means is a function that is called when it has come.
class Channel
{
  public:
    Channel(EventQueue& events,
            Network& network,
            const FlowSpec& spec,
            const Path& path,
            Checks& checks)
        : m_stream{spec.segment_bytes},
          m_connection(events, spec, m_stream, checks)
    {
        m_connection.lead(network, path);
        m_connection.sender->offer(0);
        m_connection.receiver->on_delivery = [this] { on_delivery(); };
    }

    Channel(const Channel&) = delete;

    /// Say that in so many bytes.
    void say(uint64_t bytes, std::function<void()> meaning)
    {
        m_said += bytes;
        m_offered += (bytes + m_stream.mss - 1) / m_stream.mss;
        m_under_way.emplace_back(m_offered, std::move(meaning));
        m_connection.sender->offer(m_offered);
    }

    /// Begin the handshake; `on_done` is called at its end.
    void open(std::function<void()> on_done)
    {
        m_connection.sender->on_room = [this, on_done = std::move(on_done)] {
            if (!m_open) // else it tells of an acknowledgment
            {
                m_open = true;
                on_done();
            }
        };
        m_connection.sender->start();
    }

    /// Bytes of messages, so far.
    uint64_t said() const
    {
        return m_said;
    }

    void finish(Checks& checks)
    {
        checks.expect(m_connection.receiver->is_consistent(),
                      "a receiver of messages has lost or doubled segments");
        m_connection.sender->finish(m_connection.receiver->rcv_nxt());
    }

  private:
    void on_delivery()
    {
        while (!m_under_way.empty() &&
               m_under_way.front().first <= m_connection.receiver->rcv_nxt())
        {
            const auto meaning = std::move(m_under_way.front().second);
            m_under_way.pop_front();
            meaning();
        }
    }

    const Stream m_stream;
    Connection m_connection;
    uint64_t m_said{0};    //!< bytes
    uint64_t m_offered{0}; //!< segments
    bool m_open{false};
    std::deque<std::pair<uint64_t, std::function<void()>>> m_under_way; //!< with their last segment
};

/// The ends of a transfer by datagrams, and the file's blocks.
class DatagramTransfer : public Transfer, public Endpoint
{
  public:
    /// `header`: bytes of the method's own in a datagram, beside those of PPP, IP and UDP.
    DatagramTransfer(EventQueue& events,
                     Network& network,
                     const TransferSpec& spec,
                     const DatagramsSpec& way,
                     const FlowSpec& control,
                     uint32_t header,
                     Checks& checks)
        : Transfer(events, spec, checks),
          m_way(way),
          m_orders(events, network, control, way.path, checks),
          m_reports(events, network, control, Network::reversed(way.path), checks),
          m_header(UDP_HEADER_BYTES + header),
          m_blocks((spec.bytes + way.payload_bytes - 1) / way.payload_bytes),
          m_came(m_blocks, false),
          m_left(m_blocks)
    {
        network.lead(m_data, way.path);
        m_data.end = this;
        events.at(way.start, [this] {
            m_orders.open([this] { begin(); });
            m_reports.open([] {});
        });
    }

    /// A datagram has come to the receiver's socket.
    void receive(const Packet& packet, Time now) override
    {
        const uint64_t block = packet.number / KINDS;
        if (ignores(block) || !has_room(block, now))
        {
            return;
        }
        const bool is_new = !m_came[block];
        if (is_new)
        {
            m_came[block] = true;
            --m_left;
            const uint64_t begins = block * m_way.payload_bytes;
            add(begins, begins + size(block));
        }
        on_datagram(block, static_cast<Kind>(packet.number % KINDS), is_new);
    }

    TransferCount count() const override
    {
        TransferCount sum = m_count;
        sum.control_bytes = m_orders.said() + m_reports.said();
        return sum;
    }

    void finish() override
    {
        Transfer::finish();
        m_orders.finish(m_checks);
        m_reports.finish(m_checks);
        m_checks.expect(m_left > 0 || m_count.received != NEVER,
                        "a file has arrived with bytes missing, doubled or misplaced");
    }

  protected:
    enum class Kind : uint8_t
    {
        ORIGINAL,
        AGAIN, //!< somebody asked for it
        LAST,  //!< the file's last one
    };

    /// The source may send.
    virtual void begin() = 0;

    /// A datagram was read by the receiver.
    virtual void on_datagram(uint64_t block, Kind kind, bool is_new) = 0;

    /// The receiver wants to know nothing of such a block now.
    virtual bool ignores(uint64_t) const
    {
        return false;
    }

    void send(uint64_t block, Kind kind)
    {
        const Time now = m_events.now();
        Packet packet{};
        packet.route = &m_data;
        packet.number = KINDS * block + static_cast<uint64_t>(kind);
        packet.sent = now;
        packet.wire_bytes = m_header + static_cast<uint32_t>(size(block));
        ++m_count.packets;
        m_count.packets_again += kind != Kind::ORIGINAL;
        m_count.packet_bytes += packet.wire_bytes;
        m_data.first->send(packet, now);
    }

    uint64_t size(uint64_t block) const
    {
        return std::min(m_way.payload_bytes, m_spec.bytes - block * m_way.payload_bytes);
    }

    uint64_t blocks() const
    {
        return m_blocks;
    }

    uint64_t left() const
    {
        return m_left;
    }

    bool has(uint64_t block) const
    {
        return m_came[block];
    }

    /// The source knows that all is there.
    void end()
    {
        m_count.acknowledged = m_events.now();
        on_end();
    }

    const DatagramsSpec& m_way;
    Channel m_orders;  //!< from the source
    Channel m_reports; //!< to it

  private:
    static constexpr uint64_t KINDS = 3; //!< a packet's number is that of block and kind

    /// The receiver's socket has room for it, which it takes.
    bool has_room(uint64_t block, Time now)
    {
        if (!m_way.receiver_bps)
        {
            return true;
        }
        const double now_s = seconds(now);
        m_waiting = std::max(0.0, m_waiting - (now_s - m_waiting_at_s) * *m_way.receiver_bps / 8);
        m_waiting_at_s = now_s;
        if (m_waiting + static_cast<double>(m_way.payload_bytes) >
            static_cast<double>(m_way.socket_bytes))
        {
            ++m_count.overrun;
            return false;
        }
        m_waiting += static_cast<double>(size(block));
        return true;
    }

    Route m_data;
    const uint32_t m_header;
    const uint64_t m_blocks;
    std::vector<bool> m_came;
    uint64_t m_left;
    double m_waiting{0}; //!< bytes in the receiver's socket
    double m_waiting_at_s{0};
};

} // namespace longfat::core

#endif
