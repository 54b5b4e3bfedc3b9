// SPDX-License-Identifier: GPL-2.0-only
//
// A run, from the request to the answer: both are JSON. What a request has is said by `request` in
// __init__.py.

#ifndef LONGFAT_RUN_H
#define LONGFAT_RUN_H

#include "../json.h"
#include "simulation.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace longfat
{

inline std::optional<double>
ReadNumber(const Json& json)
{
    return json.IsStated() ? std::optional(json.number) : std::nullopt;
}

/// NO_LIMIT where none is stated.
inline uint64_t
ReadLimit(const Json& json)
{
    return json.IsStated() ? static_cast<uint64_t>(json.number) : NO_LIMIT;
}

inline Path
ReadPath(const Json& json)
{
    Path path;
    for (const Json& node : json.items)
    {
        path.push_back(node.text);
    }
    return path;
}

inline void
ReadAssistance(const Json& json, LinkSpec* link)
{
    if (const Json& bursts = json["lossBursts"]; bursts.IsStated())
    {
        link->lossBursts = {bursts["lossPerPacket"].number,
                            bursts["meanPackets"].number,
                            bursts["lossWithin"].number};
    }
    const Json& aqm = json["aqm"];
    const bool ecn = aqm["ecn"].number != 0;
    if (aqm["kind"].text == "red")
    {
        link->aqm = Red{aqm["minPackets"].number,
                        aqm["maxPackets"].number,
                        aqm["maxProbability"].number,
                        aqm["weight"].number,
                        aqm["gentle"].number != 0,
                        ecn};
    }
    else if (aqm["kind"].text == "codel")
    {
        link->aqm = CoDel{aqm["targetS"].number, aqm["intervalS"].number, ecn};
    }
    else if (aqm["kind"].text == "pie")
    {
        link->aqm = Pie{aqm["targetS"].number,
                        aqm["updateS"].number,
                        aqm["maxBurstS"].number,
                        aqm["alpha"].number,
                        aqm["beta"].number,
                        aqm["markBelow"].number,
                        ecn};
    }
}

inline LinkSpec
ReadLink(const Json& json)
{
    LinkSpec link;
    link.source = json["source"].text;
    link.target = json["target"].text;
    link.rateBps = json["rateBps"].number;
    link.delayS = json["delayS"].number;
    link.queuePackets = ReadLimit(json["queuePackets"]);
    link.queueBytes = ReadLimit(json["queueBytes"]);
    link.lossPerPacket = json["lossPerPacket"].number;
    link.lossPerBit = json["lossPerBit"].number;
    link.markAbovePackets = ReadLimit(json["markAbovePackets"]);
    for (const Json& outage : json["outages"].items)
    {
        link.outages.push_back({outage["startS"].number, outage["endS"].number});
    }
    for (const Json& change : json["changes"].items)
    {
        link.changes.push_back({change["atS"].number,
                                ReadNumber(change["rateBps"]),
                                ReadNumber(change["delayS"]),
                                ReadNumber(change["lossPerPacket"]),
                                ReadNumber(change["lossPerBit"])});
    }
    ReadAssistance(json, &link);
    return link;
}

inline FlowSpec
ReadFlow(const Json& json)
{
    FlowSpec flow;
    flow.congestionControl = json["congestionControl"].text;
    for (const Json& attribute : json["attributes"].items)
    {
        flow.attributes.emplace_back(attribute.items[0].text, attribute.items[1].text);
    }
    flow.recovery = json["recovery"].text;
    for (const Json& path : json["connections"].items)
    {
        flow.connections.push_back(ReadPath(path));
    }
    flow.segmentBytes = json["segmentBytes"].number;
    flow.initialWindowSegments = json["initialWindowSegments"].number;
    flow.initialSsthreshSegments = json["initialSsthreshSegments"].number;
    flow.sendBufferBytes = json["sendBufferBytes"].number;
    flow.receiveBufferBytes = json["receiveBufferBytes"].number;
    flow.segmentsPerAck = json["segmentsPerAck"].number;
    flow.ackTimeoutS = json["ackTimeoutS"].number;
    flow.sack = json["sack"].number;
    flow.limitedTransmit = json["limitedTransmit"].number;
    flow.ecn = json["ecn"].number;
    flow.timestamps = json["timestamps"].number;
    flow.minRtoS = json["minRtoS"].number;
    flow.startS = json["startS"].number;
    flow.stopS = ReadNumber(json["stopS"]);
    flow.bytes = json["bytes"].number;
    for (const Json& reroute : json["reroutes"].items)
    {
        flow.reroutes.push_back({reroute["atS"].number, ReadPath(reroute["path"])});
    }
    for (const Json& handoff : json["handoffs"].items)
    {
        flow.handoffs.push_back(
            {handoff["atS"].number, handoff["local"].number != 0, handoff["announcedBps"].number});
    }
    return flow;
}

inline TransferSpec
ReadTransfer(const Json& json)
{
    TransferSpec transfer;
    const std::string& kind = json["method"].text;
    transfer.method = kind == "gridftp"   ? TransferSpec::BLOCKS
                      : kind == "rbudp"   ? TransferSpec::RBUDP
                      : kind == "tsunami" ? TransferSpec::TSUNAMI
                                          : TransferSpec::PARTS;
    transfer.fileBytes = json["bytes"].number;
    for (const Json& place : json["carriers"].items)
    {
        transfer.carriers.push_back(place.number);
    }
    transfer.blockBytes = json["blockBytes"].number;
    transfer.way = ReadPath(json["way"]);
    transfer.beginS = json["beginS"].number;
    transfer.payloadBps = json["payloadBps"].number;
    transfer.drainBps =
        ReadNumber(json["drainBps"]).value_or(std::numeric_limits<double>::infinity());
    transfer.socketBytes = json["socketBytes"].number;
    transfer.threshold = json["threshold"].number;
    transfer.slower = json["slower"].number;
    transfer.faster = json["faster"].number;
    transfer.history = json["history"].number;
    transfer.everyS = json["everyS"].number;
    transfer.mostAsked = json["mostAsked"].number;
    return transfer;
}

/// Build what is requested, up to the moment at which it can run.
inline void
Prepare(Simulation& simulation, const Json& request, const std::vector<LinkSpec>& links)
{
    const double durationS = request["durationS"].number;
    const uint32_t points = request["points"].number;
    simulation.network.packetBytes = request["packetBytes"].number;
    for (std::size_t i = 1; i < links.size(); i += 2)
    {
        simulation.network.AddLinks(links[i - 1], links[i]);
    }
    simulation.network.FindRoutes();
    for (const Json& series : request["linkSeries"].items)
    {
        simulation.network.Record(series.text, durationS, points);
    }
    for (const Json& wanted : request["flows"].items)
    {
        Flow& flow = simulation.AddFlow(ReadFlow(wanted), durationS, points);
        for (const Json& series : wanted["series"].items)
        {
            flow.Record(series.text);
        }
    }
    for (const Json& wanted : request["transfers"].items)
    {
        Transfer& transfer =
            simulation.AddTransfer(ReadTransfer(wanted), ReadFlow(request["control"]));
        for (const Json& series : request["transferSeries"].items)
        {
            transfer.Record(series.text, durationS, points);
        }
    }
}

inline void
Write(JsonWriter& json, const std::vector<double>& numbers)
{
    json.Begin('[');
    for (const double number : numbers)
    {
        json.Number(number);
    }
    json.End(']');
}

inline void
Write(JsonWriter& json, const SeriesByName& series)
{
    json.Name("series").Begin('{');
    for (const auto& [name, kept] : series)
    {
        json.Name(name).Begin('[');
        Write(json, kept.timeS);
        Write(json, kept.values);
        json.End(']');
    }
    json.End('}');
}

inline void
Write(JsonWriter& json, const TransferCount& count)
{
    json.Name("received_s").Number(count.receivedS);
    json.Name("acknowledged_s").Number(count.acknowledgedS);
    json.Name("delivered_bytes").Number(count.uniqueBytes);
    json.Name("packets_sent").Number(count.packets);
    json.Name("packets_sent_again").Number(count.packetsAgain);
    json.Name("bytes_sent").Number(count.packetBytes);
    json.Name("packets_overrun").Number(count.overrun);
    json.Name("control_bytes").Number(count.controlBytes);
    json.Name("rounds").Number(count.rounds);
    Write(json, count.kept);
}

/// Build the requested network, run it, and tell what was measured.
inline std::string
Run(const std::string& text)
{
    Json request;
    std::size_t position;
    NS_ABORT_MSG_UNLESS(JsonReader::Read(text, &request, &position),
                        "the request is no JSON at character " << position);
    // For ever: events that have not come still refer to its parts.
    auto& simulation = *new Simulation(static_cast<uint64_t>(request["seed"].number));
    std::vector<LinkSpec> links;
    for (const Json& link : request["links"].items)
    {
        links.push_back(ReadLink(link));
    }
    Prepare(simulation, request, links);

    const auto started = std::chrono::steady_clock::now();
    const std::clock_t cpuStarted = std::clock();
    simulation.Run(request["durationS"].number, request["untilComplete"].number != 0);
    const double cpuS = double(std::clock() - cpuStarted) / CLOCKS_PER_SEC;
    const std::chrono::duration<double> wallS = std::chrono::steady_clock::now() - started;

    JsonWriter json;
    json.Begin('{');
    json.Name("flows").Begin('[');
    for (const auto& flow : simulation.flows)
    {
        Write(json.Begin('{'), flow->Total());
        Write(json, flow->count.series);
        json.End('}');
    }
    json.End(']');
    json.Name("links").Begin('[');
    for (const LinkSpec& link : links)
    {
        const LinkTrace& trace = simulation.network.GetTrace(link);
        Write(json.Begin('{'), link, trace);
        json.Name("packets_dropped_early").Number(trace.early);
        json.Name("packets_marked").Number(trace.marked);
        Write(json, trace.series);
        json.End('}');
    }
    json.End(']');
    json.Name("transfers").Begin('[');
    for (const auto& transfer : simulation.transfers)
    {
        Write(json.Begin('{'), transfer->Total());
        json.End('}');
    }
    json.End(']');
    json.Name("events").Number(simulation.events);
    json.Name("end_s").Number(simulation.endS);
    json.Name("wall_s").Number(wallS.count());
    json.Name("cpu_s").Number(cpuS);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    json.Name("peak_memory_bytes").Number(1024 * usage.ru_maxrss);
    json.End('}');
    return json.text;
}

} // namespace longfat

#endif
