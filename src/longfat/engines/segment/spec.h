// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario as values (longfat.scenario says what each field means).

#ifndef LONGFAT_CORE_SPEC_H
#define LONGFAT_CORE_SPEC_H

#include "congestion-control.h"
#include "model.h"
#include "start-up.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace longfat::core
{

constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

struct Outage
{
    Time start;
    Time end;
};

struct LinkChange
{
    Time at;
    std::optional<double> rate_bps; //!< what is not stated stays as it was
    std::optional<double> delay_s;
    std::optional<double> loss_per_packet;
    std::optional<double> loss_per_bit;
};

/// Losses in bursts (longfat.LossBursts).
struct LossBursts
{
    double loss_per_packet;
    double mean_packets;
    double loss_within;
};

/// Automatic repeat request (longfat.Arq).
struct Arq
{
    uint64_t persistence;
    double feedback_s;
    double jitter_s;
    bool waits; //!< stop and wait
    bool in_order;
    uint32_t frame_bytes; //!< 0: a packet is lost and sent again as a whole
    double interval_s;    //!< frames arrive at the ends of such intervals; 0: at once
};

/// Snoop or WTCP (longfat.Snoop, longfat.Wtcp).
struct BaseStation
{
    bool wtcp;
    uint64_t cache_packets;
    Time min_timeout;
    bool hides_sack;
    bool hides_time;
    std::optional<Time> fails_at;
};

/// Random early detection (longfat.Red).
struct Red
{
    double min_packets;
    double max_packets;
    double max_probability;
    double weight;
    bool gentle;
    bool ecn;
};

/// Controlled delay (longfat.CoDel).
struct CoDel
{
    Time target;
    Time interval;
    bool ecn;
};

/// Flow queues, each with controlled delay (longfat.FqCoDel).
struct FqCoDel
{
    CoDel codel;
    uint64_t quantum_bytes; //!< what a queue may send in its turn
};

/// Proportional integral controller enhanced (longfat.Pie).
struct Pie
{
    double target_s;
    double update_s;
    double max_burst_s;
    double alpha;
    double beta;
    double mark_below;
    bool ecn;
};

/// A router that speaks XCP (longfat.Xcp).
struct XcpSpec
{
    double alpha;
    double beta;
    double gamma;
};

/// One direction of a link.
struct LinkSpec
{
    std::string source;
    std::string target;
    double rate_bps{0};
    double delay_s{0};
    uint64_t queue_packets{NO_LIMIT};
    uint64_t queue_bytes{NO_LIMIT};
    double loss_per_packet{0};
    double loss_per_bit{0};
    uint64_t mark_above_packets{NO_LIMIT}; //!< NO_LIMIT: no marks
    std::optional<LossBursts> loss_bursts;
    std::vector<Outage> outages;
    std::vector<LinkChange> changes;
    std::optional<Arq> arq;
    std::vector<uint32_t> delivery_ms; //!< a trace; empty: rate_bps says it all
    std::variant<std::monostate, Red, CoDel, FqCoDel, Pie>
        aqm; //!< monostate: the queue is not managed
    std::optional<XcpSpec> xcp;
    double approve_bps{0};                   //!< of Quick-Start requests; 0: it does not speak it
    bool ptp{false};                         //!< its router writes into queries
    std::optional<BaseStation> base_station; //!< at its source
    bool notifies_loss{false};               //!< by acknowledgments on the way back
    bool has_agent_opposite{false};          //!< of a link back with either of both

    /// Whether what happens to a packet is open when it comes to the queue.
    bool needs_steps() const
    {
        return arq || !delivery_ms.empty() || aqm.index() > 0 || xcp || approve_bps > 0 || ptp ||
               base_station || notifies_loss || has_agent_opposite;
    }
};

using Path = std::vector<std::string>; //!< names of nodes

struct Reroute
{
    Time at;
    Path path;
};

/// The receiver moves, and tells the network so (longfat.scenario, Move).
struct MoveSpec
{
    using Legs = std::vector<Path>; //!< of a message: the ways from each node that it visits

    Time attached; //!< it has joined its new link
    Time at;       //!< it has left the old one
    Path path;     //!< from then on
    std::string redirect;
    std::vector<std::vector<Legs>> rounds; //!< of messages
    uint64_t message_bytes{0};
    // Of a flow through one relay
    std::vector<Path>
        split;    //!< paths of both its connections from then on; none: there is no relay
    Path between; //!< from the old relay to the new
    uint64_t state_bytes{0};
};

struct HandoffSpec
{
    Time at;
    bool local;
    double announced_bps; //!< 0: not announced
};

/// A flow: the settings of its connection. What papers leave out of TCP is off.
struct FlowSpec
{
    uint64_t number{0}; //!< its place among the scenario's
    uint64_t seed{1};   //!< the scenario's
    const Algorithm* algorithm{nullptr};
    Algorithm::Values parameters;
    StartUpSpec start_up;    //!< monostate: the algorithm's own
    std::vector<Path> paths; //!< of each connection: there are several where relays split the flow
    uint32_t segment_bytes{0};
    double initial_window{10};           //!< segments
    double initial_ssthresh{UNLIMITED};  //!< segments
    double max_window{UNLIMITED};        //!< segments
    std::optional<Bytes> send_buffer;    //!< none: it grows with the connection
    std::optional<Bytes> receive_buffer; //!< the same
    uint64_t segments_per_ack{1};
    Time ack_timeout{0};
    bool sack{true};
    bool halving{false}; //!< recovery; else proportional rate reduction
    bool limited_transmit{true};
    bool ecn{false};
    bool timestamps{true};
    Time timestamp_tick{0};                //!< 0: a nanosecond
    bool finds_lost_retransmissions{true}; //!< by what was sent after them; else by the timer alone
    bool rack{false};                      //!< RFC 8985, with tail loss probes
    bool frto{false};                      //!< RFC 5682
    bool undo{false};                      //!< by timestamps (RFC 3522) and by DSACK (RFC 2883)
    bool conceals_losses{false};           //!< the receiver acknowledges what is lost
    uint64_t ack_division{1};              //!< it acknowledges in so many parts
    uint64_t optimistic_ack{0};            //!< segments that it acknowledges beyond what has come
    uint64_t retries{15};                  //!< timeouts in a row before it gives up: R2 of RFC 9293
    Time min_rto{0};
    Time start{0};
    std::optional<Time> stop;
    uint64_t bytes{0};         //!< 0: without end
    double quick_start_bps{0}; //!< to be asked for (RFC 4782); 0: nothing
    std::vector<Reroute> reroutes;
    std::vector<HandoffSpec> handoffs;
    std::optional<Bytes> relay_buffer;  //!< on either side of a relay; none: as at the ends
    std::optional<Time> relays_fail_at; //!< relays and all that they hold are gone
    std::vector<MoveSpec> moves;
};

/// Its congestion control, with the start-up that it asks for.
inline std::unique_ptr<CongestionControl>
control_of(const FlowSpec& flow)
{
    std::string wrong;
    return with_start_up(flow.start_up, flow.algorithm->make(flow.parameters, &wrong));
}

/// Parallel TCP, or GridFTP (longfat.transfers).
struct StreamsSpec
{
    /// All connections before end, and those from that one of `flows` on go on.
    struct Cut
    {
        Time at;
        std::size_t first_flow;
    };

    bool blocks{false};          //!< GridFTP; else a part of the file a flow
    std::vector<uint64_t> flows; //!< places among the scenario's
    uint64_t block_bytes{0};
    std::vector<Cut> cuts;
    std::optional<Time> marker_every; //!< none: no restart markers
    std::optional<Time> adapt_every;  //!< none: all streams from the beginning
    double adapt_gain{0};
};

/// What methods by datagrams have in common.
struct DatagramsSpec
{
    Path path;
    Time start{0};
    double rate_bps{0}; //!< of payload, at most
    uint64_t payload_bytes{0};
    std::optional<double> receiver_bps; //!< what it takes from its socket; none: all at once
    uint64_t socket_bytes{0};           //!< how much may wait there
};

struct RbudpSpec : DatagramsSpec
{
};

struct TsunamiSpec : DatagramsSpec
{
    double threshold{0}; //!< part of the blocks that may be asked for again
    double slower{0};    //!< factor of the delay between packets, at worst
    double faster{0};    //!< the same, otherwise
    double history{0};   //!< weight of what was before in the error rate
    double report_every_s{0};
    uint64_t most_requests{0};
};

struct TransferSpec
{
    uint64_t bytes{0};
    std::variant<StreamsSpec, RbudpSpec, TsunamiSpec> method;
};

/// Packets at a constant rate (longfat.media_streams).
struct MediaStreamSpec
{
    Path path;
    Time start{0};
    std::optional<Time> stop; //!< none: with the run
    double rate_bps{0};       //!< of payload
    uint64_t payload_bytes{0};
    Time deadline{0}; //!< after the least delay
};

struct ScenarioSpec
{
    std::vector<LinkSpec> links; //!< both directions of a cable one after the other
    std::vector<FlowSpec> flows;
    std::vector<TransferSpec> transfers;
    std::vector<MediaStreamSpec> media_streams;
    FlowSpec control; //!< the TCP of their messages
    Time duration{0};
    uint64_t seed{1};
    std::vector<std::string> series;
    uint32_t points{0};
};

} // namespace longfat::core

#endif
