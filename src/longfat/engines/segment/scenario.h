// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario, read from its JSON: the same that longfat.scenario writes, with or without what is
// default there. Whatever is wrong is said in one sentence: field, value, what is allowed.

#ifndef LONGFAT_SEGMENT_SCENARIO_H
#define LONGFAT_SEGMENT_SCENARIO_H

#include "../json.h"
#include "../spec.h"
#include "algorithm.h"
#include "faults.h"
#include "route.h"

#include "ns3/type-id.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace longfat::segment
{

class ScenarioReader
{
  public:
    /// `algorithms`: those that this engine has.
    explicit ScenarioReader(std::vector<const Algorithm*> algorithms)
        : m_algorithms(std::move(algorithms))
    {
    }

    /// Returns what is wrong, or nothing.
    std::string Read(const std::string& text, ScenarioSpec* scenario)
    {
        Json json;
        std::size_t position;
        if (!JsonReader::Read(text, &json, &position) || json.type != Json::OBJECT)
        {
            return "the scenario is not a JSON object (character " + std::to_string(position) + ")";
        }
        ReadScenario(json, scenario);
        return m_error;
    }

  private:
#ifdef LONGFAT_HELPERS
    class Fields;
#endif
#ifdef LONGFAT_TRANSFERS
    class Fields;
#endif
    static constexpr double INFINITE = std::numeric_limits<double>::infinity();
    static constexpr double ABOVE_0 = std::numeric_limits<double>::denorm_min();
    static constexpr double BELOW_1 = 0x1.fffffffffffffp-1;
    static constexpr double LONGEST_S = 9e9; //!< what nanoseconds can count

    void ReadScenario(const Json& json, ScenarioSpec* scenario)
    {
        Fields fields(*this, json, "");
        scenario->durationS = fields.Number("duration_s", ABOVE_0, LONGEST_S);
        scenario->seed = fields.Whole("seed", 1, 2147483648, 1);
        fields.Ignore("title");
#ifdef LONGFAT_TRANSFERS
        const Json& transfers = fields.List("transfers");
#endif
        const Json& links = fields.List("links", 1);
        const Json& flows = fields.List("flows", 1);
        Fields record(*this, fields.Take("record"), "record.");
        for (const Json& fault : fields.List("faults").items)
        {
            if (!m_faults.Add(fault.text))
            {
                Fail("faults: ns-3 3.44 has no '" + fault.text + "'");
            }
        }
        for (const Json& series : record.List("series").items)
        {
            scenario->series.push_back(series.text);
        }
        scenario->points = record.Whole("points", 2, 1'000'000, 2000);
        record.End();
        fields.End();
        std::vector<LinkSpec> stated(links.items.size());
        for (std::size_t i = 0; i < stated.size(); ++i)
        {
            ReadLink(links.items[i], "links." + std::to_string(i) + ".", &stated[i]);
        }
        if (!m_error.empty() || !PairLinks(stated, scenario))
        {
            return;
        }
        scenario->flows.resize(flows.items.size());
        const Graph graph(scenario->links);
        for (std::size_t i = 0; i < flows.items.size() && m_error.empty(); ++i)
        {
            const std::string where = "flows." + std::to_string(i) + ".";
            ReadFlow(flows.items[i], where, graph, &scenario->flows[i]);
        }
#ifdef LONGFAT_TRANSFERS
        for (std::size_t i = 0; i < transfers.items.size() && m_error.empty(); ++i)
        {
            const std::string where = "transfers." + std::to_string(i) + ".";
            ReadTransfer(transfers.items[i], where, graph, scenario);
        }
#endif
    }
#ifdef LONGFAT_TRANSFERS

    void ReadTransfer(const Json& json,
                      const std::string& where,
                      const Graph& graph,
                      ScenarioSpec* scenario)
    {
        Fields fields(*this, json, where);
        TransferSpec& transfer = scenario->transfers.emplace_back();
        fields.Ignore("name");
        transfer.fileBytes = fields.Whole("bytes", 1, 1e15, 1);
        const Json& stated = fields.Take("method");
        fields.End();
        Fields method(*this, stated, where + "method.");
        const std::string kind =
            method.OneOf("kind", {"parallel tcp", "gridftp", "rbudp", "tsunami"});
        if (kind == "parallel tcp" || kind == "gridftp")
        {
            transfer.method = kind == "gridftp" ? TransferSpec::BLOCKS : TransferSpec::PARTS;
            for (const Json& number : method.List("flows", 1).items)
            {
                const double last = static_cast<double>(scenario->flows.size()) - 1;
                if (number.type != Json::NUMBER || number.number != std::floor(number.number) ||
                    !(number.number >= 0 && number.number <= last))
                {
                    Fail(where + "method.flows: must be places in the list of flows, from 0");
                    return;
                }
                transfer.carriers.push_back(static_cast<uint64_t>(number.number));
                if (scenario->flows[transfer.carriers.back()].bytes > 0)
                {
                    Fail(where + "method.flows: a flow that carries it has no bytes of its own");
                }
            }
            if (kind == "gridftp")
            {
                transfer.blockBytes = method.Whole("block_bytes", 1, 1e12, 262144);
#endif
#ifdef LONGFAT_RESTARTS
                ReadChanges(method, where + "method.", scenario, &transfer);
#endif
#ifdef LONGFAT_TRANSFERS
            }
            method.End();
            return;
        }
        const bool tsunami = kind == "tsunami";
        transfer.method = tsunami ? TransferSpec::TSUNAMI : TransferSpec::RBUDP;
        const std::string source = method.Text("source");
        const std::string target = method.Text("target");
        transfer.way = ReadPath(method.List("path"), graph, where + "method.path");
        CheckEnds(transfer.way, source, target, where + "method.");
        if (transfer.way.empty())
        {
            transfer.way = graph.ShortestPath(source, target);
        }
        if (transfer.way.size() < 2)
        {
            Fail(where + "method.target: no path from '" + source + "' to '" + target + "'");
        }
        transfer.beginS = method.Number("start_s", 0, LONGEST_S, 0.0);
        transfer.payloadBps = method.Number("rate_bps", 1, 1e15);
        transfer.blockBytes = method.Whole("payload_bytes", 1, 65000, tsunami ? 1024 : 1468);
        transfer.drainBps = method.Number("receiver_bps", 1, INFINITE, INFINITE);
        transfer.socketBytes = method.Whole("socket_buffer_bytes", 1, 1e12, 20'000'000);
        if (tsunami)
        {
            transfer.threshold = method.Number("error_threshold", 0, BELOW_1, 0.075);
            transfer.slower = method.Number("slower", 1, 1000, 25.0 / 24);
            transfer.faster = method.Number("faster", ABOVE_0, 1, 5.0 / 6);
            transfer.history = method.Number("history", 0, BELOW_1, 0.25);
            transfer.everyS = method.Number("report_every_s", ABOVE_0, 1000, 0.35);
            transfer.mostAsked = method.Whole("most_requests", 1, 1e9, 2048);
        }
        method.End();
        Json newReno;
        newReno.type = Json::TEXT;
        newReno.text = "newreno";
        scenario->control = ControlFlow(m_faults);
        ReadAlgorithm(newReno, where, NO_LIMIT, &scenario->control);
    }

#endif
#ifdef LONGFAT_RESTARTS
    /// Where its connections are cut, and how many of them there are.
    void ReadChanges(Fields& method,
                     const std::string& where,
                     ScenarioSpec* scenario,
                     TransferSpec* transfer)
    {
        for (const Json& item : method.List("cuts").items)
        {
            Fields cut(*this, item, where + "cuts.");
            transfer->restarts.push_back(
                {cut.Number("at_s", 0, LONGEST_S), transfer->carriers.size()});
            for (const Json& number : cut.List("flows").items)
            {
                if (!(number.number >= 0 &&
                      number.number < static_cast<double>(scenario->flows.size())))
                {
                    Fail(where + "cuts.flows: must be places in the list of flows, from 0");
                    return;
                }
                transfer->carriers.push_back(static_cast<uint64_t>(number.number));
            }
            cut.End();
        }
        transfer->markerEveryS = method.Number("marker_every_s", ABOVE_0, INFINITE, INFINITE);
        const Json& adapts = method.Take("adapts");
        if (adapts.IsStated())
        {
            Fields fields(*this, adapts, where + "adapts.");
            transfer->adaptEveryS = fields.Number("every_s", ABOVE_0, 1e6, 1.0);
            transfer->adaptGain = fields.Number("gain", 0, 1000, 0.1);
            fields.End();
            for (std::size_t i = 1; i < transfer->carriers.size(); ++i)
            {
                scenario->flows[transfer->carriers[i]].startS = LONGEST_S; // the transfer starts it
            }
        }
    }

#endif
#ifdef LONGFAT_TRANSFERS
    /// The TCP of control messages, as Linux has it by default, but for NewReno.
    static FlowSpec ControlFlow(uint32_t faults)
    {
        FlowSpec flow;
        flow.recovery = "longfat::TcpPrr";
        flow.faults = faults;
        flow.segmentBytes = 536;
        flow.initialWindowSegments = 10;
        flow.sendBufferBytes = flow.receiveBufferBytes = 64'000'000;
        flow.segmentsPerAck = 1;
        flow.ackTimeoutS = 0.2;
        flow.minRtoS = 0.2;
        return flow;
    }
#endif

    /// Both directions of each cable, in the order in which the first of them stands.
    bool PairLinks(const std::vector<LinkSpec>& stated, ScenarioSpec* scenario)
    {
        std::map<std::pair<std::string, std::string>, const LinkSpec*> byEnds;
        for (const LinkSpec& link : stated)
        {
            if (!byEnds.emplace(std::pair(link.source, link.target), &link).second)
            {
                return Fail("links: two links from '" + link.source + "' to '" + link.target +
                            "': one is allowed");
            }
        }
        std::set<const LinkSpec*> done;
        for (const LinkSpec& link : stated)
        {
            const auto back = byEnds.find({link.target, link.source});
            if (back == byEnds.end())
            {
                return Fail("links: no link back from '" + link.target + "' to '" + link.source +
                            "': ACKs need one");
            }
            if (done.insert(&link).second)
            {
                done.insert(back->second);
                scenario->links.push_back(link);
                scenario->links.push_back(*back->second);
#ifdef LONGFAT_HELPERS
                LinkSpec& there = scenario->links[scenario->links.size() - 2];
                LinkSpec& here = scenario->links.back();
                here.carriesAnswers = there.baseStation || there.notifiesLoss;
                there.carriesAnswers = here.baseStation || here.notifiesLoss;
#endif
            }
        }
        return true;
    }

    void ReadLink(const Json& json, const std::string& where, LinkSpec* link)
    {
        Fields fields(*this, json, where);
        link->source = fields.Text("source");
        link->target = fields.Text("target");
        link->rateBps = fields.Number("rate_bps", 0.5, 1e18);
        link->delayS = fields.Number("delay_s", 0, LONGEST_S);
        link->queuePackets = fields.Whole("queue_packets", 1, 1e15, NO_LIMIT);
        link->queueBytes = fields.Whole("queue_bytes", 1, 1e15, NO_LIMIT);
        link->lossPerPacket = fields.Number("loss_per_packet", 0, BELOW_1, 0.0);
        link->lossPerBit = fields.Number("loss_per_bit", 0, BELOW_1, 0.0);
        link->markAbovePackets = fields.Whole("mark_above_packets", 1, 1e15, NO_LIMIT);
        for (const auto& [each, outage] : fields.Each("outages"))
        {
            Fields own(*this, *outage, each);
            const double startS = own.Number("start_s", 0, LONGEST_S);
            link->outages.push_back(
                {startS, startS + own.Number("duration_s", ABOVE_0, LONGEST_S)});
            own.End();
        }
        for (const auto& [each, change] : fields.Each("changes"))
        {
            Fields own(*this, *change, each);
            LinkChange& read = link->changes.emplace_back();
            read.atS = own.Number("at_s", 0, LONGEST_S);
            read.rateBps = own.Optional("rate_bps", 0.5, 1e18);
            read.delayS = own.Optional("delay_s", 0, LONGEST_S);
            read.lossPerPacket = own.Optional("loss_per_packet", 0, BELOW_1);
            read.lossPerBit = own.Optional("loss_per_bit", 0, BELOW_1);
            own.End();
        }
#ifdef LONGFAT_HELPERS
        ReadHelpers(fields, where, link);
#endif
#ifdef LONGFAT_ROUTERS
        if (const Json& xcp = fields.Take("xcp"); xcp.IsStated())
        {
            Fields own(*this, xcp, where + "xcp.");
            const double alpha = own.Number("alpha", ABOVE_0, 10, 0.4);
            const double beta = own.Number("beta", 0, 10, 0.226);
            link->xcp = Xcp{alpha, beta, own.Number("gamma", 0, 1, 0.1)};
            own.End();
            for (const char* name : {"loss_bursts", "arq", "delivery_ms", "aqm"})
            {
                if (json[name].IsStated() && json[name].type != Json::ARRAY)
                {
                    Fail(where + "xcp: not allowed beside " + name);
                }
            }
        }
        link->approveBps = fields.Optional("approve_bps", 1, 1e15).value_or(0);
#endif
#ifdef LONGFAT_PTP
        link->ptp = fields.Truth("ptp", false);
#endif
        fields.End();
        if ((link->queuePackets == NO_LIMIT) == (link->queueBytes == NO_LIMIT))
        {
            Fail(where + "queue_packets: state either queue_packets or queue_bytes");
        }
        if (link->source == link->target)
        {
            Fail(where + "target: a link must join two nodes, not '" + link->source +
                 "' to itself");
        }
    }

#ifdef LONGFAT_HELPERS
    void ReadHelpers(Fields& fields, const std::string& where, LinkSpec* link)
    {
        if (const Json& bursts = fields.Take("loss_bursts"); bursts.IsStated())
        {
            Fields own(*this, bursts, where + "loss_bursts.");
            const double loss = own.Number("loss_per_packet", ABOVE_0, BELOW_1);
            const double mean = own.Number("mean_packets", 1, 1e9);
            const double within = own.Number("loss_within", ABOVE_0, 1, 1.0);
            own.End();
            link->lossBursts = {loss, mean, within};
            if (loss / within > mean / (1 + mean))
            {
                Fail(where + "loss_bursts: loss_per_packet is too much for bursts of mean_packets");
            }
        }
        if (const Json& arq = fields.Take("arq"); arq.IsStated())
        {
            Fields own(*this, arq, where + "arq.");
            Arq read{};
            own.Number("persistence", 1, 1000);
            read.persistence = own.Whole("persistence", 1, 1000, 1);
            read.feedbackS = own.Number("feedback_s", 0, 60);
            read.jitterS = own.Number("jitter_s", 0, 60, 0.0);
            read.waits =
                own.OneOf("mode", {"selective repeat", "stop and wait"}) == "stop and wait";
            read.inOrder = own.Truth("in_order", true);
            read.frameBytes = own.Whole("frame_bytes", 1, 9100, 0);
            read.intervalS = own.Number("interval_s", 0, 60, 0.0);
            own.End();
            link->arq = read;
        }
        for (const Json& time : fields.List("delivery_ms").items)
        {
            const double before = link->deliveryMs.empty() ? 0 : link->deliveryMs.back();
            if (time.type != Json::NUMBER || time.number != std::floor(time.number) ||
                !(time.number >= before && time.number <= 1e9))
            {
                Fail(where +
                     "delivery_ms: must be whole numbers of ms that do not go back in time");
                return;
            }
            link->deliveryMs.push_back(static_cast<uint32_t>(time.number));
        }
        if (!link->deliveryMs.empty() && (link->deliveryMs.back() == 0 || link->arq))
        {
            Fail(where + "delivery_ms: must end after 0 ms, and is not allowed beside arq");
        }
        if (const Json& station = fields.Take("base_station"); station.IsStated())
        {
            Fields own(*this, station, where + "base_station.");
            BaseStation read{};
            read.wtcp = own.OneOf("kind", {"snoop", "wtcp"}) == "wtcp";
            read.cachePackets = own.Whole("cache_packets", 1, 2147483647, 1000);
            read.minTimeoutS = own.Number("min_timeout_s", ABOVE_0, 60, 0.1);
            read.hidesSack = own.Truth("hides_sack", true);
            read.hidesTime = own.Truth("hides_time", read.wtcp);
            read.failsAtS = own.Optional("fails_at_s", 0, LONGEST_S);
            own.End();
            link->baseStation = read;
            if (read.hidesTime && !read.wtcp)
            {
                Fail(where + "base_station.hides_time: only wtcp does");
            }
        }
        link->notifiesLoss = fields.Truth("notifies_loss", false);
        if (const Json& aqm = fields.Take("aqm"); aqm.IsStated())
        {
            ReadAqm(aqm, where + "aqm.", link);
            if (link->markAbovePackets != NO_LIMIT)
            {
                Fail(where + "aqm: state either aqm or mark_above_packets");
            }
        }
    }

    void ReadAqm(const Json& json, const std::string& where, LinkSpec* link)
    {
        Fields own(*this, json, where);
        const std::string kind = own.OneOf("kind", {"red", "codel", "pie"});
        const bool ecn = own.Truth("ecn", true);
        if (kind == "red")
        {
            Red red{};
            red.minPackets = own.Number("min_threshold_packets", ABOVE_0, 1e15, 5.0);
            red.maxPackets = own.Number("max_threshold_packets", ABOVE_0, 1e15, 15.0);
            red.maxProbability = own.Number("max_probability", ABOVE_0, 1, 0.02);
            red.weight = own.Number("queue_weight", ABOVE_0, 1, 0.002);
            red.gentle = own.Truth("gentle", false);
            red.ecn = ecn;
            link->aqm = red;
            if (red.maxPackets <= red.minPackets)
            {
                Fail(where + "max_threshold_packets must be greater than min_threshold_packets");
            }
        }
        else if (kind == "codel")
        {
            const double targetS = own.Number("target_s", ABOVE_0, 60, 0.005);
            link->aqm = CoDel{targetS, own.Number("interval_s", ABOVE_0, 60, 0.1), ecn};
        }
        else
        {
            Pie pie{};
            pie.targetS = own.Number("target_s", ABOVE_0, 60, 0.015);
            pie.updateS = own.Number("update_s", 1e-4, 60, 0.015);
            pie.maxBurstS = own.Number("max_burst_s", 0, 60, 0.15);
            pie.alpha = own.Number("alpha", ABOVE_0, 1000, 0.125);
            pie.beta = own.Number("beta", ABOVE_0, 1000, 1.25);
            pie.markBelow = own.Number("mark_below", 0, 1, 0.1);
            pie.ecn = ecn;
            link->aqm = pie;
        }
        own.End();
    }
#endif
    void ReadFlow(const Json& json, const std::string& where, const Graph& graph, FlowSpec* flow)
    {
        constexpr double MOST_BYTES = 4294967295;
        Fields fields(*this, json, where);
        const std::string source = fields.Text("source");
        const std::string target = fields.Text("target");
        fields.Ignore("name");
        flow->segmentBytes = fields.Whole("segment_bytes", 1, 9000, 1000);
        const uint64_t maxWindow = fields.Whole("max_window_segments", 2, MOST_BYTES, NO_LIMIT);
        flow->initialWindowSegments = fields.Whole("initial_window_segments", 1, MOST_BYTES, 10);
        flow->initialSsthreshSegments = fields.Whole("initial_ssthresh_segments", 2, MOST_BYTES, 0);
        flow->sendBufferBytes = fields.Buffer("send_buffer_bytes");
        flow->receiveBufferBytes = fields.Buffer("receive_buffer_bytes");
        flow->segmentsPerAck = fields.Whole("segments_per_ack", 1, MOST_BYTES, 1);
        flow->ackTimeoutS = fields.Number("ack_timeout_s", ABOVE_0, LONGEST_S, 0.2);
        flow->sack = fields.Truth("sack", true);
        const std::string recovery = fields.OneOf("recovery", {"prr", "halving", "prr-ns3-3.44"});
        flow->recovery = recovery == "halving" ? "longfat::TcpHalving" : "longfat::TcpPrr";
        Faults faults = m_faults;
        if (recovery == "prr-ns3-3.44")
        {
            for (std::string_view name : FAULT_NAMES)
            {
                name.starts_with("prr-") && faults.Add(name);
            }
        }
        flow->faults = faults;
        flow->limitedTransmit = fields.Truth("limited_transmit", true);
        flow->timestamps = fields.Truth("timestamps", true);
        flow->ecn = fields.Truth("ecn", false);
        flow->minRtoS = fields.Number("min_rto_s", ABOVE_0, LONGEST_S, 1.0);
#ifdef LONGFAT_ROUTERS
        flow->quickStartBps = fields.Optional("quick_start_bps", 80'000, 1e15).value_or(0);
#endif
        flow->startS = fields.Number("start_s", 0, LONGEST_S, 0.0);
        flow->stopS = fields.Optional("stop_s", ABOVE_0, LONGEST_S);
        flow->bytes = fields.Whole("bytes", 1, 1e15, 0);
        const Path path = ReadPath(fields.List("path"), graph, where + "path");
        const Path relays = ReadPath(fields.List("relays"), graph, "");
        for (const auto& [each, reroute] : fields.Each("reroutes"))
        {
            Fields own(*this, *reroute, each);
            const double atS = own.Number("at_s", 0, LONGEST_S);
            flow->reroutes.push_back({atS, ReadPath(own.List("path", 2), graph, each + "path")});
            own.End();
        }
        for (const auto& [each, handoff] : fields.Each("handoffs"))
        {
            Fields own(*this, *handoff, each);
            const double atS = own.Number("at_s", 0, LONGEST_S);
            const bool local = own.OneOf("kind", {"local", "non-local"}) == "local";
            const auto announcedBps = own.Optional("announced_rate_bps", ABOVE_0, 1e18);
            flow->handoffs.push_back({atS, local, announcedBps.value_or(0)});
            own.End();
        }
#ifdef LONGFAT_HELPERS
        flow->relayBufferBytes = fields.Whole("relay_buffer_bytes", 1, 4294967295, 0);
        flow->relaysFailAtS = fields.Optional("relays_fail_at_s", 0, LONGEST_S);
        ReadMoves(fields, relays, graph, flow);
#endif
        ReadAlgorithm(fields.Take("congestion_control"), where, maxWindow, flow);
        fields.End();
        if (flow->stopS && *flow->stopS <= flow->startS)
        {
            Fail(where + "stop_s must be later than start_s");
        }
        if ((flow->sack || !relays.empty()) && !flow->limitedTransmit)
        {
            Fail(where +
                 "limited_transmit: false is allowed only with sack false and without relays: "
                 "with SACK, new segments are sent on duplicate ACKs anyway, and a sender "
                 "that waits for its relay is not allowed to");
        }
        CheckEnds(path, source, target, where);
        for (const Reroute& reroute : flow->reroutes)
        {
            CheckEnds(reroute.path, source, target, where);
        }
        if (!flow->reroutes.empty() && path.empty())
        {
            Fail(where + "path: a flow with reroutes must state the path that it begins with");
        }
        if (!relays.empty() && (!path.empty() || !flow->handoffs.empty()))
        {
            Fail(where + "relays: a flow through relays can have neither a path nor handoffs");
        }
        if (!m_error.empty())
        {
            return;
        }
        if (!path.empty())
        {
            flow->connections = {path};
            return;
        }
        Path ends{source};
        ends.insert(ends.end(), relays.begin(), relays.end());
        ends.push_back(target);
        for (std::size_t i = 1; i < ends.size(); ++i)
        {
            flow->connections.push_back(graph.ShortestPath(ends[i - 1], ends[i]));
            if (ends[i - 1] == ends[i] || flow->connections.back().empty())
            {
                Fail(where + "target: no path from '" + ends[i - 1] + "' to '" + ends[i] + "'");
            }
        }
    }

#ifdef LONGFAT_HELPERS
    void ReadMoves(Fields& fields, const Path& relays, const Graph& graph, FlowSpec* flow)
    {
        for (const auto& [each, json] : fields.Each("moves"))
        {
            Fields own(*this, *json, each);
            Move& move = flow->moves.emplace_back();
            move.atS = own.Number("at_s", 0, LONGEST_S);
            move.linkS = own.Number("link_s", 0, 60, 0.05);
            move.setupS = own.Number("setup_s", 0, 60, 0.03);
            move.path = ReadPath(own.List("path", 2), graph, each + "path");
            move.redirect = own.Text("redirect");
            move.messageBytes = own.Whole("message_bytes", 1, 1500, 100);
            for (const Json& round : own.List("rounds").items)
            {
                std::vector<std::vector<Path>>& messages = move.rounds.emplace_back();
                for (const Json& message : round.items)
                {
                    messages.push_back(Legs(ReadPath(message, graph, ""), graph, each));
                }
            }
            move.stateBytes = own.Whole("state_bytes", 0, 2147483647, 0);
            const bool moves = own.Take("relay").IsStated();
            const std::string relay = moves ? own.Text("relay") : "";
            own.End();
            const auto place = [&move](const std::string& node) {
                return std::find(move.path.begin(), move.path.end(), node);
            };
            if (place(move.redirect) == move.path.end() ||
                (moves && place(relay) == move.path.end()))
            {
                Fail(each + "redirect: this node, and the relay, must be on the path");
                return;
            }
            if (moves && relays.size() == 1)
            {
                move.split = {Path(move.path.begin(), place(relay) + 1),
                              Path(place(relay), move.path.end())};
                move.between = Legs({relays[0], relay}, graph, each).front();
            }
            else if (moves || !relays.empty())
            {
                Fail(each + "relay: of a flow with one relay this must say which it has then");
            }
        }
    }

    /// The shortest ways from each node to the next.
    std::vector<Path> Legs(const Path& nodes, const Graph& graph, const std::string& where)
    {
        std::vector<Path> legs;
        for (std::size_t i = 1; i < nodes.size(); ++i)
        {
            legs.push_back(graph.ShortestPath(nodes[i - 1], nodes[i]));
            if (legs.back().size() < 2)
            {
                Fail(where + "rounds: no path from '" + nodes[i - 1] + "' to '" + nodes[i] + "'");
                legs.back() = nodes;
            }
        }
        if (legs.empty())
        {
            Fail(where + "rounds: a message needs two nodes at least");
        }
        return legs;
    }

#endif
    void CheckEnds(const Path& path,
                   const std::string& source,
                   const std::string& target,
                   const std::string& where)
    {
        if (!path.empty() && (path.front() != source || path.back() != target))
        {
            Fail(where + "path must lead from '" + source + "' to '" + target + "'");
        }
    }

    /// `where` empty: the nodes need not be joined.
    Path ReadPath(const Json& json, const Graph& graph, const std::string& where)
    {
        Path path;
        for (const Json& node : json.items)
        {
            if (!where.empty() && !path.empty() && !graph.AreJoined(path.back(), node.text))
            {
                Fail(where + ": no link from '" + path.back() + "' to '" + node.text + "'");
            }
            path.push_back(node.text);
        }
        return path;
    }

    void ReadAlgorithm(const Json& json,
                       const std::string& where,
                       uint64_t maxWindow,
                       FlowSpec* flow)
    {
        const std::string& name = json.type == Json::TEXT ? json.text : json["name"].text;
        const auto found = std::find_if(m_algorithms.begin(),
                                        m_algorithms.end(),
                                        [&name](const Algorithm* a) { return a->name == name; });
        if (found == m_algorithms.end())
        {
            Fail(where + "congestion_control: this engine has no '" + name + "'");
            return;
        }
        const Algorithm& algorithm = **found;
        ns3::TypeId type;
        if (!ns3::TypeId::LookupByNameFailSafe(algorithm.type, &type) || !type.HasConstructor())
        {
            Fail(where + "congestion_control: the header of '" + name + "' has no class " +
                 algorithm.type + " that can be made");
            return;
        }
        flow->congestionControl = algorithm.type;
        if (maxWindow != NO_LIMIT)
        {
            if (!algorithm.capsWindow)
            {
                Fail(where + "max_window_segments: '" + name +
                     "' cannot cap its congestion window: leave it out and limit the flow by "
                     "receive_buffer_bytes");
                return;
            }
            Json window;
            window.type = Json::NUMBER;
            window.number = static_cast<double>(maxWindow);
            ReadAttribute(window, where + "max_window_segments", type, "MaxWindow", flow);
        }
        const Json& parameters = json["parameters"];
        for (std::size_t n = 0; n < parameters.names.size(); ++n)
        {
            const std::string& key = parameters.names[n];
            const std::string there = where + "congestion_control.parameters." + key;
            const char* attribute = nullptr;
            for (int i = 0; i < algorithm.parameterCount; ++i)
            {
                attribute = key == algorithm.parameters[i].name ? algorithm.parameters[i].attribute
                                                                : attribute;
            }
            if (!attribute)
            {
                Fail(there + ": '" + name + "' has no such parameter");
                return;
            }
            ReadAttribute(parameters.items[n], there, type, attribute, flow);
        }
    }

    void ReadAttribute(const Json& json,
                       const std::string& where,
                       const ns3::TypeId& type,
                       const std::string& attribute,
                       FlowSpec* flow)
    {
        const auto* known = type.LookupAttribute(attribute);
        if (!known)
        {
            Fail(where + ": its class has no attribute " + attribute);
            return;
        }
        using Value = ns3::AttributeValue;
        const Value::Kind kind = known->checker.kind;
        const bool truth = json.type == Json::BOOLEAN;
        if (truth != (kind == Value::BOOLEAN) || (!truth && json.type != Json::NUMBER))
        {
            Fail(where +
                 (kind == Value::BOOLEAN ? ": must be true or false" : ": must be a number"));
            return;
        }
        const bool time = kind == Value::TIME;
        const double value = time ? 1e9 * json.number : json.number;
        const double unit = time ? 1e9 : 1;
        const bool whole = kind == Value::INTEGER || kind == Value::UINTEGER;
        if (value < known->checker.least || value > known->checker.most)
        {
            Fail(where + ": " + Digits(json.number) + " is not from " +
                 Digits(known->checker.least / unit) + " to " + Digits(known->checker.most / unit));
        }
        else if (whole && value != std::floor(value))
        {
            Fail(where + ": " + Digits(json.number) + " is not a whole number");
        }
        else if (time)
        {
            const int64_t ticks = ns3::Seconds(json.number).GetTimeStep();
            flow->attributes.emplace_back(attribute, std::to_string(ticks) + "ns");
        }
        else
        {
            flow->attributes.emplace_back(attribute,
                                          whole || truth
                                              ? std::to_string(static_cast<int64_t>(json.number))
                                              : Digits(json.number));
        }
    }

    /// The fields of an object: each is taken once, and what is left at the end is not known.
    class Fields
    {
      public:
        Fields(ScenarioReader& reader, const Json& json, std::string where)
            : m_reader(reader),
              m_json(json),
              m_where(std::move(where))
        {
            if (json.IsStated() && json.type != Json::OBJECT)
            {
                Fail("", "must be an object");
            }
        }

        const Json& Take(std::string_view name)
        {
            m_taken.insert(name);
            return m_json[name];
        }

        void Ignore(std::string_view name)
        {
            Take(name);
        }

        double Number(std::string_view name,
                      double least,
                      double most,
                      std::optional<double> usual = std::nullopt)
        {
            const Json& json = Take(name);
            if (json.IsStated() && json.type != Json::NUMBER)
            {
                Fail(name, "must be a number");
            }
            else if (json.IsStated() && !(json.number >= least && json.number <= most))
            {
                Fail(name, Digits(json.number) + Range(least, most));
            }
            else if (!json.IsStated() && !usual)
            {
                Fail(name, "this field is missing");
            }
            return json.IsStated() ? json.number : usual.value_or(0);
        }

        std::optional<double> Optional(std::string_view name, double least, double most)
        {
            const double number = Number(name, least, most, 0.0);
            return m_json[name].IsStated() ? std::optional(number) : std::nullopt;
        }

        uint64_t Whole(std::string_view name, double least, double most, uint64_t usual)
        {
            const double number = Number(name, least, most, 0.0);
            if (number != std::floor(number))
            {
                Fail(name, "must be a whole number, not " + Digits(number));
            }
            return m_json[name].IsStated() ? static_cast<uint64_t>(number) : usual;
        }

        /// 0: "auto".
        uint32_t Buffer(std::string_view name)
        {
            const Json& json = Take(name);
            if (json.type == Json::TEXT)
            {
                OneOf(name, {"auto"});
                return 0;
            }
            return static_cast<uint32_t>(Whole(name, 1, 4294967295, 64'000'000));
        }

        bool Truth(std::string_view name, bool usual)
        {
            const Json& json = Take(name);
            if (json.IsStated() && json.type != Json::BOOLEAN)
            {
                Fail(name, "must be true or false");
            }
            return json.IsStated() ? json.number != 0 : usual;
        }

        std::string Text(std::string_view name)
        {
            const Json& json = Take(name);
            if (json.type != Json::TEXT || json.text.empty())
            {
                Fail(name, "must be a name");
            }
            return json.text;
        }

        /// One of the words, the first of them if it is not stated.
        std::string OneOf(std::string_view name, std::vector<std::string> words)
        {
            const Json& json = Take(name);
            const std::string word = json.IsStated() ? json.text : words.front();
            if (std::find(words.begin(), words.end(), word) == words.end())
            {
                std::string known = words.front();
                for (std::size_t i = 1; i < words.size(); ++i)
                {
                    known += " or " + words[i];
                }
                Fail(name, "must be " + known);
            }
            return word;
        }

        const Json& List(std::string_view name, std::size_t least = 0)
        {
            const Json& json = Take(name);
#ifdef LONGFAT_TRANSFERS
            least = name == "flows" && !m_json["transfers"].items.empty() ? 0 : least;
#endif
            if ((json.IsStated() && json.type != Json::ARRAY) || json.items.size() < least)
            {
                Fail(name, "must be a list of at least " + std::to_string(least));
            }
            return json;
        }

        /// The items of a list, each with where it stands.
        std::vector<std::pair<std::string, const Json*>> Each(std::string_view name)
        {
            std::vector<std::pair<std::string, const Json*>> each;
            for (const Json& item : List(name).items)
            {
                const std::string number = std::to_string(each.size());
                each.emplace_back(m_where + std::string(name) + "." + number + ".", &item);
            }
            return each;
        }

        void End()
        {
            for (const std::string& name : m_json.names)
            {
                if (!m_taken.contains(name))
                {
                    Fail(name, "there is no such field");
                }
            }
        }

      private:
        static std::string Range(double least, double most)
        {
            if (least == ABOVE_0)
            {
                return " must be greater than 0, and at most " + Digits(most);
            }
            if (most == BELOW_1)
            {
                return " must be from " + Digits(least) + " to less than 1";
            }
            return " must be from " + Digits(least) + " to " + Digits(most);
        }

        void Fail(std::string_view name, const std::string& what)
        {
            m_reader.Fail(m_where + std::string(name) + ": " + what);
        }

        ScenarioReader& m_reader;
        const Json& m_json;
        std::string m_where;
        std::set<std::string_view> m_taken;
    };

    static std::string Digits(double number)
    {
        char digits[40];
        return {digits, std::to_chars(digits, digits + sizeof(digits), number).ptr};
    }

    /// The first that is wrong is told.
    bool Fail(const std::string& sentence)
    {
        m_error = m_error.empty() ? sentence : m_error;
        return false;
    }

    std::vector<const Algorithm*> m_algorithms;
    Faults m_faults;
    std::string m_error;
};

} // namespace longfat::segment

#endif
