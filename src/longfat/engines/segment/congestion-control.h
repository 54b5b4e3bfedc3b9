// SPDX-License-Identifier: GPL-2.0-only
//
// The interface between TCP and a congestion control.
//
// TCP tells what happened, each time by one value; the congestion control answers with another, its
// decision. Neither sees the other's state, so that no order of calls has to be kept in mind:
//
//     TCP                                   congestion control
//     Ack, Congestion, Sent, Lost, ...  ->
//                                       <-  Control {cwnd, ssthresh, pacing_bps}
//     Requests (asked for at the start) <-  timer, probe, query, supplement, hold, resume
//
// A congestion control is a class with as few as two functions:
//
//     class NewReno
//     {
//       public:
//         static constexpr Entry entry{.name = "newreno", .title = "TCP NewReno", ...};
//         Control on_ack(const Ack& ack, Control now);                        // every ACK
//         double ssthresh(const Congestion& congestion, const Control& now);  // what congestion leaves
//     };
//     LONGFAT_CONGESTION_CONTROL(NewReno);
//
// What else it wants to hear it says by having the function (`Event` below lists them) and by
// naming the event in its entry, which is what tells whether an engine can serve it; that both agree is
// checked when it is compiled. Everything that holds during a recovery is TCP's affair: how much may be
// sent then is proportional rate reduction's or halving's answer (recovery.h), unless the entry says
// that the algorithm regulates recoveries too, as BBR does.
//
// Units. Time is in whole nanoseconds and data in bytes, both in 64 bits with a sign: differences
// are differences, and nothing wraps. Windows are in segments, in floating point: papers' equations
// read as they are printed, a growth of 1/cwnd is never rounded to bytes (nor waits anywhere for its
// fraction to become one), and every whole window up to 2^53 segments is exact. What TCP makes of it is
// in one place: it sends whole segments, as many as fit.
//
// Names are those of the RFCs and of Linux: snd_una, pipe (RFC 6675), prior_in_flight, rate sample.

#ifndef LONGFAT_CORE_CONGESTION_CONTROL_H
#define LONGFAT_CORE_CONGESTION_CONTROL_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace longfat::core
{

using Time = int64_t;  //!< nanoseconds
using Bytes = int64_t; //!< of payload

constexpr Time NEVER = std::numeric_limits<Time>::max();
constexpr Time NO_RTT = -1;
constexpr double UNLIMITED = std::numeric_limits<double>::infinity();

constexpr double
seconds(Time time)
{
    return 1e-9 * static_cast<double>(time);
}

/// What a sender may do: all that a congestion control decides.
struct Control
{
    double cwnd;                  //!< congestion window, segments
    double ssthresh{UNLIMITED};   //!< slow start threshold, segments
    double pacing_bps{UNLIMITED}; //!< of payload; UNLIMITED: segments leave as the window allows

    bool in_slow_start() const
    {
        return cwnd < ssthresh;
    }
};

/// As in Linux. OPEN: nothing is amiss. DISORDER: something is missing, perhaps lost. CWR: the window
/// falls because of ECN. RECOVERY: because of a loss, which is repaired. LOSS: after a timeout.
enum class State : uint8_t
{
    OPEN,
    DISORDER,
    CWR,
    RECOVERY,
    LOSS,
};

/// The delivery rate over about the last round trip (draft-ietf-ccwg-bbr, section 4.1), of one ACK.
struct RateSample
{
    Bytes delivered{0};       //!< since the newest segment that this ACK delivers was sent
    Time interval{0};         //!< in which that was delivered; 0: this ACK gives no sample
    Bytes prior_delivered{0}; //!< of the connection, when that segment was sent
    Bytes tx_in_flight{0};    //!< in flight when it had been sent
    Bytes lost{0};            //!< found lost since it was sent
    bool is_app_limited{false};
    bool is_retransmission{false};

    double bps() const
    {
        return interval > 0 ? 8e9 * static_cast<double>(delivered) / static_cast<double>(interval)
                            : 0;
    }
};

/// What routers have written into the congestion headers that one ACK tells of (XCP:
/// draft-falk-xcp-spec-03, section 3). A sender whose entry names the need has such headers in its
/// segments: they say its smoothed round trip, that over its window, and that it would take any rate.
struct RouterFeedback
{
    double rate_change{0}; //!< of the flow, bytes/s: the sum of its segments' (Reverse_Feedback)
    bool present{false};   //!< the ACK tells of congestion headers
    bool complete{false};  //!< all routers on the way have written; else the change says nothing
};

/// An ACK, and what TCP knows after it.
struct Ack
{
    Time now;
    Bytes mss;
    Bytes snd_una;            //!< all before it is acknowledged
    Bytes snd_nxt;            //!< all before it has been sent
    Bytes newly_acked;        //!< snd_una has advanced by it; 0: a duplicate ACK
    Bytes newly_sacked;       //!< reported by SACK and not before
    Bytes newly_delivered;    //!< acknowledged or reported, and neither before
    Bytes newly_lost;         //!< found lost with this ACK
    Bytes delivered;          //!< of the connection, so far
    Bytes lost;               //!< of the connection, so far, again and again
    Bytes prior_in_flight;    //!< before this ACK
    Bytes pipe;               //!< in flight now (RFC 6675)
    Time rtt;                 //!< sample of this ACK, or NO_RTT
    Time latest_rtt;          //!< the last sample that there was
    Time srtt;                //!< smoothed (RFC 6298)
    Time min_rtt;             //!< smallest of the connection
    Time segment_sent{NEVER}; //!< one-way delay: when the segment that caused this ACK was sent,
    Time segment_received{NEVER}; //!< and received; NEVER: nothing but an ACK before was told of it
    bool ece{false};              //!< ECN-Echo (RFC 3168)
    bool app_limited{false};      //!< the application had no more to send
    bool cwnd_limited{false};     //!< cwnd has kept segments from being sent
    Bytes advertised_window;      //!< by the receiver
    State state;                  //!< after this ACK
    State prior_state;            //!< before it
    RateSample rate;
    RouterFeedback feedback;

    /// Whether a window grows by it: it acknowledges new data, and no recovery is under way.
    bool may_grow() const
    {
        return newly_acked > 0 && state != State::RECOVERY && state != State::CWR;
    }

    double segments(Bytes bytes) const
    {
        return static_cast<double>(bytes) / static_cast<double>(mss);
    }
};

/// A sign of congestion, which lowers the threshold.
struct Congestion
{
    enum Cause : uint8_t
    {
        LOSS,                //!< found by duplicate ACKs, SACK or RACK
        LOST_RETRANSMISSION, //!< since the window was lowered last (RFC 5681, section 4.3)
        ECN,                 //!< a mark's echo
        TIMEOUT,
    };

    Cause cause;
    Time now;
    Bytes mss;
    Bytes snd_una;
    Bytes snd_nxt;
    Bytes flight_size;       //!< sent and not acknowledged (RFC 5681, section 3.2)
    Bytes pipe;              //!< in flight, before what was done about it
    Bytes advertised_window; //!< by the receiver
    Time srtt;
    Time min_rtt; //!< NEVER: none yet

    double segments(Bytes bytes) const
    {
        return static_cast<double>(bytes) / static_cast<double>(mss);
    }
};

/// The connection is there. `rtt` is NO_RTT where the SYN was sent twice.
struct Established
{
    Time now;
    Bytes mss;
    Time rtt;
    double max_window;       //!< segments: no decision goes beyond it; UNLIMITED: any
    uint64_t seed;           //!< the scenario's, for random numbers (random.h)
    uint64_t flow;           //!< its place among the scenario's flows
    bool sack;               //!< the receiver reports what has arrived (RFC 2018)
    Bytes header_bytes{0};   //!< on the wire, in front of a segment's payload
    RouterFeedback feedback; //!< of the handshake
};

/// A recovery or CWR is over, for all is acknowledged that had been sent when it began.
struct Recovered
{
    Time now;
    Bytes mss;
    Bytes pipe;
    State from; //!< RECOVERY, or CWR
};

/// A congestion was none: the segments had been delayed. `before` is what TCP goes back to.
struct Undo
{
    Time now;
    Control before;

    /// Window and threshold as before, but not less than they are.
    Control applied(const Control& to) const
    {
        return {std::max(to.cwnd, before.cwnd),
                std::max(to.ssthresh, before.ssthresh),
                to.pacing_bps};
    }
};

/// The first segment after nothing was in flight, because the application had nothing to send.
struct Restart
{
    Time now;
    Time idle;
};

/// The host has moved. Of a local movement the rate of the new link may have been announced.
struct Handoff
{
    Time now;
    bool local;
    double announced_bps; //!< 0: it was not
    Bytes advertised_window;
    Bytes mss;
};

/// A segment leaves.
struct Sent
{
    Time now;
    Bytes sequence;
    Bytes bytes;
    Bytes pipe; //!< with it
    bool is_retransmission;
};

/// A segment is found lost; the rest is as it was when it was last sent.
struct Lost
{
    Time now;
    Bytes sequence;
    Bytes bytes;
    Time sent_time;
    Bytes delivered;    //!< of the connection
    Bytes lost;         //!< found lost since then, with it
    Bytes tx_in_flight; //!< with it
    bool is_app_limited;
};

/// What a router has written into a query, of the link that the query takes (the Performance
/// Transparency Protocol; M. Welzl, "Scalable performance signalling and congestion avoidance", 2003).
struct LinkRecord
{
    uint32_t link{0};    //!< its address
    double rate_bps{0};  //!< nominal
    Bytes sent_bytes{0}; //!< so far, headers included
    Time at{0};          //!< when that was
};

/// The answer to a probe, or to a query of the routers on the path.
struct Answer
{
    Time now;
    Time asked;
    uint64_t number; //!< that `probe` or `query` has returned
    bool is_query;
    std::span<const LinkRecord> records; //!< of a query
    bool complete;                       //!< every router on the way has written one
    Bytes mss;
    State state; //!< in RECOVERY or CWR a decision moves the threshold alone
};

/// The receiver reports a supplement.
struct Supplement
{
    Time now;
    Bytes mss;
    State state; //!< in RECOVERY or CWR a decision moves the threshold alone
};

/// How segments are sent again after none were.
enum class Resumption : uint8_t
{
    UNCHANGED, //!< window and threshold as they were; what was outstanding is sent again within it
    REDUCED,   //!< the same, with the threshold of a loss as the window
    TIMEOUT,   //!< as after a timeout
};

/// What a congestion control may ask TCP for, from `on_start` on. Probes and queries count from 1, each
/// for itself, and leave at once.
class Requests
{
  public:
    virtual ~Requests() = default;

    /// Call on_timer after that time; another call sets it anew, NEVER stops it.
    virtual void timer(Time delay) = 0;

    /// Send a packet with so many bytes that are no data; the receiver answers at once (on_answer). A
    /// full queue drops packets of low priority first. Returns its number.
    virtual uint64_t probe(Bytes bytes, bool low_priority) = 0;

    /// Send a query into which routers write; the receiver answers at once (on_answer). Returns its
    /// number.
    virtual uint64_t query() = 0;

    /// Send the next new segment whatever the window. Until it is sent again it is neither in flight
    /// nor its loss one that reduces the window; its arrival is told by on_supplement. Returns false
    /// when there is none to be sent, or the receiver has no room.
    virtual bool supplement(bool low_priority) = 0;

    virtual void hold() = 0; //!< no segment leaves until resume
    virtual void resume(Resumption how) = 0;
};

/// What a congestion control can be told besides ACKs and congestion: a bit each, of the function that
/// has the name.
namespace event
{
constexpr uint32_t START = 1;          //!< on_start(Requests&)
constexpr uint32_t ESTABLISHED = 2;    //!< on_established(const Established&, Control) -> Control
constexpr uint32_t SENT = 4;           //!< on_sent(const Sent&)
constexpr uint32_t LOST = 8;           //!< on_lost(const Lost&)
constexpr uint32_t TIMEOUT = 16;       //!< on_timeout(Time now, Control) -> Control
constexpr uint32_t RECOVERED = 32;     //!< on_recovered(const Recovered&, Control) -> Control
constexpr uint32_t UNDO = 64;          //!< on_undo(const Undo&, Control) -> Control
constexpr uint32_t RESTART = 128;      //!< on_restart(const Restart&, Control) -> Control
constexpr uint32_t HANDOFF = 256;      //!< on_handoff(const Handoff&, Control) -> Control
constexpr uint32_t TIMER = 512;        //!< on_timer(Time now, Control) -> Control
constexpr uint32_t ANSWER = 1024;      //!< on_answer(const Answer&, Control) -> Control
constexpr uint32_t BANDWIDTH = 2048;   //!< double bandwidth_bps() const, a time series
constexpr uint32_t UTILIZATION = 4096; //!< double utilization() const, a time series
constexpr uint32_t SUPPLEMENT = 8192;  //!< on_supplement(const Supplement&, Control) -> Control
/// bool holds(const Congestion&): asked where a recovery would begin or a timeout would be answered.
/// True: neither happens, and as after Requests::hold no segment leaves until resume.
constexpr uint32_t HOLDS = 16384;
} // namespace event

/// What it needs to know of every ACK beyond what is free: a bit each.
namespace need
{
constexpr uint32_t ONE_WAY_DELAY = 1;
constexpr uint32_t ROUTER_FEEDBACK = 2;
} // namespace need

/// What the catalogue says of a congestion control.
struct Entry
{
    const char* name;
    const char* title;
    const char* source;
    const char* short_name{""}; //!< in the legend of a chart; "": the title
    const char* colour{""};     //!< in charts, as #rrggbb; "": the next that is free
    const char* marker{""};     //!< the same
    const char* linux{""};      //!< its name in Linux, where Linux has it
    uint32_t events{0};
    uint32_t needs{0};
    bool regulates_recovery{false}; //!< its window holds in recoveries and after timeouts too
    int version{1};                 //!< raised by whoever changes its digits (engines/behaviour.py)
};

} // namespace longfat::core

#endif
