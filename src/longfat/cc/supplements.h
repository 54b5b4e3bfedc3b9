// SPDX-License-Identifier: GPL-2.0-only
//
// What TCP-Cherry (cherry.h) and TCP-Peach (peach.h) share: standard TCP that asks the path how much it
// holds by packets of low priority, each its own kind.
//
//     start        from the first ACK on, in a round trip W_m - W of them, evenly spaced;
//                  each that arrives    W <- W + 1,  up to W_m
//     recovery     after a loss with window W the window is halved, and (1 + spare) W of them are sent
//                  in a round trip; the first W / 2 that arrive tell that the path still holds half,
//                  each further    W <- W + 1,  up to W
//
// What is lost again in a recovery halves once more, and asks for nothing: W is as before it. A timeout
// starts anew, and there is no slow start. W_m is what no window exceeds: the receiver's, which a SYN-ACK
// cannot tell beyond 64 KB, hence the first ACK; or the flow's own limit, if that is less. A mark's echo
// (ECN), which is not in these papers, halves the window and ends the asking: the queue has said that
// there is no room.

#ifndef LONGFAT_CC_SUPPLEMENTS_H
#define LONGFAT_CC_SUPPLEMENTS_H

#include "newreno.h"

#include <utility>

namespace longfat::core
{

class Supplements
{
  public:
    double spare{0}; //!< of a recovery's supplements, beyond the window

    void on_start(Requests& requests)
    {
        m_requests = &requests;
    }

    void on_established(const Established& established)
    {
        m_max_window = established.max_window;
    }

    Control on_ack(const Ack& ack, Control now)
    {
        note(ack.srtt, ack.segments(ack.advertised_window));
        if (std::exchange(m_is_new, false))
        {
            now = start(now);
        }
        return m_aimd.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now)
    {
        note(congestion.srtt, congestion.segments(congestion.advertised_window));
        if (congestion.cause == Congestion::ECN)
        {
            m_goal = 0;
            send(0);
        }
        else if (congestion.cause == Congestion::LOSS)
        {
            m_goal = now.cwnd;
            m_ignored = m_goal / 2;
            send((1 + spare) * m_goal);
        }
        return m_aimd.decreased(now.cwnd);
    }

    /// Also after a timeout.
    Control start(Control now)
    {
        now.ssthresh = 2;
        m_goal = std::min(m_max_window, m_receiver_window);
        m_ignored = 0;
        send(m_goal - now.cwnd);
        return now;
    }

    /// One arrives. The end of a recovery sets the window to the threshold.
    Control on_arrival(State state, Control now)
    {
        if (m_ignored >= 1)
        {
            m_ignored -= 1;
            return now;
        }
        const bool reduces = state == State::RECOVERY || state == State::CWR;
        double& raised = reduces ? now.ssthresh : now.cwnd;
        raised = std::max(raised, std::min(raised + 1, m_goal));
        return now;
    }

    /// `send_one` returns false when there is no room for one.
    template <class SEND>
    void on_timer(SEND send_one)
    {
        m_left -= 1;
        if (send_one(*m_requests) && m_left >= 1)
        {
            m_requests->timer(m_spacing);
        }
    }

  private:
    /// So many in a round trip.
    void send(double count)
    {
        m_left = count;
        m_spacing = count >= 1 ? static_cast<Time>(static_cast<double>(m_srtt) / count) : NEVER;
        m_requests->timer(m_spacing);
    }

    void note(Time srtt, double receiver_window)
    {
        m_srtt = srtt == NO_RTT ? m_srtt : srtt;
        m_receiver_window = receiver_window;
    }

    Requests* m_requests{nullptr};
    Aimd<SlowStart> m_aimd;
    double m_max_window{UNLIMITED};
    double m_receiver_window{0};
    Time m_srtt{1'000'000'000}; //!< before the first sample as RFC 6298, (2.1)
    double m_goal{0};           //!< largest window that supplements lead to
    double m_ignored{0};        //!< that tell nothing new when they arrive
    double m_left{0};           //!< to be sent
    Time m_spacing{NEVER};      //!< between two of them
    bool m_is_new{true};        //!< no ACK has come
};

} // namespace longfat::core

#endif
