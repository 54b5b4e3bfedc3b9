// SPDX-License-Identifier: GPL-2.0-only
//
// What ACKs tell BBR of delivery (draft-ietf-ccwg-bbr-05, sections 4.1 and 5.5.1; bbr3.h): the delivery
// rate, what was delivered and lost since the segment was sent that an ACK is of, and round trips.
//
// Assumed, for ns-3 tells no more: what was in flight when a segment was sent (tx_in_flight) is what was
// delivered and lost until its ACK, which holds where the path keeps the order.

#ifndef LONGFAT_BBR3_DELIVERY_H
#define LONGFAT_BBR3_DELIVERY_H

#include "ns3/tcp-rate-ops.h"
#include "ns3/tcp-socket-state.h"

#include <cstdint>
#include <deque>
#include <utility>

namespace longfat
{

/// What an ACK tells; data in bytes.
struct Bbr3Ack
{
    uint32_t newlyAcked{0};
    uint32_t newlyLost{0};
    uint64_t deliveredSoFar{0};
    bool hasRate{false};         //!< else what follows is as it was, and no round trip is over
    double rateBps{0};           //!< delivery rate
    bool isAppLimited{false};    //!< which is not all that the path can do
    bool isWindowLimited{false}; //!< the window was full in this round trip or in the last
    bool startsRound{false};     //!< a round trip is over
    uint32_t round{0};           //!< round trips so far
    uint64_t prior{0};           //!< delivered when the segment was sent that the ACK is of
    double delivered{0};         //!< since then
    double lost{0};              //!< since then

    /// tx_in_flight.
    double InFlight() const
    {
        return delivered + lost;
    }

    /// More than that part of it was lost.
    bool IsInflightTooHigh(double threshold) const
    {
        return lost > threshold * InFlight();
    }
};

/// Delivery of one connection.
class Bbr3Delivery
{
  public:
    const Bbr3Ack& Take(ns3::Ptr<const ns3::TcpSocketState> tcb,
                        const ns3::TcpRateOps::TcpRateConnection& connection,
                        const ns3::TcpRateOps::TcpRateSample& sample)
    {
        m_ack.newlyAcked = sample.m_ackedSacked;
        m_ack.newlyLost = sample.m_bytesLoss;
        m_ack.deliveredSoFar = connection.m_delivered;
        m_ack.hasRate = sample.m_delivered >= 0 && !sample.m_interval.IsZero();
        m_ack.startsRound = false;
        m_limited |= tcb->m_isCwndLimited;
        m_lost += m_ack.newlyLost;
        if (m_ack.newlyLost > 0)
        {
            m_losses.emplace_back(m_ack.deliveredSoFar, m_lost);
        }
        if (m_ack.hasRate)
        {
            TakeRate(sample);
            m_ack.startsRound = m_ack.prior >= m_roundEnd;
        }
        if (m_ack.startsRound)
        {
            StartRound();
            ++m_ack.round;
            m_wasLimited = std::exchange(m_limited, tcb->m_isCwndLimited);
        }
        m_ack.isWindowLimited = m_limited || m_wasLimited;
        return m_ack;
    }

    /// A round trip begins, which is over when something sent from now on is acknowledged.
    void StartRound()
    {
        m_roundEnd = m_ack.deliveredSoFar;
    }

    /// The sender holds back from now on.
    void StartHoldingBack()
    {
        m_heldFrom = m_ack.deliveredSoFar;
    }

    /// It does until what is in flight now is delivered.
    void HoldBack(uint32_t bytesInFlight)
    {
        m_heldUntil = m_ack.deliveredSoFar + bytesInFlight + 1;
    }

  private:
    void TakeRate(const ns3::TcpRateOps::TcpRateSample& sample)
    {
        const uint64_t soFar = m_ack.deliveredSoFar;
        m_ack.prior = soFar - uint32_t(uint32_t(soFar) - sample.m_priorDelivered);
        m_ack.delivered = soFar - m_ack.prior;
        m_ack.rateBps = sample.m_deliveryRate.GetBitRate();
        const bool holdsBack = m_ack.prior >= m_heldFrom && m_ack.prior < m_heldUntil;
        m_ack.isAppLimited = sample.m_isAppLimited || holdsBack;
        while (!m_losses.empty() && m_losses.front().first <= m_ack.prior)
        {
            m_lostBefore = m_losses.front().second;
            m_losses.pop_front();
        }
        m_ack.lost = m_lost - m_lostBefore;
    }

    Bbr3Ack m_ack;            //!< the last one
    uint64_t m_lost{0};       //!< bytes so far
    uint64_t m_lostBefore{0}; //!< until the segment was sent that the ACK is of
    std::deque<std::pair<uint64_t, uint64_t>> m_losses; //!< delivered and lost when some were
    uint64_t m_roundEnd{0};
    bool m_limited{false};    //!< the window was full in this round trip
    bool m_wasLimited{false}; //!< and in the last one
    uint64_t m_heldFrom{0};   //!< the sender held back for what was delivered between
    uint64_t m_heldUntil{0};
};

} // namespace longfat

#endif
