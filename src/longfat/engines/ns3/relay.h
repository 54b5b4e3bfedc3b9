// SPDX-License-Identifier: GPL-2.0-only
//
// A performance-enhancing proxy that splits a flow (RFC 3135, section 2.4): it ends one TCP
// connection and begins the next.

#ifndef LONGFAT_RELAY_H
#define LONGFAT_RELAY_H

#include "connection.h"

namespace longfat
{

/// Passes on what comes in from one connection, as fast as the next one takes it. What it has not
/// read fills the receive buffer, closes the window, and so slows down the connection before.
class Relay
{
  public:
    Relay(const FlowSpec& spec, Connection& in, Connection& out)
        : m_segmentBytes(spec.segmentBytes),
          m_in(in),
          m_out(out)
    {
        in.onAccepted = [this] {
            m_in.receiver->TraceConnectWithoutContext(
                "AdvWND",
                ns3::MakeCallback(&Relay::OnAdvertised, this));
            m_out.Connect();
        };
        in.onData = [this] { PassOn(); };
        in.onEnd = [this] {
            m_ended = true;
            PassOn();
        };
        out.onConnected = [this] {
            m_open = true;
            PassOn();
        };
        out.onSpace = [this] { PassOn(); };
    }

  private:
    void PassOn()
    {
        const uint32_t before = m_in.receiver->GetRxAvailable();
        uint32_t waiting = before;
        while (m_open && waiting > 0)
        {
            const uint32_t size = std::min(waiting, m_segmentBytes);
            if (m_out.sender->GetTxAvailable() < size)
            {
                break;
            }
            const auto packet = m_in.Take(size);
            packet->RemoveAllPacketTags(); // what the first connection has written on it
            m_out.sender->Send(packet, 0);
            waiting = m_in.receiver->GetRxAvailable();
        }
        if (waiting < before)
        {
            UpdateWindow();
        }
        if (m_open && m_ended && waiting == 0)
        {
            m_open = false;
            m_out.sender->Close();
        }
    }

    /// ns-3 leaves it to the sender to find out, by probes, that a closed window has opened. As
    /// Linux does, say so when the window has become at least twice what was advertised last.
    void UpdateWindow()
    {
        auto buffer = m_in.receiver->GetRxBuffer();
        const uint32_t size = buffer->MaxBufferSize();
        const uint32_t window = buffer->MaxRxSequence() - buffer->NextRxSequence();
        if (!m_ended && 2 * uint64_t(m_advertised) <= size && window >= 2 * m_advertised &&
            window >= std::min(m_segmentBytes, size / 2))
        {
            // ns-3 sends an ACK at once when the receive buffer is made larger.
            buffer->SetMaxBufferSize(size - 1);
            m_in.receiver->SetAttribute("RcvBufSize", ns3::UintegerValue(size));
        }
    }

    void OnAdvertised(uint32_t, uint32_t window)
    {
        m_advertised = window;
    }

    const uint32_t m_segmentBytes;
    Connection& m_in;
    Connection& m_out;
    uint32_t m_advertised{0xffffffff}; //!< last window that the sender before was told
    bool m_open{false};                //!< the next connection may be written to
    bool m_ended{false};               //!< nothing more will come in
};

} // namespace longfat

#endif
