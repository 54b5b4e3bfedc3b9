// SPDX-License-Identifier: GPL-2.0-only
//
// Transfers by datagrams: applications with a socket of UDP for the file, and two connections of TCP
// for their messages, one from the source and one to it.

#ifndef LONGFAT_NS3_DATAGRAMS_H
#define LONGFAT_NS3_DATAGRAMS_H

#include "transfer.h"

#include "ns3/udp-l4-protocol.h"

namespace longfat
{

/// A TCP connection for messages of bytes.
class Channel
{
  public:
    Channel(const FlowSpec& spec, Network& network, const Path& ends, uint16_t port)
        : m_spec(spec),
          m_connection(m_spec, network, ends, port)
    {
        m_connection.onSpace = [this] { Flush(); };
        m_connection.onData = [this] {
            while (auto packet = m_connection.Take(std::numeric_limits<uint32_t>::max()))
            {
                const Bytes more = BytesOf(*packet);
                m_came.insert(m_came.end(), more.begin(), more.end());
            }
            OnBytes();
        };
    }

    Channel(const Channel&) = delete;

    std::function<std::size_t()> size;           //!< of the next message
    std::function<void(const Bytes&)> onMessage; //!< one has come

    /// Begin the handshake; `onDone` is called at its end.
    void Open(std::function<void()> onDone)
    {
        m_connection.onConnected = [this, onDone = std::move(onDone)] {
            m_open = true;
            Flush();
            onDone();
        };
        m_connection.Connect();
    }

    void Say(const Bytes& message)
    {
        m_said += message.size();
        m_waiting.insert(m_waiting.end(), message.begin(), message.end());
        Flush();
    }

    /// Bytes of messages, so far.
    uint64_t Said() const
    {
        return m_said;
    }

  private:
    void Flush()
    {
        auto& socket = *m_connection.sender;
        std::size_t at = 0;
        while (m_open && at < m_waiting.size())
        {
            const uint32_t part = std::min<std::size_t>(m_spec.segmentBytes, m_waiting.size() - at);
            if (socket.GetTxAvailable() < part)
            {
                break;
            }
            socket.Send(ns3::Create<ns3::Packet>(&m_waiting[at], part), 0);
            at += part;
        }
        m_waiting.erase(m_waiting.begin(), m_waiting.begin() + at);
    }

    void OnBytes()
    {
        std::size_t at = 0;
        for (std::size_t next = size(); m_came.size() - at >= next; next = size())
        {
            const Bytes message(m_came.begin() + at, m_came.begin() + at + next);
            at += next;
            onMessage(message);
        }
        m_came.erase(m_came.begin(), m_came.begin() + at);
    }

    const FlowSpec m_spec;
    Connection m_connection;
    bool m_open{false};
    uint64_t m_said{0};
    Bytes m_waiting; //!< for its socket
    Bytes m_came;    //!< of messages that are not whole
};

class DatagramTransfer : public Transfer
{
  public:
    /// `header`: bytes of the method's own in a datagram, of which the first four are the block's
    /// number. It uses three ports from `port` on.
    DatagramTransfer(const TransferSpec& spec,
                     const FlowSpec& control,
                     Network& network,
                     uint16_t port,
                     uint32_t header)
        : Transfer(spec),
          m_orders(control, network, {spec.way.front(), spec.way.back()}, port),
          m_reports(control, network, {spec.way.back(), spec.way.front()}, port + 1),
          m_header(header),
          m_blocks((spec.fileBytes + spec.blockBytes - 1) / spec.blockBytes),
          m_came(m_blocks, false)
    {
        auto socket = [&](const std::string& node) {
            return network.GetNode(node)->GetObject<ns3::UdpL4Protocol>()->CreateSocket();
        };
        m_listener = socket(spec.way.back());
        m_listener->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port + 2));
        m_listener->SetRecvCallback(ns3::MakeCallback(&DatagramTransfer::OnData, this));
        m_socket = socket(spec.way.front());
        m_socket->Bind();
        m_socket->Connect(ns3::InetSocketAddress(network.GetAddress(spec.way.back()), port + 2));
        ns3::Simulator::Schedule(ns3::Seconds(spec.beginS), &DatagramTransfer::Open, this);
    }

    TransferCount Total() const override
    {
        TransferCount sum = m_count;
        sum.controlBytes = m_orders.Said() + m_reports.Said();
        return sum;
    }

  protected:
    /// The source may send.
    virtual void Begin() = 0;

    /// The receiver wants to know nothing of such a block now.
    virtual bool Ignores(uint64_t block) const = 0;

    /// The receiver has read a datagram, with what its header says besides the number.
    virtual void OnDatagram(uint64_t block, uint64_t kind, bool isNew) = 0;

    /// `again`: this is not the first time.
    void Send(uint64_t block, uint64_t kind, bool again)
    {
        const uint64_t begin = block * m_spec.blockBytes;
        Bytes bytes;
        bytes.reserve(m_header + Size(block));
        Append(bytes, block, NUMBER);
        Append(bytes, kind, m_header - NUMBER);
        AppendFile(bytes, begin, begin + Size(block));
        ++m_count.packets;
        m_count.packetsAgain += again;
        m_count.packetBytes += PPP_IP_UDP + bytes.size();
        m_socket->Send(ns3::Create<ns3::Packet>(bytes.data(), bytes.size()));
    }

    uint64_t Size(uint64_t block) const
    {
        return std::min(m_spec.blockBytes, m_spec.fileBytes - block * m_spec.blockBytes);
    }

    uint64_t Blocks() const
    {
        return m_blocks;
    }

    bool HasAll() const
    {
        return m_count.uniqueBytes == m_spec.fileBytes;
    }

    bool Has(uint64_t block) const
    {
        return m_came[block];
    }

    /// Call that at `dueS`, or now when that is past.
    template <class T>
    static void At(double dueS, void (T::*what)(), T* whom)
    {
        ns3::Simulator::Schedule(ns3::Seconds(std::max(0.0, dueS - NowS())), what, whom);
    }

    void Known()
    {
        m_count.acknowledgedS = NowS();
        End();
    }

    Channel m_orders;  //!< from the source
    Channel m_reports; //!< to it

  private:
    static constexpr uint32_t PPP_IP_UDP = 2 + 20 + 8;
    static constexpr uint32_t NUMBER = 4;

    void Open()
    {
        m_orders.Open([this] { Begin(); });
        m_reports.Open([] {});
    }

    void OnData(ns3::Ptr<ns3::Socket> socket)
    {
        while (auto packet = socket->Recv())
        {
            const Bytes bytes = BytesOf(*packet);
            const uint64_t block = NumberAt(bytes, 0, NUMBER);
            NS_ABORT_MSG_IF(bytes.size() != m_header + Size(block), "a datagram has another size");
            if (Ignores(block) || !FindsRoom(block))
            {
                continue;
            }
            const bool isNew = !m_came[block];
            if (isNew)
            {
                m_came[block] = true;
                Add(block * m_spec.blockBytes, &bytes[m_header], Size(block));
            }
            OnDatagram(block, NumberAt(bytes, NUMBER, m_header - NUMBER), isNew);
        }
    }

    /// A receiver that reads at a rate, as fluid: what comes finds room in its socket or is lost.
    bool FindsRoom(uint64_t block)
    {
        if (std::isinf(m_spec.drainBps))
        {
            return true;
        }
        const double nowS = NowS();
        m_unread = std::max(0.0, m_unread - (nowS - m_unreadAtS) * m_spec.drainBps / 8);
        m_unreadAtS = nowS;
        if (m_unread + m_spec.blockBytes > m_spec.socketBytes)
        {
            ++m_count.overrun;
            return false;
        }
        m_unread += Size(block);
        return true;
    }

    const uint32_t m_header;
    const uint64_t m_blocks;
    std::vector<bool> m_came;
    ns3::Ptr<ns3::Socket> m_socket;
    ns3::Ptr<ns3::Socket> m_listener;
    double m_unread{0}; //!< bytes in the receiver's socket
    double m_unreadAtS{0};
};

} // namespace longfat

#endif
