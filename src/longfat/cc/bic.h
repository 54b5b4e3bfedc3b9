// SPDX-License-Identifier: GPL-2.0-only
//
// BIC TCP (L. Xu, K. Harfoush and I. Rhee, "Binary increase congestion control (BIC) for fast
// long-distance networks", INFOCOM 2004; section III), with the growth and the constant B = 4 of its
// authors' code in Linux. A search for W_max, the window at which the last loss was; a round trip
// adds, in segments,
//
//     w < W_max     (W_max - w) / B, at most S_max; B / (smooth part) where that is at most 1
//     w >= W_max    B / (smooth part) for B segments, then (w - W_max) / (B - 1), at most S_max
//
// Below the low window it is standard TCP. A loss leaves beta w, and W_max is w; where w had not
// come up to W_max again (fast convergence) W_max is w (1 + beta) / 2, midway to what is left.

/* catalogue
title = "BIC"
type_id = "longfat::TcpBic"
source = "Xu, Harfoush and Rhee 2004, section III"
caps_window = true
linux = "bic"
[parameters]
fast_convergence = {attribute = "FastConvergence"}
beta = {attribute = "Beta"}
max_increase_segments = {attribute = "MaxIncr"}
low_window_segments = {attribute = "LowWnd"}
smooth_part = {attribute = "SmoothPart"}
as_ns3_3_44 = {attribute = "AsNs3"}
*/

#ifndef LONGFAT_BIC_H
#define LONGFAT_BIC_H

#include "standard-or-ns3.h"

namespace longfat
{

class TcpBic : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpBic")
                .SetParent<TcpStandardOrNs3>()
                .AddConstructor<TcpBic>()
                .AddAttribute("FastConvergence",
                              "give way to new flows",
                              ns3::BooleanValue(true),
                              ns3::MakeBooleanAccessor(&TcpBic::m_fastConvergence),
                              ns3::MakeBooleanChecker())
                .AddAttribute("Beta",
                              "what a loss leaves of the window",
                              ns3::DoubleValue(0.8),
                              ns3::MakeDoubleAccessor(&TcpBic::m_beta),
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("MaxIncr",
                              "S_max, a round trip",
                              ns3::UintegerValue(16),
                              ns3::MakeUintegerAccessor(&TcpBic::m_maxIncrease),
                              ns3::MakeUintegerChecker<uint32_t>(1, 1000000))
                .AddAttribute("LowWnd",
                              "standard TCP below",
                              ns3::UintegerValue(14),
                              ns3::MakeUintegerAccessor(&TcpBic::m_lowWindow),
                              ns3::MakeUintegerChecker<uint32_t>(0, 1000000))
                .AddAttribute("SmoothPart",
                              "round trips of the slow part; Linux: 20",
                              ns3::UintegerValue(5),
                              ns3::MakeUintegerAccessor(&TcpBic::m_smoothPart),
                              ns3::MakeUintegerChecker<uint32_t>(1, 1000000));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpBic>(this);
    }

    double GetIncrease(double w) const override
    {
        return w / GetAcks(w);
    }

    double GetDecrease(double w) const override
    {
        return w < m_lowWindow ? 0.5 : 1 - m_beta;
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        const double w = Segments(tcb);
        // ns-3 forgets to halve: it takes beta w.
        const double lower = m_asNs3 ? std::floor(m_beta * w) : w * (1 + m_beta) / 2;
        m_lastMax = w < m_lastMax && m_fastConvergence ? lower : w;
        if (m_asNs3 && w >= m_lowWindow)
        {
            return static_cast<uint32_t>(std::max(w * m_beta, 2.0) * tcb->m_segmentSize);
        }
        return TcpStandardOrNs3::GetSsThresh(tcb, bytesInFlight);
    }

    void IncreaseWindow(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_asNs3)
        {
            TcpStandard::IncreaseWindow(tcb, segmentsAcked);
            return;
        }
        if (IsInSlowStart(tcb))
        {
            SlowStart(tcb, 1); // also for an ACK of nothing, which leaves 2^32 - 1 segments
            --segmentsAcked;
        }
        if (!IsInSlowStart(tcb) && segmentsAcked > 0)
        {
            m_count += segmentsAcked;
            if (m_count > GetAcks(Segments(tcb)))
            {
                SlowStart(tcb, 1); // a segment
                m_count = 0;
            }
        }
    }

  private:
    static constexpr double B = 4;

    /// How many ACKs add a segment to a window of w segments. In ns-3, as in Linux, the quotients
    /// are whole.
    double GetAcks(double w) const
    {
        double acks = w / m_maxIncrease;
        const double distance = Whole((m_lastMax - w) / B);
        if (w < m_lowWindow)
        {
            return w;
        }
        if (w < m_lastMax && distance <= 1)
        {
            acks = w * m_smoothPart / B;
        }
        else if (w < m_lastMax && distance <= m_maxIncrease)
        {
            acks = w / distance;
        }
        else if (w >= m_lastMax && w < m_lastMax + B)
        {
            acks = w * m_smoothPart / B;
        }
        else if (w >= m_lastMax && w < m_lastMax + m_maxIncrease * (B - 1))
        {
            acks = w * (B - 1) / (w - m_lastMax);
        }
        acks = m_lastMax == 0 ? std::min(acks, 20.0) : acks; // Linux: a twentieth a round trip
        return std::max(Whole(acks), 1.0);
    }

    bool m_fastConvergence{};
    double m_beta{};          //!< what a loss leaves
    uint32_t m_maxIncrease{}; //!< S_max, in segments
    uint32_t m_lowWindow{};   //!< in segments
    uint32_t m_smoothPart{};  //!< round trips
    double m_lastMax{0};      //!< W_max, in segments
    uint32_t m_count{0};      //!< ns-3's count of ACKs since it added a segment
};

NS_OBJECT_ENSURE_REGISTERED(TcpBic);

} // namespace longfat

#endif
