// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario, as the engines in C++ take it (longfat.scenario says what each field means).

#ifndef LONGFAT_SPEC_H
#define LONGFAT_SPEC_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#ifdef LONGFAT_HELPERS
#include <variant>
#endif
#ifdef LONGFAT_TRANSFERS
#include "transfer-spec.h"
#endif

namespace longfat
{

constexpr uint64_t NO_LIMIT = std::numeric_limits<uint64_t>::max();

struct Outage
{
    double startS;
    double endS;
};

struct LinkChange
{
    double atS;
    std::optional<double> rateBps; //!< what is not stated stays as it was
    std::optional<double> delayS;
    std::optional<double> lossPerPacket;
    std::optional<double> lossPerBit;
};

#ifdef LONGFAT_HELPERS
/// Losses in bursts (longfat.LossBursts).
struct LossBursts
{
    double lossPerPacket;
    double meanPackets;
    double lossWithin;
};

/// Automatic repeat request (longfat.Arq).
struct Arq
{
    uint64_t persistence;
    double feedbackS;
    double jitterS;
    bool waits; //!< stop and wait
    bool inOrder;
    uint64_t frameBytes; //!< 0: a packet is lost and sent again as a whole
    double intervalS;    //!< frames arrive at the ends of such intervals; 0: at once
};

/// Snoop or WTCP (longfat.Snoop, longfat.Wtcp).
struct BaseStation
{
    bool wtcp;
    uint64_t cachePackets;
    double minTimeoutS;
    bool hidesSack;
    bool hidesTime;
    std::optional<double> failsAtS;
};

/// Random early detection (longfat.Red).
struct Red
{
    double minPackets;
    double maxPackets;
    double maxProbability;
    double weight;
    bool gentle;
    bool ecn;
};

/// Controlled delay (longfat.CoDel).
struct CoDel
{
    double targetS;
    double intervalS;
    bool ecn;
};

/// Proportional integral controller enhanced (longfat.Pie).
struct Pie
{
    double targetS;
    double updateS;
    double maxBurstS;
    double alpha;
    double beta;
    double markBelow;
    bool ecn;
};
#endif
#ifdef LONGFAT_ROUTERS
/// The parameters of a router that speaks XCP (longfat.Xcp).
struct Xcp
{
    double alpha;
    double beta;
    double gamma;
};
#endif
/// One direction of a link.
struct LinkSpec
{
    std::string source;
    std::string target;
    double rateBps{0};
    double delayS{0};
    uint64_t queuePackets{NO_LIMIT};
    uint64_t queueBytes{NO_LIMIT};
    double lossPerPacket{0};
    double lossPerBit{0};
    uint64_t markAbovePackets{NO_LIMIT}; //!< NO_LIMIT: no marks
    std::vector<Outage> outages;
    std::vector<LinkChange> changes;
#ifdef LONGFAT_ROUTERS
    std::optional<Xcp> xcp;
    double approveBps{0}; //!< of Quick-Start requests; 0: the router does not speak it
#endif
#ifdef LONGFAT_PTP
    bool ptp{false}; //!< writes into queries
#endif
#ifdef LONGFAT_HELPERS
    std::optional<LossBursts> lossBursts;
    std::optional<Arq> arq;
    std::vector<uint32_t> deliveryMs;                  //!< a trace; empty: rateBps says it all
    std::variant<std::monostate, Red, CoDel, Pie> aqm; //!< monostate: the queue is not managed
    std::optional<BaseStation> baseStation;            //!< at its source
    bool notifiesLoss{false};                          //!< by acknowledgments on the way back
    bool carriesAnswers{false};                        //!< of a link back with either of both

    bool HasHelpers() const
    {
        return lossBursts || arq || !deliveryMs.empty() || aqm.index() > 0 || baseStation ||
               notifiesLoss || carriesAnswers;
    }
#endif
};

using Path = std::vector<std::string>; //!< names of nodes

struct Reroute
{
    double atS;
    Path path;
};

struct Handoff
{
    double atS;
    bool local;
    double announcedBps; //!< 0: not announced
};

#ifdef LONGFAT_HELPERS
/// A movement of a flow's receiver (longfat.Move).
struct Move
{
    double atS;
    double linkS;
    double setupS;
    Path path;
    std::string redirect;
    uint64_t messageBytes;
    /// Rounds of messages, one after the other. A message goes from node to node: the way of each leg.
    std::vector<std::vector<std::vector<Path>>> rounds;
    std::vector<Path>
        split;    //!< of a flow with a relay, that moves: the ways to and from the new one
    Path between; //!< of its state, from the old relay to the new
    uint64_t stateBytes;
};
#endif
/// A flow: the settings of its connection, or of all with relays.
struct FlowSpec
{
    std::string congestionControl; //!< name of its class
    std::string recovery;          //!< the same
    uint32_t faults{0}; //!< of ns-3 3.44, a bit each: segment/faults.h; itself it has all
    /// Attributes of the congestion control: names, and values as ns-3 reads them from text.
    std::vector<std::pair<std::string, std::string>> attributes;
    /// The path of each connection: of one, or of one between every two relays. Two nodes stand for
    /// the shortest path between them, which the segment engine's reader looks up.
    std::vector<Path> connections;
    uint32_t segmentBytes{0};
    uint32_t initialWindowSegments{0};
    uint32_t initialSsthreshSegments{0}; //!< 0: none
    uint32_t sendBufferBytes{0};         //!< 0: grows with the connection
    uint32_t receiveBufferBytes{0};      //!< 0: grows with the connection
    uint32_t segmentsPerAck{0};
    double ackTimeoutS{0};
    bool sack{true};
    bool limitedTransmit{true};
    bool ecn{false};
    bool timestamps{true}; //!< of milliseconds; without, round-trip times are exact
    double minRtoS{0};
    double startS{0};
    std::optional<double> stopS;
    uint64_t bytes{0}; //!< 0: without end
    std::vector<Reroute> reroutes;
    std::vector<Handoff> handoffs;
#ifdef LONGFAT_ROUTERS
    double quickStartBps{0}; //!< to be asked for; 0: nothing
#endif
#ifdef LONGFAT_HELPERS
    uint32_t relayBufferBytes{0}; //!< on either side of a relay; 0: as of every other end
    std::optional<double> relaysFailAtS;
    std::vector<Move> moves;
#endif
};

struct ScenarioSpec
{
    std::vector<LinkSpec> links; //!< both directions of a cable one after the other
    std::vector<FlowSpec> flows;
    double durationS{0};
    uint64_t seed{1};
    std::vector<std::string> series;
    uint32_t points{0};
#ifdef LONGFAT_TRANSFERS
    std::vector<TransferSpec> transfers;
    FlowSpec control; //!< how their control messages go over TCP
#endif
};

} // namespace longfat

#endif
