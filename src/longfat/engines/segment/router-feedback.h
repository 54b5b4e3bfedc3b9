// SPDX-License-Identifier: GPL-2.0-only
//
// What the two ends of a connection do with what routers say: XCP's congestion headers and their
// reflection (draft-falk-xcp-spec-03, sections 3 and 5), and Quick-Start (RFC 4782, section 4): the
// request on the SYN, the response on the SYN-ACK, which the sender checks, a first window at the approved
// rate, paced over a round trip, and the report.

#ifndef LONGFAT_CORE_ROUTER_FEEDBACK_H
#define LONGFAT_CORE_ROUTER_FEEDBACK_H

#include "../json.h"
#include "link.h"

namespace longfat::core
{

/// The receiver's part: it tells the sender what has come with its packets.
class Reflection
{
  public:
    void on_packet(const Options& options)
    {
        if (options.xcp.present)
        {
            const bool complete = options.xcp.ttl == options.ttl;
            m_echo.complete = complete && (m_echo.complete || !m_echo.present);
            m_echo.present = true;
            m_echo.rate_change += options.xcp.feedback;
        }
        const QuickStart& request = options.quick_start;
        if (request.kind == QuickStart::REQUEST)
        {
            const auto difference = static_cast<uint8_t>(options.ttl - request.ttl);
            m_response = {QuickStart::RESPONSE, request.rate, difference, request.nonce};
        }
    }

    /// Some router rate was approved.
    bool has_approval() const
    {
        return m_response.rate > 0;
    }

    /// What an acknowledgment carries, if there is anything.
    void answer(Rare<Options>& options, bool syn_ack)
    {
        const bool responds = syn_ack && m_response.kind == QuickStart::RESPONSE;
        if (m_echo.present || responds)
        {
            Options& told = options ? *options : options.emplace();
            told.echo = m_echo;
            told.quick_start = responds ? m_response : QuickStart{};
        }
        m_echo = {};
    }

  private:
    RouterFeedback m_echo;
    QuickStart m_response;
};

/// The sender's part of XCP: a header in every segment, and what comes back.
class XcpSender
{
  public:
    /// `speaks`: the congestion control wants to be told.
    explicit XcpSender(bool speaks)
        : m_speaks(speaks)
    {
    }

    /// For a segment or SYN, of a flow with that round trip, or NO_RTT.
    void write(Rare<Options>& options, Time srtt, double cwnd) const
    {
        if (m_speaks)
        {
            CongestionHeader& header = (options ? *options : options.emplace()).xcp;
            header.present = true;
            header.ttl = Options::TTL;
            header.rtt_s = srtt == NO_RTT ? 0 : seconds(srtt);
            header.spacing_s = cwnd > 0 ? header.rtt_s / cwnd : 0;
            header.feedback = UNLIMITED;
        }
    }

    /// An acknowledgment has come, be it an old one.
    void on_echo(const RouterFeedback& echo)
    {
        if (m_speaks && echo.present)
        {
            m_due.complete = echo.complete && (m_due.complete || !m_due.present);
            m_due.present = true;
            m_due.rate_change += echo.rate_change;
            (echo.complete ? m_is_told : m_was_silent) = true;
        }
    }

    /// What the congestion control has not been told.
    RouterFeedback take()
    {
        const RouterFeedback due = m_due;
        m_due = {};
        return due;
    }

    void write(JsonWriter& head) const
    {
        if (m_speaks)
        {
            head.Name("xcp").Text(m_is_told && !m_was_silent ? "spoken"
                                  : m_is_told                ? "in part"
                                                             : "fallen back");
        }
    }

  private:
    const bool m_speaks;
    RouterFeedback m_due;
    bool m_is_told{false};    //!< once all routers on the way spoke XCP
    bool m_was_silent{false}; //!< once one did not
};

/// The sender's part of Quick-Start.
class QuickStartSender
{
  public:
    /// `rate_bps`: what it asks for, headers included; 0: nothing.
    explicit QuickStartSender(double rate_bps)
        : m_wanted_bps(rate_bps)
    {
    }

    /// A SYN that is sent again asks for nothing.
    void write_request(Rare<Options>& options, bool first, uint64_t seed)
    {
        m_request.kind = QuickStart::NONE;
        if (first && m_wanted_bps > 0)
        {
            const uint64_t draw = scrambled(seed);
            m_request.kind = QuickStart::REQUEST;
            m_request.rate = QuickStartRate::at_most(m_wanted_bps);
            m_request.ttl = static_cast<uint8_t>(draw >> 32);
            m_request.nonce =
                static_cast<uint32_t>(draw) & QuickStart::mask(QuickStartRate::LARGEST);
            (options ? *options : options.emplace()).quick_start = m_request;
        }
    }

    /// The SYN-ACK has come, after a round trip or NO_RTT. Returns the window and the pace from now on:
    /// those of now, or of what all routers have approved.
    Control on_response(
        const Rare<Options>& options, Time rtt, const Control& now, Bytes mss, Bytes header_bytes)
    {
        const bool has_own_pace = now.pacing_bps < UNLIMITED;
        if (m_request.kind != QuickStart::REQUEST || has_own_pace || !options || rtt == NO_RTT ||
            !is_valid(options->quick_start))
        {
            return now;
        }
        m_response = options->quick_start;
        m_approved_bps = QuickStartRate::bps(m_response.rate);
        const auto wire_bytes = static_cast<double>(mss + header_bytes);
        const double window = std::floor(m_approved_bps / 8 * seconds(rtt) / wire_bytes);
        m_initial_window = now.cwnd;
        m_is_paced = window > now.cwnd;
        const double payload = static_cast<double>(mss) / wire_bytes;
        return m_is_paced ? Control{window, now.ssthresh, m_approved_bps * payload} : now;
    }

    /// On the packet that ends the handshake.
    void write_report(Rare<Options>& options) const
    {
        if (m_approved_bps > 0)
        {
            (options ? *options : options.emplace()).quick_start = {QuickStart::REPORT,
                                                                    m_response.rate,
                                                                    0,
                                                                    m_response.nonce};
        }
    }

    /// The first window is being paced.
    bool is_paced() const
    {
        return m_is_paced;
    }

    /// The first ACK of data ends the paced window: what is in flight is what the path holds. `next` is
    /// the first segment that was not sent in it.
    Control on_advance(uint64_t next, double flight, const Control& now)
    {
        m_is_paced = false;
        m_end = next;
        return {std::max(m_initial_window, std::min(now.cwnd, flight)), now.ssthresh, UNLIMITED};
    }

    /// A segment is lost, the threshold has fallen. If it was one of the first window, the rate was not
    /// there: the connection goes on as if it had not asked, with the initial window, and slow start to
    /// half of what it had. Returns whether it is so.
    bool on_loss(uint64_t snd_una, const Control& now)
    {
        if (!m_is_paced && snd_una >= m_end)
        {
            return false;
        }
        m_is_paced = false;
        m_end = 0;
        m_after_loss = now.ssthresh;
        return true;
    }

    double initial_window() const
    {
        return m_initial_window;
    }

    /// The recovery is over; returns the threshold after it, 0: as it is.
    double on_recovered()
    {
        return std::exchange(m_after_loss, 0);
    }

    /// The timer has expired, or a loss was none: what the window is says another. Returns whether the
    /// pace was Quick-Start's.
    bool end()
    {
        m_end = 0;
        m_after_loss = 0;
        return std::exchange(m_is_paced, false);
    }

    void write(JsonWriter& head) const
    {
        if (m_wanted_bps > 0)
        {
            head.Name("quick_start_bps").Number(m_approved_bps);
        }
    }

  private:
    /// RFC 4782, section 4.4: all routers were asked, and nobody claims more than was approved.
    bool is_valid(const QuickStart& response) const
    {
        const auto difference = static_cast<uint8_t>(Options::TTL - m_request.ttl);
        const uint32_t known = QuickStart::mask(response.rate);
        return response.kind == QuickStart::RESPONSE && response.rate > 0 &&
               response.rate <= m_request.rate && response.ttl == difference &&
               (response.nonce & known) == (m_request.nonce & known);
    }

    const double m_wanted_bps;
    QuickStart m_request;
    QuickStart m_response;
    double m_approved_bps{0};
    bool m_is_paced{false};
    double m_initial_window{0}; //!< without Quick-Start, segments
    uint64_t m_end{0};          //!< after the first window's segments; 0: it does not matter
    double m_after_loss{0};     //!< threshold after the recovery from a loss in it; 0: none
};

} // namespace longfat::core

#endif
