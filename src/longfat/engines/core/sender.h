// SPDX-License-Identifier: GPL-2.0-only
//
// A TCP sender by the RFCs. Each part has one job: what has arrived and what is lost (scoreboard.h),
// round trips and the timeout (round-trip.h), the delivery rate (rate-sampler.h), the window of a recovery
// (recovery.h), everything else that the congestion control decides (congestion-control.h). Here is
// what joins them: states, and the order of things on an ACK, which is always this one:
//
//     1  scoreboard: SACK blocks, the cumulative acknowledgment, then what is now lost
//     2  round trip and delivery rate, of what this ACK delivers
//     3  states: a recovery ends; a mark or a loss begins one, and the threshold is asked for, once
//     4  recovery: told once what the ACK has delivered and shown lost
//     5  congestion control: told once, with all of this
//     6  segments leave, as window, receiver, pacing and application allow

#ifndef LONGFAT_CORE_SENDER_H
#define LONGFAT_CORE_SENDER_H

#include "connection.h"
#include "rate-sampler.h"
#include "recovery.h"
#include "round-trip.h"

#include <memory>

namespace longfat::core
{

/// What a sender has done.
struct SenderCount
{
    uint64_t segments{0}; //!< sent, retransmissions included
    uint64_t retransmissions{0};
    uint64_t recoveries{0}; //!< times that loss recovery was entered
    uint64_t timeouts{0};   //!< times that the retransmission timer expired
    uint64_t undone{0};     //!< reductions that were for nothing
    Time given_up{NEVER};   //!< when the retries were over
    Time max_rtt{0};        //!< largest sample
};

/// When the next segment may leave, where segments are spread over time.
class Pacer
{
  public:
    Time next() const
    {
        return m_next;
    }

    /// A segment leaves now. The fraction of a nanosecond is kept.
    void on_sent(Time now, uint32_t bytes, double rate_bps)
    {
        const double begins = m_next > now ? m_fraction : 0;
        const double takes = std::min(8e9 * bytes / rate_bps + begins, 4e18);
        const Time base = std::max(m_next, now);
        const double whole = std::floor(takes);
        m_next = whole > static_cast<double>(NEVER - base) ? NEVER : base + Time(whole);
        m_fraction = takes - whole;
    }

  private:
    Time m_next{0};
    double m_fraction{0};
};

class Sender final : public Endpoint, private Requests
{
  public:
    Sender(EventQueue& events,
           const FlowSpec& spec,
           const Stream& stream,
           const Route& forth,
           std::unique_ptr<CongestionControl> congestion_control,
           Checks& checks)
        : m_events(events),
          m_spec(spec),
          m_stream(stream),
          m_forth(forth),
          m_cc(std::move(congestion_control)),
          m_entry(spec.algorithm->entry()),
          m_checks(checks),
          m_board(stream, spec.sack, spec.rack),
          m_rto(spec.min_rto),
          m_recovery(spec.halving),
          m_mss(spec.segment_bytes),
          m_retransmission_timer(events, this),
          m_rack_timer(events, this),
          m_pacing_timer(events, this),
          m_syn_timer(events, this),
          m_own_timer(events, this)
    {
        m_available = stream.segments;
        m_buffer_segments =
            static_cast<uint64_t>(spec.send_buffer.value_or(0)) / spec.segment_bytes;
        m_control.cwnd = 0;
    }

    Sender(const Sender&) = delete;

    SenderCount count;
    Series* cwnd_series{nullptr}; //!< those that are kept
    Series* ssthresh_series{nullptr};
    Series* rtt_series{nullptr};
    Series* bandwidth_series{nullptr};
    Series* utilization_series{nullptr};

    /// The largest delivery rate sampled.
    const RateSample& fastest() const
    {
        return m_fastest;
    }

    /// Begin the handshake.
    void start()
    {
        send_syn();
    }

    /// The application writes no more. What is in the send buffer will still be sent.
    void stop()
    {
        m_available = std::max(std::min(m_available, buffer_end()), m_board.snd_nxt());
    }

    /// At the end of a run: whether the marks add up, nothing is acknowledged that has not arrived,
    /// and what is outstanding will be sent again if it has to be.
    void finish(uint64_t arrived)
    {
        m_checks.expect(m_board.is_consistent(), "a scoreboard's counts are not its marks'");
        m_checks.expect(m_board.snd_una() <= arrived && arrived <= m_board.snd_nxt(),
                        "segments were acknowledged that had not arrived, or came unsent");
        m_checks.expect(m_board.empty() || m_retransmission_timer.is_running() ||
                            count.given_up != NEVER,
                        "a sender is stuck with data outstanding");
    }

    void on_handoff(bool local, double announced_bps)
    {
        if (m_established)
        {
            const Time now = m_events.now();
            decide(m_cc->on_handoff({now, local, announced_bps, m_window, m_mss}, m_control), now);
            transmit(now);
        }
    }

    void receive(const Packet& packet, Time now) override
    {
        if (packet.flags & Packet::SYN)
        {
            on_syn_ack(packet, now);
        }
        else if (m_established && packet.number >= m_board.snd_una() && count.given_up == NEVER)
        {
            on_ack(packet, now);
        }
    }

  private:
    // The handshake

    void send_syn()
    {
        const Time now = m_events.now();
        if (m_syns > SYN_RETRIES)
        {
            count.given_up = now;
            return;
        }
        m_syn_timer.set(SYN_TIMEOUT << m_syns);
        m_syn_sent = now;
        ++m_syns;
        Packet& syn = prepare(now);
        syn.number = 0;
        syn.flags = Packet::SYN | (m_spec.ecn ? Packet::ECE | Packet::CWR : 0);
        syn.wire_bytes = syn_wire_bytes(m_spec.timestamps, m_spec.sack);
        m_forth.first->send(syn, now);
    }

    void on_syn_ack(const Packet& ack, Time now)
    {
        if (m_established || count.given_up != NEVER)
        {
            return;
        }
        m_established = true;
        m_syn_timer.stop();
        m_window = ack.window;
        m_ecn = m_spec.ecn && (ack.flags & Packet::ECE);
        const Time rtt = m_syns == 1 ? now - m_syn_sent : NO_RTT;
        if (rtt != NO_RTT)
        {
            note_rtt(rtt, rtt, now);
            m_board.note_round_trip(rtt);
        }
        else
        {
            m_rto.on_syn_lost();
        }
        Packet& answer = prepare(now);
        answer.flags = Packet::ACK;
        answer.wire_bytes = ack_wire_bytes(m_spec.timestamps, 0);
        m_forth.first->send(answer, now);
        // After a SYN was lost the first window is one segment (RFC 5681, 3.1).
        decide({m_syns > 1 ? 1 : m_spec.initial_window, m_spec.initial_ssthresh, UNLIMITED}, now);
        if (m_entry.events & event::START)
        {
            m_cc->on_start(*this);
        }
        const Established established{now,
                                      m_mss,
                                      rtt,
                                      m_spec.max_window,
                                      m_spec.seed,
                                      m_spec.number,
                                      m_spec.sack};
        decide(m_cc->on_established(established, m_control), now);
        transmit(now);
    }

    // An ACK arrives

    void on_ack(const Packet& packet, Time now)
    {
        const uint64_t una_before = m_board.snd_una();
        const Bytes lost_before = m_board.lost();
        const uint64_t nxt_before = m_board.snd_nxt();
        Ack ack{};
        ack.now = now;
        ack.mss = m_mss;
        ack.prior_state = m_state;
        ack.prior_in_flight = m_board.pipe();
        ack.cwnd_limited = m_cwnd_limited;
        m_window = packet.window;

        // 1, 2
        m_rate.begin_ack();
        RoundTripSample round_trip(m_spec.timestamps, m_spec.timestamp_tick, packet.echo);
        bool original_delivered = false; // that was never sent again
        const auto deliver = [&](const SentSegment& segment, uint32_t bytes, bool acknowledged) {
            round_trip.add(segment, acknowledged);
            m_rate.on_delivered(segment, bytes, now);
            original_delivered = original_delivered || !segment.ambiguous;
        };
        for (uint32_t i = 0; i < packet.sack_blocks; ++i)
        {
            m_board.sack(packet.number + packet.sack[i].begin,
                         packet.number + packet.sack[i].end,
                         now,
                         [&](const SentSegment& segment, uint64_t, uint32_t bytes) {
                             ack.newly_sacked += bytes;
                             ack.newly_delivered += bytes;
                             deliver(segment, bytes, false);
                         });
        }
        const uint64_t acked = std::min(packet.number, nxt_before);
        if (acked > una_before)
        {
            m_board.acknowledge(acked,
                                now,
                                [&](const SentSegment& segment, uint64_t, uint32_t bytes) {
                                    ack.newly_delivered += bytes;
                                    deliver(segment, bytes, true);
                                });
            ack.newly_acked = m_stream.offset(acked) - m_stream.offset(una_before);
        }
        const Time rtt = round_trip.newest(now);
        ack.rtt = rtt;
        if (rtt != NO_RTT)
        {
            // No sample is longer than that of the segment which caused the ACK, but for the ACK's delay.
            // Without SACK and timestamps a sender cannot always know; and of two that were sent
            // again the first may have been overtaken.
            const bool knows = m_spec.timestamps && m_spec.sack && !round_trip.is_proven();
            m_checks.expect(packet.segment_sent == NEVER || !knows ||
                                rtt <= now - packet.segment_sent + m_spec.ack_timeout,
                            "a round trip is longer than that of the segment which caused the ACK");
            note_rtt(rtt, round_trip.oldest(now), now);
        }
        if (!m_spec.sack)
        {
            ack.newly_delivered = count_reno(ack, packet, acked - una_before);
        }
        m_arrived = std::max(m_arrived, packet.arrived); // ACKs may overtake each other
        m_checks.expect(m_rate.delivered() <= m_arrived,
                        "more was counted as delivered than has arrived");
        bool lost_again = detect_losses(now);

        // 3
        if (ack.newly_acked > 0)
        {
            m_retries = 0;
            m_tlp_sent = false;
            end_recovery(acked, now);
            if (m_board.empty())
            {
                m_retransmission_timer.stop();
            }
            else
            {
                m_retransmission_timer.set(m_rto.rto());
            }
        }
        if (m_spec.frto || m_spec.undo)
        {
            lost_again = !detect_spurious(packet, ack, original_delivered, now) && lost_again;
        }
        if (m_ecn)
        {
            on_ecn_echo(packet, ack, acked, now);
        }
        on_losses(ack, lost_again, una_before, now);

        // 4
        ack.newly_lost = m_board.lost() - lost_before;
        if (is_reducing() && !m_entry.regulates_recovery)
        {
            const bool safe = ack.newly_acked > 0 && ack.newly_lost == 0;
            m_control.cwnd = segments(m_recovery.on_ack(ack.newly_delivered,
                                                        m_board.pipe(),
                                                        ssthresh_bytes(),
                                                        safe,
                                                        m_mss));
        }

        // 5
        ack.snd_una = m_stream.offset(acked);
        ack.snd_nxt = m_stream.offset(nxt_before);
        ack.delivered = m_rate.delivered();
        ack.lost = m_board.lost();
        ack.pipe = m_board.pipe();
        ack.latest_rtt = m_latest_rtt;
        ack.srtt = m_rto.srtt();
        ack.min_rtt = m_min_rtt;
        ack.segment_sent = packet.segment_sent;
        ack.segment_received = packet.segment_received;
        ack.advertised_window = m_window;
        ack.ece = packet.flags & Packet::ECE;
        ack.state = m_state;
        ack.rate = m_rate.sample(ack.lost, m_min_rtt, now);
        ack.app_limited = m_rate.is_app_limited();
        m_checks.expect(ack.rate.interval == 0 || ack.rate.delivered <= m_arrived,
                        "a rate sample has more than what has arrived");
        m_fastest = is_faster(ack.rate, m_fastest) ? ack.rate : m_fastest;
        decide_in_state(m_cc->on_ack(ack, m_control), now);
        if (bandwidth_series)
        {
            bandwidth_series->Add(seconds(now), m_cc->bandwidth_bps());
        }
        if (utilization_series)
        {
            utilization_series->Add(seconds(now), m_cc->utilization());
        }

        // 6
        transmit(now);
        if (m_spec.rack && ack.newly_acked > 0)
        {
            arm_tail_loss_probe();
        }
    }

    /// Duplicate ACKs without SACK (RFC 6582, RFC 3042). Returns what the ACK delivers by the guess of
    /// RFC 9937, section 6: a duplicate one segment, another what none of those have told before.
    Bytes count_reno(const Ack& ack, const Packet& packet, uint64_t acked)
    {
        if (ack.newly_acked > 0)
        {
            m_dup_acks = 0;
            if (m_state == State::RECOVERY)
            {
                m_board.remove_reno_sacks(acked);
            }
            else
            {
                m_board.clear_reno_sacks();
            }
            const Bytes known = std::min(m_reno_guessed, ack.newly_delivered - m_mss);
            m_reno_guessed -= std::max<Bytes>(known, 0);
            return ack.newly_delivered - std::max<Bytes>(known, 0);
        }
        if (m_board.empty() || (packet.flags & Packet::PROBE) || m_state == State::LOSS)
        {
            return 0;
        }
        ++m_dup_acks;
        if (m_state == State::RECOVERY || m_state == State::CWR || m_spec.limited_transmit)
        {
            m_board.add_reno_sack();
        }
        m_reno_guessed += m_mss;
        return m_mss;
    }

    /// Marks what is lost; returns whether a retransmission is that followed the last reduction.
    bool detect_losses(Time now)
    {
        const auto lost = [this, now](const SentSegment& segment, uint64_t number, uint32_t bytes) {
            on_segment_lost(segment, number, bytes, now);
        };
        if (!m_spec.sack)
        {
            return false;
        }
        if (!m_spec.rack)
        {
            m_board.detect_by_sack(lost);
            return m_board.detect_lost_retransmissions(m_reduced_after, lost);
        }
        Time wait;
        const bool again = m_board.detect_by_time(now,
                                                  rack_rtt(),
                                                  reordering_window(),
                                                  m_reduced_after,
                                                  &wait,
                                                  lost);
        if (wait == NEVER)
        {
            m_rack_timer.stop();
        }
        else
        {
            m_rack_is_probe = false;
            m_rack_timer.set(wait);
        }
        return again && m_state == State::RECOVERY;
    }

    void on_segment_lost(const SentSegment& segment, uint64_t number, uint32_t bytes, Time now)
    {
        if (m_entry.events & event::LOST)
        {
            m_cc->on_lost({now,
                           m_stream.offset(number),
                           static_cast<Bytes>(bytes),
                           segment.sent,
                           segment.delivered,
                           m_board.lost() + bytes - segment.lost_before,
                           segment.tx_in_flight,
                           segment.is_app_limited});
        }
    }

    static bool is_faster(const RateSample& a, const RateSample& b)
    {
        return static_cast<double>(a.delivered) * static_cast<double>(b.interval) >
                   static_cast<double>(b.delivered) * static_cast<double>(a.interval) ||
               (b.interval == 0 && a.interval > 0);
    }

    void note_rtt(Time rtt, Time of_timeout, Time now)
    {
        m_latest_rtt = rtt;
        m_min_rtt = std::min(m_min_rtt, rtt);
        m_rto.on_sample(of_timeout);
        count.max_rtt = std::max(count.max_rtt, rtt);
        if (rtt_series)
        {
            rtt_series->Add(seconds(now), seconds(rtt));
        }
    }

    /// A recovery is over when all is acknowledged that had been sent at its beginning.
    void end_recovery(uint64_t acked, Time now)
    {
        if (acked >= m_recover && m_state != State::OPEN && m_state != State::DISORDER)
        {
            const State from = m_state;
            m_state = State::OPEN;
            if (!m_spec.sack)
            {
                m_board.clear_reno_sacks();
                m_reno_guessed = 0;
            }
            const bool told = m_entry.events & event::RECOVERED;
            if (from != State::LOSS && (told || !m_entry.regulates_recovery))
            {
                decide(m_cc->on_recovered({now, m_mss, m_board.pipe(), from}, m_control), now);
            }
        }
        if (m_state == State::DISORDER)
        {
            m_state = State::OPEN;
        }
    }

    /// Begin a recovery, or another, if this ACK shows that it must.
    void on_losses(const Ack& ack, bool lost_again, uint64_t una_before, Time now)
    {
        if (!m_spec.sack)
        {
            on_duplicate_acks(ack, una_before, now);
            return;
        }
        if (lost_again && (m_state == State::RECOVERY || m_state == State::LOSS))
        {
            begin_recovery(Congestion::LOST_RETRANSMISSION, ack, now);
            return;
        }
        if (m_state == State::RECOVERY || m_state == State::LOSS)
        {
            return;
        }
        if (m_board.lost_out() > 0)
        {
            begin_recovery(Congestion::LOSS, ack, now);
        }
        else if (m_board.sacked_out() > 0 && m_state == State::OPEN)
        {
            m_state = State::DISORDER;
        }
    }

    void on_duplicate_acks(const Ack& ack, uint64_t una_before, Time now)
    {
        const auto lost = [this, now](const SentSegment& segment, uint64_t number, uint32_t bytes) {
            on_segment_lost(segment, number, bytes, now);
        };
        if (m_state == State::RECOVERY)
        {
            if (ack.newly_acked > 0) // a partial acknowledgment: the next is lost too
            {
                m_board.mark_head_lost(lost);
                m_fast_retransmit = true;
            }
            return;
        }
        if (m_dup_acks == 0 || m_state == State::LOSS)
        {
            return;
        }
        m_state = m_state == State::OPEN ? State::DISORDER : m_state;
        // What is sent again although it has arrived causes duplicate ACKs too: for what was
        // outstanding at the last loss, and right after it, none counts (RFC 6582, 3.2, step 2).
        const bool counts = una_before > m_recover || m_recover == 0;
        if (m_dup_acks == Scoreboard::DUP_THRESH && counts && ack.newly_acked == 0)
        {
            if (!m_spec.limited_transmit && m_state != State::CWR)
            {
                for (uint64_t i = 0; i < Scoreboard::DUP_THRESH; ++i)
                {
                    m_board.add_reno_sack();
                }
            }
            m_board.mark_head_lost(lost);
            begin_recovery(Congestion::LOSS, ack, now);
        }
    }

    void begin_recovery(Congestion::Cause cause, const Ack& ack, Time now)
    {
        // A window is reduced once, be it for marks or losses (RFC 3168, 6.1.2).
        const bool reduces = m_state != State::CWR || m_board.snd_una() >= m_recover;
        ++count.recoveries;
        m_fast_retransmit = true;
        reduce(cause, ack, now, State::RECOVERY, reduces);
    }

    /// The threshold falls, and the window to it.
    void reduce(Congestion::Cause cause, const Ack& ack, Time now, State state, bool asks)
    {
        remember();
        if (asks)
        {
            const double threshold =
                m_cc->ssthresh(congestion(cause, ack.prior_in_flight, now), m_control);
            set_ssthresh(threshold, now);
        }
        m_state = state;
        m_recover = m_board.snd_nxt();
        m_reduced_after = m_board.transmissions();
        const Bytes reported = m_board.sacked_out() - ack.newly_sacked;
        m_recovery.begin(m_board.outstanding() + ack.newly_acked - std::max<Bytes>(reported, 0));
    }

    Congestion congestion(Congestion::Cause cause, Bytes pipe, Time now) const
    {
        Congestion congestion{};
        congestion.cause = cause;
        congestion.now = now;
        congestion.mss = m_mss;
        congestion.snd_una = m_stream.offset(m_board.snd_una());
        congestion.snd_nxt = m_stream.offset(m_board.snd_nxt());
        // At a timeout all that is outstanding, else without what limited transmit has sent beyond
        // the window.
        congestion.flight_size = cause == Congestion::TIMEOUT
                                     ? m_board.outstanding()
                                     : std::min(m_board.outstanding(), cwnd_bytes());
        congestion.pipe = pipe;
        congestion.advertised_window = m_window;
        congestion.srtt = m_rto.srtt();
        congestion.min_rtt = m_min_rtt;
        return congestion;
    }

    /// A window is reduced once for all the marks in it, and the receiver is told by CWR on the next
    /// new segment (RFC 3168, 6.1.2).
    void on_ecn_echo(const Packet& packet, const Ack& ack, uint64_t acked, Time now)
    {
        if (!(packet.flags & Packet::ECE) || ack.newly_acked == 0 || m_cwr_is_due ||
            acked <= m_cwr_sent)
        {
            return;
        }
        m_cwr_is_due = true;
        if (m_state == State::OPEN || m_state == State::DISORDER)
        {
            reduce(Congestion::ECN, ack, now, State::CWR, true);
        }
    }

    // What was no loss

    /// What an undo goes back to: as it was before the first of the reductions at hand.
    void remember()
    {
        if (m_state == State::OPEN || m_state == State::DISORDER)
        {
            m_before = m_control;
            m_first_repair = NEVER;
            m_undo_count = 0;
            m_can_undo = true;
        }
    }

    /// By original segments that arrive after a timeout (F-RTO, RFC 5682, section 3), by the timestamp
    /// of the first ACK that advances (Eifel, RFC 3522), by DSACKs for all that was sent again
    /// (RFC 3708). Returns whether the last reduction is undone.
    bool detect_spurious(const Packet& packet, const Ack& ack, bool original_delivered, Time now)
    {
        if (packet.duplicate != NO_LIMIT && m_undo_count > 0)
        {
            --m_undo_count;
            if (m_spec.undo && m_undo_count == 0)
            {
                return undo(now);
            }
        }
        if (!is_reducing() && m_state != State::LOSS)
        {
            return false;
        }
        if (m_frto && m_state == State::LOSS)
        {
            if (original_delivered)
            {
                return undo(now);
            }
            m_frto = m_frto && ack.newly_acked > 0 && !m_frto_sent;
            m_frto_sent = m_frto; // the next segments that leave are new ones
        }
        const bool proves = m_spec.undo && m_spec.timestamps && ack.newly_acked > 0 &&
                            m_state != State::CWR && m_first_repair != NEVER &&
                            ticks(packet.echo) < ticks(m_first_repair);
        return proves && undo(now);
    }

    bool undo(Time now)
    {
        if (!m_can_undo)
        {
            return false;
        }
        m_can_undo = false;
        ++count.undone;
        m_board.unmark_lost();
        m_rto.undo_back_off();
        m_frto = m_frto_sent = false;
        m_state = State::OPEN;
        decide(m_cc->on_undo({now, m_before}, m_control), now);
        return true;
    }

    Time ticks(Time time) const
    {
        return m_spec.timestamp_tick > 0 ? time / m_spec.timestamp_tick : time;
    }

    // Timers

    void on_retransmission_timeout()
    {
        if (m_board.empty() || count.given_up != NEVER)
        {
            return;
        }
        const Time now = m_events.now();
        if (m_retries == m_spec.retries)
        {
            count.given_up = now;
            m_available = m_board.snd_nxt();
            return;
        }
        ++m_retries;
        ++count.timeouts;
        const Bytes pipe = m_board.pipe();
        const Congestion timeout = congestion(Congestion::TIMEOUT, pipe, now);
        // RFC 5682 asks that no recovery was under way: then originals are no sign.
        m_frto =
            m_spec.frto && m_retries == 1 && m_state != State::RECOVERY && m_state != State::LOSS;
        m_frto_sent = false;
        remember();
        m_can_undo = m_can_undo && m_state != State::LOSS;
        m_dup_acks = 0;
        m_reno_guessed = 0;
        m_rack_timer.stop();
        m_board.mark_all_lost(
            [this, now](const SentSegment& segment, uint64_t number, uint32_t bytes) {
                on_segment_lost(segment, number, bytes, now);
            });
        m_recover = m_board.snd_nxt();
        m_reduced_after = m_board.transmissions();
        m_rto.back_off();
        if (m_retries == 1) // else it is held constant (RFC 5681, section 3.1)
        {
            set_ssthresh(m_cc->ssthresh(timeout, m_control), now);
        }
        m_state = State::LOSS;
        m_fast_retransmit = false;
        m_pacing_timer.stop();
        if (!m_entry.regulates_recovery)
        {
            m_control.cwnd = 1;
        }
        decide(m_cc->on_timeout(now, m_control), now);
        transmit(now);
        if (!m_retransmission_timer.is_running())
        {
            m_retransmission_timer.set(m_rto.rto());
        }
    }

    /// RACK: a segment that was waited for is lost; or the tail of a flight is probed.
    void on_rack_timer()
    {
        const Time now = m_events.now();
        if (m_rack_is_probe)
        {
            send_tail_loss_probe(now);
            return;
        }
        Ack ack{};
        ack.now = now;
        ack.prior_in_flight = m_board.pipe();
        const bool again = detect_losses(now);
        on_losses(ack, again, m_board.snd_una(), now);
        if (is_reducing() && !m_entry.regulates_recovery)
        {
            m_control.cwnd =
                segments(m_recovery.on_ack(0, m_board.pipe(), ssthresh_bytes(), false, m_mss));
        }
        transmit(now);
    }

    Time rack_rtt() const
    {
        return m_latest_rtt;
    }

    /// RFC 8985, section 6.2, step 4: none before reordering was seen, when three duplicate ACKs
    /// would do; else a quarter of the smallest round trip.
    Time reordering_window() const
    {
        const bool early = m_board.sacked_out() >= Bytes(Scoreboard::DUP_THRESH) * m_mss;
        if (!m_board.reordering_seen() && (m_state == State::RECOVERY || early))
        {
            return 0;
        }
        return std::min(m_min_rtt / 4, m_rto.srtt());
    }

    /// RFC 8985, section 7.2: two round trips, and what an ACK of a single segment may be delayed by.
    void arm_tail_loss_probe()
    {
        if (m_tlp_sent || m_state != State::OPEN || m_board.empty() || m_rack_timer.is_running())
        {
            return;
        }
        const bool single = m_board.snd_nxt() - m_board.snd_una() == 1;
        const Time wait = 2 * m_rto.srtt() + (single ? m_spec.ack_timeout : 2'000'000);
        if (m_retransmission_timer.expires() > m_events.now() + wait)
        {
            m_rack_is_probe = true;
            m_rack_timer.set(wait);
        }
    }

    void send_tail_loss_probe(Time now)
    {
        if (m_board.empty() || m_state != State::OPEN)
        {
            return;
        }
        m_tlp_sent = true;
        uint64_t next = m_board.snd_nxt();
        const bool has_new = next < std::min(m_available, buffer_end()) &&
                             m_board.outstanding() + m_stream.size(next) <= m_window;
        send_segment(has_new ? next : next - 1, now);
        m_retransmission_timer.set(m_rto.rto());
    }

    void on_own_timer()
    {
        const Time now = m_events.now();
        decide_in_state(m_cc->on_timer(now, m_control), now);
        transmit(now);
    }

    // Decisions

    bool is_reducing() const
    {
        return m_state == State::RECOVERY || m_state == State::CWR;
    }

    /// In a recovery the window is the recovery's, whatever an algorithm says that does not regulate it.
    void decide_in_state(Control control, Time now)
    {
        if (is_reducing() && !m_entry.regulates_recovery)
        {
            control.cwnd = m_control.cwnd;
            control.ssthresh = m_control.ssthresh;
        }
        decide(control, now);
    }

    void decide(const Control& control, Time now)
    {
        m_checks.expect(control.cwnd == control.cwnd && control.ssthresh == control.ssthresh &&
                            control.pacing_bps == control.pacing_bps,
                        "a congestion control's decision is not a number");
        // A window of less than one segment could never send one.
        m_control.cwnd = std::min(std::max(control.cwnd, 1.0), m_spec.max_window);
        m_control.pacing_bps = control.pacing_bps;
        set_ssthresh(control.ssthresh, now);
        if (cwnd_series)
        {
            cwnd_series->Add(seconds(now), m_control.cwnd);
        }
    }

    void set_ssthresh(double threshold, Time now)
    {
        if (ssthresh_series && threshold != m_control.ssthresh && threshold < UNLIMITED)
        {
            ssthresh_series->Add(seconds(now), threshold);
        }
        m_control.ssthresh = threshold;
    }

    double segments(Bytes bytes) const
    {
        return static_cast<double>(bytes) / static_cast<double>(m_mss);
    }

    Bytes in_bytes(double segments) const
    {
        constexpr double MOST = 4e18;
        return static_cast<Bytes>(std::min(segments * static_cast<double>(m_mss), MOST));
    }

    Bytes cwnd_bytes() const
    {
        return in_bytes(m_control.cwnd);
    }

    Bytes ssthresh_bytes() const
    {
        return in_bytes(m_control.ssthresh);
    }

    // Segments leave

    /// The first segment that the send buffer has no room for; one that grows holds two windows.
    uint64_t buffer_end() const
    {
        constexpr double MOST = 4e18;
        const uint64_t room = m_spec.send_buffer
                                  ? m_buffer_segments
                                  : static_cast<uint64_t>(std::min(2 * m_control.cwnd, MOST));
        return m_board.snd_una() + room;
    }

    void transmit(Time now)
    {
        if (m_is_held || count.given_up != NEVER)
        {
            return;
        }
        const Bytes cwnd = cwnd_bytes();
        const bool paced = m_control.pacing_bps < UNLIMITED;
        for (;;)
        {
            const uint64_t end = std::min(m_available, buffer_end());
            uint64_t next;
            if (m_frto_sent && m_board.snd_nxt() < end) // RFC 5682, step 2b
            {
                next = m_board.snd_nxt();
            }
            else if (!m_board.next_segment(end, m_window, m_state == State::RECOVERY, &next))
            {
                m_cwnd_limited = false;
                if (m_board.snd_nxt() >= m_available && m_board.pipe() < cwnd)
                {
                    m_rate.on_app_limited(m_board.pipe());
                }
                return;
            }
            const Bytes pipe = m_board.pipe();
            const Bytes bytes = m_stream.size(next);
            const bool repairs = m_fast_retransmit && next < m_board.snd_nxt();
            if (pipe + bytes > cwnd && !repairs)
            {
                m_cwnd_limited = true;
                return;
            }
            if (paced && m_pacer.next() > now)
            {
                if (!m_pacing_timer.is_running())
                {
                    m_pacing_timer.set(m_pacer.next() - now);
                }
                return;
            }
            if (m_board.empty() && (m_entry.events & event::RESTART) && m_board.snd_nxt() > 0)
            {
                decide(m_cc->on_restart({now, now - m_last_sent}, m_control), now);
            }
            m_fast_retransmit = m_fast_retransmit && !repairs;
            send_segment(next, now);
            if (paced)
            {
                m_pacer.on_sent(now, static_cast<uint32_t>(bytes), m_control.pacing_bps);
            }
        }
    }

    void send_segment(uint64_t number, Time now)
    {
        const uint32_t bytes = m_stream.size(number);
        const bool again = m_board.send(number, now);
        SentSegment& segment = m_board[number];
        const Bytes pipe = m_board.pipe();
        m_rate.on_sent(segment, pipe, bytes, m_board.lost(), now);
        m_last_sent = now;
        Packet& packet = prepare(now);
        packet.number = number;
        packet.wire_bytes = HEADER_BYTES + (m_spec.timestamps ? TIMESTAMP_BYTES : 0) + bytes;
        packet.flags = 0;
        if (m_ecn && !again)
        {
            packet.flags = Packet::ECT;
            if (m_cwr_is_due)
            {
                m_cwr_is_due = false;
                m_cwr_sent = number;
                packet.flags |= Packet::CWR;
            }
        }
        // With SACK the timer waits for the last transmission of the head (RFC 6675, section 6).
        if (!m_retransmission_timer.is_running() ||
            (again && m_spec.sack && number == m_board.snd_una()))
        {
            m_retransmission_timer.set(m_rto.rto());
        }
        ++count.segments;
        count.retransmissions += again;
        if (again)
        {
            m_first_repair = std::min(m_first_repair, now);
            ++m_undo_count;
        }
        if (is_reducing())
        {
            m_recovery.on_sent(bytes);
        }
        m_forth.first->send(packet, now);
        if (m_entry.events & event::SENT)
        {
            m_cc->on_sent({now, m_stream.offset(number), Bytes(bytes), pipe, again});
        }
    }

    Packet& prepare(Time now)
    {
        m_packet.route = &m_forth;
        m_packet.sent = now;
        m_packet.sack_blocks = 0;
        return m_packet;
    }

    void on_pacing()
    {
        transmit(m_events.now());
    }

    // What a congestion control asks for

    void timer(Time delay) override
    {
        m_own_timer.set(delay);
    }

    uint64_t probe(Bytes, bool) override
    {
        m_checks.expect(false, "this engine does not send a congestion control's probes yet");
        return 0;
    }

    uint64_t query() override
    {
        m_checks.expect(false, "this engine does not send a congestion control's queries yet");
        return 0;
    }

    bool supplement(bool) override
    {
        m_checks.expect(false, "this engine does not send a congestion control's supplements yet");
        return false;
    }

    void hold() override
    {
        m_is_held = true;
    }

    void resume(Resumption) override
    {
        m_is_held = false;
        transmit(m_events.now());
    }

    EventQueue& m_events;
    const FlowSpec& m_spec;
    const Stream& m_stream;
    const Route& m_forth;
    const std::unique_ptr<CongestionControl> m_cc;
    const Entry& m_entry;
    Checks& m_checks;
    Scoreboard m_board;
    RateSampler m_rate;
    RateSample m_fastest;
    RetransmissionTimeout m_rto;
    Recovery m_recovery;
    Pacer m_pacer;
    Control m_control{};
    const Bytes m_mss;
    State m_state{State::OPEN};
    bool m_established{false};
    uint64_t m_syns{0};            //!< sent
    Time m_syn_sent{0};            //!< the last of them
    uint64_t m_buffer_segments{0}; //!< of a send buffer that does not grow
    uint64_t m_available{0};       //!< the application has no segment from that one on
    Bytes m_arrived{0}; //!< in truth, as far as ACKs that came can tell; for checks alone
    Bytes m_window{0};  //!< advertised by the receiver
    bool m_cwnd_limited{false};
    bool m_is_held{false};
    Time m_last_sent{0};
    Time m_latest_rtt{0};
    Time m_min_rtt{NEVER};
    uint64_t m_recover{0};         //!< RecoveryPoint: first segment not sent before the reduction
    uint64_t m_reduced_after{0};   //!< so many transmissions the window was last reduced
    bool m_fast_retransmit{false}; //!< what is lost is sent again at once, whatever the window
    uint64_t m_retries{0};         //!< timeouts since the last ACK that advanced
    uint64_t m_dup_acks{0};        //!< without SACK, since the last ACK that advanced
    Bytes m_reno_guessed{0};       //!< by duplicate ACKs without SACK, not yet acknowledged
    bool m_ecn{false};             //!< was agreed on
    bool m_cwr_is_due{false};      //!< the receiver is to be told of a reduction
    uint64_t m_cwr_sent{0};        //!< segment that told it of the last one
    Control m_before{};            //!< the reductions at hand
    bool m_can_undo{false};
    Time m_first_repair{NEVER}; //!< when something was first sent again in the recovery at hand
    int64_t m_undo_count{0};    //!< retransmissions of it that no DSACK has told of
    bool m_frto{false};         //!< it is open whether the timeout was one
    bool m_frto_sent{false};    //!< and new segments are sent to find out
    bool m_rack_is_probe{false};
    bool m_tlp_sent{false}; //!< since the last ACK that advanced
    Packet m_packet{};
    Timer<Sender, &Sender::on_retransmission_timeout> m_retransmission_timer;
    Timer<Sender, &Sender::on_rack_timer> m_rack_timer;
    Timer<Sender, &Sender::on_pacing> m_pacing_timer;
    Timer<Sender, &Sender::send_syn> m_syn_timer;
    Timer<Sender, &Sender::on_own_timer> m_own_timer;
};

} // namespace longfat::core

#endif
