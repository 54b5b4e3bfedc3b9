// SPDX-License-Identifier: GPL-2.0-only
//
// A TCP sender by the RFCs. Each part has one job, and knows no other but by values:
//
//     handshake.h           SYN, and SYN again
//     loss-detection.h      what has arrived and what is lost, kept in scoreboard.h
//     round-trip.h          round trips, and the timeout that follows from them
//     rate-sampler.h        the delivery rate
//     recovery-state.h      when a recovery begins and ends
//     recovery.h            the window while it lasts
//     spurious.h            congestion that was none
//     ecn.h                 marks, and that they were reacted to
//     loss-notification.h   losses that a link tells to be its own
//     router-feedback.h     XCP and Quick-Start
//     congestion-window.h   what the congestion control has decided
//     start-up.h            the first slow start, where it is another than the congestion control's own
//     timers.h              what is done when no ACK comes
//     transmission.h        which segment leaves next; pacer.h: when
//     sender-requests.h     what a congestion control asks for besides
//
// Here is what joins them, and the order of things on an ACK, which is always this one:
//
//     1  loss detection: SACK blocks, the cumulative acknowledgment, then what is now lost
//     2  round trip and delivery rate, of what this ACK delivers
//     3  states: a recovery ends; a mark or a loss begins one, and the threshold is asked for, once
//     4  recovery: told once what the ACK has delivered and shown lost
//     5  congestion control: told once, with all of this
//     6  segments leave, as window, receiver, pacing and application allow

#ifndef LONGFAT_CORE_SENDER_H
#define LONGFAT_CORE_SENDER_H

#include "congestion-window.h"
#include "ecn.h"
#include "handshake.h"
#include "loss-detection.h"
#include "loss-notification.h"
#include "rate-sampler.h"
#include "recovery-state.h"
#include "recovery.h"
#include "router-feedback.h"
#include "sender-requests.h"
#include "spurious.h"
#include "timers.h"
#include "transmission.h"

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

    /// Of another sender of the same flow.
    void add(const SenderCount& other)
    {
        segments += other.segments;
        retransmissions += other.retransmissions;
        recoveries += other.recoveries;
        timeouts += other.timeouts;
        undone += other.undone;
        given_up = std::min(given_up, other.given_up);
        max_rtt = std::max(max_rtt, other.max_rtt);
    }
};

class Sender final : public Endpoint,
                     private Handshake::Handler,
                     private RetransmissionTimers::Handler,
                     private SenderRequests::Handler
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
          m_mss(spec.segment_bytes),
          m_cc(std::move(congestion_control)),
          m_starting(spec.start_up.index() > 0 ? static_cast<StartingControl*>(m_cc.get())
                                               : nullptr),
          m_entry(spec.algorithm->entry()),
          m_checks(checks),
          m_handshake(events, *this),
          m_detection(spec, stream),
          m_board(m_detection.board),
          m_rtts(spec.min_rto),
          m_recovery(spec.halving),
          m_spurious(spec),
          m_window(m_mss, spec.max_window, series, checks),
          m_timers(events, spec.retries, *this),
          m_transmission(spec, stream, forth),
          m_requests(events, *this),
          m_xcp(m_entry.needs & need::ROUTER_FEEDBACK),
          m_quick_start(spec.quick_start_bps),
          m_pacing_timer(events, this)
    {
    }

    Sender(const Sender&) = delete;

    SenderCount count;
    SenderSeries series;
    std::function<void()> on_room; //!< called when the send buffer has new room

    /// What routers have said, for a flow that asked them.
    void write(JsonWriter& head) const
    {
        m_xcp.write(head);
        m_quick_start.write(head);
        m_requests.write(head);
    }

    /// The largest delivery rate sampled.
    const RateSample& fastest() const
    {
        return m_fastest;
    }

    /// Begin the handshake.
    void start()
    {
        m_handshake.start();
    }

    /// The application writes no more. What is in the send buffer will still be sent.
    void stop()
    {
        m_transmission.end_data(std::max(m_transmission.end_of_data(m_board), m_board.snd_nxt()));
    }

    /// The application, or a relay, has segments before that one.
    void offer(uint64_t segments)
    {
        m_transmission.end_data(segments);
        if (m_handshake.is_established())
        {
            transmit(m_events.now());
        }
    }

    /// The first segment that the send buffer has no room for.
    uint64_t room() const
    {
        return m_handshake.is_established() ? m_transmission.room(m_board) : 0;
    }

    /// So many segments have been acknowledged.
    uint64_t acknowledged() const
    {
        return m_board.snd_una();
    }

    /// What is sent from now on takes that way.
    void set_route(const Route& route)
    {
        m_transmission.set_route(route);
    }

    /// It sends nothing more, and hears nothing.
    void end()
    {
        m_is_over = true;
        on_room = nullptr;
        m_handshake.stop();
        m_requests.end();
        m_timers.stop();
        m_pacing_timer.stop();
    }

    /// All that is outstanding is lost, and is sent again as after a timeout.
    void start_over()
    {
        if (!m_is_over)
        {
            m_timers.on_advance(!m_board.empty(), m_rtts.timeout.rto());
            on_retransmission_timeout();
        }
    }

    /// At the end of a run: whether the marks add up, nothing is acknowledged that has not arrived,
    /// and what is outstanding will be sent again if it has to be.
    void finish(uint64_t arrived)
    {
        m_checks.expect(m_board.is_consistent(), "a scoreboard's counts are not its marks'");
        m_checks.expect(m_board.snd_una() <= arrived + m_spec.optimistic_ack &&
                            arrived <= m_board.snd_nxt(),
                        "segments were acknowledged that had not arrived, or came unsent");
        m_checks.expect(m_board.empty() || m_timers.is_running() || m_is_over,
                        "a sender is stuck with data outstanding");
    }

    void on_handoff(bool local, double announced_bps)
    {
        if (m_handshake.is_established())
        {
            const Time now = m_events.now();
            const Bytes window = m_transmission.advertised_window;
            decide(m_cc->on_handoff({now, local, announced_bps, window, m_mss}, control()), now);
            transmit(now);
        }
    }

    void receive(const Packet& packet, Time now) override
    {
        if (m_is_over)
        {
            return;
        }
        if (packet.options) [[unlikely]]
        {
            m_xcp.on_echo(packet.options->echo);
            if (packet.options->question.is_answer)
            {
                on_answer(packet.options->question, now);
                return;
            }
        }
        if (packet.flags & Packet::SYN)
        {
            on_syn_ack(packet, now);
        }
        else if (m_handshake.is_established() && !m_board.is_old(packet.number, packet.part))
        {
            if (m_board.is_unsent(packet.number, packet.part)) [[unlikely]]
            {
                // RFC 9293, section 3.10.7.4; RFC 5961, section 5.2: it is answered, and dropped.
                m_transmission.send_ack({}, now);
                return;
            }
            on_ack(packet, now);
        }
    }

  private:
    // The connection begins

    void send_syn(Time now) override
    {
        Rare<Options> options;
        m_xcp.write(options, NO_RTT, 0);
        m_quick_start.write_request(options,
                                    !m_handshake.is_syn_lost(),
                                    m_spec.seed + (m_spec.number << 32));
        m_transmission.send_syn(std::move(options), now);
    }

    /// The retries are over (R2 of RFC 9293, section 3.8.3).
    void give_up(Time now) override
    {
        count.given_up = now;
        end();
    }

    void on_syn_ack(const Packet& ack, Time now)
    {
        if (m_handshake.is_established())
        {
            return;
        }
        const Time rtt = m_handshake.on_answer(now);
        m_transmission.advertised_window = ack.window;
        m_transmission.note_timestamp(ack.sent);
        m_ecn.agree(m_spec.ecn && (ack.flags & Packet::ECE));
        if (rtt != NO_RTT)
        {
            note_rtt(rtt, rtt, now);
            m_board.note_round_trip(rtt);
        }
        else
        {
            m_rtts.timeout.on_syn_lost();
        }
        // After a SYN was lost the first window is one segment (RFC 5681, 3.1).
        const double first = m_handshake.is_syn_lost() ? 1 : m_spec.initial_window;
        decide({first, m_spec.initial_ssthresh, UNLIMITED}, now);
        if (m_entry.events & event::START)
        {
            m_cc->on_start(m_requests);
        }
        Established established{};
        established.now = now;
        established.mss = m_mss;
        established.rtt = rtt;
        established.max_window = m_spec.max_window;
        established.seed = m_spec.seed;
        established.flow = m_spec.number;
        established.sack = m_spec.sack;
        established.header_bytes = header_bytes();
        established.feedback = m_xcp.take();
        decide(m_cc->on_established(established, control()), now);
        if (!m_entry.regulates_recovery)
        {
            decide(m_quick_start.on_response(ack.options, rtt, control(), m_mss, header_bytes()),
                   now);
        }
        Rare<Options> report;
        m_quick_start.write_report(report);
        m_transmission.send_ack(std::move(report), now);
        if (on_room)
        {
            on_room();
        }
        transmit(now);
    }

    // An ACK arrives

    void on_ack(const Packet& packet, Time now)
    {
        const uint64_t una_before = m_board.snd_una();
        const Bytes lost_before = m_board.lost();
        Ack ack; // every field is set below
        ack.now = now;
        ack.mss = m_mss;
        ack.prior_state = m_state.state();
        ack.prior_in_flight = m_board.pipe();
        ack.cwnd_limited = m_cwnd_limited;
        ack.snd_nxt = m_stream.offset(m_board.snd_nxt());
        ack.ece = packet.flags & Packet::ECE;
        const bool same_window =
            std::exchange(m_transmission.advertised_window, packet.window) == packet.window;
        m_transmission.note_timestamp(packet.sent);
        m_is_overtaken = packet.sent < m_latest_ack;
        m_latest_ack = std::max(m_latest_ack, packet.sent);
        m_timers.on_heard();
        m_notification.on_ack(packet);

        // 1, 2
        m_rate.begin_ack();
        RoundTripSample round_trip(m_spec.timestamps, m_spec.timestamp_tick, packet.echo);
        Delivery delivery =
            m_detection.on_ack(packet,
                               now,
                               [&](const SentSegment& segment, uint32_t bytes, bool acknowledged) {
                                   round_trip.add(segment, acknowledged);
                                   m_rate.on_delivered(segment, bytes, now);
                               });
        ack.rtt = take_round_trip(round_trip, packet, now);
        if (!m_spec.sack)
        {
            delivery.delivered =
                m_detection.count_duplicate(delivery, same_window, m_state.state());
        }
        ack.newly_acked = delivery.acked;
        ack.newly_sacked = delivery.sacked;
        ack.newly_delivered = delivery.delivered;
        m_arrived = std::max(m_arrived, packet.arrived); // ACKs may overtake each other
        m_checks.expect(m_rate.delivered() <= m_arrived,
                        "more was counted as delivered than has arrived");
        const bool of_probe = m_probe.is_told_of(packet);
        if (m_spec.rack)
        {
            const bool dsack = packet.duplicate != NO_LIMIT && !of_probe;
            m_detection.adapt_reordering_window(dsack);
        }
        bool lost_again = detect_losses(now);

        // 3
        const uint64_t acked = m_board.snd_una();
        const State came_in = m_state.state();
        if (delivery.acked > 0)
        {
            // Of a recovery without SACK only the first partial ACK resets it (RFC 6582, 3.2, step 3).
            m_timers.on_advance(!m_board.empty(),
                                m_rtts.timeout.rto(),
                                m_state.is_later_partial_ack(acked));
            end_recovery(acked, now);
        }
        const bool has_new = m_spec.frto && m_state.state() == State::LOSS &&
                             m_transmission.has_new(m_board, m_transmission.end_of_data(m_board));
        if (ack.ece)
        {
            m_spurious.forget();
        }
        if (m_spurious.on_ack(packet, delivery, came_in, m_state.state(), has_new, of_probe))
        {
            undo(now);
            lost_again = false;
        }
        if (delivery.acked > 0 && m_quick_start.is_paced())
        {
            const Bytes flight = m_board.outstanding() + delivery.delivered;
            decide(m_quick_start.on_advance(m_board.snd_nxt(),
                                            static_cast<double>(flight) / double(m_mss),
                                            control()),
                   now);
        }
        if (!m_requests.is_suspended())
        {
            if (m_ecn.on_echo(packet, acked) && m_state.is_calm())
            {
                reduce(Congestion::ECN, ack, State::CWR, true);
            }
            if (m_probe.on_ack(packet, delivery.acked > 0) && m_state.is_calm())
            {
                reduce(Congestion::LOSS, ack, State::CWR, true);
            }
            react(ack, lost_again, una_before);
            reduce_after_all(ack);
        }

        // 4
        ack.newly_lost = m_board.lost() - lost_before;
        update_recovery(ack.newly_delivered, delivery.acked > 0 && ack.newly_lost == 0);

        // 5
        ack.snd_una = m_board.acknowledged();
        ack.delivered = m_rate.delivered();
        ack.lost = m_board.lost();
        ack.pipe = m_board.pipe();
        ack.latest_rtt = m_rtts.latest();
        ack.srtt = m_rtts.srtt();
        ack.min_rtt = m_rtts.min();
        ack.segment_sent = packet.segment_sent;
        ack.segment_received = packet.segment_received;
        ack.advertised_window = packet.window;
        ack.state = m_state.state();
        m_rate.take_sample(ack.rate, ack.lost, m_rtts.min(), now);
        ack.app_limited = m_rate.is_app_limited();
        ack.feedback = m_xcp.take();
        if (is_faster(ack.rate, m_fastest))
        {
            m_fastest = ack.rate;
        }
        for (uint64_t i = 0; i < delivery.supplements; ++i)
        {
            const Supplement supplement{now, m_mss, m_state.state()};
            decide_threshold(m_cc->on_supplement(supplement, control()), now);
        }
        const Control decision = m_cc->on_ack(ack, control());
        if (!m_requests.is_suspended())
        {
            decide_in_state(decision, now);
        }
        if (series.bandwidth)
        {
            series.bandwidth->Add(seconds(now), m_cc->bandwidth_bps());
        }
        if (series.utilization)
        {
            series.utilization->Add(seconds(now), m_cc->utilization());
        }

        // 6
        if (delivery.acked > 0)
        {
            on_advance(now);
        }
        transmit(now);
        if (m_spec.rack && delivery.acked > 0) // and with each new segment
        {
            arm_tail_loss_probe();
        }
    }

    /// The send buffer has new room.
    void on_advance(Time now)
    {
        if (series.acknowledged)
        {
            const Bytes all = m_board.acknowledged();
            series.acknowledged->Add(seconds(now), static_cast<double>(all));
        }
        if (on_room)
        {
            on_room();
        }
    }

    /// Returns the sample for the congestion control, or NO_RTT.
    Time take_round_trip(const RoundTripSample& sample, const Packet& packet, Time now)
    {
        Time rtt = sample.newest(now);
        if (rtt != NO_RTT)
        {
            // No sample is longer than that of the segment which caused the ACK, but for the ACK's
            // delay, and a tick, in which timestamps are equal. Without SACK and timestamps a sender
            // cannot always know, nor where a base station hides what it says of what came last; of two
            // that were sent again the first may have been overtaken; and of what came before, when an
            // ACK of it was lost, an ACK tells that is caused by a segment that came again.
            const bool knows = m_spec.timestamps && m_spec.sack && !sample.is_proven() &&
                               !(packet.flags & (Packet::SACK_HIDDEN | Packet::AGAIN));
            m_checks.expect(packet.segment_sent == NEVER || !knows ||
                                rtt <= now - packet.segment_sent + m_spec.ack_timeout +
                                           m_spec.timestamp_tick,
                            "a round trip is longer than that of the segment which caused the ACK");
            // Of a segment that came for the first time, and after which none has come that was sent
            // later, an ACK with SACK tells first, and so the sample is its: the time since it was sent,
            // to the nanosecond, with timestamps or without. Not so where an ACK that was sent later,
            // or another part of a divided one, has told of it before, nor by a receiver that
            // acknowledges what has not come.
            const bool is_its = (packet.flags & Packet::NEWEST) && m_spec.sack &&
                                !sample.is_proven() && !(packet.flags & Packet::SACK_HIDDEN) &&
                                !m_is_overtaken && !m_spec.conceals_losses &&
                                m_spec.optimistic_ack == 0 && m_spec.ack_division <= 1;
            m_checks.expect(packet.segment_sent == NEVER || !is_its ||
                                rtt == now - packet.segment_sent,
                            "a round trip is not that of the segment which caused the ACK");
            const Time hidden = packet.options ? packet.options->hidden : 0;
            rtt = std::max<Time>(rtt - hidden, 1);
            note_rtt(rtt, std::max(sample.oldest(now) - hidden, rtt), now);
        }
        return rtt;
    }

    void note_rtt(Time rtt, Time of_timeout, Time now)
    {
        m_rtts.on_sample(rtt, of_timeout);
        count.max_rtt = std::max(count.max_rtt, rtt);
        if (series.rtt)
        {
            series.rtt->Add(seconds(now), seconds(rtt));
        }
    }

    static bool is_faster(const RateSample& a, const RateSample& b)
    {
        return static_cast<double>(a.delivered) * static_cast<double>(b.interval) >
                   static_cast<double>(b.delivered) * static_cast<double>(a.interval) ||
               (b.interval == 0 && a.interval > 0);
    }

    /// Returns whether a retransmission is lost that followed the last reduction.
    bool detect_losses(Time now)
    {
        const LossDetection::Found found = m_detection.detect(m_rtts,
                                                              m_state.state(),
                                                              m_state.reduced_after(),
                                                              now,
                                                              OnLost{*this, now});
        if (m_spec.rack)
        {
            m_timers.wait_for_reordering(found.wait);
        }
        return found.again;
    }

    /// Tells the congestion control of a segment that is marked lost.
    struct OnLost
    {
        Sender& sender;
        Time now;

        void operator()(const SentSegment& segment, uint64_t number, uint32_t bytes) const
        {
            if (sender.m_entry.events & event::LOST)
            {
                sender.m_cc->on_lost({now,
                                      sender.m_stream.offset(number),
                                      static_cast<Bytes>(bytes),
                                      segment.sent,
                                      segment.delivered,
                                      sender.m_board.lost() + bytes - segment.lost_before,
                                      segment.tx_in_flight,
                                      segment.is_app_limited});
            }
        }
    };

    // Recovery

    void end_recovery(uint64_t acked, Time now)
    {
        const std::optional<State> over = m_state.on_advance(acked);
        if (!over)
        {
            return;
        }
        m_detection.on_recovered(*over != State::CWR);
        const bool told = m_entry.events & event::RECOVERED;
        if (*over != State::LOSS && (told || !m_entry.regulates_recovery))
        {
            decide(m_cc->on_recovered({now, m_mss, m_board.pipe(), *over}, control()), now);
        }
        if (m_notification.end())
        {
            m_window.set_ssthresh(m_notification.threshold_before(), now);
        }
        if (const double threshold = m_quick_start.on_recovered(); threshold > 0)
        {
            m_window.set_ssthresh(threshold, now);
        }
    }

    /// Begin a recovery, or another, if what is now known shows that it must.
    void react(const Ack& ack, bool lost_again, uint64_t una_before)
    {
        const uint64_t recover = m_state.recover_of_losses();
        const bool above = una_before > recover || recover == 0;
        switch (m_detection.sign(m_state.state(),
                                 ack.newly_acked > 0,
                                 lost_again,
                                 above,
                                 OnLost{*this, ack.now}))
        {
        case Sign::NONE:
            break;
        case Sign::HOLE:
            m_state.on_hole();
            break;
        case Sign::PARTIAL:
            m_state.on_partial_ack();
            break;
        case Sign::LOSS:
            begin_recovery(Congestion::LOSS, ack);
            break;
        case Sign::LOST_RETRANSMISSION:
            begin_recovery(Congestion::LOST_RETRANSMISSION, ack);
            break;
        }
    }

    void begin_recovery(Congestion::Cause cause, const Ack& ack)
    {
        if (suspends(congestion(cause, ack.prior_in_flight, ack.now)))
        {
            return;
        }
        // A window is reduced once, be it for marks or losses (RFC 3168, 6.1.2).
        const bool reduces =
            m_state.state() != State::CWR || m_board.snd_una() >= m_state.recover();
        ++count.recoveries;
        const bool keeps = reduces && m_notification.on_recovery(control());
        if (keeps)
        {
            m_window.set_ssthresh(m_notification.window(), ack.now);
        }
        reduce(cause, ack, State::RECOVERY, reduces && !keeps);
        if (m_quick_start.on_loss(m_board.snd_una(), control()))
        {
            decide({control().cwnd, m_quick_start.initial_window(), UNLIMITED}, ack.now);
        }
    }

    /// A recovery at the window as it was finds a loss that no link has told to be its own.
    void reduce_after_all(const Ack& ack)
    {
        const bool asks = ack.newly_acked > 0 && m_state.state() == State::RECOVERY &&
                          m_notification.asks_for_another() &&
                          (!m_spec.sack || m_board.is_head_lost());
        if (asks)
        {
            m_notification.end();
            reduce(Congestion::LOSS, ack, State::RECOVERY, true);
        }
    }

    /// Whether the congestion control answers by itself: data wait until it resumes.
    bool suspends(const Congestion& congestion)
    {
        if (!m_requests.is_suspended() && (m_entry.events & event::HOLDS) &&
            m_cc->holds(congestion))
        {
            m_requests.suspend();
        }
        return m_requests.is_suspended();
    }

    /// The threshold falls, and the window to it.
    void reduce(Congestion::Cause cause, const Ack& ack, State state, bool asks)
    {
        if (state == State::CWR || ack.ece)
        {
            m_spurious.forget();
        }
        else
        {
            remember();
        }
        m_probe.forget();
        if (asks)
        {
            const Congestion told = congestion(cause, ack.prior_in_flight, ack.now);
            m_window.set_ssthresh(m_cc->ssthresh(told, before_reduction()), ack.now);
            m_ecn.on_reduction();
        }
        m_state.begin(state, m_board);
        const Bytes reported = m_board.sacked_out() - ack.newly_sacked;
        m_recovery.begin(m_board.outstanding() + ack.newly_acked - std::max<Bytes>(reported, 0));
        m_retreats = m_starting && m_starting->retreats();
    }

    /// The window while it lasts.
    void update_recovery(Bytes delivered, bool safe)
    {
        if (recovers())
        {
            const Bytes threshold = m_window.ssthresh();
            const Bytes window =
                m_recovery.on_ack(delivered, m_board.pipe(), threshold, safe, m_mss);
            m_window.set_cwnd(m_retreats ? threshold : window);
        }
    }

    Congestion congestion(Congestion::Cause cause, Bytes pipe, Time now) const
    {
        Congestion congestion{};
        congestion.cause = cause;
        congestion.now = now;
        congestion.mss = m_mss;
        congestion.snd_una = m_board.acknowledged();
        congestion.snd_nxt = m_stream.offset(m_board.snd_nxt());
        // Without what limited transmit has sent beyond the window; at a timeout all that is
        // outstanding (RFC 5681, (4)), unless a reduction is under way: that sign of congestion must
        // not leave a higher threshold than the one before. (One timeout after another may: what is
        // outstanding then is what the first has found lost too.)
        const bool all = cause == Congestion::TIMEOUT && !m_state.is_reducing();
        const Bytes window = recovers() ? m_window.ssthresh() : m_window.cwnd();
        congestion.flight_size =
            all ? m_board.outstanding() : std::min(m_board.outstanding(), window);
        congestion.pipe = pipe;
        congestion.advertised_window = m_transmission.advertised_window;
        congestion.srtt = m_rtts.srtt();
        congestion.min_rtt = m_rtts.min();
        return congestion;
    }

    /// What a reduction starts from. While another is under way that is where it leads to, and not
    /// what proportional rate reduction allows at the moment: the window is lowered twice (RFC 5681,
    /// section 4.3).
    Control before_reduction() const
    {
        Control control = m_window.control();
        if (recovers())
        {
            control.cwnd = control.ssthresh;
        }
        return control;
    }

    /// The window is the recovery's, and not the congestion control's.
    bool recovers() const
    {
        return m_state.is_reducing() && !m_entry.regulates_recovery;
    }

    void remember()
    {
        if (m_state.is_calm())
        {
            m_spurious.remember(control(), m_board);
        }
    }

    /// What was found lost was not, and as a rule the last reduction was for nothing.
    void undo(Time now)
    {
        ++count.undone;
        m_board.unmark_lost();
        m_rtts.timeout.undo_back_off();
        m_state.on_undo();
        m_notification.end();
        m_quick_start.end();
        if (m_spurious.restores())
        {
            m_ecn.on_undo();
            decide(m_cc->on_undo({now, m_spurious.before()}, control()), now);
        }
    }

    // Timers

    void on_retransmission_timeout() override
    {
        if (m_board.empty() || m_is_over)
        {
            return;
        }
        const Time now = m_events.now();
        if (suspends(congestion(Congestion::TIMEOUT, m_board.pipe(), now)))
        {
            m_timers.on_sent(true, m_rtts.timeout.rto());
            return;
        }
        time_out(now);
    }

    void time_out(Time now)
    {
        if (!m_timers.on_timeout())
        {
            give_up(now);
            return;
        }
        const bool first = m_timers.retries() == 1;
        ++count.timeouts;
        const Congestion timeout = congestion(Congestion::TIMEOUT, m_board.pipe(), now);
        const Control before = before_reduction();
        remember();
        m_probe.forget();
        m_ecn.on_reduction();
        m_spurious.on_timeout(first, m_state.state(), m_board.snd_nxt());
        m_detection.on_timeout(OnLost{*this, now});
        m_state.begin(State::LOSS, m_board);
        m_rtts.timeout.back_off();
        m_notification.end();
        if (m_quick_start.end())
        {
            decide({control().cwnd, control().ssthresh, UNLIMITED}, now);
        }
        if (first) // else it is held constant (RFC 5681, section 3.1)
        {
            m_window.set_ssthresh(m_cc->ssthresh(timeout, before), now);
        }
        m_pacing_timer.stop();
        if (!m_entry.regulates_recovery)
        {
            m_window.set_cwnd(m_mss);
        }
        decide(m_cc->on_timeout(now, control()), now);
        transmit(now);
        m_timers.on_sent(false, m_rtts.timeout.rto());
    }

    /// RACK: a segment that was waited for is lost.
    void on_reordering_timeout() override
    {
        Ack ack{};
        ack.now = m_events.now();
        ack.prior_in_flight = m_board.pipe();
        const bool again = detect_losses(ack.now);
        react(ack, again, m_board.snd_una());
        update_recovery(0, false);
        transmit(ack.now);
    }

    /// RFC 8985, section 7.2: two round trips, and what an ACK of a single segment may be delayed by; a
    /// second where no round trip is known.
    void arm_tail_loss_probe()
    {
        if (m_state.state() == State::OPEN && !m_board.empty() && !m_probe.is_out())
        {
            const bool single = m_board.snd_nxt() - m_board.snd_una() == 1;
            const Time srtt = m_rtts.srtt();
            m_timers.arm_tail_loss_probe(
                srtt == NO_RTT ? 1'000'000'000 : 2 * srtt + (single ? m_spec.ack_timeout : 0));
        }
    }

    /// Section 7.3: a new segment, else the last one again.
    void on_tail_loss_probe() override
    {
        // While a congestion control answers by itself, the state says nothing of reports.
        if (m_board.empty() || m_state.state() != State::OPEN || m_board.sacked_out() > 0)
        {
            return;
        }
        const uint64_t next = m_board.snd_nxt();
        const bool has_new = m_transmission.has_new(m_board, m_transmission.end_of_data(m_board));
        m_probe.on_sent(has_new ? next + 1 : next, !has_new);
        send_segment(has_new ? next : next - 1, m_events.now(), PROBE);
        m_timers.on_tail_probed(m_rtts.timeout.rto());
    }

    /// RFC 9293, section 3.8.6.1: a connection stays open as long as it is answered.
    void on_persist() override
    {
        const Time now = m_events.now();
        if (!m_timers.on_persist_timeout())
        {
            give_up(now);
            return;
        }
        m_transmission.send_probe(m_board.snd_nxt(), now);
        m_timers.wait_for_window(m_rtts.timeout.rto());
    }

    void on_pacing()
    {
        transmit(m_events.now());
    }

    // Decisions

    const Control& control() const
    {
        return m_window.control();
    }

    void decide(const Control& control, Time now)
    {
        m_window.decide(control, now);
        m_transmission.grow_buffer(m_window.control().cwnd);
    }

    /// In a recovery the window is the recovery's, whatever an algorithm says that does not regulate it.
    void decide_in_state(Control decision, Time now)
    {
        if (m_state.is_reducing() && !m_entry.regulates_recovery)
        {
            decision.cwnd = control().cwnd;
            decision.ssthresh = control().ssthresh;
        }
        decide(decision, now);
    }

    void on_own_timer() override
    {
        const Time now = m_events.now();
        decide_in_state(m_cc->on_timer(now, control()), now);
        transmit(now);
    }

    void on_resume(Resumption how) override
    {
        const Time now = m_events.now();
        if (how == Resumption::TIMEOUT && !m_board.empty())
        {
            time_out(now);
            return;
        }
        if (how == Resumption::REDUCED)
        {
            ++count.recoveries;
            const Congestion loss = congestion(Congestion::LOSS, m_board.pipe(), now);
            m_window.set_ssthresh(m_cc->ssthresh(loss, before_reduction()), now);
            m_ecn.on_reduction();
            decide({control().ssthresh, control().ssthresh, control().pacing_bps}, now);
        }
        // What was outstanding is sent again within the window.
        m_detection.on_timeout(OnLost{*this, now});
        m_state.begin(State::LOSS, m_board);
        transmit(now);
    }

    /// In a recovery the window is the recovery's; the threshold, to which it leads, may move.
    void decide_threshold(Control decision, Time now)
    {
        if (m_state.is_reducing() && !m_entry.regulates_recovery)
        {
            decision.cwnd = control().cwnd;
        }
        decide(decision, now);
    }

    // A congestion control's own packets

    Bytes header_bytes() const
    {
        return HEADER_BYTES + (m_spec.timestamps ? TIMESTAMP_BYTES : 0);
    }

    void send_question(const Question& question, Bytes bytes, bool low_priority) override
    {
        m_transmission.send_question(question, bytes, low_priority, m_events.now());
    }

    bool send_supplement(bool low_priority) override
    {
        if (!m_transmission.has_new(m_board, m_transmission.end_of_data(m_board)))
        {
            return false;
        }
        send_segment(m_board.snd_nxt(), m_events.now(), low_priority ? LOW : NORMAL);
        return true;
    }

    void on_answer(const Question& question, Time now)
    {
        const bool is_query = question.kind == Question::QUERY;
        const bool complete = is_query && question.records.size() == question.routers;
        if (is_query)
        {
            m_requests.on_records(complete);
        }
        Answer answer{};
        answer.now = now;
        answer.asked = question.asked;
        answer.number = question.number;
        answer.is_query = is_query;
        answer.records = question.records;
        answer.complete = complete;
        answer.mss = m_mss;
        answer.state = m_state.state();
        decide_threshold(m_cc->on_answer(answer, control()), now);
        transmit(now);
    }

    // Segments leave

    void transmit(Time now)
    {
        if (m_requests.is_held() || m_is_over)
        {
            return;
        }
        Allowance allowed{};
        allowed.cwnd = m_window.cwnd();
        allowed.paced = m_window.is_paced();
        allowed.state = m_state.state();
        for (;;)
        {
            allowed.fast_retransmit = m_state.is_fast_retransmit_due();
            allowed.new_first = m_spurious.sends_new();
            const uint64_t end = m_transmission.end_of_data(m_board);
            const NextSegment next = m_transmission.next(m_board, end, allowed, now);
            switch (next.kind)
            {
            case NextSegment::NO_DATA:
                m_cwnd_limited = m_board.pipe() + m_mss > allowed.cwnd; // full, and nothing to send
                if (m_transmission.is_application_limited(m_board) && m_board.pipe() < allowed.cwnd)
                {
                    m_rate.on_app_limited(m_board.pipe());
                }
                if (m_transmission.is_window_closed(m_board, end))
                {
                    m_timers.wait_for_window(m_rtts.timeout.rto());
                }
                return;
            case NextSegment::NO_CWND:
                m_cwnd_limited = true;
                return;
            case NextSegment::PACED:
                if (!m_pacing_timer.is_running())
                {
                    m_pacing_timer.set(m_transmission.pacer.next() - now);
                }
                return;
            case NextSegment::SEGMENT:
                break;
            }
            if (m_board.empty() && (m_entry.events & event::RESTART) && m_board.snd_nxt() > 0)
            {
                decide(m_cc->on_restart({now, now - m_last_sent}, control()), now);
            }
            if (next.repairs)
            {
                m_state.on_fast_retransmit();
            }
            send_segment(next.number, now);
            if (allowed.paced)
            {
                m_transmission.pacer.on_sent(now, m_stream.size(next.number), control().pacing_bps);
            }
        }
    }

    /// A segment within the window, a probe of a flight's tail, or a supplement beyond the window.
    enum Priority : uint8_t
    {
        WINDOW,
        PROBE,
        NORMAL,
        LOW,
    };

    void send_segment(uint64_t number, Time now, Priority priority = WINDOW)
    {
        const uint32_t bytes = m_stream.size(number);
        const bool again = m_board.send(number, now);
        if (priority == NORMAL || priority == LOW)
        {
            m_board.set_aside(number);
        }
        const Bytes pipe = m_board.pipe();
        m_rate.on_sent(m_board[number], pipe, bytes, m_board.lost(), now);
        m_last_sent = now;
        // With SACK the timer waits for the last transmission of the head (RFC 6675, section 6).
        m_timers.on_sent(again && m_spec.sack && number == m_board.snd_una(), m_rtts.timeout.rto());
        ++count.segments;
        if (again)
        {
            ++count.retransmissions;
            const bool alone = m_state.is_calm() && m_board.retransmissions_out() == 1;
            m_spurious.on_sent_again(now, alone, priority == PROBE);
        }
        else if (m_spec.rack)
        {
            arm_tail_loss_probe();
        }
        if (m_state.is_reducing() && priority == WINDOW)
        {
            m_recovery.on_sent(bytes);
        }
        uint16_t flags = again ? 0 : m_ecn.flags_of_new(number);
        flags |= priority == LOW ? Packet::LOW : 0;
        Rare<Options> options;
        m_xcp.write(options, m_rtts.srtt(), control().cwnd);
        m_transmission.send_segment(number, flags, std::move(options), now);
        if (m_entry.events & event::SENT)
        {
            m_cc->on_sent({now, m_stream.offset(number), Bytes(bytes), pipe, again});
        }
    }

    EventQueue& m_events;
    const FlowSpec& m_spec;
    const Stream& m_stream;
    const Bytes m_mss;
    const std::unique_ptr<CongestionControl> m_cc; //!< as `control_of` makes it
    const StartingControl* const m_starting;       //!< the same, if its start-up is not its own
    const Entry& m_entry;
    Checks& m_checks;
    Handshake m_handshake;
    LossDetection m_detection;
    Scoreboard& m_board; //!< of the loss detection
    RoundTrips m_rtts;
    RateSampler m_rate;
    RateSample m_fastest;
    TailLossProbe m_probe;
    RecoveryState m_state;
    Recovery m_recovery;
    SpuriousDetection m_spurious;
    EcnSender m_ecn;
    CongestionWindow m_window;
    RetransmissionTimers m_timers;
    Transmission m_transmission;
    SenderRequests m_requests;
    LossNotification m_notification;
    XcpSender m_xcp;
    QuickStartSender m_quick_start;
    bool m_is_over{false}; //!< it has given up, or its host has failed
    bool m_cwnd_limited{false};
    bool m_retreats{false}; //!< the window of a recovery falls at once to the threshold
    Time m_last_sent{0};
    Time m_latest_ack{0};       //!< when that ACK was sent, of those that came
    bool m_is_overtaken{false}; //!< the ACK at hand by that one
    Bytes m_arrived{0};         //!< in truth, as far as ACKs that came can tell; for checks alone
    Timer<Sender, &Sender::on_pacing> m_pacing_timer;
};

} // namespace longfat::core

#endif
