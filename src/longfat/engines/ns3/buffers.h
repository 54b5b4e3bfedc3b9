// SPDX-License-Identifier: GPL-2.0-only
//
// Socket buffers that grow with a connection, as Linux's do (net/ipv4/tcp_input.c). They count
// payload, where Linux counts the memory that holds it.

#ifndef LONGFAT_BUFFERS_H
#define LONGFAT_BUFFERS_H

#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace longfat
{

constexpr uint32_t SMALLEST_AUTO_BUFFER = 65'536;
constexpr uint32_t LARGEST_AUTO_BUFFER = 64'000'000;

/// Twice the congestion window, so that there is data to send while the window doubles.
inline void
GrowSendBuffer(ns3::Ptr<ns3::TcpSocketBase> sender)
{
    auto buffer = sender->GetTxBuffer();
    buffer->SetMaxBufferSize(SMALLEST_AUTO_BUFFER);
    sender->TraceConnectWithoutContext(
        "CongestionWindow",
        ns3::Callback<void, uint32_t, uint32_t>([buffer](uint32_t, uint32_t window) {
            const uint32_t wanted = 2 * std::min(window, LARGEST_AUTO_BUFFER / 2);
            if (wanted > buffer->MaxBufferSize())
            {
                buffer->SetMaxBufferSize(wanted);
            }
        }));
}

/// Dynamic right-sizing (M. Fisk and W. Feng, "Dynamic right-sizing in TCP", 2001): once each round
/// trip, room for twice what the application would read in the next one, if that grows as the last
/// one did.
class ReceiveBuffer
{
  public:
    /// `receiver` has accepted its connection; its handshake has announced the largest buffer.
    explicit ReceiveBuffer(ns3::Ptr<ns3::TcpSocketBase> receiver)
        : m_buffer(receiver->GetRxBuffer())
    {
        m_buffer->SetMaxBufferSize(SMALLEST_AUTO_BUFFER);
        receiver->TraceConnectWithoutContext("Rx",
                                             ns3::MakeCallback(&ReceiveBuffer::OnSegment, this));
    }

    /// The application has read so much.
    void OnRead(uint32_t bytes)
    {
        m_read += bytes;
        const ns3::Time now = ns3::Simulator::Now();
        if (m_rtt.IsZero() || now - m_since < m_rtt)
        {
            return;
        }
        if (m_read > m_readBefore)
        {
            const double growth = m_readBefore > 0 ? double(m_read) / m_readBefore : 2;
            const double wanted = std::min<double>(2 * growth * m_read, LARGEST_AUTO_BUFFER);
            if (wanted > m_buffer->MaxBufferSize())
            {
                m_buffer->SetMaxBufferSize(static_cast<uint32_t>(wanted));
            }
            m_readBefore = m_read;
        }
        m_read = 0;
        m_since = now;
    }

  private:
    /// A receiver knows the round trip from its timestamps, once for each that comes back.
    void OnSegment(ns3::Ptr<const ns3::Packet> packet,
                   const ns3::TcpHeader& header,
                   ns3::Ptr<const ns3::TcpSocketBase>)
    {
        if (packet->GetSize() == 0 || !header.HasOption(ns3::TcpOption::TS))
        {
            return;
        }
        const uint32_t echo =
            ns3::DynamicCast<const ns3::TcpOptionTS>(header.GetOption(ns3::TcpOption::TS))
                ->GetEcho();
        if (echo == m_lastEcho)
        {
            return;
        }
        m_lastEcho = echo;
        const ns3::Time sample = ns3::TcpOptionTS::ElapsedTimeFromTsValue(echo);
        m_rtt = m_rtt.IsZero()
                    ? sample
                    : ns3::NanoSeconds((7 * m_rtt.GetNanoSeconds() + sample.GetNanoSeconds()) / 8);
    }

    ns3::Ptr<ns3::TcpRxBuffer> m_buffer;
    ns3::Time m_rtt; //!< smoothed; 0: not known yet
    uint32_t m_lastEcho{0};
    ns3::Time m_since;        //!< beginning of this round trip
    uint64_t m_read{0};       //!< in this round trip
    uint64_t m_readBefore{0}; //!< in the round trip that read most
};

} // namespace longfat

#endif
