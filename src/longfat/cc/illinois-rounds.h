// SPDX-License-Identifier: GPL-2.0-only
//
// What TCP-Illinois does once a round trip (illinois.h): its mean queueing delay and the largest one give
// alpha and beta (illinois-curves.h), and below a window of W_thresh these are standard TCP's. ns-3 3.44
// takes delays in whole milliseconds, and compares the window in bytes with W_thresh in segments, so that
// it is never standard TCP.

#ifndef LONGFAT_ILLINOIS_ROUNDS_H
#define LONGFAT_ILLINOIS_ROUNDS_H

#include "illinois-curves.h"
#include "round-trips.h"

namespace longfat
{

class TcpIllinoisRounds : public TcpRoundTrips
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::TcpIllinoisRounds").SetParent<TcpRoundTrips>();
        return tid;
    }

    void CongestionStateSet(Tcb tcb, const State::TcpCongState_t state) override
    {
        if (state == State::CA_LOSS)
        {
            m_curves.OnTimeout();
            StartRound(tcb);
        }
    }

    double GetIncrease(double /* w */) const override
    {
        return m_curves.alpha;
    }

    double GetDecrease(double /* w */) const override
    {
        return m_curves.beta;
    }

  protected:
    void EndRound(ns3::Ptr<const State> tcb)
    {
        const double w = m_asNs3 ? tcb->m_cWnd.Get() : GetWindow(tcb);
        if (w < m_threshold)
        {
            m_curves.SetStandard();
        }
        else if (m_samples > 0)
        {
            const ns3::Time mean = ns3::TimeStep(m_sumOfRtts.GetTimeStep() / m_samples);
            m_curves.Update({m_alphaMin, m_alphaMax, m_betaMin, m_betaMax, m_theta, m_asNs3},
                            Delay(mean - m_baseRtt),
                            Delay(m_maxRtt - m_baseRtt));
        }
        StartRound(tcb);
    }

    IllinoisCurves m_curves;

    // Attributes of the subclass
    double m_alphaMin{};
    double m_alphaMax{};
    double m_betaMin{};
    double m_betaMax{};
    uint32_t m_threshold{}; //!< W_thresh, in segments
    uint32_t m_theta{};     //!< round trips

  private:
    /// In ms in ns-3, else in s.
    double Delay(ns3::Time time) const
    {
        return m_asNs3 ? time.GetMilliSeconds() : time.GetSeconds();
    }
};

} // namespace longfat

#endif
