// SPDX-License-Identifier: GPL-2.0-only
//
// The transfers of a scenario, read from its JSON (longfat.transfers says what each field means).

#ifndef LONGFAT_CORE_SCENARIO_TRANSFERS_H
#define LONGFAT_CORE_SCENARIO_TRANSFERS_H

#include "scenario-paths.h"

namespace longfat::core
{

class TransferReader
{
  public:
    TransferReader(Refusal& refusal, const Graph& graph, std::vector<FlowSpec>& flows)
        : m_refusal(refusal),
          m_graph(graph),
          m_flows(flows)
    {
    }

    TransferSpec read(const Json& json, const std::string& where)
    {
        Fields fields(m_refusal, json, where);
        TransferSpec transfer;
        fields.ignore("name");
        transfer.bytes = fields.whole("bytes", 1, 1e15, 1);
        const Json& stated = fields.take("method");
        fields.end();
        const std::string here = where + "method.";
        Fields method(m_refusal, stated, here);
        const std::string kind =
            method.one_of("kind", {"parallel tcp", "gridftp", "rbudp", "tsunami"});
        if (kind == "rbudp")
        {
            RbudpSpec rbudp;
            read_datagrams(method, here, 1468, &rbudp);
            transfer.method = rbudp;
        }
        else if (kind == "tsunami")
        {
            TsunamiSpec tsunami;
            read_datagrams(method, here, 1024, &tsunami);
            tsunami.threshold = method.number("error_threshold", 0, BELOW_1, 0.075);
            tsunami.slower = method.number("slower", 1, 1000, 25.0 / 24);
            tsunami.faster = method.number("faster", ABOVE_0, 1, 5.0 / 6);
            tsunami.history = method.number("history", 0, BELOW_1, 0.25);
            tsunami.report_every_s = method.number("report_every_s", ABOVE_0, 1000, 0.35);
            tsunami.most_requests = method.whole("most_requests", 1, LARGEST, 2048);
            transfer.method = tsunami;
        }
        else
        {
            StreamsSpec streams;
            streams.blocks = kind == "gridftp";
            read_flows(method, here, &streams);
            if (streams.blocks)
            {
                read_blocks(method, here, &streams);
            }
            transfer.method = streams;
        }
        method.end();
        return transfer;
    }

  private:
    void read_flows(Fields& fields, const std::string& where, StreamsSpec* streams)
    {
        for (const Json& number : fields.list("flows", 1).items)
        {
            if (number.type != Json::NUMBER || number.number != std::floor(number.number) ||
                !(number.number >= 0 && number.number < static_cast<double>(m_flows.size())))
            {
                m_refusal.fail(where + "flows: must be places in the list of flows, from 0");
                return;
            }
            const auto place = static_cast<uint64_t>(number.number);
            if (!m_carriers.insert(place).second)
            {
                m_refusal.fail(where + "flows: flow " + digits(number.number) +
                               " carries another transfer");
            }
            if (m_flows[place].bytes > 0 || m_flows[place].stop)
            {
                m_refusal.fail(where + "flows: a flow that carries it can have neither bytes nor "
                                       "stop_s of its own");
            }
            streams->flows.push_back(place);
        }
    }

    void read_blocks(Fields& method, const std::string& where, StreamsSpec* streams)
    {
        streams->block_bytes = method.whole("block_bytes", 1, 1e12, 262'144);
        for (const auto& [each, json] : method.each("cuts"))
        {
            Fields cut(m_refusal, *json, each);
            const Time at = from_seconds(cut.number("at_s", 0, LONGEST_S));
            const std::size_t first = streams->flows.size();
            if (!streams->cuts.empty() && streams->cuts.back().at >= at)
            {
                m_refusal.fail(where + "cuts: must be in the order of their times");
            }
            streams->cuts.push_back({at, first});
            read_flows(cut, each, streams);
            cut.end();
            for (std::size_t i = first; i < streams->flows.size(); ++i)
            {
                if (m_flows[streams->flows[i]].start < at)
                {
                    m_refusal.fail(each + "flows: a flow goes on after the cut: its start_s must "
                                          "be at least at_s");
                }
            }
        }
        // null: there are none
        const bool none = method.take("marker_every_s").type == Json::NULL_;
        const double marker_every_s = method.number("marker_every_s", ABOVE_0, 1e6, 5.0);
        streams->marker_every =
            none ? std::nullopt : std::optional(std::max<Time>(1, from_seconds(marker_every_s)));
        if (const Json& adapts = method.take("adapts"); adapts.IsStated())
        {
            Fields own(m_refusal, adapts, where + "adapts.");
            const double every_s = own.number("every_s", ABOVE_0, 1e6, 1.0);
            streams->adapt_every = std::max<Time>(1, from_seconds(every_s));
            streams->adapt_gain = own.number("gain", 0, 1000, 0.1);
            own.end();
            if (!streams->cuts.empty())
            {
                m_refusal.fail(where + "adapts: it cannot be had together with cuts");
            }
            for (std::size_t i = 1; i < streams->flows.size(); ++i)
            {
                m_flows[streams->flows[i]].start = NEVER - 1; // the transfer starts it
            }
        }
        for (const uint64_t place : streams->flows)
        {
            const bool changes = !streams->cuts.empty() || streams->adapt_every;
            if (changes && m_flows[place].paths.size() > 1)
            {
                m_refusal.fail(where +
                               "flows: the streams of a flow with relays can be neither cut "
                               "nor opened on the way");
            }
        }
    }

    void read_datagrams(Fields& method,
                        const std::string& where,
                        uint64_t payload_bytes,
                        DatagramsSpec* way)
    {
        const std::string source = method.text("source");
        const std::string target = method.text("target");
        way->path = read_path(m_refusal, method.list("path"), m_graph, where + "path");
        check_ends(m_refusal, way->path, source, target, where);
        if (way->path.empty())
        {
            way->path =
                shortest_legs(m_refusal, {source, target}, m_graph, where + "target").front();
        }
        way->start = from_seconds(method.number("start_s", 0, LONGEST_S, 0.0));
        way->rate_bps = method.number("rate_bps", SLOWEST_BPS, FASTEST_BPS);
        way->payload_bytes = method.whole("payload_bytes", 1, 65'000, payload_bytes);
        way->receiver_bps = method.optional("receiver_bps", SLOWEST_BPS, FASTEST_BPS);
        way->socket_bytes = method.whole("socket_buffer_bytes", 1, 1e12, 20'000'000);
    }

    Refusal& m_refusal;
    const Graph& m_graph;
    std::vector<FlowSpec>& m_flows;
    std::set<uint64_t> m_carriers; //!< of all transfers
};

} // namespace longfat::core

#endif
