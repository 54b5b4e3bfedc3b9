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
// ns-3's own TcpHighSpeed (AsNs3) and Linux 6.12 (AsLinux; tcp_highspeed.c) take the next higher row of
// the RFC's table of whole a(w) (appendix B): at 39 segments they grow by 2 where the RFC's formula gives
// 1. ns-3 has b(w) with two digits, Linux in 256ths.

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
as_ns3_3_44 = {attribute = "AsNs3"}
as_linux_6_12 = {attribute = "AsLinux"}
*/

#ifndef LONGFAT_HIGHSPEED_H
#define LONGFAT_HIGHSPEED_H

#include "standard-or-ns3.h"

#include <vector>

#include "ns3/double.h"

namespace longfat
{

class TcpHighSpeed : public TcpStandardOrNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpHighSpeed")
                .SetParent<TcpStandardOrNs3>()
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
                              ns3::MakeDoubleChecker<double>(0, 1))
                .AddAttribute("AsLinux",
                              "a(w) and b(w) from the table that Linux 6.12 has",
                              ns3::BooleanValue(false),
                              ns3::MakeBooleanAccessor(&TcpHighSpeed::m_asLinux),
                              ns3::MakeBooleanChecker());
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpHighSpeed>(this);
    }

    /// Equation (30).
    double GetIncrease(double w) const override
    {
        if (m_asLinux)
        {
            return Row(static_cast<uint32_t>(w)).a;
        }
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
        if (m_asLinux)
        {
            return Row(static_cast<uint32_t>(w)).in256ths / 256.0;
        }
        if (w <= m_lowWindow)
        {
            return TcpStandard::GetDecrease(w);
        }
        return 0.5 + (m_highDecrease - 0.5) * std::log(w / m_lowWindow) /
                         std::log(m_highWindow / m_lowWindow);
    }

    uint32_t GetSsThresh(ns3::Ptr<const State> tcb, uint32_t bytesInFlight) override
    {
        return m_asNs3 ? Part(tcb, bytesInFlight, 1 - Row(bytesInFlight / tcb->m_segmentSize).b)
                       : TcpStandard::GetSsThresh(tcb, bytesInFlight);
    }

  protected:
    void CongestionAvoidance(Tcb tcb, uint32_t segmentsAcked) override
    {
        if (!m_asNs3)
        {
            TcpStandardOrNs3::CongestionAvoidance(tcb, segmentsAcked);
            return;
        }
        m_count += segmentsAcked * Row(tcb->m_cWnd.Get() / tcb->m_segmentSize).a;
        AddCounted(tcb, m_count);
    }

  private:
    /// Of the RFC's table: the window up to which a(w) is that, with two digits of b(w), and Linux's
    /// 256ths of it.
    struct TableRow
    {
        uint32_t w;
        uint32_t a;
        double b;
        uint32_t in256ths;
    };

    /// The row for that window.
    static const TableRow& Row(uint32_t w)
    {
        static const std::vector<TableRow> table = MakeTable();
        const auto row = std::find_if(table.begin(), table.end(), [w](const TableRow& row) {
            return w <= (row.w == 53677 ? 53667 : row.w); // ns-3's digit
        });
        return row == table.end() ? table.back() : *row;
    }

    /// The RFC's program: a(w) with 12.8 w^1.2 for 1 / p(w), wherever it has grown by one more.
    static std::vector<TableRow> MakeTable()
    {
        std::vector<TableRow> table{{38, 1, 0.5, 128}};
        double last = 1;
        for (uint32_t w = 38; w < 95000; ++w)
        {
            const double b = 0.5 - 0.4 * std::log(w / 38.0) / std::log(83000 / 38.0);
            const double a = 2 * double(w) * w * b / ((2 - b) * 12.8 * std::pow(w, 1.2));
            if (a > last + 1)
            {
                table.push_back({w,
                                 static_cast<uint32_t>(a),
                                 std::round(100 * b) / 100,
                                 static_cast<uint32_t>(256 * b)});
                last = a;
            }
        }
        return table;
    }

    double m_lowWindow{};    //!< W_L, in segments
    double m_highWindow{};   //!< W_H, in segments
    double m_lowP{};         //!< P_L
    double m_highP{};        //!< P_H
    double m_highDecrease{}; //!< b_H
    bool m_asLinux{};        //!< by Linux's table
    uint32_t m_count{0};     //!< ns-3's count of ACKs times a(w)
};

NS_OBJECT_ENSURE_REGISTERED(TcpHighSpeed);

} // namespace longfat

#endif
