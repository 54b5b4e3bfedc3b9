// SPDX-License-Identifier: GPL-2.0-only
//
// Start-ups: what a connection does in its first slow start, where a flow asks for another than its
// sender's own. Each is a part that goes with any sender that has a window and a threshold:
//
//     standard        RFC 5681, (2); with another limit, RFC 3465
//     paced           the same, its segments spread over the round trip (RFC 9002, section 7.7)
//     limited         RFC 3742
//     hystart         Ha and Rhee 2011, as in Linux
//     hystart++       RFC 9406
//     search          draft-chung-ccwg-search-09
//     hybla           paper hybla, equation (1), first line
//     picoquic        as the QUIC stack of that name
//     careful-resume  RFC 9959
//
// StartingControl stands between TCP and the sender. While the start-up lasts it decides; the sender
// is told everything all the same, so that its round trips, estimates and counters are those of the
// whole connection. A start-up is over when the window has come to the threshold, with the first
// congestion, or when a sender that goes by delay lowers its window; from then on all is the sender's,
// later slow starts too.

#ifndef LONGFAT_CORE_START_UP_H
#define LONGFAT_CORE_START_UP_H

#include "exact-math.h"
#include "linux-hystart.h"
#include "model.h"
#include "slow-start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace longfat::core
{

class StartUp
{
  public:
    virtual ~StartUp() = default;

    /// The first window.
    virtual Control on_established(const Established&, Control now)
    {
        return now;
    }

    /// Every ACK as long as it lasts. `own` is what the sender would decide.
    virtual Control on_ack(const Ack& ack, Control now, const Control& own) = 0;

    /// Congestion, of which the sender would leave the threshold `own`; the rest as on_ack.
    virtual double ssthresh(const Congestion&, const Control&, double own)
    {
        return own;
    }

    /// After that, or a decision, it is over.
    virtual bool is_over(const Control& now) const
    {
        return !now.in_slow_start();
    }

    /// It goes on after congestion, with a window that falls at once to what it leaves.
    virtual bool retreats() const
    {
        return false;
    }

    /// The recovery in which it has gone on ends, and it with it.
    virtual Control on_recovered(const Recovered&, const Control& now)
    {
        return now;
    }

  protected:
    /// An ACK opens the window: it acknowledges new data, and the window keeps some from being sent.
    static bool grows(const Ack& ack)
    {
        return ack.may_grow() && ack.cwnd_limited;
    }

    /// The window with so many segments more, up to the threshold.
    static Control grown(Control now, double segments)
    {
        now.cwnd = std::min(now.cwnd + segments, std::max(now.ssthresh, now.cwnd));
        return now;
    }

    /// So many windows a round trip, of payload.
    static double pace_bps(double gain, double cwnd, Bytes mss, Time rtt)
    {
        return gain * 8 * cwnd * static_cast<double>(mss) / seconds(std::max<Time>(rtt, 1));
    }
};

/// W <- W + min(N, L), with N the segments that an ACK newly acknowledges: L is 1 in RFC 5681, (2), 2
/// and more in RFC 3465; QUIC knows no limit (RFC 9002, section 7.3.1).
struct StandardStart : StartUp
{
    double limit{1}; //!< L, segments

    Control on_ack(const Ack& ack, Control now, const Control&) override
    {
        return grows(ack) ? grown(now, std::min(ack.segments(ack.newly_acked), limit)) : now;
    }
};

/// N W / RTT, from the first window on (RFC 9002, section 7.7, (1)). N is Linux's 2 by default
/// (tcp_pacing_ss_ratio); with 1.25, the RFC's example for a whole connection, slow start itself would
/// be slower: its ACKs would come at the pace of a round trip ago.
struct PacedStart final : StandardStart
{
    double gain{2}; //!< N

    Control on_established(const Established& established, Control now) override
    {
        return paced(now, established.mss, established.rtt);
    }

    Control on_ack(const Ack& ack, Control now, const Control& own) override
    {
        return paced(StandardStart::on_ack(ack, now, own), ack.mss, ack.srtt);
    }

  private:
    Control paced(Control now, Bytes mss, Time rtt) const
    {
        if (rtt != NO_RTT)
        {
            now.pacing_bps = pace_bps(gain, now.cwnd, mss, rtt);
        }
        return now;
    }
};

struct LimitedStart final : StartUp
{
    LimitedSlowStart growth{100}; //!< max_ssthresh that RFC 3742 recommends

    Control on_ack(const Ack& ack, Control now, const Control&) override
    {
        return grows(ack) ? growth.on_ack(ack, now) : now;
    }
};

struct HyStartStart final : StartUp
{
    Control on_ack(const Ack& ack, Control now, const Control&) override
    {
        return grows(ack) ? m_growth.on_ack(ack, now) : now;
    }

  private:
    LinuxHyStart m_growth;
};

struct HyStartPlusPlusStart final : StartUp
{
    Control on_ack(const Ack& ack, Control now, const Control&) override
    {
        return grows(ack) ? m_growth.on_ack(ack, now) : now;
    }

  private:
    HyStart m_growth;
};

/// W <- max(W, rho) and W <- W + 2^rho - 1 for every ACK, with rho = RTT / RTT_0, at least 1.
struct HyblaStart final : StartUp
{
    double rtt0_s{0.025};

    Control on_established(const Established& established, Control now) override
    {
        if (established.rtt != NO_RTT)
        {
            now.cwnd = std::max(now.cwnd, rho(established.rtt));
        }
        return now;
    }

    Control on_ack(const Ack& ack, Control now, const Control&) override
    {
        return grows(ack) ? grown(now, exact_exp2(rho(ack.min_rtt)) - 1) : now;
    }

  private:
    double rho(Time rtt) const
    {
        return std::max(1.0, seconds(rtt) / rtt0_s);
    }
};

/// SEARCH: slow start ends when what is delivered falls behind what was sent a round trip before.
///
/// Time is cut into bins, ten to 3.5 of the first round trip; of each the bytes sent and acknowledged
/// so far are kept. With every bin the bytes acknowledged in the last ten are compared with those sent
/// in the ten that ended a round trip ago, between two bins by their shares. If they are fewer by 26 %
/// of what was sent, the window is the threshold.
class SearchStart final : public StartUp
{
  public:
    double threshold{0.26}; //!< THRESH

    Control on_ack(const Ack& ack, Control now, const Control&) override
    {
        m_acked = ack.delivered;
        m_sent = ack.snd_nxt;
        if (ack.latest_rtt > 0 && ends(ack))
        {
            now.ssthresh = now.cwnd;
            return now;
        }
        return grows(ack) ? m_growth.on_ack(ack, now) : now;
    }

  private:
    static constexpr int64_t W = 10;          //!< bins of a window
    static constexpr int64_t EXTRA_BINS = 15; //!< how far back a round trip may reach, in bins
    static constexpr int64_t BINS = W + 1 + EXTRA_BINS;
    static constexpr double WINDOW_FACTOR = 3.5; //!< of a window and the first round trip

    struct Bin
    {
        Bytes acked{0};
        Bytes sent{0};
    };

    bool ends(const Ack& ack)
    {
        if (m_index < 0)
        {
            m_duration = static_cast<Time>(WINDOW_FACTOR * static_cast<double>(ack.latest_rtt) / W);
            m_duration = std::max<Time>(m_duration, 1);
            m_bin_end = ack.now + m_duration;
            m_index = 0;
            bin(0) = {m_acked, m_sent};
            return false;
        }
        if (ack.now < m_bin_end)
        {
            return false;
        }
        const int64_t passed = (ack.now - m_bin_end) / m_duration + 1;
        if (passed > W) // what it has seen is too old: it begins anew
        {
            m_index = -1;
            return false;
        }
        for (int64_t i = 1; i < passed; ++i)
        {
            bin(m_index + i) = bin(m_index);
        }
        m_index += passed;
        m_bin_end += passed * m_duration;
        bin(m_index) = {m_acked, m_sent};
        return has_fallen_behind(ack.latest_rtt);
    }

    bool has_fallen_behind(Time rtt) const
    {
        const int64_t before = m_index - rtt / m_duration;
        if (before <= W || m_index - before >= EXTRA_BINS)
        {
            return false; // there is too little to look back on
        }
        const double share =
            static_cast<double>(rtt % m_duration) / static_cast<double>(m_duration);
        const double sent = share * sent_until(before - 1) + (1 - share) * sent_until(before);
        const Bytes acked = bin(m_index).acked - bin(m_index - W).acked;
        return sent > 0 && sent - static_cast<double>(acked) >= threshold * sent;
    }

    /// In the window that ends with a bin.
    double sent_until(int64_t index) const
    {
        return static_cast<double>(bin(index).sent - bin(index - W).sent);
    }

    Bin& bin(int64_t index)
    {
        return m_bins[static_cast<std::size_t>(index % BINS)];
    }

    const Bin& bin(int64_t index) const
    {
        return m_bins[static_cast<std::size_t>(index % BINS)];
    }

    std::array<Bin, BINS> m_bins;
    int64_t m_index{-1}; //!< of the bin that has ended last; -1: none has begun
    Time m_bin_end{0};
    Time m_duration{0};
    Bytes m_acked{0};
    Bytes m_sent{0};
    ByteCountingSlowStart m_growth;
};

/// The slow start of picoquic (cubic.c, newreno.c, cc_common.c, pacing.c and frames.c, of 2026).
///
/// The first window is larger by RTT / 100 ms, of round trips up to 610 ms (all but CUBIC). A window is
/// never below half of what the largest delivery rate holds, measured over a millisecond and more. An
/// ACK adds what it acknowledges. It ends when the last seven round trips, a millisecond apart at least,
/// have seven times been longer than the smallest by a quarter; the window is then taken back: by half up
/// to 100 ms, less beyond (as CUBIC does).
///
/// Segments are paced, at 1.25 windows a round trip. Of round trips beyond 60 ms picoquic lets 32 kB, and a
/// quarter of the window, leave at once: these trains are what shows the rate. Here nothing is paced over
/// such a path until a train has shown it, and then all is.
class PicoquicStart final : public StartUp
{
  public:
    double reference_rtt_s{0.1};
    double largest_rtt_s{0.61};
    bool scales_first_window{true};

    Control on_established(const Established& established, Control now) override
    {
        if (established.rtt == NO_RTT)
        {
            return now;
        }
        const double rtt_s = seconds(established.rtt);
        if (scales_first_window && rtt_s > reference_rtt_s)
        {
            now.cwnd *= std::min(rtt_s, largest_rtt_s) / reference_rtt_s;
        }
        return paced(now, established.mss, established.rtt);
    }

    Control on_ack(const Ack& ack, Control now, const Control&) override
    {
        if (ack.rtt != NO_RTT)
        {
            sample_rate(ack);
            if (has_risen(ack, now))
            {
                now.cwnd = std::max(1.0, now.cwnd * part_that_stays());
                now.ssthresh = now.cwnd;
                return now;
            }
        }
        if (ack.may_grow())
        {
            const double half = m_rate * seconds(ack.srtt) / static_cast<double>(ack.mss) / 2;
            m_has_seen_train = m_has_seen_train || half > now.cwnd;
            now.cwnd = std::max(now.cwnd, std::min(half, now.ssthresh));
        }
        if (grows(ack))
        {
            now = grown(now, ack.segments(ack.newly_delivered));
        }
        return paced(now, ack.mss, ack.srtt);
    }

  private:
    static constexpr double GAIN = 1.25;
    static constexpr Time LONG = 60'000'000;    //!< 4 PICOQUIC_MAX_BANDWIDTH_TIME_INTERVAL_MAX
    static constexpr Time INTERVAL = 1'000'000; //!< of samples, at least
    static constexpr std::size_t SCOPE = 7;     //!< round trips that are looked at

    Control paced(Control now, Bytes mss, Time rtt) const
    {
        const bool in_trains = rtt > LONG && !m_has_seen_train;
        now.pacing_bps = in_trains ? UNLIMITED : pace_bps(GAIN, now.cwnd, mss, rtt);
        return now;
    }

    /// picoquic_estimate_max_path_bandwidth: what is delivered since the last sample, over the time in
    /// which it was acknowledged, or sent if that is longer.
    void sample_rate(const Ack& ack)
    {
        const Time sent = ack.now - ack.rtt;
        if (m_sampled != NEVER && sent >= m_sampled_sent && ack.now - m_sampled <= INTERVAL)
        {
            return;
        }
        if (m_sampled != NEVER && sent >= m_sampled_sent)
        {
            const Time interval = std::max(ack.now - m_sampled, sent - m_sampled_sent);
            const Bytes delivered = ack.delivered - m_sampled_delivered;
            m_rate = std::max(m_rate, static_cast<double>(delivered) / seconds(interval));
        }
        if (m_sampled == NEVER || sent >= m_sampled_sent)
        {
            m_sampled = ack.now;
            m_sampled_sent = sent;
            m_sampled_delivered = ack.delivered;
        }
    }

    /// picoquic_cc_hystart_test.
    bool has_risen(const Ack& ack, const Control& now)
    {
        if (m_count > 0 && ack.now <= m_last + INTERVAL)
        {
            return false;
        }
        m_last = ack.now;
        m_rtts[m_count++ % SCOPE] = ack.rtt;
        if (m_count < SCOPE)
        {
            return false;
        }
        const auto [least, most] = std::minmax_element(m_rtts.begin(), m_rtts.end());
        m_smallest = std::min(m_smallest, *most);
        const double bps = pace_bps(GAIN, now.cwnd, ack.mss, ack.srtt);
        const auto packet = static_cast<Time>(8e9 * static_cast<double>(ack.mss) / bps);
        if (*least > m_smallest + std::max(m_smallest / 4, packet))
        {
            return ++m_longer >= SCOPE;
        }
        m_longer = *least > m_smallest ? m_longer : 0;
        return false;
    }

    double part_that_stays() const
    {
        const double rtt_s = seconds(m_smallest);
        if (rtt_s <= reference_rtt_s)
        {
            return 0.5;
        }
        const double most = rtt_s > largest_rtt_s ? largest_rtt_s : reference_rtt_s;
        return (1 + most / rtt_s) / 2;
    }

    double m_rate{0}; //!< largest, bytes/s
    bool m_has_seen_train{false};
    Time m_sampled{NEVER};
    Time m_sampled_sent{0};
    Bytes m_sampled_delivered{0};
    std::array<Time, SCOPE> m_rtts{};
    std::size_t m_count{0};
    std::size_t m_longer{0};
    Time m_last{0};
    Time m_smallest{NEVER}; //!< of the largest of SCOPE
};

/// Careful Resume: a connection goes on where an earlier one over the same path has been (RFC 9959).
/// Each rule stands beside the section that has it.
class CarefulResumeStart final : public StartUp
{
  public:
    double saved_cwnd_bytes{0};
    double saved_rtt_s{0};
    double max_jump_bytes{UNLIMITED};
    double beta{0.5};

    enum class Phase : uint8_t
    {
        RECONNAISSANCE,
        UNVALIDATED,
        VALIDATING,
        SAFE_RETREAT,
        NORMAL,
    };

    Phase phase() const
    {
        return m_phase;
    }

    Control on_established(const Established& established, Control now) override
    {
        m_initial = static_cast<Bytes>(now.cwnd * static_cast<double>(established.mss));
        return now;
    }

    Control on_ack(const Ack& ack, Control now, const Control& own) override
    {
        switch (m_phase)
        {
        case Phase::RECONNAISSANCE:
            return reconnoitre(ack, own);
        case Phase::UNVALIDATED:
            m_pipe_size += ack.newly_delivered;
            return is_unvalidated_over(ack, now) ? validate(ack, now) : now;
        case Phase::VALIDATING:
            m_pipe_size += ack.newly_delivered;
            m_phase = ack.snd_una >= m_last_unvalidated ? Phase::NORMAL : m_phase;
            return own;
        case Phase::SAFE_RETREAT:
            m_pipe_size += ack.newly_delivered;
            now.pacing_bps = UNLIMITED;
            return now;
        case Phase::NORMAL:
            break;
        }
        return own;
    }

    /// Congestion of what was sent on trust: no more than half of what has arrived (safe retreat).
    /// Persistent congestion, and that of the first window, is the sender's affair.
    double ssthresh(const Congestion& congestion, const Control& now, double own) override
    {
        const bool trusted = m_phase == Phase::UNVALIDATED || m_phase == Phase::VALIDATING;
        if (congestion.cause == Congestion::TIMEOUT || (!trusted && m_phase != Phase::SAFE_RETREAT))
        {
            m_phase = Phase::NORMAL;
            return own;
        }
        if (!trusted)
        {
            return std::min(now.ssthresh, own); // the window must not be increased in it
        }
        m_phase = Phase::SAFE_RETREAT;
        m_mss = congestion.mss;
        return at_least_two(0.5 * segments(m_pipe_size));
    }

    bool is_over(const Control&) const override
    {
        return m_phase == Phase::NORMAL;
    }

    bool retreats() const override
    {
        return m_phase == Phase::SAFE_RETREAT;
    }

    /// The last of what was sent on trust is acknowledged: the threshold is beta of the pipe, the window
    /// what it was in the retreat.
    Control on_recovered(const Recovered&, const Control& now) override
    {
        m_phase = Phase::NORMAL;
        return {now.ssthresh, at_least_two(beta * segments(m_pipe_size)), UNLIMITED};
    }

  private:
    static constexpr double LARGEST_RTT = 10; //!< of the saved one: another path (section 4)

    /// Normal until all of the first window is acknowledged; then, if the round trip is that of the
    /// path that was saved, and as soon as the window keeps data from being sent, the jump.
    Control reconnoitre(const Ack& ack, Control own)
    {
        if (ack.snd_una < m_initial || !ack.cwnd_limited)
        {
            return own;
        }
        const double rtt_s = seconds(ack.min_rtt);
        const double jump = std::min(max_jump_bytes, saved_cwnd_bytes / 2) / double(ack.mss);
        if (rtt_s <= saved_rtt_s / 2 || rtt_s > LARGEST_RTT * saved_rtt_s || jump <= own.cwnd)
        {
            m_phase = Phase::NORMAL;
            return own;
        }
        m_phase = Phase::UNVALIDATED;
        m_mss = ack.mss;
        m_entered = ack.now;
        m_pipe_size = ack.snd_nxt - ack.snd_una;
        m_first_unvalidated = ack.snd_nxt;
        return {jump, own.ssthresh, pace_bps(1, jump, ack.mss, ack.latest_rtt)};
    }

    /// All is sent, the first of it has come back, or a round trip is over.
    bool is_unvalidated_over(const Ack& ack, const Control& now) const
    {
        const auto window = static_cast<Bytes>(now.cwnd * static_cast<double>(ack.mss));
        return ack.snd_nxt - ack.snd_una + ack.newly_acked > window - ack.mss ||
               ack.snd_una > m_first_unvalidated || ack.now - m_entered > ack.latest_rtt;
    }

    /// The window is what is in flight, which the ACKs to come have to prove; if that is no more than
    /// what has arrived, the window is that, and nothing has to be proved.
    Control validate(const Ack& ack, Control now)
    {
        const Bytes flight = ack.snd_nxt - ack.snd_una;
        const bool proved = flight < m_initial || flight <= m_pipe_size;
        m_phase = proved ? Phase::NORMAL : Phase::VALIDATING;
        m_last_unvalidated = ack.snd_nxt;
        now.cwnd = segments(proved ? std::max(m_pipe_size, m_initial) : flight);
        now.pacing_bps = UNLIMITED;
        return now;
    }

    double segments(Bytes bytes) const
    {
        return static_cast<double>(bytes) / static_cast<double>(m_mss);
    }

    static double at_least_two(double window)
    {
        return std::max(window, 2.0);
    }

    Phase m_phase{Phase::RECONNAISSANCE};
    Bytes m_mss{1};
    Bytes m_initial{0}; //!< the initial window
    Time m_entered{0};  //!< into the unvalidated phase
    Bytes m_pipe_size{0};
    Bytes m_first_unvalidated{0}; //!< where it begins
    Bytes m_last_unvalidated{0};  //!< where it ends
};

/// The start-up that a flow asks for, with its parameters; monostate: its sender's own.
using StartUpSpec = std::variant<std::monostate,
                                 StandardStart,
                                 PacedStart,
                                 LimitedStart,
                                 HyStartStart,
                                 HyStartPlusPlusStart,
                                 SearchStart,
                                 HyblaStart,
                                 PicoquicStart,
                                 CarefulResumeStart>;

/// Whether a start-up goes with it: its window has a slow start, of which it alone decides.
inline bool
has_start_up(const Entry& entry)
{
    constexpr uint32_t OTHERS = event::TIMER | event::ANSWER | event::SUPPLEMENT | event::HOLDS;
    return !entry.regulates_recovery && !(entry.events & OTHERS) &&
           !(entry.needs & need::ROUTER_FEEDBACK);
}

/// A sender with another start-up than its own.
class StartingControl final : public CongestionControl
{
  public:
    StartingControl(std::unique_ptr<StartUp> start_up, std::unique_ptr<CongestionControl> sender)
        : m_start_up(std::move(start_up)),
          m_sender(std::move(sender))
    {
    }

    /// The window falls at once to what congestion has just left.
    bool retreats() const
    {
        return m_lasts && m_start_up->retreats();
    }

    Control on_established(const Established& established, const Control& now) override
    {
        m_sender->on_established(established, now);
        return m_start_up->on_established(established, now);
    }

    Control on_ack(const Ack& ack, const Control& now) override
    {
        if (!m_lasts)
        {
            return m_sender->on_ack(ack, taken_over(now));
        }
        const Control own = m_sender->on_ack(ack, unpaced(now));
        if (backs_off(own, now) && !m_start_up->retreats())
        {
            m_lasts = false;
            return taken_over(own);
        }
        Control next = m_start_up->on_ack(ack, now, own);
        if (m_start_up->is_over(next))
        {
            m_lasts = false;
            next = taken_over(next);
        }
        return next;
    }

    double ssthresh(const Congestion& congestion, const Control& now) override
    {
        const double own = m_sender->ssthresh(congestion, now);
        if (!m_lasts)
        {
            return own;
        }
        const double left = m_start_up->ssthresh(congestion, now, own);
        m_lasts = m_start_up->retreats();
        m_ended_by_congestion = !m_lasts && congestion.cause != Congestion::TIMEOUT;
        return left;
    }

    Control on_timeout(Time time, const Control& now) override
    {
        m_lasts = m_ended_by_congestion = false;
        return m_sender->on_timeout(time, taken_over(now));
    }

    Control on_recovered(const Recovered& recovered, const Control& now) override
    {
        m_ended_by_congestion = false;
        const Control own = m_sender->on_recovered(recovered, taken_over(now));
        if (!m_lasts)
        {
            return own;
        }
        m_lasts = false;
        return m_start_up->on_recovered(recovered, now);
    }

    /// A congestion that was none has ended nothing.
    Control on_undo(const Undo& undo, const Control& now) override
    {
        m_lasts = std::exchange(m_ended_by_congestion, false);
        return m_sender->on_undo(undo, taken_over(now));
    }

    void on_start(Requests& requests) override
    {
        m_sender->on_start(requests);
    }

    void on_sent(const Sent& sent) override
    {
        m_sender->on_sent(sent);
    }

    void on_lost(const Lost& lost) override
    {
        m_sender->on_lost(lost);
    }

    Control on_restart(const Restart& restart, const Control& now) override
    {
        return m_sender->on_restart(restart, now);
    }

    Control on_handoff(const Handoff& handoff, const Control& now) override
    {
        return m_sender->on_handoff(handoff, now);
    }

    Control on_timer(Time time, const Control& now) override
    {
        return m_sender->on_timer(time, now);
    }

    Control on_answer(const Answer& answer, const Control& now) override
    {
        return m_sender->on_answer(answer, now);
    }

    Control on_supplement(const Supplement& supplement, const Control& now) override
    {
        return m_sender->on_supplement(supplement, now);
    }

    bool holds(const Congestion& congestion) override
    {
        return m_sender->holds(congestion);
    }

    double bandwidth_bps() const override
    {
        return m_sender->bandwidth_bps();
    }

    double utilization() const override
    {
        return m_sender->utilization();
    }

  private:
    static Control unpaced(Control now)
    {
        now.pacing_bps = UNLIMITED;
        return now;
    }

    /// The sender has found congestion by itself, as those do that go by delay: its window falls, or
    /// will. That its slow start would have ended here is none.
    static bool backs_off(const Control& own, const Control& now)
    {
        return own.cwnd < now.cwnd || (own.ssthresh < now.ssthresh && own.ssthresh < now.cwnd);
    }

    /// The pace of a start-up ends with it.
    Control taken_over(const Control& now)
    {
        return std::exchange(m_has_paced, true) ? now : unpaced(now);
    }

    const std::unique_ptr<StartUp> m_start_up;
    const std::unique_ptr<CongestionControl> m_sender;
    bool m_lasts{true};
    bool m_has_paced{false};           //!< and paces no more
    bool m_ended_by_congestion{false}; //!< which may turn out to be none
};

/// A sender with the start-up that is asked for.
inline std::unique_ptr<CongestionControl>
with_start_up(const StartUpSpec& spec, std::unique_ptr<CongestionControl> sender)
{
    return std::visit(
        [&]<class T>(const T& start_up) -> std::unique_ptr<CongestionControl> {
            if constexpr (std::is_same_v<T, std::monostate>)
            {
                return std::move(sender);
            }
            else
            {
                return std::make_unique<StartingControl>(std::make_unique<T>(start_up),
                                                         std::move(sender));
            }
        },
        spec);
}

} // namespace longfat::core

#endif
