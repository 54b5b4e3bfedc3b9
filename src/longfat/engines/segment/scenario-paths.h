// SPDX-License-Identifier: GPL-2.0-only
//
// The fields of a scenario that name nodes: paths, and movements of a flow's receiver.

#ifndef LONGFAT_CORE_SCENARIO_PATHS_H
#define LONGFAT_CORE_SCENARIO_PATHS_H

#include "event.h"
#include "route.h"
#include "scenario-fields.h"

namespace longfat::core
{

inline Path
read_nodes(const Json& json)
{
    Path nodes;
    for (const Json& node : json.items)
    {
        nodes.push_back(node.text);
    }
    return nodes;
}

/// Nodes each of which is joined to the next.
inline Path
read_path(Refusal& refusal, const Json& json, const Graph& graph, const std::string& where)
{
    const Path path = read_nodes(json);
    for (std::size_t i = 1; i < path.size(); ++i)
    {
        if (!graph.are_joined(path[i - 1], path[i]))
        {
            refusal.fail(where + ": no link from '" + path[i - 1] + "' to '" + path[i] + "'");
        }
    }
    return path;
}

inline void
check_ends(Refusal& refusal,
           const Path& path,
           const std::string& source,
           const std::string& target,
           const std::string& where)
{
    if (!path.empty() && (path.front() != source || path.back() != target))
    {
        refusal.fail(where + "path must lead from '" + source + "' to '" + target + "'");
    }
}

/// The shortest ways from each node to the next.
inline std::vector<Path>
shortest_legs(Refusal& refusal, const Path& nodes, const Graph& graph, const std::string& where)
{
    std::vector<Path> legs;
    for (std::size_t i = 1; i < nodes.size(); ++i)
    {
        const std::string& here = nodes[i - 1];
        legs.push_back(here == nodes[i] ? Path() : graph.shortest_path(here, nodes[i]));
        if (legs.back().size() < 2)
        {
            refusal.fail(where + ": no path from '" + here + "' to '" + nodes[i] + "'");
        }
    }
    if (legs.empty())
    {
        refusal.fail(where + ": needs two nodes at least");
    }
    return legs;
}

/// `relays`: of the flow.
inline MoveSpec
read_move(Refusal& refusal,
          const Json& json,
          const std::string& where,
          const Path& relays,
          const Graph& graph)
{
    Fields own(refusal, json, where);
    MoveSpec move;
    move.at = from_seconds(own.number("at_s", 0, LONGEST_S));
    move.attached = move.at + from_seconds(own.number("link_s", 0, 60, 0.05)) +
                    from_seconds(own.number("setup_s", 0, 60, 0.03));
    move.path = read_path(refusal, own.list("path", 2), graph, where + "path");
    move.redirect = own.text("redirect");
    move.message_bytes = own.whole("message_bytes", 1, 1500, 100);
    for (const Json& round : own.list("rounds").items)
    {
        std::vector<MoveSpec::Legs>& messages = move.rounds.emplace_back();
        for (const Json& message : round.items)
        {
            messages.push_back(
                shortest_legs(refusal, read_nodes(message), graph, where + "rounds"));
        }
    }
    move.state_bytes = own.whole("state_bytes", 0, LARGEST, 0);
    const bool moves_relay = own.take("relay").IsStated();
    const std::string relay = moves_relay ? own.text("relay") : "";
    own.end();
    const auto place = [&move](const std::string& node) {
        return std::find(move.path.begin(), move.path.end(), node);
    };
    if (place(move.redirect) == move.path.end() || (moves_relay && place(relay) == move.path.end()))
    {
        refusal.fail(where + "redirect: this node, and the relay, must be on the path");
    }
    else if (moves_relay != (relays.size() == 1) || (!moves_relay && !relays.empty()))
    {
        refusal.fail(where + "relay: must be stated if, and only if, the flow has a relay, and one "
                             "alone");
    }
    else if (moves_relay && (relay == move.path.front() || relay == move.path.back()))
    {
        refusal.fail(where + "relay: must be between the ends of the path");
    }
    else if (moves_relay)
    {
        move.split = {Path(move.path.begin(), place(relay) + 1),
                      Path(place(relay), move.path.end())};
        if (relay != relays.front())
        {
            move.between = shortest_legs(refusal, {relays.front(), relay}, graph, where).front();
        }
    }
    return move;
}

} // namespace longfat::core

#endif
