// SPDX-License-Identifier: GPL-2.0-only
//
// What a sender and its algorithms know of a connection. Every member has ns-3's name and meaning.

#ifndef LONGFAT_STANDIN_TCP_SOCKET_STATE_H
#define LONGFAT_STANDIN_TCP_SOCKET_STATE_H

#include "data-rate.h"
#include "object.h"
#include "sequence-number.h"
#include "traced-value.h"

#include <cstdint>

namespace ns3
{

class TcpSocketState : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::TcpSocketState").SetParent<Object>().AddConstructor<TcpSocketState>();
        return tid;
    }

    enum TcpCongState_t
    {
        CA_OPEN,
        CA_DISORDER, //!< there were duplicate ACKs
        CA_CWR,      //!< the window was reduced because of a mark
        CA_RECOVERY, //!< because of a loss
        CA_LOSS,     //!< because of a timeout
        CA_LAST_STATE,
    };

    enum TcpCAEvent_t
    {
        CA_EVENT_TX_START, //!< something is sent, and nothing is in flight
        CA_EVENT_CWND_RESTART,
        CA_EVENT_COMPLETE_CWR, //!< a recovery is over
        CA_EVENT_LOSS,         //!< a timeout
        CA_EVENT_ECN_NO_CE,
        CA_EVENT_ECN_IS_CE,
        CA_EVENT_DELAYED_ACK,
        CA_EVENT_NON_DELAYED_ACK,
    };

    enum UseEcn_t
    {
        Off,
        On,
        AcceptOnly,
    };

    enum EcnMode_t
    {
        ClassicEcn,
        DctcpEcn,
    };

    enum EcnState_t
    {
        ECN_DISABLED,
        ECN_IDLE,
        ECN_CE_RCVD,
        ECN_SENDING_ECE,
        ECN_ECE_RCVD,
        ECN_CWR_SENT,
    };

    TracedValue<uint32_t> m_cWnd{0u};     //!< congestion window, in bytes
    TracedValue<uint32_t> m_cWndInfl{0u}; //!< the same, in a recovery more by what has arrived
    TracedValue<uint32_t> m_ssThresh{0u}; //!< slow-start threshold, in bytes
    uint32_t m_initialCWnd{0};            //!< in segments
    uint32_t m_initialSsThresh{0};        //!< in bytes
    bool m_isRetransDataAcked{false};     //!< by the ACK at hand, in a recovery
    uint32_t m_segmentSize{0};            //!< in bytes
    SequenceNumber32 m_lastAckedSeq{0};
    TracedValue<TcpCongState_t> m_congState{CA_OPEN};
    TracedValue<EcnState_t> m_ecnState{ECN_DISABLED};
    TracedValue<SequenceNumber32> m_highTxMark{SequenceNumber32(0)};     //!< after all ever sent
    TracedValue<SequenceNumber32> m_nextTxSequence{SequenceNumber32(0)}; //!< to be sent next
    uint32_t m_rcvTimestampValue{0};     //!< latest timestamp that has come, in ms
    uint32_t m_rcvTimestampEchoReply{0}; //!< and what it echoes
    bool m_pacing{false};
    DataRate m_maxPacingRate{4'000'000'000};
    TracedValue<DataRate> m_pacingRate{DataRate(0)};
    uint16_t m_pacingSsRatio{200}; //!< of a window a round trip, in percent, in slow start
    uint16_t m_pacingCaRatio{120}; //!< and else
    bool m_paceInitialWindow{false};
    Time m_minRtt{Time::Max()}; //!< smallest that m_srtt has been
    TracedValue<uint32_t> m_bytesInFlight{0u};
    bool m_isCwndLimited{false}; //!< the window is full
    TracedValue<Time> m_srtt;    //!< smoothed round-trip time
    TracedValue<Time> m_lastRtt; //!< the last one measured
    EcnMode_t m_ecnMode{ClassicEcn};
    UseEcn_t m_useEcn{Off};
    uint32_t m_lastAckedSackedBytes{0}; //!< that the ACK at hand delivered

    uint32_t GetCwndInSegments() const
    {
        return m_cWnd.Get() / m_segmentSize;
    }

    uint32_t GetSsThreshInSegments() const
    {
        return m_ssThresh.Get() / m_segmentSize;
    }
};

} // namespace ns3

#endif
