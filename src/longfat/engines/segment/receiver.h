// SPDX-License-Identifier: GPL-2.0-only
//
// A TCP receiver: what has arrived, and when to acknowledge it. Delayed ACKs (RFC 5681, 4.2), none
// delayed while there is a gap or when one is filled, selective acknowledgments (RFC 2018) and those of
// what came twice (RFC 2883), timestamps (RFC 7323), echoes of ECN (RFC 3168), a window of a buffer that
// is fixed or grows with the connection.
//
// One that misbehaves (S. Savage, N. Cardwell, D. Wetherall, T. Anderson, "TCP congestion control with a
// misbehaving receiver", 1999) conceals losses, divides its ACKs or acknowledges what has not come yet.

#ifndef LONGFAT_CORE_RECEIVER_H
#define LONGFAT_CORE_RECEIVER_H

#include "connection.h"
#include "router-feedback.h"
#include "scoreboard.h"

#include <functional>

namespace longfat::core
{

/// How large a receive buffer is that grows with its connection: once each round trip, room for twice
/// what the application would read in the next one, if that grows as the last one did (M. Fisk and
/// W. Feng, "Dynamic right-sizing in TCP", 2001), in payload. Where it doubles that is four times what was
/// read; Linux (tcp_rcv_space_adjust) counts the growth twice, and gives six.
class RightSizing
{
  public:
    static constexpr Bytes SMALLEST = 65'536;
    static constexpr Bytes LARGEST = 64'000'000;

    /// A receiver knows the round trip from the timestamps that come back to it.
    void on_echo(Time echo, Time now)
    {
        if (echo != m_last_echo)
        {
            m_last_echo = echo;
            const Time sample = std::max<Time>(now - echo, 1);
            m_rtt = m_rtt == 0 ? sample : (7 * m_rtt + sample) / 8;
        }
    }

    /// Without timestamps it takes a round trip, or longer, until a whole window has come: so much in
    /// order so far, and the window of now.
    void on_data(Bytes delivered, Bytes window, Time now)
    {
        if (m_window_end > 0 && delivered < m_window_end)
        {
            return;
        }
        if (m_window_end > 0)
        {
            const Time sample = std::max<Time>(now - m_window_since, 1);
            m_rtt = m_rtt == 0 ? sample : std::min(m_rtt, sample);
        }
        m_window_end = delivered + window;
        m_window_since = now;
    }

    /// The application has read so much; returns how large the buffer should be, 0 for as it is.
    Bytes on_read(Bytes bytes, Time now)
    {
        m_read += bytes;
        if (bytes == 0 || m_rtt == 0 || now - m_since < m_rtt)
        {
            return 0;
        }
        double wanted = 0;
        if (m_read > m_read_before)
        {
            const double growth = m_read_before > 0 ? double(m_read) / double(m_read_before) : 2;
            wanted = std::min<double>(2 * growth * double(m_read), LARGEST);
            m_read_before = m_read;
        }
        m_read = 0;
        m_since = now;
        return static_cast<Bytes>(wanted);
    }

  private:
    Time m_rtt{0}; //!< smoothed; 0: not known yet
    Time m_last_echo{0};
    Bytes m_window_end{0};  //!< without timestamps: the last byte of the window that is coming
    Time m_window_since{0}; //!< and when it began
    Time m_since{0};        //!< beginning of this round trip
    Bytes m_read{0};        //!< in this round trip
    Bytes m_read_before{0}; //!< in the round trip that read most
};

class Receiver final : public Endpoint
{
  public:
    Receiver(EventQueue& events, const FlowSpec& spec, const Stream& stream, const Route& back)
        : m_events(events),
          m_spec(spec),
          m_stream(stream),
          m_back(back),
          m_buffer(std::min(spec.receive_buffer.value_or(RightSizing::LARGEST), LARGEST_WINDOW)),
          m_window_scale(window_scale(m_buffer)),
          m_unacknowledged(spec.segments_per_ack), // so that the first segment is answered at once
          m_ack_timer(events, this),
          m_handshake_timer(events, this)
    {
    }

    std::function<void()> on_accepted; //!< called when the connection is there
    std::function<void()> on_delivery; //!< called when there is more in order

    void receive(const Packet& packet, Time now) override
    {
        if (packet.flags & Packet::SYN)
        {
            on_syn(packet, now);
            return;
        }
        if (!m_established)
        {
            m_established = true;
            m_handshake_timer.stop();
            m_buffer = m_spec.receive_buffer.value_or(RightSizing::SMALLEST);
            if (on_accepted)
            {
                on_accepted();
            }
        }
        if (packet.options) [[unlikely]]
        {
            m_reflection.on_packet(*packet.options);
            if (packet.options->question.kind != Question::NONE)
            {
                answer(packet, now);
                return;
            }
        }
        if (packet.flags & Packet::PROBE)
        {
            send_ack(now);
            return;
        }
        if (packet.flags & Packet::ACK)
        {
            m_echo = packet.sent; // the end of the handshake, or an ACK has gone too far
            m_new = 0;
            return;
        }
        on_segment(packet, now);
    }

    /// Payload in order, so far.
    Bytes delivered_bytes() const
    {
        return m_stream.offset(m_next);
    }

    /// The first segment that has not arrived.
    uint64_t rcv_nxt() const
    {
        return m_next;
    }

    /// So many segments in order have not been read yet: a relay cannot pass them on.
    void hold(uint64_t segments)
    {
        m_unread = static_cast<Bytes>(segments) * m_stream.mss;
        read(m_events.now());
    }

    /// After some have been read: tell the sender when the window has become at least twice what it was
    /// told last (RFC 9293, 3.8.6.2.2; as Linux does it).
    void update_window()
    {
        const Bytes room = window();
        if (2 * m_advertised <= m_buffer && room >= 2 * m_advertised &&
            room >= std::min<Bytes>(m_stream.mss, m_buffer / 2))
        {
            send_ack(m_events.now());
        }
    }

    /// At the end of a run: whether every segment that came was new once.
    bool is_consistent() const
    {
        return m_came + m_concealed == m_next + m_early_count + m_again;
    }

  private:
    void on_syn(const Packet& packet, Time now)
    {
        if (m_established)
        {
            return;
        }
        if (!m_handshake_timer.is_running())
        {
            m_echo = packet.sent;
        }
        m_ecn = m_spec.ecn && (packet.flags & Packet::ECE);
        if (packet.options)
        {
            m_reflection.on_packet(*packet.options);
        }
        send_syn_ack(now);
    }

    void on_handshake_timeout()
    {
        send_syn_ack(m_events.now());
    }

    void send_syn_ack(Time now)
    {
        if (m_handshakes > SYN_RETRIES)
        {
            return;
        }
        if (!m_handshake_timer.is_running())
        {
            m_handshake_timer.set(SYN_TIMEOUT << m_handshakes);
        }
        ++m_handshakes;
        Packet& answer = prepare(now);
        answer.flags = Packet::SYN | Packet::ACK | (m_ecn ? Packet::ECE : 0);
        answer.wire_bytes = syn_wire_bytes(m_spec.timestamps, m_spec.sack);
        answer.window = std::min(m_buffer, UNSCALED_WINDOW); // not scaled
        m_reflection.answer(answer.options, true);
        m_back.first->send(answer, now);
        if (m_reflection.has_approval())
        {
            // A SYN's window is not scaled, so that 64 KB would be all that Quick-Start can send
            // (draft-scharf-tsvwg-quick-start-flow-control): tell the whole one at once.
            send_ack(now, Packet::PROBE);
            m_unacknowledged = m_spec.segments_per_ack;
        }
    }

    /// A probe or query is answered at once.
    void answer(const Packet& asked, Time now)
    {
        const Question& question = asked.options->question;
        Packet& packet = prepare(now);
        packet.flags = Packet::ACK | Packet::PROBE;
        packet.options.emplace().question = question;
        packet.options->question.is_answer = true;
        packet.wire_bytes = question.kind == Question::QUERY ? asked.wire_bytes
                                                             : ack_wire_bytes(m_spec.timestamps, 0);
        m_back.first->send(packet, now);
    }

    void on_segment(const Packet& packet, Time now)
    {
        ++m_came;
        m_segment_sent = packet.sent;
        m_segment_received = now;
        m_segment_hidden = packet.options ? packet.options->hidden : 0;
        note_mark(packet);
        // RFC 7323, 4.3: echo the timestamp of the segment that the next ACK is about, which a
        // segment is too that came before.
        if (packet.sent >= m_echo && packet.number <= m_acknowledged)
        {
            m_echo = packet.sent;
        }
        m_is_newest = packet.sent >= m_latest_sent;
        m_latest_sent = std::max(m_latest_sent, packet.sent);
        const uint64_t expected = m_next;
        const bool conceals = m_spec.conceals_losses || m_spec.optimistic_ack > 0;
        if (conceals && packet.number > m_next) [[unlikely]]
        {
            conceal(packet.number);
        }
        if (!store(packet.number))
        {
            ++m_again;
            m_new = 0;
            m_is_newest = false;
            m_duplicate = packet.number;
            send_ack(now, Packet::AGAIN);
            return;
        }
        ++m_new;
        if (!m_spec.receive_buffer)
        {
            measure_round_trip(packet, now);
        }
        if (m_next > expected && on_delivery)
        {
            on_delivery();
        }
        read(now);
        if (m_early_count > 0 || m_next > expected + 1 ||
            ++m_unacknowledged >= m_spec.segments_per_ack)
        {
            send_ack(now);
        }
        else if (!m_ack_timer.is_running())
        {
            m_ack_timer.set(m_spec.ack_timeout);
        }
    }

    Bytes window() const
    {
        return m_buffer - std::min(m_unread, m_buffer);
    }

    void note_mark(const Packet& packet)
    {
        if ((packet.flags & Packet::CWR))
        {
            m_echo_mark = false;
        }
        if (m_ecn && (packet.flags & Packet::CE))
        {
            m_echo_mark = true; // until CWR comes (RFC 3168, 6.1.3)
        }
    }

    void measure_round_trip(const Packet& packet, Time now)
    {
        if (m_spec.timestamps)
        {
            m_right_sizing.on_echo(packet.echo, now);
        }
        else
        {
            m_right_sizing.on_data(m_stream.offset(m_next), window(), now);
        }
    }

    /// What is there in order and does not wait has been read; the buffer follows it.
    void read(Time now)
    {
        if (!m_spec.receive_buffer)
        {
            const Bytes read = std::max(m_stream.offset(m_next) - m_unread, m_read);
            m_buffer = std::max(m_buffer, m_right_sizing.on_read(read - m_read, now));
            m_read = read;
        }
    }

    static int window_scale(Bytes bytes)
    {
        int scale = 0;
        for (; bytes >> scale > UNSCALED_WINDOW; ++scale)
        {
        }
        return scale;
    }

    /// Acknowledge what is missing before that segment as if it had come.
    void conceal(uint64_t number)
    {
        m_concealed += number - m_next;
        for (; m_next < number; ++m_next)
        {
            m_arrived += m_stream.size(m_next);
        }
    }

    /// Keep a segment; returns false for one that was there before.
    bool store(uint64_t number)
    {
        if (number < m_next)
        {
            return false;
        }
        if (number == m_next)
        {
            m_arrived += m_stream.size(number);
            ++m_next;
            if (!m_early.empty())
            {
                m_early.pop();
                while (!m_early.empty() && m_early.front())
                {
                    m_early.pop();
                    ++m_next;
                    --m_early_count;
                }
                std::erase_if(m_blocks, [this](const Block& block) { return block.end <= m_next; });
            }
            return true;
        }
        while (m_early.size() <= number - m_next)
        {
            m_early.push() = 0;
        }
        if (m_early[number - m_next])
        {
            return false;
        }
        m_early[number - m_next] = 1;
        m_arrived += m_stream.size(number);
        ++m_early_count;
        update_blocks(number);
        return true;
    }

    /// The newest block first, joined with those next to it (RFC 2018, section 4).
    void update_blocks(uint64_t number)
    {
        Block newest{number, number + 1};
        for (std::size_t i = 0; i < m_blocks.size();)
        {
            if (m_blocks[i].end == newest.begin || newest.end == m_blocks[i].begin)
            {
                newest.begin = std::min(newest.begin, m_blocks[i].begin);
                newest.end = std::max(newest.end, m_blocks[i].end);
                m_blocks.erase(m_blocks.begin() + static_cast<std::ptrdiff_t>(i));
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

    void on_ack_timeout()
    {
        send_ack(m_events.now());
    }

    void send_ack(Time now, uint16_t flags = 0)
    {
        m_ack_timer.stop();
        m_unacknowledged = 0;
        const uint64_t before = m_acknowledged;
        m_acknowledged = m_next + optimism();
        if (m_spec.ack_division > 1) [[unlikely]]
        {
            send_parts(before, flags, now);
        }
        Packet& ack = prepare_ack(m_acknowledged, 0, flags, now);
        ack.segment_sent = std::exchange(m_segment_sent, NEVER);
        ack.flags |= std::exchange(m_is_newest, false) ? Packet::NEWEST : 0;
        m_reflection.answer(ack.options, false);
        if (m_spec.sack)
        {
            ack.duplicate = m_spec.undo || m_spec.rack ? m_duplicate : NO_LIMIT;
            const std::size_t most = (m_spec.timestamps ? 3 : 4) - (ack.duplicate != NO_LIMIT);
            for (; ack.sack_blocks < std::min(m_blocks.size(), most); ++ack.sack_blocks)
            {
                const Block& block = m_blocks[ack.sack_blocks];
                ack.sack[ack.sack_blocks] = {static_cast<uint32_t>(block.begin - m_next),
                                             static_cast<uint32_t>(block.end - m_next)};
            }
        }
        m_duplicate = NO_LIMIT;
        if (m_spec.timestamps && m_segment_hidden > 0)
        {
            options_of(ack).hidden = m_segment_hidden;
        }
        ack.wire_bytes =
            ack_wire_bytes(m_spec.timestamps, ack.sack_blocks + (ack.duplicate != NO_LIMIT));
        m_back.first->send(ack, now);
    }

    /// How many segments an ACK is ahead of what has come: so many as may be, but one less than have
    /// come since the beginning, or since the sender last showed that an ACK had gone too far, so that
    /// it does not overtake a window that is small. An application knows where its data end.
    uint64_t optimism() const
    {
        const uint64_t ahead =
            std::min(m_spec.optimistic_ack, m_new - std::min<uint64_t>(m_new, 1));
        return std::min(ahead, m_stream.segments - m_next);
    }

    /// What the next ACK acknowledges for the first time, in equal parts but for the last, which is that
    /// ACK, and alone says what an ACK says besides.
    void send_parts(uint64_t before, uint16_t flags, Time now)
    {
        const auto from = static_cast<uint64_t>(m_stream.offset(before));
        const auto to = static_cast<uint64_t>(m_stream.offset(m_acknowledged));
        const uint64_t bytes = to - std::min(from, to);
        const uint64_t parts = std::min(m_spec.ack_division, bytes);
        for (uint64_t i = 1; i < parts; ++i)
        {
            const uint64_t position = from + bytes * i / parts;
            Packet& ack = prepare_ack(position / m_stream.mss, position % m_stream.mss, flags, now);
            ack.wire_bytes = ack_wire_bytes(m_spec.timestamps, 0);
            m_back.first->send(ack, now);
        }
    }

    /// Of all before that segment, and so many bytes of it.
    Packet& prepare_ack(uint64_t number, uint64_t part, uint16_t flags, Time now)
    {
        Packet& ack = prepare(now);
        ack.number = number;
        ack.part = static_cast<uint32_t>(part);
        const Bytes ahead = m_stream.offset(number) + ack.part - m_stream.offset(m_next);
        ack.arrived += std::max<Bytes>(ahead, 0);
        ack.flags = static_cast<uint16_t>(Packet::ACK | flags | (m_echo_mark ? Packet::ECE : 0));
        return ack;
    }

    static Options& options_of(Packet& packet)
    {
        return packet.options ? *packet.options : packet.options.emplace();
    }

    Packet& prepare(Time now)
    {
        m_packet.route = &m_back;
        m_packet.options.reset();
        m_packet.number = m_next;
        m_packet.part = 0;
        m_packet.sent = now;
        m_packet.echo = m_echo;
        m_packet.segment_sent = NEVER;
        m_packet.segment_received = m_segment_received;
        m_packet.arrived = m_arrived;
        m_packet.duplicate = NO_LIMIT;
        m_advertised = window();
        m_packet.window = m_advertised >> m_window_scale << m_window_scale;
        m_packet.sack_blocks = 0;
        return m_packet;
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
    Bytes m_buffer;
    int m_window_scale;         //!< the window is told in units of 2 to that power
    Bytes m_unread{0};          //!< in order, and not read yet
    Bytes m_read{0};            //!< so far
    Bytes m_advertised{0};      //!< window that the sender was told last
    RightSizing m_right_sizing; //!< of a buffer that grows
    bool m_established{false};
    uint64_t m_handshakes{0};       //!< SYN-ACKs sent
    uint64_t m_next{0};             //!< rcv_nxt, first segment that has not arrived
    Ring<uint8_t> m_early;          //!< from the next on: whether it has arrived
    uint64_t m_early_count{0};      //!< how many have arrived early
    Bytes m_arrived{0};             //!< in order or not, each once
    uint64_t m_came{0};             //!< segments, all that have come
    uint64_t m_again{0};            //!< of them, those that had come before
    uint64_t m_concealed{0};        //!< that had not come, and were acknowledged
    std::vector<Block> m_blocks;    //!< of early segments, the newest first
    uint64_t m_new{0};              //!< that came since no ACK has gone too far
    uint64_t m_acknowledged{0};     //!< highest number sent in an ACK (Last.ACK.sent)
    uint64_t m_unacknowledged;      //!< segments since the last ACK
    uint64_t m_duplicate{NO_LIMIT}; //!< segment that came twice, and no ACK has told of it
    Time m_echo{0};                 //!< TS.Recent
    Time m_segment_sent{NEVER};     //!< of the segment that came last; NEVER: an ACK has told
    Time m_latest_sent{0};          //!< of all that have come
    bool m_is_newest{false};        //!< Packet::NEWEST, of the segment that came last
    Time m_segment_received{0};
    Time m_segment_hidden{0}; //!< by a base station (WTCP)
    bool m_ecn{false};        //!< was agreed on
    bool m_echo_mark{false};  //!< until the sender has reacted
    Reflection m_reflection;
    Packet m_packet{};
    Timer<Receiver, &Receiver::on_ack_timeout> m_ack_timer;
    Timer<Receiver, &Receiver::on_handshake_timeout> m_handshake_timer;
};

} // namespace longfat::core

#endif
