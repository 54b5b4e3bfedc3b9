// SPDX-License-Identifier: GPL-2.0-only
//
// BBR, version 3 (N. Cardwell, I. Swett and J. Beshay, "BBR Congestion Control",
// draft-ietf-ccwg-bbr-06 of July 2026, whose sections are cited and whose names are kept).
//
//     max_bw    the largest delivery rate of this cycle of probing and the last          5.5.5
//     min_rtt   the smallest round trip of 10 s                                          5.5.8
//     bw        the less of max_bw and what losses of this cycle leave, bw_shortterm     5.5.10.3
//     pacing rate   0.99 pacing_gain bw                                                  5.6.2
//     window        cwnd_gain bw min_rtt + what ACKs are ahead, below inflight_longterm
//                   (found by probing) and inflight_shortterm (by losses)                5.6.4
//
// Startup doubles the rate each round trip until it grows no more or too much is lost; Drain empties the
// queue; ProbeBW sends slower (DOWN), holds (CRUISE), fills the pipe (REFILL) and asks for more (UP);
// ProbeRTT halves what is in flight for 200 ms when the smallest round trip is 5 s old.
//
// Segments leave one by one: the send quantum is a segment, and the offload budget, three of them, below
// the least window. ECN is no signal (the draft specifies no response). One deviation: the state that an
// undo goes back to is saved at the first loss of a recovery, not again in each of its round trips nor
// when it begins. By the draft's letter a loss that ends ProbeBW_UP clears is_loss_in_round (5.3.3.9), so
// that the next loss saves anew what the first has changed, and nothing can be undone.

#ifndef LONGFAT_CC_BBR3_H
#define LONGFAT_CC_BBR3_H

#include "model.h"
#include "random.h"
#include "windowed-max.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace longfat::core
{

class Bbr3
{
  public:
    static constexpr Entry entry{.name = "bbr3",
                                 .title = "BBR, version 3",
                                 .source = "draft-ietf-ccwg-bbr-06",
                                 .short_name = "BBR 3",
                                 .colour = "#aa4499",
                                 .marker = "H",
                                 .events = event::ESTABLISHED | event::LOST | event::TIMEOUT |
                                           event::UNDO | event::RESTART | event::BANDWIDTH,
                                 .regulates_recovery = true,
                                 .version = 4};

    static constexpr auto parameters()
    {
        return std::array{
            Parameter<Bbr3>{"loss_threshold",
                            &Bbr3::m_loss_threshold,
                            0.02,
                            0,
                            0.5,
                            "",
                            "LossThresh, the part of a flight that may be lost",
                            "draft-ietf-ccwg-bbr-06, section 2.7"},
            Parameter<Bbr3>{"decrease",
                            &Bbr3::m_beta,
                            0.7,
                            0.01,
                            1,
                            "",
                            "Beta, what a round trip with losses leaves of the short-term bounds",
                            "draft-ietf-ccwg-bbr-06, section 2.7"},
            Parameter<Bbr3>{"headroom",
                            &Bbr3::m_headroom,
                            0.15,
                            0,
                            0.9,
                            "",
                            "the part of inflight_longterm that is left to others",
                            "draft-ietf-ccwg-bbr-06, section 2.7"},
            Parameter<Bbr3>{"probe_rtt_interval_s",
                            &Bbr3::m_probe_rtt_interval_s,
                            5,
                            0.001,
                            1000,
                            "s",
                            "age of the smallest round trip at which ProbeRTT begins",
                            "draft-ietf-ccwg-bbr-06, section 2.14.2"},
            Parameter<Bbr3>{"stream",
                            &Bbr3::m_stream,
                            5,
                            0,
                            4294967295.0,
                            "",
                            "random numbers of the waits; flows of one stream draw the same",
                            "ours"}};
    }

    enum State : uint8_t
    {
        STARTUP,
        DRAIN,
        PROBE_BW_DOWN,
        PROBE_BW_CRUISE,
        PROBE_BW_REFILL,
        PROBE_BW_UP,
        PROBE_RTT,
    };

    /// OnInit (5.2.1).
    Control on_established(const Established& established, Control now)
    {
        m_random.emplace(static_cast<uint64_t>(m_stream), established.seed);
        m_now = established.now;
        m_mss = static_cast<double>(established.mss);
        m_has_selective_acks = established.sack;
        m_initial_cwnd = m_cwnd = now.cwnd * m_mss;
        m_min_rtt = established.rtt == NO_RTT ? NEVER : established.rtt;
        m_min_rtt_stamp = m_probe_rtt_min_stamp = m_extra_acked_interval_start = m_now;
        init_pacing_rate();
        return decision(now);
    }

    /// UpdateOnACK (5.2.3); the rate sample is TCP's.
    Control on_ack(const Ack& ack, Control now)
    {
        begin_ack(ack, now);
        update_latest_delivery_signals(ack);
        update_congestion_signals(ack);
        update_ack_aggregation(ack);
        check_full_bw_reached(ack);
        check_startup_done(ack);
        check_drain_done(ack);
        update_probe_bw_cycle_phase(ack);
        update_min_rtt(ack);
        check_probe_rtt(ack);
        advance_latest_delivery_signals(ack);
        bound_bw_for_model();
        set_pacing_rate(pacing_gain());
        set_cwnd(ack);
        return decision(now);
    }

    /// OnEnterFastRecovery (5.6.4.4). BBR has no use for a threshold.
    double ssthresh(const Congestion& congestion, const Control& now)
    {
        if (congestion.cause == Congestion::LOSS)
        {
            save_cwnd();
            m_in_loss_recovery = true;
        }
        return now.ssthresh;
    }

    /// OnEnterRTO (5.6.4.4): nothing is in flight, and one segment may be.
    Control on_timeout(Time, Control now)
    {
        save_cwnd();
        m_in_loss_recovery = true;
        m_cwnd = m_mss;
        return decision(now);
    }

    /// HandleLostPacket (5.5.10.2).
    void on_lost(const Lost& lost)
    {
        m_now = lost.now;
        note_loss(lost);
        if (!m_is_bw_probe_sample) // not sent while probing bandwidth
        {
            return;
        }
        const auto tx_in_flight = static_cast<double>(lost.tx_in_flight);
        const auto lost_since = static_cast<double>(lost.lost);
        if (is_inflight_too_high(tx_in_flight, lost_since))
        {
            const auto size = static_cast<double>(lost.bytes);
            const bool limited = lost.is_app_limited || sent_in_probe_rtt(lost.delivered);
            handle_inflight_too_high(inflight_at_loss(tx_in_flight, lost_since, size), limited);
        }
    }

    /// HandleSpuriousLossDetection (5.5.11.2).
    Control on_undo(const Undo& undo, Control now)
    {
        m_now = undo.now;
        leave_recovery();
        m_is_loss_in_round = false;
        reset_full_bw();
        m_bw_shortterm = std::max(m_bw_shortterm, m_undo_bw_shortterm);
        m_inflight_shortterm = std::max(m_inflight_shortterm, m_undo_inflight_shortterm);
        m_inflight_longterm = std::max(m_inflight_longterm, m_undo_inflight_longterm);
        if (m_undo_state == STARTUP && m_state != STARTUP)
        {
            m_full_bw_reached = false;
            m_state = m_state == PROBE_RTT ? PROBE_RTT : STARTUP;
        }
        else if (m_undo_state == PROBE_BW_UP && m_state != PROBE_BW_UP && m_state != PROBE_RTT)
        {
            start_probe_bw_refill();
            start_round_before_ack();
        }
        m_undo_state.reset();
        return decision(now);
    }

    /// HandleRestartFromIdle (5.4.1).
    Control on_restart(const Restart& restart, Control now)
    {
        m_now = restart.now;
        m_idle_restart = true;
        m_extra_acked_interval_start = m_now;
        if (is_in_a_probe_bw_state())
        {
            set_pacing_rate(1);
        }
        else if (m_state == PROBE_RTT)
        {
            check_probe_rtt_done();
        }
        return decision(now);
    }

    double bandwidth_bps() const
    {
        return m_bw;
    }

  protected:
    State state() const
    {
        return m_state;
    }

    double inflight_longterm() const
    {
        return m_inflight_longterm;
    }

    double inflight_shortterm() const
    {
        return m_inflight_shortterm;
    }

  private:
    enum AckPhase : uint8_t
    {
        ACKS_INIT,
        ACKS_REFILLING,
        ACKS_PROBE_STARTING,
        ACKS_PROBE_FEEDBACK,
        ACKS_PROBE_STOPPING,
    };

    static constexpr double MARGIN = 0.99; //!< PacingMarginPercent
    static constexpr double MIN_PIPE_SEGMENTS = 4;
    static constexpr double PROBE_RTT_GAIN = 0.5;
    static constexpr Time PROBE_RTT_DURATION = 200'000'000;
    static constexpr Time MIN_RTT_FILTER_LEN = 10'000'000'000;
    static constexpr int STARTUP_FULL_LOSS_COUNT = 6;
    //! C.delivered at an ACK, not yet told; a timer's is that before
    static constexpr Bytes WITH_THE_ACK = NEVER;

    // What an ACK finds

    void begin_ack(const Ack& ack, const Control& now)
    {
        m_now = ack.now;
        m_mss = static_cast<double>(ack.mss);
        m_cwnd = now.cwnd * m_mss;
        const Bytes before = std::exchange(m_delivered, ack.delivered);
        m_inflight = static_cast<double>(ack.pipe);
        const auto delivered_at = [&](Time time) { return time < ack.now ? before : m_delivered; };
        if (m_next_round_delivered == WITH_THE_ACK)
        {
            m_next_round_delivered = delivered_at(m_round_begun);
        }
        if (m_loss_round_delivered == WITH_THE_ACK)
        {
            m_loss_round_delivered = delivered_at(m_first_loss);
        }
        m_delivery_rate = ack.rate.bps();
        m_is_app_limited = ack.rate.is_app_limited || sent_in_probe_rtt(ack.rate.prior_delivered);
        m_is_cwnd_limited |= static_cast<double>(ack.prior_in_flight) + m_mss > m_cwnd;
        const auto state = ack.state;
        if (m_in_loss_recovery && state != core::State::RECOVERY && state != core::State::LOSS)
        {
            leave_recovery();
        }
    }

    static bool has_sample(const Ack& ack)
    {
        return ack.rate.delivered > 0;
    }

    /// What was sent in ProbeRTT tells less than the path can do: MarkConnectionAppLimited (5.3.4.3).
    bool sent_in_probe_rtt(Bytes delivered) const
    {
        return m_app_limited_until > 0 && delivered >= m_app_limited_from &&
               delivered <= m_app_limited_until;
    }

    // The last good window (5.6.4.4)

    void save_cwnd()
    {
        const bool good = !m_in_loss_recovery && m_state != PROBE_RTT;
        m_prior_cwnd = good ? m_cwnd : std::max(m_prior_cwnd, m_cwnd);
    }

    void restore_cwnd()
    {
        m_cwnd = std::max(m_cwnd, m_prior_cwnd);
    }

    void leave_recovery()
    {
        m_in_loss_recovery = m_has_saved_state = false;
        restore_cwnd();
    }

    // Round trips, counted by packets (5.5.1)

    void update_round(const Ack& ack)
    {
        m_round_start = has_sample(ack) && ack.rate.prior_delivered >= m_next_round_delivered;
        if (m_round_start)
        {
            start_round();
            ++m_round_count;
            ++m_rounds_since_probe_up;
            m_was_cwnd_limited = m_is_cwnd_limited;
            m_is_cwnd_limited = false;
        }
    }

    void start_round()
    {
        m_next_round_delivered = m_delivered;
    }

    /// Between two ACKs, a timer's, or at one whose C.delivered has not been told.
    void start_round_before_ack()
    {
        m_next_round_delivered = WITH_THE_ACK;
        m_round_begun = m_now;
    }

    bool is_cwnd_limited() const
    {
        return m_is_cwnd_limited || m_was_cwnd_limited;
    }

    // The largest rate of two cycles (5.5.5)

    double max_bw() const
    {
        return std::max(m_max_bw[0], m_max_bw[1]);
    }

    void update_max_bw(const Ack& ack)
    {
        update_round(ack);
        if (m_delivery_rate > 0 && (m_delivery_rate >= max_bw() || !m_is_app_limited))
        {
            m_max_bw[1] = std::max(m_max_bw[1], m_delivery_rate);
        }
    }

    /// A cycle without a sample leaves what was known.
    void advance_max_bw_filter()
    {
        if (m_max_bw[1] > 0)
        {
            m_max_bw = {m_max_bw[1], 0};
        }
    }

    // How far ACKs run ahead of bw (5.5.9)

    void update_ack_aggregation(const Ack& ack)
    {
        double expected = m_bw / 8 * seconds(m_now - m_extra_acked_interval_start);
        if (m_extra_acked_delivered <= expected)
        {
            m_extra_acked_delivered = 0;
            m_extra_acked_interval_start = m_now;
            expected = 0;
        }
        m_extra_acked_delivered += static_cast<double>(ack.newly_delivered);
        const double extra = std::min(m_extra_acked_delivered - expected, m_cwnd);
        m_extra_acked.update(extra, m_round_count, m_full_bw_reached ? 10 : 1);
    }

    // Losses while not probing: the short-term model (5.5.10.3)

    void update_latest_delivery_signals(const Ack& ack)
    {
        m_loss_round_start = false;
        if (!has_sample(ack))
        {
            return;
        }
        m_bw_latest = std::max(m_bw_latest, m_delivery_rate);
        m_inflight_latest = std::max(m_inflight_latest, static_cast<double>(ack.rate.delivered));
        if (ack.rate.prior_delivered >= m_loss_round_delivered)
        {
            m_loss_round_delivered = m_delivered;
            m_loss_round_start = true;
        }
    }

    void advance_latest_delivery_signals(const Ack& ack)
    {
        if (m_loss_round_start)
        {
            m_bw_latest = m_delivery_rate;
            m_inflight_latest = static_cast<double>(ack.rate.delivered);
        }
    }

    void reset_congestion_signals()
    {
        m_is_loss_in_round = false;
        m_bw_latest = m_inflight_latest = 0;
    }

    void update_congestion_signals(const Ack& ack)
    {
        update_max_bw(ack);
        if (m_loss_round_start)
        {
            if (!is_probing_bw() && m_is_loss_in_round)
            {
                adapt_lower_bounds();
            }
            m_is_loss_in_round = false;
        }
    }

    /// InitLowerBounds, LossLowerBounds.
    void adapt_lower_bounds()
    {
        const double bw = m_bw_shortterm == UNLIMITED ? max_bw() : m_bw_shortterm;
        const double inflight = m_inflight_shortterm == UNLIMITED ? m_cwnd : m_inflight_shortterm;
        m_bw_shortterm = std::max(m_bw_latest, m_beta * bw);
        m_inflight_shortterm = std::max(m_inflight_latest, m_beta * inflight);
    }

    void reset_shortterm_model()
    {
        m_bw_shortterm = m_inflight_shortterm = UNLIMITED;
    }

    void bound_bw_for_model()
    {
        m_bw = std::min(max_bw(), m_bw_shortterm);
    }

    // Losses while probing: the long-term model (5.5.10.2)

    bool is_inflight_too_high(double tx_in_flight, double lost) const
    {
        return lost > tx_in_flight * m_loss_threshold || (lost > 0 && !m_has_selective_acks);
    }

    void handle_inflight_too_high(double tx_in_flight, bool limited)
    {
        m_prev_probe_too_high = true;
        m_is_bw_probe_sample = false; // only react once per probe
        if (!limited)
        {
            m_inflight_longterm = std::max(tx_in_flight, target_inflight() * m_beta);
        }
        if (m_state == PROBE_BW_UP)
        {
            m_undo_state = PROBE_BW_UP;
            start_probe_bw_down();
            start_round_before_ack();
        }
    }

    /// Before which part of the segment the losses crossed LossThresh.
    double inflight_at_loss(double tx_in_flight, double lost, double size) const
    {
        const double inflight_prev = tx_in_flight - size;
        const double lost_prev = lost - size;
        const double lost_prefix =
            (m_loss_threshold * inflight_prev - lost_prev) / (1 - m_loss_threshold);
        return inflight_prev + lost_prefix;
    }

    /// NoteLoss, and the ranges that Startup counts.
    void note_loss(const Lost& lost)
    {
        if (!m_is_loss_in_round)
        {
            m_loss_round_delivered = WITH_THE_ACK;
            m_first_loss = lost.now;
        }
        if (!m_has_saved_state)
        {
            save_state_upon_loss();
        }
        m_is_loss_in_round = true;
        m_lost_ranges += lost.sequence != m_lost_end;
        m_lost_end = lost.sequence + lost.bytes;
    }

    /// 5.5.11.1.
    void save_state_upon_loss()
    {
        save_cwnd();
        m_has_saved_state = true;
        m_undo_state.reset();
        m_undo_bw_shortterm = m_bw_shortterm;
        m_undo_inflight_shortterm = m_inflight_shortterm;
        m_undo_inflight_longterm = m_inflight_longterm;
    }

    // Startup and Drain (5.3.1, 5.3.2)

    void reset_full_bw()
    {
        m_full_bw = 0;
        m_full_bw_count = 0;
        m_full_bw_now = false;
    }

    /// The rate did not grow by a quarter in three round trips.
    void check_full_bw_reached(const Ack& ack)
    {
        if (m_full_bw_now || !m_round_start || m_is_app_limited || !has_sample(ack))
        {
            return;
        }
        if (m_delivery_rate >= m_full_bw * 1.25)
        {
            reset_full_bw();
            m_full_bw = m_delivery_rate;
            return;
        }
        m_full_bw_now = ++m_full_bw_count >= 3;
        m_full_bw_reached |= m_full_bw_now;
    }

    void check_startup_done(const Ack& ack)
    {
        if (m_state != STARTUP)
        {
            return;
        }
        if (!m_full_bw_reached && is_loss_high_in_startup(ack))
        {
            m_undo_state = STARTUP;
            m_full_bw_reached = m_full_bw_now = true;
            m_inflight_longterm = std::max(bdp(), m_inflight_latest);
        }
        if (m_full_bw_reached)
        {
            m_state = DRAIN;
            m_drain_start_round = m_round_count;
        }
    }

    /// A round trip of fast recovery is over in which more than LossThresh was lost, in six places;
    /// without SACK any loss.
    bool is_loss_high_in_startup(const Ack& ack)
    {
        const bool recovers = ack.state == core::State::RECOVERY;
        if (!m_has_selective_acks)
        {
            return recovers;
        }
        if (!m_loss_round_start)
        {
            return false;
        }
        const bool scattered = m_lost_ranges >= STARTUP_FULL_LOSS_COUNT;
        m_lost_ranges = 0;
        return recovers && scattered &&
               is_inflight_too_high(static_cast<double>(ack.rate.tx_in_flight),
                                    static_cast<double>(ack.rate.lost));
    }

    void check_drain_done(const Ack&)
    {
        if (m_state == DRAIN &&
            (m_inflight <= inflight(m_bw, 1) || m_round_count > m_drain_start_round + 3))
        {
            start_probe_bw_down();
        }
    }

    // ProbeBW (5.3.3)

    bool is_in_a_probe_bw_state() const
    {
        return m_state >= PROBE_BW_DOWN && m_state <= PROBE_BW_UP;
    }

    bool is_probing_bw() const
    {
        return m_state == STARTUP || m_state == PROBE_BW_REFILL || m_state == PROBE_BW_UP;
    }

    void start_probe_bw_down()
    {
        reset_congestion_signals();
        m_probe_up_acked_per_inc = UNLIMITED;
        m_rounds_since_probe_up = m_random->uniform() < 0.5 ? 0 : 1;
        m_bw_probe_wait = 2'000'000'000 + static_cast<Time>(m_random->uniform() * 1e9);
        m_cycle_stamp = m_now;
        m_ack_phase = ACKS_PROBE_STOPPING;
        start_round();
        m_state = PROBE_BW_DOWN;
    }

    void start_probe_bw_refill()
    {
        reset_shortterm_model();
        m_bw_probe_up_rounds = 0;
        m_bw_probe_up_acked = 0;
        m_prev_probe_precautionary = false;
        m_ack_phase = ACKS_REFILLING;
        start_round();
        m_state = PROBE_BW_REFILL;
    }

    void start_probe_bw_up()
    {
        m_ack_phase = ACKS_PROBE_STARTING;
        start_round();
        reset_full_bw();
        m_full_bw = m_delivery_rate;
        m_state = PROBE_BW_UP;
        raise_inflight_longterm_slope();
    }

    void update_probe_bw_cycle_phase(const Ack& ack)
    {
        if (!m_full_bw_reached || ack.newly_delivered == 0 || adapt_longterm_model(ack))
        {
            return;
        }
        if (m_state == PROBE_BW_DOWN || m_state == PROBE_BW_CRUISE)
        {
            if (is_time_to_probe_bw())
            {
                start_probe_bw_refill();
            }
            else if (m_state == PROBE_BW_DOWN && is_time_to_cruise())
            {
                m_state = PROBE_BW_CRUISE;
            }
        }
        else if (m_state == PROBE_BW_REFILL && m_round_start)
        {
            m_is_bw_probe_sample = true;
            start_probe_bw_up();
        }
        else if (m_state == PROBE_BW_UP && is_time_to_go_down())
        {
            m_prev_probe_too_high = false;
            start_probe_bw_down();
        }
    }

    /// After two to three seconds, or as many round trips as Reno would need (5.3.3.8).
    bool is_time_to_probe_bw() const
    {
        const double reno_rounds = target_inflight() / m_mss;
        return m_now > m_cycle_stamp + m_bw_probe_wait ||
               static_cast<double>(m_rounds_since_probe_up) >= std::min(reno_rounds, 63.0);
    }

    bool is_time_to_cruise() const
    {
        return m_inflight <= inflight_with_headroom() && m_inflight <= inflight(max_bw(), 1);
    }

    bool is_time_to_go_down()
    {
        if (m_prev_probe_too_high && m_inflight >= m_inflight_longterm)
        {
            m_prev_probe_precautionary = true;
            return true;
        }
        if (is_cwnd_limited() && m_cwnd >= m_inflight_longterm)
        {
            reset_full_bw(); // bw is limited by inflight_longterm
            m_full_bw = m_delivery_rate;
            return false;
        }
        return m_full_bw_now;
    }

    double inflight_with_headroom() const
    {
        if (m_inflight_longterm == UNLIMITED)
        {
            return UNLIMITED;
        }
        const double headroom = std::max(m_mss, m_headroom * m_inflight_longterm);
        return std::max(m_inflight_longterm - headroom, min_pipe_cwnd());
    }

    void raise_inflight_longterm_slope()
    {
        const double growth_this_round = static_cast<double>(int64_t(1) << m_bw_probe_up_rounds);
        m_bw_probe_up_rounds = std::min(m_bw_probe_up_rounds + 1, 30);
        m_probe_up_acked_per_inc = std::max(m_cwnd / growth_this_round, m_mss);
    }

    void probe_inflight_longterm_upward(const Ack& ack)
    {
        if (!is_cwnd_limited() || m_cwnd < m_inflight_longterm)
        {
            return; // not fully using inflight_longterm
        }
        m_bw_probe_up_acked += static_cast<double>(ack.newly_delivered);
        if (m_bw_probe_up_acked >= m_probe_up_acked_per_inc)
        {
            const double delta = std::floor(m_bw_probe_up_acked / m_probe_up_acked_per_inc);
            m_bw_probe_up_acked -= delta * m_probe_up_acked_per_inc;
            m_inflight_longterm += delta * m_mss;
        }
        if (m_round_start)
        {
            raise_inflight_longterm_slope();
        }
    }

    /// AdaptLongTermModel: returns whether it decided a state transition.
    bool adapt_longterm_model(const Ack& ack)
    {
        if (m_ack_phase == ACKS_PROBE_STARTING && m_round_start)
        {
            m_ack_phase = ACKS_PROBE_FEEDBACK;
        }
        if (m_ack_phase == ACKS_PROBE_STOPPING && m_round_start)
        {
            m_is_bw_probe_sample = false;
            m_ack_phase = ACKS_INIT;
            if (is_in_a_probe_bw_state() && !m_is_app_limited)
            {
                advance_max_bw_filter();
            }
            if (is_in_a_probe_bw_state() && m_prev_probe_precautionary && !m_prev_probe_too_high)
            {
                start_probe_bw_refill();
                return true;
            }
        }
        const auto tx_in_flight = static_cast<double>(ack.rate.tx_in_flight);
        if (m_inflight_longterm < UNLIMITED &&
            !is_inflight_too_high(tx_in_flight, static_cast<double>(ack.rate.lost)))
        {
            m_inflight_longterm = std::max(m_inflight_longterm, tx_in_flight);
            if (m_state == PROBE_BW_UP)
            {
                probe_inflight_longterm_upward(ack);
            }
        }
        return false;
    }

    // The smallest round trip, and ProbeRTT (5.3.4)

    void update_min_rtt(const Ack& ack)
    {
        m_probe_rtt_expired = m_now > m_probe_rtt_min_stamp + probe_rtt_interval();
        const bool first = m_min_rtt == NEVER;
        if (ack.rtt != NO_RTT && (ack.rtt < m_probe_rtt_min_delay || m_probe_rtt_expired))
        {
            m_probe_rtt_min_delay = ack.rtt;
            m_probe_rtt_min_stamp = m_now;
        }
        const bool expired = m_now > m_min_rtt_stamp + MIN_RTT_FILTER_LEN;
        if (m_probe_rtt_min_delay < m_min_rtt || expired)
        {
            m_min_rtt = m_probe_rtt_min_delay;
            m_min_rtt_stamp = m_probe_rtt_min_stamp;
        }
        if (first && m_min_rtt < NEVER && !m_full_bw_reached) // the handshake had none
        {
            init_pacing_rate();
        }
    }

    Time probe_rtt_interval() const
    {
        return static_cast<Time>(m_probe_rtt_interval_s * 1e9);
    }

    void check_probe_rtt(const Ack& ack)
    {
        if (m_state != PROBE_RTT && m_probe_rtt_expired && !m_idle_restart)
        {
            m_state = PROBE_RTT;
            save_cwnd();
            m_probe_rtt_done_stamp = NEVER;
            m_ack_phase = ACKS_PROBE_STOPPING;
            m_app_limited_from = m_delivered;
            start_round();
        }
        if (m_state == PROBE_RTT)
        {
            handle_probe_rtt(ack);
        }
        m_idle_restart &= !has_sample(ack);
    }

    void handle_probe_rtt(const Ack& ack)
    {
        m_app_limited_until = std::max<Bytes>(m_delivered + ack.pipe, 1);
        if (m_probe_rtt_done_stamp == NEVER)
        {
            if (m_inflight <= probe_rtt_cwnd())
            {
                m_probe_rtt_done_stamp = m_now + PROBE_RTT_DURATION;
                m_probe_rtt_round_done = false;
                start_round();
            }
            return;
        }
        m_probe_rtt_round_done |= m_round_start;
        if (m_probe_rtt_round_done)
        {
            check_probe_rtt_done();
        }
    }

    /// CheckProbeRTTDone, ExitProbeRTT.
    void check_probe_rtt_done()
    {
        if (m_probe_rtt_done_stamp == NEVER || m_now <= m_probe_rtt_done_stamp)
        {
            return;
        }
        m_probe_rtt_min_stamp = m_now;
        restore_cwnd();
        reset_shortterm_model();
        m_state = STARTUP;
        if (m_full_bw_reached)
        {
            start_probe_bw_down();
            m_state = PROBE_BW_CRUISE;
        }
    }

    double probe_rtt_cwnd() const
    {
        return std::max(bdp_multiple(m_bw, PROBE_RTT_GAIN), min_pipe_cwnd());
    }

    // What follows from them (5.6)

    void init_pacing_rate()
    {
        const double rtt_s = m_min_rtt == NEVER ? 0.001 : std::max(seconds(m_min_rtt), 1e-9);
        m_pacing_bps = pacing_gain() * 8 * m_initial_cwnd / rtt_s;
    }

    double pacing_gain() const
    {
        constexpr double GAINS[] = {2.77, 0.5, 0.9, 1, 1, 1.25, 1};
        return GAINS[m_state];
    }

    double cwnd_gain() const
    {
        return m_state == PROBE_RTT ? PROBE_RTT_GAIN : m_state == PROBE_BW_UP ? 2.25 : 2;
    }

    /// In Startup it only rises.
    void set_pacing_rate(double gain)
    {
        const double bps = MARGIN * gain * m_bw;
        if (bps > 0 && (m_full_bw_reached || bps > m_pacing_bps))
        {
            m_pacing_bps = bps;
        }
    }

    double min_pipe_cwnd() const
    {
        return MIN_PIPE_SEGMENTS * m_mss;
    }

    double bdp_multiple(double bw, double gain) const
    {
        return m_min_rtt == NEVER ? m_initial_cwnd : gain * bw / 8 * seconds(m_min_rtt);
    }

    double bdp() const
    {
        return bdp_multiple(m_bw, 1);
    }

    /// What is wanted in flight: the product, unless congestion cut the window.
    double target_inflight() const
    {
        return std::min(bdp(), m_cwnd);
    }

    double quantization_budget(double inflight_cap) const
    {
        const double probe = m_state == PROBE_BW_UP ? 2 * m_mss : 0;
        return std::max(inflight_cap, min_pipe_cwnd()) + probe;
    }

    double inflight(double bw, double gain) const
    {
        return quantization_budget(bdp_multiple(bw, gain));
    }

    /// SetCwnd (5.6.4.6).
    void set_cwnd(const Ack& ack)
    {
        const auto acked = static_cast<double>(ack.newly_delivered);
        const double max_inflight =
            quantization_budget(bdp_multiple(m_bw, cwnd_gain()) + m_extra_acked.get());
        if (m_full_bw_reached)
        {
            m_cwnd = std::min(m_cwnd + acked, max_inflight);
        }
        else if (m_cwnd < max_inflight || static_cast<double>(m_delivered) < m_initial_cwnd)
        {
            m_cwnd += acked;
        }
        m_cwnd = std::max(m_cwnd, min_pipe_cwnd());
        if (m_state == PROBE_RTT)
        {
            m_cwnd = std::min(m_cwnd, probe_rtt_cwnd());
        }
        m_cwnd = std::min(m_cwnd, std::max(model_bound(), min_pipe_cwnd()));
    }

    /// BoundCwndForModel (5.6.4.7).
    double model_bound() const
    {
        const bool leaves_room = m_state == PROBE_RTT || m_state == PROBE_BW_CRUISE;
        const double cap = leaves_room                ? inflight_with_headroom()
                           : is_in_a_probe_bw_state() ? m_inflight_longterm
                                                      : UNLIMITED;
        return std::min(cap, m_inflight_shortterm);
    }

    Control decision(const Control& now) const
    {
        return {m_cwnd / m_mss, now.ssthresh, m_pacing_bps};
    }

    double m_loss_threshold{};
    double m_beta{};
    double m_headroom{};
    double m_probe_rtt_interval_s{};
    int64_t m_stream{};
    std::optional<Random> m_random;

    // TCP's (C): volumes in bytes, rates in bit/s
    Time m_now{0};
    double m_mss{1};
    double m_initial_cwnd{0};
    bool m_has_selective_acks{true};
    double m_cwnd{0};
    double m_pacing_bps{0};
    Bytes m_delivered{0};
    double m_inflight{0};
    bool m_is_cwnd_limited{false};  //!< in this round trip
    bool m_was_cwnd_limited{false}; //!< in that before
    double m_delivery_rate{0};      //!< of the ACK at hand (RS); 0: none
    bool m_is_app_limited{false};

    State m_state{STARTUP};
    int64_t m_round_count{0};
    bool m_round_start{false};
    Bytes m_next_round_delivered{0};
    Time m_round_begun{0}; //!< where m_next_round_delivered is WITH_THE_ACK
    bool m_idle_restart{false};
    int64_t m_drain_start_round{0};

    double m_bw{0};
    std::array<double, 2> m_max_bw{0, 0}; //!< of the cycle before and of this one
    double m_bw_shortterm{UNLIMITED};
    double m_inflight_shortterm{UNLIMITED};
    double m_inflight_longterm{UNLIMITED};
    double m_bw_latest{0};
    double m_inflight_latest{0};
    bool m_is_loss_in_round{false};
    bool m_loss_round_start{false};
    Bytes m_loss_round_delivered{0};
    Time m_first_loss{0}; //!< of this round
    int m_lost_ranges{0}; //!< of this round trip
    Bytes m_lost_end{-1}; //!< of the last of them

    Time m_extra_acked_interval_start{0};
    double m_extra_acked_delivered{0};
    WindowedMax m_extra_acked;

    bool m_full_bw_reached{false};
    bool m_full_bw_now{false};
    double m_full_bw{0};
    int m_full_bw_count{0};

    AckPhase m_ack_phase{ACKS_INIT};
    bool m_is_bw_probe_sample{false};
    bool m_prev_probe_too_high{false};
    bool m_prev_probe_precautionary{false};
    Time m_cycle_stamp{0};
    Time m_bw_probe_wait{0};
    int64_t m_rounds_since_probe_up{0};
    int m_bw_probe_up_rounds{0};
    double m_bw_probe_up_acked{0};
    double m_probe_up_acked_per_inc{UNLIMITED};

    Time m_min_rtt{NEVER};
    Time m_min_rtt_stamp{0};
    Time m_probe_rtt_min_delay{NEVER};
    Time m_probe_rtt_min_stamp{0};
    bool m_probe_rtt_expired{false};
    Time m_probe_rtt_done_stamp{NEVER}; //!< NEVER: too much is in flight
    bool m_probe_rtt_round_done{false};
    Bytes m_app_limited_from{0};  //!< delivered, when the last ProbeRTT began
    Bytes m_app_limited_until{0}; //!< and when all of it will be; 0: there was none

    bool m_in_loss_recovery{false};
    double m_prior_cwnd{0};
    bool m_has_saved_state{false}; //!< of this recovery
    std::optional<State> m_undo_state;
    double m_undo_bw_shortterm{0};
    double m_undo_inflight_shortterm{0};
    double m_undo_inflight_longterm{0};
};

LONGFAT_CONGESTION_CONTROL(Bbr3);

} // namespace longfat::core

#endif
