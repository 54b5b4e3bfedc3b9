// SPDX-License-Identifier: GPL-2.0-only
//
// Socket buffers that grow with a connection.

#ifndef LONGFAT_BUFFERS_H
#define LONGFAT_BUFFERS_H

#include "right-sizing.h"

#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-tx-buffer.h"

#include <algorithm>

namespace longfat
{

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

/// A receive buffer that grows by right-sizing.
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
        m_delivered += bytes;
        if (!m_hasTimestamps)
        {
            m_rightSizing.OnData(m_delivered, m_buffer->MaxBufferSize(), ns3::Simulator::Now());
        }
        const uint32_t wanted = m_rightSizing.OnRead(bytes, ns3::Simulator::Now());
        if (wanted > m_buffer->MaxBufferSize())
        {
            m_buffer->SetMaxBufferSize(wanted);
        }
    }

  private:
    void OnSegment(ns3::Ptr<const ns3::Packet> packet,
                   const ns3::TcpHeader& header,
                   ns3::Ptr<const ns3::TcpSocketBase>)
    {
        m_hasTimestamps = header.HasOption(ns3::TcpOption::TS);
        if (packet->GetSize() > 0 && m_hasTimestamps)
        {
            auto stamp =
                ns3::DynamicCast<const ns3::TcpOptionTS>(header.GetOption(ns3::TcpOption::TS));
            m_rightSizing.OnEcho(stamp->GetEcho(), ns3::TcpOptionTS::NowToTsValue());
        }
    }

    ns3::Ptr<ns3::TcpRxBuffer> m_buffer;
    RightSizing m_rightSizing;
    uint64_t m_delivered{0};
    bool m_hasTimestamps{false};
};

} // namespace longfat

#endif
