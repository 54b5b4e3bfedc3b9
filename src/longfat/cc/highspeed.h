// SPDX-License-Identifier: GPL-2.0-only
//
// HighSpeed TCP (paper: survey, equations 17 and 26 to 30; RFC 3649, section 5).
//
// Above 38 segments the window grows by a(w) segments a round trip, and a loss takes its part b(w), by
// the RFC's response function, or by its table as Linux 6.12 (AsLinux) and highspeed-ns3.h do.

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

#include "attributes.h"
#include "highspeed-ns3.h"
#include "highspeed-response.h"
#include "highspeed-table.h"

namespace longfat
{

class TcpHighSpeed : public TcpHighSpeedNs3
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            Attributes<TcpHighSpeed, TcpHighSpeedNs3>("longfat::TcpHighSpeed")
                .AddAttribute("LowWindow",
                              "standard TCP up to here",
                              Number(&TcpHighSpeed::m_lowWindow, 38.0, 1.0, 1e9))
                .AddAttribute("HighWindow",
                              "window at high_loss",
                              Number(&TcpHighSpeed::m_highWindow, 83000.0, 1.0, 1e9))
                .AddAttribute("LowP",
                              "loss probability at low_window_segments",
                              Number(&TcpHighSpeed::m_lowP, 1e-3, 1e-15, 1.0))
                .AddAttribute("HighP",
                              "loss probability at high_window_segments",
                              Number(&TcpHighSpeed::m_highP, 1e-7, 1e-15, 1.0))
                .AddAttribute("HighDecrease",
                              "decrease at high_window_segments",
                              Number(&TcpHighSpeed::m_highDecrease, 0.1, 0.0, 1.0))
                .AddAttribute("AsLinux",
                              "a(w) and b(w) from the table that Linux 6.12 has",
                              Switch(&TcpHighSpeed::m_asLinux, false));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpHighSpeed>(this);
    }

    double GetIncrease(double w) const override
    {
        return m_asLinux ? HighSpeedTable::Find(static_cast<uint32_t>(w)).a
                         : GetResponse().GetIncrease(w);
    }

    double GetDecrease(double w) const override
    {
        return m_asLinux ? HighSpeedTable::Find(static_cast<uint32_t>(w)).in256ths / 256.0
                         : GetResponse().GetDecrease(w);
    }

  private:
    HighSpeedResponse GetResponse() const
    {
        return {m_lowWindow, m_highWindow, m_lowP, m_highP, m_highDecrease};
    }

    double m_lowWindow{};    //!< W_L, in segments
    double m_highWindow{};   //!< W_H, in segments
    double m_lowP{};         //!< P_L
    double m_highP{};        //!< P_H
    double m_highDecrease{}; //!< b_H
    bool m_asLinux{};        //!< by Linux's table
};

NS_OBJECT_ENSURE_REGISTERED(TcpHighSpeed);

} // namespace longfat

#endif
