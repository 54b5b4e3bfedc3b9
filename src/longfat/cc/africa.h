// SPDX-License-Identifier: GPL-2.0-only
//
// TCP-Africa (R. King, R. Baraniuk and R. Riedi, "TCP-Africa: an adaptive and fair rapid increase
// rule for scalable TCP", INFOCOM 2005; paper: ucc, table 1).
//
// HighSpeed TCP while its own segments do not wait, standard TCP as soon as they do. For every ACK,
// with the queue that it fills estimated as Vegas does, from the smoothed round trip,
//
//     w (RTT - RTT_min) / RTT < alpha      w <- w + a(w) / w    (fast)
//                             otherwise    w <- w + 1 / w       (slow)
//
// a(w), and b(w) of a loss, w <- w (1 - b(w)), are HighSpeed TCP's (highspeed-response.h).
//
// The abstract alone could be had: alpha is assumed, a little above the one segment that every
// sender keeps waiting; and so is that the round trip is smoothed as TCP's is, by an eighth.

/* catalogue
title = "TCP-Africa"
type_id = "longfat::TcpAfrica"
source = "King, Baraniuk and Riedi 2005; paper ucc, table 1; RFC 3649"
caps_window = true
[parameters]
alpha_segments = {attribute = "Alpha"}
*/

#ifndef LONGFAT_AFRICA_H
#define LONGFAT_AFRICA_H

#include "attributes.h"
#include "highspeed-response.h"
#include "standard.h"

namespace longfat
{

class TcpAfrica : public TcpStandard
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = Attributes<TcpAfrica, TcpStandard>("longfat::TcpAfrica")
                                     .AddAttribute("Alpha",
                                                   "in queues: more, and it grows as standard TCP",
                                                   Number(&TcpAfrica::m_alpha, 1.641, 0.0, 1e6));
        return tid;
    }

    ns3::Ptr<ns3::TcpCongestionOps> Fork() override
    {
        return ns3::CopyObject<TcpAfrica>(this);
    }

    void PktsAcked(ns3::Ptr<ns3::TcpSocketState> tcb,
                   uint32_t /* segmentsAcked */,
                   const ns3::Time& /* rtt */) override
    {
        const double sample = tcb->m_lastRtt.Get().GetSeconds();
        if (sample > 0)
        {
            m_minRtt = m_rtt > 0 ? std::min(m_minRtt, sample) : sample;
            m_rtt = m_rtt > 0 ? 0.875 * m_rtt + 0.125 * sample : sample;
        }
    }

    /// Segments a round trip: HighSpeed TCP's in fast mode, one in slow mode.
    double GetIncrease(double w) const override
    {
        const bool fast = m_rtt > 0 && w * (m_rtt - m_minRtt) / m_rtt < m_alpha;
        return fast ? m_response.GetIncrease(w) : 1;
    }

    double GetDecrease(double w) const override
    {
        return m_response.GetDecrease(w);
    }

  private:
    HighSpeedResponse m_response; //!< a(w) and b(w)
    double m_alpha{};             //!< in segments
    double m_minRtt{0};           //!< smallest of the connection, in s
    double m_rtt{0};              //!< smoothed, in s; 0: none yet
};

NS_OBJECT_ENSURE_REGISTERED(TcpAfrica);

} // namespace longfat

#endif
