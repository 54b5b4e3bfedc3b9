// SPDX-License-Identifier: GPL-2.0-only
//
// The traffic of the links of a path, from what their routers have counted in two answers to queries
// (path-queries.h). The busiest link is taken to be that with the least rate left.

#ifndef LONGFAT_LINK_TRAFFIC_H
#define LONGFAT_LINK_TRAFFIC_H

#include "path-queries.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace longfat
{

class LinkTraffic
{
  public:
    struct Busiest
    {
        double rateBps; //!< nominal
        double leftBps; //!< of it, by all traffic; negative where a queue grows
    };

    /// The answer that comes next; nothing where no link was in the answer before.
    std::optional<Busiest> Take(const std::vector<LinkRecord>& records)
    {
        std::optional<Busiest> busiest;
        for (const LinkRecord& now : records)
        {
            const auto same = [&](const LinkRecord& old) { return old.link == now.link; };
            const auto old = std::find_if(m_before.begin(), m_before.end(), same);
            if (old == m_before.end() || old->atNs >= now.atNs)
            {
                continue; // the path is another
            }
            const double trafficBps = 8e9 * (now.bytes - old->bytes) / (now.atNs - old->atNs);
            const double leftBps = now.rateBps - trafficBps;
            if (!busiest || leftBps < busiest->leftBps)
            {
                busiest = Busiest{now.rateBps, leftBps};
            }
        }
        m_before = records;
        return busiest;
    }

    void Forget()
    {
        m_before.clear();
    }

    /// Of a link at least.
    bool HasAnswer() const
    {
        return !m_before.empty();
    }

  private:
    std::vector<LinkRecord> m_before; //!< the answer before
};

} // namespace longfat

#endif
