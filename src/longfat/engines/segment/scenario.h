// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario, read from its JSON: the same that longfat.scenario writes, with or without what is
// default there. Whatever is wrong is said in one sentence: field, value, what is allowed.

#ifndef LONGFAT_CORE_SCENARIO_H
#define LONGFAT_CORE_SCENARIO_H

#include "scenario-fields.h"
#include "scenario-paths.h"
#include "scenario-start-up.h"
#include "scenario-transfers.h"

#include <map>

namespace longfat::core
{

class ScenarioReader : private Refusal
{
  public:
    /// Returns what is wrong, or nothing.
    std::string read(const std::string& text, ScenarioSpec* scenario)
    {
        Json json;
        std::size_t position;
        if (!JsonReader::Read(text, &json, &position) || json.type != Json::OBJECT)
        {
            return "the scenario is not a JSON object (character " + std::to_string(position) + ")";
        }
        read_scenario(json, scenario);
        return sentence();
    }

  private:
    void read_scenario(const Json& json, ScenarioSpec* scenario)
    {
        Fields fields(*this, json, "");
        scenario->duration = from_seconds(fields.number("duration_s", SHORTEST_S, LONGEST_S));
        scenario->seed = fields.whole("seed", 1, 2147483648, 1);
        fields.ignore("title");
        const Json& transfers = fields.list("transfers");
        const Json& links = fields.list("links", 1);
        const Json& media_streams = fields.list("media_streams");
        const bool alone = transfers.items.empty() && media_streams.items.empty();
        const Json& flows = fields.list("flows", alone ? 1 : 0);
        Fields record(*this, fields.take("record"), "record.");
        for (const Json& series : record.list("series").items)
        {
            scenario->series.push_back(series.text);
        }
        scenario->points = static_cast<uint32_t>(record.whole("points", 2, 1'000'000, 2000));
        record.end();
        fields.end();
        std::vector<LinkSpec> stated(links.items.size());
        for (std::size_t i = 0; i < stated.size(); ++i)
        {
            read_link(links.items[i], "links." + std::to_string(i) + ".", &stated[i]);
        }
        if (is_refused() || !pair_links(stated, scenario))
        {
            return;
        }
        scenario->flows.resize(flows.items.size());
        const Graph graph(scenario->links);
        for (std::size_t i = 0; i < flows.items.size() && !is_refused(); ++i)
        {
            const std::string where = "flows." + std::to_string(i) + ".";
            scenario->flows[i].number = i;
            scenario->flows[i].seed = scenario->seed;
            read_flow(flows.items[i], where, graph, &scenario->flows[i]);
        }
        TransferReader reader(*this, graph, scenario->flows);
        for (std::size_t i = 0; i < transfers.items.size() && !is_refused(); ++i)
        {
            scenario->transfers.push_back(
                reader.read(transfers.items[i], "transfers." + std::to_string(i) + "."));
            if (!std::holds_alternative<StreamsSpec>(scenario->transfers.back().method))
            {
                scenario->control = control_flow();
            }
        }
        for (std::size_t i = 0; i < media_streams.items.size() && !is_refused(); ++i)
        {
            const std::string where = "media_streams." + std::to_string(i) + ".";
            scenario->media_streams.push_back(
                read_media_stream(media_streams.items[i], where, graph));
        }
    }

    MediaStreamSpec read_media_stream(const Json& json,
                                      const std::string& where,
                                      const Graph& graph)
    {
        Fields fields(*this, json, where);
        MediaStreamSpec stream;
        fields.ignore("name");
        const std::string source = fields.text("source");
        const std::string target = fields.text("target");
        stream.path = shortest_legs(*this, {source, target}, graph, where + "target").front();
        stream.start = from_seconds(fields.number("start_s", 0, LONGEST_S, 0.0));
        if (const auto stop_s = fields.optional("stop_s", ABOVE_0, LONGEST_S))
        {
            stream.stop = from_seconds(*stop_s);
        }
        stream.rate_bps = fields.number("rate_bps", SLOWEST_BPS, FASTEST_BPS, 68'800.0);
        stream.payload_bytes = fields.whole("payload_bytes", 1, 65'000, 172);
        stream.deadline = from_seconds(fields.number("deadline_s", ABOVE_0, LONGEST_S));
        fields.end();
        if (8 * static_cast<double>(stream.payload_bytes) < 1e-6 * stream.rate_bps)
        {
            fail(where + "rate_bps: packets must be a microsecond apart at least");
        }
        if (stream.stop && *stream.stop <= stream.start)
        {
            fail(where + "stop_s must be later than start_s");
        }
        return stream;
    }

    /// Both directions of each cable, in the order in which the first of them stands.
    bool pair_links(const std::vector<LinkSpec>& stated, ScenarioSpec* scenario)
    {
        std::map<std::pair<std::string, std::string>, const LinkSpec*> by_ends;
        for (const LinkSpec& link : stated)
        {
            if (!by_ends.emplace(std::pair(link.source, link.target), &link).second)
            {
                return fail("links: two links from '" + link.source + "' to '" + link.target +
                            "': one is allowed");
            }
        }
        std::set<const LinkSpec*> done;
        for (const LinkSpec& link : stated)
        {
            const auto back = by_ends.find({link.target, link.source});
            if (back == by_ends.end())
            {
                return fail("links: no link back from '" + link.target + "' to '" + link.source +
                            "': ACKs need one");
            }
            if (done.insert(&link).second)
            {
                done.insert(back->second);
                scenario->links.push_back(link);
                scenario->links.push_back(*back->second);
                LinkSpec& there = scenario->links[scenario->links.size() - 2];
                LinkSpec& here = scenario->links.back();
                here.has_agent_opposite = there.base_station || there.notifies_loss;
                there.has_agent_opposite = here.base_station || here.notifies_loss;
            }
        }
        return true;
    }

    void read_link(const Json& json, const std::string& where, LinkSpec* link)
    {
        Fields fields(*this, json, where);
        link->source = fields.text("source");
        link->target = fields.text("target");
        link->rate_bps = fields.number("rate_bps", SLOWEST_BPS, FASTEST_BPS);
        link->delay_s = fields.number("delay_s", 0, LONGEST_S);
        link->queue_packets = fields.whole("queue_packets", 1, LARGEST, NO_LIMIT);
        link->queue_bytes = fields.whole("queue_bytes", 1, LARGEST, NO_LIMIT);
        link->loss_per_packet = fields.number("loss_per_packet", 0, BELOW_1, 0.0);
        link->loss_per_bit = fields.number("loss_per_bit", 0, BELOW_1, 0.0);
        link->mark_above_packets = fields.whole("mark_above_packets", 1, LARGEST, NO_LIMIT);
        for (const auto& [each, outage] : fields.each("outages"))
        {
            Fields own(*this, *outage, each);
            const double start_s = own.number("start_s", 0, LONGEST_S);
            const double end_s = start_s + own.number("duration_s", ABOVE_0, LONGEST_S);
            link->outages.push_back({from_seconds(start_s), from_seconds(end_s)});
            own.end();
        }
        for (const auto& [each, change] : fields.each("changes"))
        {
            Fields own(*this, *change, each);
            LinkChange& read = link->changes.emplace_back();
            read.at = from_seconds(own.number("at_s", 0, LONGEST_S));
            read.rate_bps = own.optional("rate_bps", SLOWEST_BPS, FASTEST_BPS);
            read.delay_s = own.optional("delay_s", 0, LONGEST_S);
            read.loss_per_packet = own.optional("loss_per_packet", 0, BELOW_1);
            read.loss_per_bit = own.optional("loss_per_bit", 0, BELOW_1);
            own.end();
        }
        if (const Json& bursts = fields.take("loss_bursts"); bursts.IsStated())
        {
            Fields own(*this, bursts, where + "loss_bursts.");
            const double loss = own.number("loss_per_packet", ABOVE_0, BELOW_1);
            const double mean = own.number("mean_packets", 1, 1e9);
            const double within = own.number("loss_within", ABOVE_0, 1, 1.0);
            own.end();
            link->loss_bursts = {loss, mean, within};
            if (loss / within > mean / (1 + mean))
            {
                fail(where + "loss_bursts: loss_per_packet is too much for bursts of mean_packets");
            }
        }
        read_medium(fields, where, link);
        read_aqm(fields, where, link);
        read_agents(fields, where, link);
        fields.end();
        if ((link->queue_packets == NO_LIMIT) == (link->queue_bytes == NO_LIMIT))
        {
            fail(where + "queue_packets: state either queue_packets or queue_bytes");
        }
        if (link->source == link->target)
        {
            fail(where + "target: a link must join two nodes, not '" + link->source +
                 "' to itself");
        }
    }

    /// How it sends, and sends again.
    void read_medium(Fields& fields, const std::string& where, LinkSpec* link)
    {
        if (const Json& arq = fields.take("arq"); arq.IsStated())
        {
            Fields own(*this, arq, where + "arq.");
            Arq& read = link->arq.emplace();
            own.number("persistence", 1, 1000); // which has no default
            read.persistence = own.whole("persistence", 1, 1000, 1);
            read.feedback_s = own.number("feedback_s", 0, 60);
            read.jitter_s = own.number("jitter_s", 0, 60, 0.0);
            read.waits =
                own.one_of("mode", {"selective repeat", "stop and wait"}) == "stop and wait";
            read.in_order = own.truth("in_order", true);
            read.frame_bytes = static_cast<uint32_t>(own.whole("frame_bytes", 1, 9100, 0));
            read.interval_s = own.number("interval_s", 0, 60, 0.0);
            own.end();
        }
        for (const Json& time : fields.list("delivery_ms").items)
        {
            const double before = link->delivery_ms.empty() ? 0 : link->delivery_ms.back();
            if (time.type != Json::NUMBER || time.number != std::floor(time.number) ||
                !(time.number >= before && time.number <= 1e9))
            {
                fail(where +
                     "delivery_ms: must be whole numbers of ms that do not go back in time");
                return;
            }
            link->delivery_ms.push_back(static_cast<uint32_t>(time.number));
        }
        if (!link->delivery_ms.empty() && (link->delivery_ms.back() == 0 || link->arq))
        {
            fail(where + "delivery_ms: must end after 0 ms, and is not allowed beside arq");
        }
    }

    void read_aqm(Fields& fields, const std::string& where, LinkSpec* link)
    {
        const Json& json = fields.take("aqm");
        if (!json.IsStated())
        {
            return;
        }
        Fields own(*this, json, where + "aqm.");
        const std::string kind = own.one_of("kind", {"red", "codel", "fq_codel", "pie"});
        const bool ecn = own.truth("ecn", true);
        if (kind == "red")
        {
            Red red{};
            red.min_packets = own.number("min_threshold_packets", ABOVE_0, LARGEST, 5.0);
            red.max_packets = own.number("max_threshold_packets", ABOVE_0, LARGEST, 15.0);
            red.max_probability = own.number("max_probability", ABOVE_0, 1, 0.02);
            red.weight = own.number("queue_weight", ABOVE_0, 1, 0.002);
            red.gentle = own.truth("gentle", false);
            red.ecn = ecn;
            link->aqm = red;
            if (red.max_packets <= red.min_packets)
            {
                fail(where +
                     "aqm.max_threshold_packets must be greater than min_threshold_packets");
            }
        }
        else if (kind == "codel" || kind == "fq_codel")
        {
            const Time target = from_seconds(own.number("target_s", ABOVE_0, 60, 0.005));
            const Time interval = from_seconds(own.number("interval_s", ABOVE_0, 60, 0.1));
            const CoDel codel{target, interval, ecn};
            if (kind == "codel")
            {
                link->aqm = codel;
            }
            else
            {
                link->aqm = FqCoDel{codel, own.whole("quantum_bytes", 1, 65'535, 1514)};
            }
        }
        else
        {
            Pie pie{};
            pie.target_s = own.number("target_s", ABOVE_0, 60, 0.015);
            pie.update_s = own.number("update_s", 1e-4, 60, 0.015);
            pie.max_burst_s = own.number("max_burst_s", 0, 60, 0.15);
            pie.alpha = own.number("alpha", ABOVE_0, 1000, 0.125);
            pie.beta = own.number("beta", ABOVE_0, 1000, 1.25);
            pie.mark_below = own.number("mark_below", 0, 1, 0.1);
            pie.ecn = ecn;
            link->aqm = pie;
        }
        own.end();
        if (link->mark_above_packets != NO_LIMIT)
        {
            fail(where + "aqm: state either aqm or mark_above_packets");
        }
    }

    /// Who looks on: base station, far end, router.
    void read_agents(Fields& fields, const std::string& where, LinkSpec* link)
    {
        if (const Json& station = fields.take("base_station"); station.IsStated())
        {
            Fields own(*this, station, where + "base_station.");
            BaseStation& read = link->base_station.emplace();
            read.wtcp = own.one_of("kind", {"snoop", "wtcp"}) == "wtcp";
            read.cache_packets = own.whole("cache_packets", 1, LARGEST, 1000);
            read.min_timeout = from_seconds(own.number("min_timeout_s", ABOVE_0, 60, 0.1));
            read.hides_sack = own.truth("hides_sack", true);
            read.hides_time = own.truth("hides_time", read.wtcp);
            if (const auto fails_at_s = own.optional("fails_at_s", 0, LONGEST_S))
            {
                read.fails_at = from_seconds(*fails_at_s);
            }
            own.end();
            if (read.hides_time && !read.wtcp)
            {
                fail(where + "base_station.hides_time: only wtcp does");
            }
        }
        link->notifies_loss = fields.truth("notifies_loss", false);
        if (const Json& xcp = fields.take("xcp"); xcp.IsStated())
        {
            Fields own(*this, xcp, where + "xcp.");
            XcpSpec& read = link->xcp.emplace();
            read.alpha = own.number("alpha", ABOVE_0, 10, 0.4);
            read.beta = own.number("beta", 0, 10, 0.226);
            read.gamma = own.number("gamma", 0, 1, 0.1);
            own.end();
        }
        link->approve_bps = fields.optional("approve_bps", SLOWEST_BPS, FASTEST_BPS).value_or(0);
        link->ptp = fields.truth("ptp", false);
    }

    void read_flow(const Json& json, const std::string& where, const Graph& graph, FlowSpec* flow)
    {
        Fields fields(*this, json, where);
        const std::string source = fields.text("source");
        const std::string target = fields.text("target");
        fields.ignore("name");
        flow->segment_bytes = static_cast<uint32_t>(fields.whole("segment_bytes", 1, 9000, 1000));
        const uint64_t max_window = fields.whole("max_window_segments", 2, LARGEST, NO_LIMIT);
        flow->max_window = max_window == NO_LIMIT ? UNLIMITED : static_cast<double>(max_window);
        flow->initial_window =
            static_cast<double>(fields.whole("initial_window_segments", 1, LARGEST, 10));
        const uint64_t ssthresh = fields.whole("initial_ssthresh_segments", 2, LARGEST, NO_LIMIT);
        flow->initial_ssthresh = ssthresh == NO_LIMIT ? UNLIMITED : static_cast<double>(ssthresh);
        flow->send_buffer = fields.buffer("send_buffer_bytes");
        flow->receive_buffer = fields.buffer("receive_buffer_bytes");
        flow->segments_per_ack = fields.whole("segments_per_ack", 1, LARGEST, 1);
        flow->ack_timeout = from_seconds(fields.number("ack_timeout_s", ABOVE_0, LONGEST_S, 0.2));
        flow->sack = fields.truth("sack", true);
        flow->halving = fields.one_of("recovery", {"prr", "halving"}) == "halving";
        flow->limited_transmit = fields.truth("limited_transmit", true);
        flow->timestamps = fields.truth("timestamps", true);
        flow->timestamp_tick = from_seconds(fields.number("timestamp_tick_s", 0, 10, 0.0));
        flow->ecn = fields.truth("ecn", false);
        flow->finds_lost_retransmissions =
            fields.one_of("lost_retransmissions", {"detected", "timeout"}) == "detected";
        flow->rack = fields.truth("rack", false);
        flow->frto = fields.truth("frto", false);
        flow->undo = fields.truth("undo", false);
        flow->retries = fields.whole("retries", 1, 1e6, 15);
        flow->conceals_losses = fields.truth("conceals_losses", false);
        flow->ack_division = fields.whole("ack_division", 1, 1000, 1);
        flow->optimistic_ack = fields.whole("optimistic_ack_segments", 0, 1e6, 0);
        flow->min_rto = from_seconds(fields.number("min_rto_s", ABOVE_0, LONGEST_S, 1.0));
        flow->start = from_seconds(fields.number("start_s", 0, LONGEST_S, 0.0));
        if (const auto stop_s = fields.optional("stop_s", ABOVE_0, LONGEST_S))
        {
            flow->stop = from_seconds(*stop_s);
        }
        flow->bytes = fields.whole("bytes", 1, 1e15, 0);
        const Path path = read_path(*this, fields.list("path"), graph, where + "path");
        const Path relays = read_nodes(fields.list("relays"));
        for (const auto& [each, reroute] : fields.each("reroutes"))
        {
            Fields own(*this, *reroute, each);
            const Time at = from_seconds(own.number("at_s", 0, LONGEST_S));
            flow->reroutes.push_back(
                {at, read_path(*this, own.list("path", 2), graph, each + "path")});
            own.end();
        }
        for (const auto& [each, handoff] : fields.each("handoffs"))
        {
            Fields own(*this, *handoff, each);
            const Time at = from_seconds(own.number("at_s", 0, LONGEST_S));
            const bool local = own.one_of("kind", {"local", "non-local"}) == "local";
            const auto announced_bps = own.optional("announced_rate_bps", SLOWEST_BPS, FASTEST_BPS);
            flow->handoffs.push_back({at, local, announced_bps.value_or(0)});
            own.end();
        }
        if (const auto buffer = fields.optional("relay_buffer_bytes", 1, LARGEST))
        {
            flow->relay_buffer = static_cast<Bytes>(*buffer);
        }
        if (const auto at_s = fields.optional("relays_fail_at_s", 0, LONGEST_S))
        {
            flow->relays_fail_at = from_seconds(*at_s);
        }
        for (const auto& [each, move] : fields.each("moves"))
        {
            flow->moves.push_back(read_move(*this, *move, each, relays, graph));
        }
        flow->quick_start_bps = fields.optional("quick_start_bps", 80'000, FASTEST_BPS).value_or(0);
        read_algorithm(fields.take("congestion_control"), where, flow);
        flow->start_up = read_start_up(*this, fields.take("start_up"), where + "start_up.");
        fields.end();
        if (flow->start_up.index() > 0 && flow->algorithm)
        {
            check_start_up(*flow, where, !relays.empty());
        }
        if (flow->stop && *flow->stop <= flow->start)
        {
            fail(where + "stop_s must be later than start_s");
        }
        if ((flow->sack || !relays.empty()) && !flow->limited_transmit)
        {
            fail(where + "limited_transmit: false is allowed only with sack false and without "
                         "relays: with SACK, new segments are sent on duplicate ACKs anyway, and a "
                         "sender that waits for its relay is not allowed to");
        }
        if ((flow->rack || flow->frto || flow->undo) && !flow->sack)
        {
            fail(where + "sack: rack, frto and undo need it");
        }
        if (flow->rack && !flow->finds_lost_retransmissions)
        {
            fail(where + "lost_retransmissions: with rack they are detected");
        }
        check_ends(*this, path, source, target, where);
        for (const Reroute& reroute : flow->reroutes)
        {
            check_ends(*this, reroute.path, source, target, where);
        }
        for (const MoveSpec& move : flow->moves)
        {
            check_ends(*this, move.path, source, target, where + "moves.");
        }
        if (!flow->reroutes.empty() && path.empty())
        {
            fail(where + "path: a flow with reroutes must state the path that it begins with");
        }
        if (!flow->reroutes.empty() && !flow->moves.empty())
        {
            fail(where + "moves: a flow has either reroutes or moves");
        }
        if (!relays.empty() && (!path.empty() || !flow->handoffs.empty()))
        {
            fail(where + "relays: a flow through relays can have neither a path nor handoffs");
        }
        if (!relays.empty() && (flow->ack_division > 1 || flow->optimistic_ack > 0))
        {
            fail(where + "relays: ack_division and optimistic_ack_segments are of a receiver that "
                         "answers the sender itself");
        }
        if (relays.empty() && (flow->relay_buffer || flow->relays_fail_at))
        {
            fail(where + "relays: relay_buffer_bytes and relays_fail_at_s are for flows with them");
        }
        Path ends{source};
        ends.insert(ends.end(), relays.begin(), relays.end());
        ends.push_back(target);
        flow->paths = path.empty() ? shortest_legs(*this, ends, graph, where + "target")
                                   : std::vector<Path>{path};
    }

    void check_start_up(const FlowSpec& flow, const std::string& where, bool has_relays)
    {
        if (!has_start_up(flow.algorithm->entry()))
        {
            fail(where + "start_up: '" + flow.algorithm->entry().name +
                 "' has no slow start that another could take the place of");
        }
        if (flow.quick_start_bps > 0)
        {
            fail(where + "start_up: state either start_up or quick_start_bps");
        }
        if (has_relays && std::holds_alternative<CarefulResumeStart>(flow.start_up))
        {
            fail(where + "start_up: what is saved for careful-resume is of one connection: a flow "
                         "with relays has several");
        }
    }

    /// The TCP of control messages, as Linux has it by default, but for NewReno.
    FlowSpec control_flow()
    {
        FlowSpec flow;
        Json newreno;
        newreno.type = Json::TEXT;
        newreno.text = "newreno";
        read_algorithm(newreno, "transfers.", &flow);
        flow.segment_bytes = 536;
        flow.send_buffer = flow.receive_buffer = USUAL_BUFFER;
        flow.ack_timeout = 200'000'000;
        flow.min_rto = 200'000'000;
        return flow;
    }

    void read_algorithm(const Json& json, const std::string& where, FlowSpec* flow)
    {
        const std::string& name = json.type == Json::TEXT ? json.text : json["name"].text;
        for (const Algorithm* algorithm : Algorithm::all())
        {
            flow->algorithm = name == algorithm->entry().name ? algorithm : flow->algorithm;
        }
        if (!flow->algorithm)
        {
            fail(where + "congestion_control: this engine has no '" + name + "'");
            return;
        }
        const Json& parameters = json["parameters"];
        for (std::size_t i = 0; i < parameters.names.size(); ++i)
        {
            flow->parameters.emplace_back(parameters.names[i], parameters.items[i]);
        }
        std::string wrong;
        flow->algorithm->make(flow->parameters, &wrong);
        if (!wrong.empty())
        {
            fail(where + "congestion_control.parameters." + wrong);
        }
    }
};

} // namespace longfat::core

#endif
