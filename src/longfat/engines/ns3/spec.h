// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario, as the engine takes it (longfat.scenario says what each field means).

#ifndef LONGFAT_NS3_SPEC_H
#define LONGFAT_NS3_SPEC_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

/// Losses in bursts (longfat.LossBursts).
struct LossBursts
{
    double lossPerPacket;
    double meanPackets;
    double lossWithin;
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
    std::optional<LossBursts> lossBursts;
    std::variant<std::monostate, Red, CoDel, Pie> aqm; //!< monostate: the queue is not managed
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

/// A flow: the settings of its connection, or of all with relays.
struct FlowSpec
{
    std::string congestionControl; //!< name of its class
    std::string recovery;          //!< the same
    /// Attributes of the congestion control: names, and values as ns-3 reads them from text.
    std::vector<std::pair<std::string, std::string>> attributes;
    /// The path of each connection: of one, or of one between every two relays. Two nodes stand for
    /// the shortest path between them.
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
};

/// A file, and how it goes over (longfat.transfers). The TCP connections of control messages are
/// FlowSpecs of their own.
struct TransferSpec
{
    enum Method : uint8_t
    {
        PARTS,  //!< parallel TCP: a part of the file a flow
        BLOCKS, //!< GridFTP: blocks from a common queue
        RBUDP,
        TSUNAMI,
    };

    Method method{PARTS};
    uint64_t fileBytes{0};
    std::vector<uint64_t> carriers; //!< PARTS and BLOCKS: which flows
    uint64_t blockBytes{0};         //!< BLOCKS: of a block; RBUDP and TSUNAMI: of a datagram
    // RBUDP and TSUNAMI
    std::vector<std::string> way; //!< nodes that the file passes
    double beginS{0};
    double payloadBps{0};    //!< rate of sending, at most
    double drainBps{0};      //!< what the receiver takes from its socket; infinite: all at once
    uint64_t socketBytes{0}; //!< how much may wait there
    // TSUNAMI
    double threshold{0}; //!< part of the blocks that may be asked for again
    double slower{0};    //!< factor of the delay between packets, at worst
    double faster{0};    //!< the same, otherwise
    double history{0};   //!< weight of what was before in the error rate
    double everyS{0};    //!< between reports
    uint64_t mostAsked{0};
};

} // namespace longfat

#endif
