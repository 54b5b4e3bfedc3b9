// SPDX-License-Identifier: GPL-2.0-only
//
// Transmission: which segment leaves next, what keeps it, and the packets that a sender makes.

#ifndef LONGFAT_CORE_TRANSMISSION_H
#define LONGFAT_CORE_TRANSMISSION_H

#include "connection.h"
#include "pacer.h"
#include "scoreboard.h"

namespace longfat::core
{

/// What a sender may send.
struct Allowance
{
    Bytes cwnd;
    bool paced;
    State state;
    bool fast_retransmit; //!< the next that is sent again leaves whatever the window
    bool new_first;       //!< new segments leave before others (F-RTO)
};

/// The answer to what leaves next.
struct NextSegment
{
    enum Kind : uint8_t
    {
        SEGMENT,
        NO_DATA, //!< the application, its buffer or the receiver's window has none
        NO_CWND, //!< the congestion window is full
        PACED,   //!< it is not time yet
    };

    Kind kind;
    uint64_t number{0};
    bool repairs{false}; //!< it is the fast retransmit
};

class Transmission
{
  public:
    Transmission(const FlowSpec& spec, const Stream& stream, const Route& route)
        : m_spec(spec),
          m_stream(stream),
          m_route(&route),
          m_available(stream.segments),
          m_buffer_segments(static_cast<uint64_t>(spec.send_buffer.value_or(0)) /
                            spec.segment_bytes)
    {
    }

    Pacer pacer;
    Bytes advertised_window{0}; //!< by the receiver

    /// An ACK has come that was sent then: its timestamp is echoed (RFC 7323, section 4.3).
    void note_timestamp(Time sent)
    {
        m_packet.echo = std::max(m_packet.echo, sent);
    }

    /// The application has no segment from that one on.
    void end_data(uint64_t number)
    {
        m_available = number;
    }

    /// What is sent from now on takes that way.
    void set_route(const Route& route)
    {
        m_route = &route;
    }

    /// A buffer that grows holds two windows of the largest so far.
    void grow_buffer(double cwnd)
    {
        if (!m_spec.send_buffer)
        {
            constexpr double MOST = 4e18;
            m_buffer_segments =
                std::max(m_buffer_segments, static_cast<uint64_t>(std::min(2 * cwnd, MOST)));
        }
    }

    /// The first segment that the buffer has no room for.
    uint64_t room(const Scoreboard& board) const
    {
        return board.snd_una() + m_buffer_segments;
    }

    /// The first segment that there is not yet: the application has none, or its buffer no room.
    uint64_t end_of_data(const Scoreboard& board) const
    {
        return std::min(m_available, room(board));
    }

    /// All that the application has was sent.
    bool is_application_limited(const Scoreboard& board) const
    {
        return board.snd_nxt() >= m_available;
    }

    /// A new segment fits into the receiver's window.
    bool has_new(const Scoreboard& board, uint64_t end) const
    {
        const uint64_t next = board.snd_nxt();
        return next < end && board.outstanding() + m_stream.size(next) <= advertised_window;
    }

    /// There are segments to send, and the receiver's window is too small for one.
    bool is_window_closed(const Scoreboard& board, uint64_t end) const
    {
        return board.empty() && board.snd_nxt() < end && !has_new(board, end);
    }

    NextSegment next(Scoreboard& board, uint64_t end, const Allowance& allowed, Time now) const
    {
        uint64_t number;
        if (allowed.new_first)
        {
            if (!has_new(board, end))
            {
                return {NextSegment::NO_DATA};
            }
            number = board.snd_nxt();
        }
        else if (!board.next_segment(end,
                                     advertised_window,
                                     allowed.state == State::RECOVERY,
                                     &number))
        {
            return {NextSegment::NO_DATA};
        }
        const bool repairs = allowed.fast_retransmit && number < board.snd_nxt();
        if (board.pipe() + m_stream.size(number) > allowed.cwnd && !repairs)
        {
            return {NextSegment::NO_CWND};
        }
        if (allowed.paced && pacer.next() > now)
        {
            return {NextSegment::PACED};
        }
        return {NextSegment::SEGMENT, number, repairs};
    }

    void send_syn(Rare<Options> options, Time now)
    {
        Packet& syn = prepare(now);
        syn.options = std::move(options);
        syn.number = 0;
        syn.flags = Packet::SYN | (m_spec.ecn ? Packet::ECE | Packet::CWR : 0);
        syn.wire_bytes = syn_wire_bytes(m_spec.timestamps, m_spec.sack);
        m_route->first->send(syn, now);
    }

    /// The end of the handshake.
    void send_ack(Rare<Options> options, Time now)
    {
        Packet& ack = prepare(now);
        ack.options = std::move(options);
        ack.flags = Packet::ACK;
        ack.wire_bytes = ack_wire_bytes(m_spec.timestamps, 0);
        m_route->first->send(ack, now);
    }

    /// A zero-window probe: the receiver answers it.
    void send_probe(uint64_t number, Time now)
    {
        Packet& probe = prepare(now);
        probe.number = number;
        probe.flags = Packet::ACK | Packet::PROBE;
        probe.wire_bytes = ack_wire_bytes(m_spec.timestamps, 0) + 1; // a byte that finds no room
        m_route->first->send(probe, now);
    }

    /// A packet without data, of so many bytes besides.
    void send_question(const Question& question, Bytes bytes, bool low_priority, Time now)
    {
        Packet& packet = prepare(now);
        packet.options.emplace().question = question;
        packet.number = 0;
        packet.flags = static_cast<uint16_t>(Packet::PROBE | (low_priority ? int(Packet::LOW) : 0));
        packet.wire_bytes = ack_wire_bytes(m_spec.timestamps, 0) + static_cast<uint32_t>(bytes);
        m_route->first->send(packet, now);
    }

    void send_segment(uint64_t number, uint16_t flags, Rare<Options> options, Time now)
    {
        Packet& packet = prepare(now);
        packet.options = std::move(options);
        packet.number = number;
        packet.wire_bytes =
            HEADER_BYTES + (m_spec.timestamps ? TIMESTAMP_BYTES : 0) + m_stream.size(number);
        packet.flags = flags;
        m_route->first->send(packet, now);
    }

  private:
    Packet& prepare(Time now)
    {
        m_packet.route = m_route;
        m_packet.sent = now;
        m_packet.sack_blocks = 0;
        m_packet.options.reset();
        return m_packet;
    }

    const FlowSpec& m_spec;
    const Stream& m_stream;
    const Route* m_route;
    uint64_t m_available;       //!< the application has no segment from that one on
    uint64_t m_buffer_segments; //!< of the send buffer
    Packet m_packet{};
};

} // namespace longfat::core

#endif
