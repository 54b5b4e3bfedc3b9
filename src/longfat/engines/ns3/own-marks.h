// SPDX-License-Identifier: GPL-2.0-only
//
// Which segments a sender has outstanding, as far as supplements (../../cc/own-packets.h) ask for it: ns-3's
// scoreboard has no room for what they are, and lets nobody read it. By the same rule as ns-3's, what lies
// below three reported segments is lost.

#ifndef LONGFAT_OWN_MARKS_H
#define LONGFAT_OWN_MARKS_H

#include "ns3/sequence-number.h"
#include "ns3/tcp-option-sack.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace longfat
{

class OwnMarks
{
  public:
    using Sequence = ns3::SequenceNumber32;

    /// Of an ACK, in bytes of segments that no ACK had reported before.
    struct News
    {
        uint32_t reported{0};    //!< by SACK, of others than supplements
        uint32_t supplements{0}; //!< by SACK or acknowledged
        uint32_t arrivals{0};    //!< how many supplements that were
    };

    void OnSent(Sequence first, uint32_t bytes, bool supplement)
    {
        auto [at, isNew] = m_sent.try_emplace(first);
        Segment& segment = at->second;
        NoLongerAside(segment);
        segment.bytes = bytes;
        segment.isSupplement = isNew && supplement;
        if (segment.isSupplement)
        {
            segment.fate = Fate::ASIDE;
            m_asideBytes += bytes;
            m_hasSupplements = true;
        }
    }

    News OnAck(Sequence ack, const ns3::TcpOptionSack::SackList* blocks)
    {
        News news;
        if (blocks)
        {
            for (const auto& [begin, end] : *blocks)
            {
                for (auto at = m_sent.lower_bound(begin); at != m_sent.end() && at->first < end;
                     ++at)
                {
                    Report(at->second, &news);
                }
            }
            FindLost();
        }
        while (!m_sent.empty() && m_sent.begin()->first < ack)
        {
            Segment& gone = m_sent.begin()->second;
            NoLongerAside(gone);
            if (gone.fate != Fate::REPORTED)
            {
                Count(gone, &news, false);
            }
            m_sent.erase(m_sent.begin());
        }
        return news;
    }

    /// After a timeout, all that has not been reported is.
    void LoseAll()
    {
        for (auto& [first, segment] : m_sent)
        {
            if (segment.fate != Fate::REPORTED)
            {
                Lose(first, segment);
            }
        }
    }

    /// Of supplements under way, which are in flight by no window's count.
    uint32_t AsideBytes() const
    {
        return m_asideBytes;
    }

    bool HasSupplements() const
    {
        return m_hasSupplements;
    }

    /// Whether another segment than a supplement was lost, from that one on.
    bool IsLostFrom(Sequence first) const
    {
        return m_anyLost && m_lostEnd > first;
    }

  private:
    /// What has become of a segment, as far as is known.
    enum class Fate
    {
        UNDER_WAY,
        ASIDE,    //!< under way beyond the window
        REPORTED, //!< by SACK
        LOST,     //!< thought to be, even if sent again
    };

    struct Segment
    {
        uint32_t bytes{0};
        bool isSupplement{false}; //!< sent beyond the window, and not sent again
        Fate fate{Fate::UNDER_WAY};
    };

    void NoLongerAside(Segment& segment)
    {
        if (segment.fate == Fate::ASIDE)
        {
            m_asideBytes -= segment.bytes;
            segment.fate = Fate::UNDER_WAY;
        }
    }

    static void Count(const Segment& segment, News* news, bool bySack)
    {
        news->reported += bySack && !segment.isSupplement ? segment.bytes : 0;
        news->supplements += segment.isSupplement ? segment.bytes : 0;
        news->arrivals += segment.isSupplement;
    }

    void Report(Segment& segment, News* news)
    {
        if (segment.fate != Fate::REPORTED)
        {
            NoLongerAside(segment);
            segment.fate = Fate::REPORTED;
            Count(segment, news, true);
        }
    }

    void FindLost()
    {
        auto third = m_sent.end();
        for (uint32_t found = 0; found < 3; found += third->second.fate == Fate::REPORTED)
        {
            if (third == m_sent.begin())
            {
                return;
            }
            --third;
        }
        const Sequence decided = m_anyDecided ? m_decided : m_sent.begin()->first;
        m_decided = third->first;
        m_anyDecided = true;
        while (third != m_sent.begin() && (--third)->first >= decided)
        {
            if (third->second.fate != Fate::REPORTED)
            {
                Lose(third->first, third->second);
            }
        }
    }

    void Lose(Sequence first, Segment& segment)
    {
        if (segment.fate == Fate::LOST)
        {
            return;
        }
        NoLongerAside(segment);
        segment.fate = Fate::LOST;
        if (!segment.isSupplement)
        {
            const Sequence end = first + segment.bytes;
            m_lostEnd = m_anyLost ? std::max(m_lostEnd, end) : end;
            m_anyLost = true;
        }
    }

    std::map<Sequence, Segment> m_sent;
    uint32_t m_asideBytes{0}; //!< of supplements under way
    bool m_hasSupplements{false};
    bool m_anyLost{false};
    bool m_anyDecided{false};
    Sequence m_decided{0}; //!< what was found lost by SACK lies before
    Sequence m_lostEnd{0}; //!< after the highest lost segment that was no supplement
};

} // namespace longfat

#endif
