// SPDX-License-Identifier: GPL-2.0-only
//
// A run, from the request to the answer: both are JSON. What a request has is said by `request` in
// __init__.py.

#ifndef LONGFAT_RUN_H
#define LONGFAT_RUN_H

#include "../json.h"
#include "simulation.h"

#include "ns3/config.h"

#include <chrono>
#include <ctime>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace longfat
{

inline double
NumberOr(const Json& json, double otherwise)
{
    return json.IsStated() ? json.number : otherwise;
}

inline std::vector<std::string>
ReadTexts(const Json& json)
{
    std::vector<std::string> texts;
    for (const Json& item : json.items)
    {
        texts.push_back(item.text);
    }
    return texts;
}

/// What is not stated is NaN.
inline std::vector<double>
ReadNumbers(const Json& json)
{
    std::vector<double> numbers;
    for (const Json& item : json.items)
    {
        numbers.push_back(NumberOr(item, std::numeric_limits<double>::quiet_NaN()));
    }
    return numbers;
}

inline Link
ReadLink(const Json& json)
{
    Link link;
    link.source = json["source"].text;
    link.target = json["target"].text;
    link.rateBps = json["rateBps"].number;
    link.delayS = json["delayS"].number;
    link.queueSize = json["queueSize"].text;
    link.lossPerPacket = json["lossPerPacket"].number;
    link.lossPerBit = json["lossPerBit"].number;
    link.outageStartS = ReadNumbers(json["outageStartS"]);
    link.outageEndS = ReadNumbers(json["outageEndS"]);
    link.markAbovePackets = json["markAbovePackets"].number;
    link.changeAtS = ReadNumbers(json["changeAtS"]);
    link.changeRateBps = ReadNumbers(json["changeRateBps"]);
    link.changeDelayS = ReadNumbers(json["changeDelayS"]);
    link.changeLossPerPacket = ReadNumbers(json["changeLossPerPacket"]);
    link.changeLossPerBit = ReadNumbers(json["changeLossPerBit"]);
    return link;
}

inline FlowSpec
ReadFlowSpec(const Json& json)
{
    FlowSpec spec;
    spec.source = json["source"].text;
    spec.target = json["target"].text;
    spec.relays = ReadTexts(json["relays"]);
    spec.congestionControl = json["congestionControl"].text;
    for (const Json& attribute : json["attributes"].items)
    {
        spec.attributes.emplace_back(attribute.items[0].text, attribute.items[1].text);
    }
    spec.recovery = json["recovery"].text;
    spec.segmentBytes = json["segmentBytes"].number;
    spec.initialWindowSegments = json["initialWindowSegments"].number;
    spec.initialSsthreshSegments = json["initialSsthreshSegments"].number;
    spec.sendBufferBytes = json["sendBufferBytes"].number;
    spec.receiveBufferBytes = json["receiveBufferBytes"].number;
    spec.segmentsPerAck = json["segmentsPerAck"].number;
    spec.ackTimeoutS = json["ackTimeoutS"].number;
    spec.sack = json["sack"].number;
    spec.limitedTransmit = json["limitedTransmit"].number;
    spec.ecn = json["ecn"].number;
    spec.minRtoS = json["minRtoS"].number;
    spec.startS = json["startS"].number;
    spec.stopS = NumberOr(json["stopS"], std::numeric_limits<double>::infinity());
    spec.bytes = json["bytes"].number;
    return spec;
}

/// Build what is requested, up to the moment at which it can run.
inline void
Prepare(Simulation& simulation, const Json& request)
{
    const double durationS = request["durationS"].number;
    const uint32_t points = request["points"].number;
    for (const Json& pair : request["links"].items)
    {
        simulation.network.AddLinks(ReadLink(pair.items[0]), ReadLink(pair.items[1]));
    }
    simulation.network.FindRoutes();
    for (const Json& series : request["linkSeries"].items)
    {
        simulation.network.Record(series.text, durationS, points);
    }
    for (const Json& wanted : request["flows"].items)
    {
        // Of the sockets that the flow makes.
        ns3::Config::SetDefault("ns3::TcpSocketBase::Timestamp",
                                ns3::BooleanValue(wanted["timestamps"].number != 0));
        Flow& flow = simulation.AddFlow(ReadFlowSpec(wanted["spec"]), durationS, points);
        for (const Json& path : wanted["paths"].items)
        {
            flow.SetPath(path.items[0].number, ReadTexts(path.items[1]));
        }
        for (const Json& handoff : wanted["handoffs"].items)
        {
            flow.AddHandoff(handoff.items[0].number,
                            handoff.items[1].number != 0,
                            handoff.items[2].number);
        }
        for (const Json& series : wanted["series"].items)
        {
            flow.Record(series.text);
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
Write(JsonWriter& json, const Flow& flow)
{
    json.Begin('{');
    json.Name("delivered_bytes").Number(flow.deliveredBytes);
    json.Name("completion_s").Number(flow.completionS);
    json.Name("segments_sent").Number(flow.GetSegmentsSent());
    json.Name("retransmissions").Number(flow.GetRetransmissions());
    json.Name("recoveries").Number(flow.GetRecoveries());
    json.Name("timeouts").Number(flow.GetTimeouts());
    Write(json, flow.series);
    json.End('}');
}

inline void
Write(JsonWriter& json, const Json& link, const LinkCount& count)
{
    json.Begin('{');
    json.Name("source").Text(link["source"].text);
    json.Name("target").Text(link["target"].text);
    json.Name("packets_sent").Number(count.sent);
    json.Name("packets_lost").Number(count.lost);
    json.Name("packets_lost_in_outage").Number(count.outage);
    json.Name("packets_dropped_by_queue").Number(count.overflow);
    Write(json, count.series);
    json.End('}');
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
    Prepare(simulation, request);

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
        Write(json, *flow);
    }
    json.End(']');
    json.Name("links").Begin('[');
    for (const Json& pair : request["links"].items)
    {
        for (const Json& link : pair.items)
        {
            Write(json,
                  link,
                  simulation.network.GetCount(link["source"].text, link["target"].text));
        }
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
