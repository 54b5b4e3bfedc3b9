// SPDX-License-Identifier: GPL-2.0-only
//
// What the two ends of a connection do with what routers say: XCP's headers and their echo, and
// Quick-Start (RFC 4782, section 4): the request on the SYN, the response on the SYN-ACK, which the
// sender checks, a first window at the approved rate, paced over a round trip, and the report.

#ifndef LONGFAT_SEGMENT_ROUTER_ENDS_H
#define LONGFAT_SEGMENT_ROUTER_ENDS_H

#include "../../cc/router-feedback.h"
#include "../json.h"
#include "link.h"

#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>

namespace longfat::segment
{

/// The receiver's part.
class RouterReceiver
{
  public:
    void OnSyn(const RouterHeader& header)
    {
        const QuickStart& request = header.quickStart;
        if (request.kind == QuickStart::REQUEST)
        {
            const auto difference = static_cast<uint8_t>(header.ttl - request.ttl);
            m_response = {QuickStart::RESPONSE, request.rate, difference, request.nonce};
        }
        OnSegment(header);
    }

    bool HasApproval() const
    {
        return m_response.rate > 0;
    }

    void OnSegment(const RouterHeader& header)
    {
        if (header.xcp.isThere)
        {
            m_echo.isThere = true;
            m_echo.isSilent |= header.xcp.ttl != header.ttl;
            m_echo.feedback += header.xcp.feedback;
        }
    }

    void Answer(RouterHeader& header, bool isSynAck)
    {
        header = {};
        header.echo = m_echo;
        m_echo = {};
        if (isSynAck)
        {
            header.quickStart = m_response;
        }
    }

  private:
    CongestionEcho m_echo;
    QuickStart m_response;
};

/// The sender's part.
class RouterSender
{
    using State = ns3::TcpSocketState;

  public:
    RouterSender(ns3::Ptr<State> tcb, const FlowSpec& spec)
        : m_tcb(tcb),
          m_spec(spec)
    {
    }

    void Use(ns3::Ptr<ns3::TcpCongestionOps> congestionControl)
    {
        m_control = congestionControl;
        m_feedback = dynamic_cast<RouterFeedback*>(ns3::PeekPointer(congestionControl));
    }

    /// `seed` of the nonce. A SYN that is sent again asks for nothing.
    void OnSyn(RouterHeader& header, bool isFirst, uint64_t seed)
    {
        AddCongestionHeader(header);
        header.xcp.rttS = 0;
        if (isFirst && m_spec.quickStartBps > 0)
        {
            const uint64_t draw = Scrambled(seed);
            m_request.kind = QuickStart::REQUEST;
            m_request.rate = QuickStartRate::AtMost(m_spec.quickStartBps);
            m_request.ttl = static_cast<uint8_t>(draw >> 32);
            m_request.nonce =
                static_cast<uint32_t>(draw) & QuickStart::Mask(QuickStartRate::LARGEST);
            header.quickStart = m_request;
        }
    }

    /// The window is set, and the round trip is known (0: the SYN was sent twice). From now on the
    /// first window is larger, and paced, if all routers have approved.
    void OnSynAck(const RouterHeader& answer, Ticks rtt, uint32_t headerBytes)
    {
        OnEcho(answer.echo);
        const QuickStart& response = answer.quickStart;
        if (m_request.kind != QuickStart::REQUEST || m_control->HasCongControl() || m_tcb->m_pacing)
        {
            return; // it has asked for nothing, or has a pace of its own
        }
        const auto difference = static_cast<uint8_t>(RouterHeader::TTL - m_request.ttl);
        const uint32_t known = QuickStart::Mask(response.rate);
        if (rtt <= 0 || response.kind != QuickStart::RESPONSE || response.rate == 0 ||
            response.rate > m_request.rate || response.ttl != difference ||
            (response.nonce & known) != (m_request.nonce & known))
        {
            return;
        }
        m_approvedBps = QuickStartRate::Bps(response.rate);
        m_response = response;
        const double segmentBytes = m_tcb->m_segmentSize;
        const double payload = segmentBytes / (segmentBytes + headerBytes);
        const double window =
            std::floor(m_approvedBps / 8 * ToSeconds(rtt) / (segmentBytes + headerBytes));
        m_initialWindow = m_tcb->m_cWnd;
        if (window * segmentBytes > m_initialWindow)
        {
            m_tcb->m_cWnd = static_cast<uint32_t>(std::min(window * segmentBytes, 2e9));
            m_tcb->m_cWndInfl = m_tcb->m_cWnd;
            m_tcb->m_pacing = m_tcb->m_paceInitialWindow = true;
            m_tcb->m_pacingRate = ns3::DataRate(static_cast<uint64_t>(m_approvedBps * payload));
            m_isQuick = true;
        }
    }

    /// The packet that ends the handshake.
    void Report(RouterHeader& header)
    {
        if (m_approvedBps > 0)
        {
            header.quickStart = {QuickStart::REPORT, m_response.rate, 0, m_response.nonce};
        }
    }

    /// While the first window is paced, nothing else sets the pace.
    bool KeepsPace() const
    {
        return m_isQuick;
    }

    void OnAck(const RouterHeader& header)
    {
        OnEcho(header.echo);
    }

    /// The first ACK of data ends the paced window: what is in flight is what the path holds.
    void OnProgress(uint64_t next, uint32_t flight)
    {
        if (m_isQuick)
        {
            EndPace();
            m_quickEnd = next;
            m_tcb->m_cWnd = std::max(m_initialWindow, std::min(m_tcb->m_cWnd.Get(), flight));
        }
    }

    /// A segment is lost. If it was one of the first window, the rate was not there: the connection goes
    /// on as if it had not asked, with the initial window, and slow start to half of what it had.
    void OnLoss(uint64_t head)
    {
        if (m_isQuick || head < m_quickEnd)
        {
            EndPace();
            m_quickEnd = 0;
            m_afterLoss = m_tcb->m_ssThresh;
            m_tcb->m_ssThresh = m_initialWindow;
        }
    }

    /// The timer has expired: the window is one segment, whatever it was.
    void OnTimeout()
    {
        EndPace();
        m_quickEnd = m_afterLoss = 0;
    }

    /// The recovery is over.
    void OnRecovered()
    {
        if (m_afterLoss > 0)
        {
            m_tcb->m_ssThresh = m_afterLoss;
            m_afterLoss = 0;
        }
    }

    void OnSegment(RouterHeader& header) const
    {
        AddCongestionHeader(header);
    }

    void Write(JsonWriter& head) const
    {
        if (m_feedback)
        {
            head.Name("xcp").Text(m_isTold && !m_wasSilent ? "spoken"
                                  : m_isTold               ? "in part"
                                                           : "fallen back");
        }
        if (m_spec.quickStartBps > 0)
        {
            head.Name("quick_start_bps").Number(m_approvedBps);
        }
    }

  private:
    void EndPace()
    {
        if (m_isQuick)
        {
            m_isQuick = false;
            m_tcb->m_pacing = m_tcb->m_paceInitialWindow = false;
        }
    }

    void AddCongestionHeader(RouterHeader& header) const
    {
        if (m_feedback)
        {
            const RouterFeedback::Request request = m_feedback->Ask(m_tcb);
            header.xcp = {true, header.ttl, request.rttS, request.spacingS, request.change};
        }
    }

    void OnEcho(const CongestionEcho& echo)
    {
        if (!m_feedback || !echo.isThere)
        {
            return;
        }
        if (echo.isSilent)
        {
            m_wasSilent = true;
            m_feedback->OnSilence();
            return;
        }
        m_isTold = true;
        m_feedback->OnFeedback(m_tcb, echo.feedback);
    }

    const ns3::Ptr<State> m_tcb;
    const FlowSpec& m_spec;
    ns3::Ptr<ns3::TcpCongestionOps> m_control;
    RouterFeedback* m_feedback{nullptr}; //!< if the congestion control wants it
    bool m_isTold{false};                //!< once all routers on the way spoke XCP
    bool m_wasSilent{false};             //!< once one did not
    QuickStart m_request;
    QuickStart m_response;
    double m_approvedBps{0};
    bool m_isQuick{false};       //!< the first window is being paced
    uint32_t m_initialWindow{0}; //!< without Quick-Start, in bytes
    uint64_t m_quickEnd{0};      //!< after the first window's segments; 0: it does not matter
    uint32_t m_afterLoss{0};     //!< threshold after the recovery from a loss in it; 0: none
};

} // namespace longfat::segment

#endif
