// SPDX-License-Identifier: GPL-2.0-only
//
// The nodes of a scenario, which links join them, and the ways along paths.

#ifndef LONGFAT_CORE_NETWORK_H
#define LONGFAT_CORE_NETWORK_H

#include "link.h"

#include <algorithm>
#include <map>

namespace longfat::core
{

class Network
{
  public:
    /// Nodes have numbers, from 0.
    uint32_t node(const std::string& name)
    {
        return m_nodes.try_emplace(name, m_nodes.size()).first->second;
    }

    void join(const std::string& source, const std::string& target, Link* link)
    {
        m_links[{node(source), node(target)}] = link;
    }

    /// Lead a way along that path, from a place of it on; other nodes go on as before with what reaches
    /// them.
    void lead(Route& route, const Path& path, std::size_t from = 0)
    {
        route.next.resize(m_nodes.size());
        for (std::size_t i = from + 1; i < path.size(); ++i)
        {
            const uint32_t here = node(path[i - 1]);
            route.next[here] = m_links.at({here, node(path[i])});
        }
        route.next[node(path.back())] = nullptr;
        route.first = route.next[node(path.front())];
    }

    static Path reversed(const Path& path)
    {
        return {path.rbegin(), path.rend()};
    }

  private:
    std::map<std::string, uint32_t> m_nodes;
    std::map<std::pair<uint32_t, uint32_t>, Link*> m_links; //!< by their ends
};

} // namespace longfat::core

#endif
