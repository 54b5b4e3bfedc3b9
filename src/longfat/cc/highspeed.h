// SPDX-License-Identifier: GPL-2.0-only
//
// HighSpeed TCP (paper: survey, equations 17 and 26 to 30; RFC 3649, section 5).
//
// Above 38 segments the window grows by a(w) segments a round trip and loses the part b(w) of itself
// at a loss. Both follow from two points of the response function, (38 segments, loss 10^-3) and
// (83000 segments, loss 10^-7), and from b(83000) = 0.1:
//
//     p(w) = P_L (w / W_L)^(1 / S),  S = log(W_H / W_L) / log(P_H / P_L)              (26), (28)
//     b(w) = 1/2 + (b_H - 1/2) log(w / W_L) / log(W_H / W_L)                          (29)
//     a(w) = 2 w^2 p(w) b(w) / (2 - b(w))                                             (30)
//
// ns-3's own TcpHighSpeed, like Linux, takes the next higher row of the RFC's table of whole a(w):
// at 39 segments it grows by 2 where the RFC's formula gives 1.

/* catalogue
name = "highspeed-rfc3649"
title = "HighSpeed TCP by the formulas of RFC 3649"
type_id = "longfat::TcpHighSpeed"
source = "paper survey, equations (17), (26) to (30); RFC 3649"
caps_window = true
[parameters]
low_window_segments = {attribute = "LowWindow", below = "high_window_segments"}
high_window_segments = {attribute = "HighWindow"}
low_loss = {attribute = "LowP"}
high_loss = {attribute = "HighP", below = "low_loss"}
high_decrease = {attribute = "HighDecrease"}
max_ssthresh_segments = {attribute = "MaxSsThresh"}
*/

#ifndef LONGFAT_HIGHSPEED_H
#define LONGFAT_HIGHSPEED_H

#include "standard.h"

#include "ns3/double.h"

namespace longfat
{

class TcpHighSpeed : public TcpStandard
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpHighSpeed")
                .SetParent<TcpStandard>()
                .AddConstructor<TcpHighSpeed>()
                .AddAttribute("LowWindow",
                              "standard TCP up to here",
                              ns3::DoubleValue(38),
                              ns3::MakeDoubleAccessor(&TcpHighSpeed::m_lowWindow),
                              ns3::MakeDoubleChecker<double>(1, 1e9))
                .AddAttribute("HighWindow",
                              "window at high_loss",
                              ns3::DoubleValue(83000),
                              ns3::MakeDoubleAccessor(&TcpHighSpeed::m_highWindow),
                              ns3::MakeDoubleChecker<double>(1, 1e9))
                .AddAttribute("LowP",
                              "loss probability at low_window_segments",
                              ns3::DoubleValue(1e-3),
                              ns3::MakeDoubleAccessor(&TcpHighSpeed::m_lowP),
                              ns3::MakeDoubleChecker<double>(1e-15, 1))
                .AddAttribute("HighP",
                              "loss probability at high_window_segments",
                              ns3::DoubleValue(1e-7),
                              ns3::MakeDoubleAccessor(&TcpHighSpeed::m_highP),
                              ns3::MakeDoubleChecker<double>(1e-15, 1))
                .AddAttribute("HighDecrease",
                              "decrease at high_window_segments",
                              ns3::DoubleValue(0.1),
                              ns3::MakeDoubleAccessor(&TcpHighSpeed::m_highDecrease),
                              ns3::MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpHighSpeed>(this);
    }

    /// Equation (30).
    double GetIncrease(double w) const override
    {
        if (w <= m_lowWindow)
        {
            return TcpStandard::GetIncrease(w);
        }
        const double s = std::log(m_highWindow / m_lowWindow) / std::log(m_highP / m_lowP);
        const double p = m_lowP * std::pow(w / m_lowWindow, 1 / s);
        const double b = GetDecrease(w);
        return 2 * w * w * p * b / (2 - b);
    }

    /// Equation (29).
    double GetDecrease(double w) const override
    {
        if (w <= m_lowWindow)
        {
            return TcpStandard::GetDecrease(w);
        }
        return 0.5 + (m_highDecrease - 0.5) * std::log(w / m_lowWindow) /
                         std::log(m_highWindow / m_lowWindow);
    }

  private:
    double m_lowWindow{};    //!< W_L, in segments
    double m_highWindow{};   //!< W_H, in segments
    double m_lowP{};         //!< P_L
    double m_highP{};        //!< P_H
    double m_highDecrease{}; //!< b_H
};

NS_OBJECT_ENSURE_REGISTERED(TcpHighSpeed);

} // namespace longfat

#endif
