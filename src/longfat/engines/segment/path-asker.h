// SPDX-License-Identifier: GPL-2.0-only
//
// What a sender of this engine does for an algorithm that asks its path (../../cc/path-queries.h). A
// part of Sender, for the feature "ptp".

#ifndef LONGFAT_SEGMENT_PATH_ASKER_H
#define LONGFAT_SEGMENT_PATH_ASKER_H

#include "../json.h"
#include "connection.h"
#include "path-query.h"

#include "ns3/tcp-congestion-ops.h"

namespace longfat::segment
{

template <class Sender>
class PathAskerOf final : public PathQueries
{
  public:
    PathAskerOf(EventQueue& events, Sender& sender)
        : m_sender(sender),
          m_timer(events, this),
          m_events(events)
    {
    }

    /// The connection is there: for an algorithm that wants to ask, from now on.
    void Begin(ns3::TcpCongestionOps* algorithm)
    {
        m_signal = dynamic_cast<PathQueriesSignal*>(algorithm);
        if (m_signal)
        {
            m_signal->SetPathQueries(m_sender.tcb, this);
        }
    }

    void OnAnswer(const PathQuery& answer, Ticks now)
    {
        const bool isWhole = answer.records == answer.routers;
        (isWhole ? m_whole : m_broken) += 1;
        const auto first = answer.record.begin();
        m_signal->OnPathAnswer(m_sender.tcb,
                               answer.number,
                               std::vector<LinkRecord>(first, first + answer.records),
                               isWhole);
        m_sender.SendPending(now);
    }

    void AskPath(uint32_t number) override
    {
        const Ticks now = m_events.Now();
        Packet& query = m_sender.Prepare(now);
        query.flags = Packet::PROBE; // no segment, for whoever looks at segments
        query.query.kind = PathQuery::QUERY;
        query.query.number = number;
        query.wireBytes =
            AckWireBytes(m_sender.m_spec.timestamps, 0) + PathQuery::MOST * PathQuery::BYTES;
        ++m_asked;
        m_sender.m_forth.first->Send(query, now);
    }

    uint32_t GetHeaderBytes() const override
    {
        return HEADER_BYTES + (m_sender.m_spec.timestamps ? TIMESTAMP_BYTES : 0);
    }

    void SetQueryTimer(ns3::Time after) override
    {
        m_after = after.GetTimeStep();
        m_timer.Set(m_after);
    }

    bool SetsPace() const
    {
        return m_signal && m_signal->SetsPace(m_sender.tcb);
    }

    void Write(JsonWriter& head) const
    {
        if (m_signal)
        {
            head.Name("ptp").Text(m_whole > 0 && m_broken == 0 ? "spoken"
                                  : m_whole > 0                ? "in part"
                                                               : "fallen back");
            head.Name("ptp_queries").Number(m_asked);
        }
    }

  private:
    void OnTimer()
    {
        if (m_sender.m_board.Head() == m_sender.Written())
        {
            m_timer.Set(m_after); // there is nothing to send
            return;
        }
        m_signal->OnQueryTimer(m_sender.tcb);
    }

    Sender& m_sender;
    PathQueriesSignal* m_signal{nullptr}; //!< if the algorithm wants to ask
    Ticks m_after{0};                     //!< to the next query
    uint64_t m_asked{0};
    uint64_t m_whole{0};  //!< answers that every router has written into
    uint64_t m_broken{0}; //!< and others
    Timer<PathAskerOf, &PathAskerOf::OnTimer> m_timer;
    EventQueue& m_events;
};

} // namespace longfat::segment

#endif
