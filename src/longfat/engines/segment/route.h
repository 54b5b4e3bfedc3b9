// SPDX-License-Identifier: GPL-2.0-only
//
// Shortest paths, by the number of links.

#ifndef LONGFAT_CORE_ROUTE_H
#define LONGFAT_CORE_ROUTE_H

#include "spec.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace longfat::core
{

class Graph
{
  public:
    explicit Graph(const std::vector<LinkSpec>& links)
    {
        for (const LinkSpec& link : links)
        {
            const std::size_t source = node_of(link.source);
            const std::size_t target = node_of(link.target);
            if (std::find(m_next[source].begin(), m_next[source].end(), target) ==
                m_next[source].end())
            {
                m_next[source].push_back(target);
                m_next[target].push_back(source);
            }
        }
    }

    bool are_joined(const std::string& a, const std::string& b) const
    {
        const auto from = m_byName.find(a);
        const auto to = m_byName.find(b);
        return from != m_byName.end() && to != m_byName.end() &&
               std::find(m_next[from->second].begin(), m_next[from->second].end(), to->second) !=
                   m_next[from->second].end();
    }

    /// The shortest path between both, or an empty one. Where there are several it is the one that
    /// networkx finds (bidirectional search, level by level, neighbours in the order in which the
    /// links name them), which the archived results were made with.
    Path shortest_path(const std::string& source, const std::string& target) const
    {
        const auto from = m_byName.find(source);
        const auto to = m_byName.find(target);
        if (from == m_byName.end() || to == m_byName.end())
        {
            return {};
        }
        Side forth(m_next.size(), from->second);
        Side back(m_next.size(), to->second);
        std::size_t meeting = NONE;
        while (meeting == NONE && !forth.fringe.empty() && !back.fringe.empty())
        {
            meeting =
                forth.fringe.size() <= back.fringe.size() ? grow(forth, back) : grow(back, forth);
        }
        if (meeting == NONE)
        {
            return {};
        }
        std::vector<std::size_t> nodes;
        for (std::size_t node = meeting; node != from->second; node = forth.before[node])
        {
            nodes.push_back(node);
        }
        nodes.push_back(from->second);
        std::reverse(nodes.begin(), nodes.end());
        for (std::size_t node = meeting; node != to->second;)
        {
            node = back.before[node];
            nodes.push_back(node);
        }
        Path path;
        for (const std::size_t node : nodes)
        {
            path.push_back(m_names[node]);
        }
        return path;
    }

  private:
    static constexpr std::size_t NONE = -1;

    /// What the search has reached from one end.
    struct Side
    {
        Side(std::size_t nodes, std::size_t end)
            : before(nodes, NONE),
              fringe{end}
        {
            before[end] = end;
        }

        std::vector<std::size_t> before; //!< by node: the one nearer to the end; NONE: not reached
        std::vector<std::size_t> fringe;
    };

    /// Reach one link further; returns where it meets the other side, or NONE.
    std::size_t grow(Side& side, const Side& other) const
    {
        std::vector<std::size_t> reached;
        reached.swap(side.fringe);
        for (const std::size_t node : reached)
        {
            for (const std::size_t next : m_next[node])
            {
                if (side.before[next] == NONE)
                {
                    side.before[next] = node;
                    side.fringe.push_back(next);
                }
                if (other.before[next] != NONE)
                {
                    return next;
                }
            }
        }
        return NONE;
    }

    std::size_t node_of(const std::string& name)
    {
        const auto [place, isNew] = m_byName.try_emplace(name, m_names.size());
        if (isNew)
        {
            m_names.push_back(name);
            m_next.emplace_back();
        }
        return place->second;
    }

    std::map<std::string, std::size_t> m_byName;
    std::vector<std::string> m_names;
    std::vector<std::vector<std::size_t>> m_next;
};

} // namespace longfat::core

#endif
