// SPDX-License-Identifier: GPL-2.0-only
//
// A device's queue that one of ns-3's own queue discs manages: RED, CoDel or PIE. By their rules, but
// where ns-3's default is another than that of the paper or RFC which the scenario names.

#ifndef LONGFAT_NS3_MANAGED_QUEUE_H
#define LONGFAT_NS3_MANAGED_QUEUE_H

#include "spec.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/codel-queue-disc.h"
#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/ipv4-header.h"
#include "ns3/object-factory.h"
#include "ns3/pie-queue-disc.h"
#include "ns3/ppp-header.h"
#include "ns3/queue-item.h"
#include "ns3/red-queue-disc.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <string>
#include <variant>

namespace longfat
{

/// A packet with its headers, which can be marked as RFC 3168 says.
class MarkableItem : public ns3::QueueDiscItem
{
  public:
    explicit MarkableItem(ns3::Ptr<ns3::Packet> packet)
        : ns3::QueueDiscItem(packet, ns3::Address(), 0)
    {
    }

    void AddHeader() override
    {
    }

    bool Mark() override
    {
        ns3::PppHeader ppp;
        ns3::Ipv4Header ip;
        const ns3::Ptr<ns3::Packet> packet = GetPacket();
        packet->RemoveHeader(ppp);
        packet->RemoveHeader(ip);
        const bool can = ip.GetEcn() != ns3::Ipv4Header::ECN_NotECT;
        if (can)
        {
            ip.SetEcn(ns3::Ipv4Header::ECN_CE);
        }
        packet->AddHeader(ip);
        packet->AddHeader(ppp);
        return can;
    }
};

class ManagedQueue : public ns3::DropTailQueue<ns3::Packet>
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("longfat::ManagedQueue").SetParent<ns3::DropTailQueue<ns3::Packet>>();
        return tid;
    }

    /// `packetBytes` is the size that it reckons with; `stream` numbers its random numbers.
    ManagedQueue(const LinkSpec& link, uint32_t packetBytes, int64_t stream)
    {
        if (const Red* red = std::get_if<Red>(&link.aqm))
        {
            Make(*red, link.rateBps, packetBytes, stream);
        }
        else if (const CoDel* codel = std::get_if<CoDel>(&link.aqm))
        {
            Make(*codel, packetBytes);
        }
        else
        {
            Make(std::get<Pie>(link.aqm), packetBytes, stream);
        }
        m_disc->SetMaxSize(ns3::QueueSize(link.queuePackets != NO_LIMIT
                                              ? std::to_string(link.queuePackets) + "p"
                                              : std::to_string(link.queueBytes) + "B"));
        m_disc->TraceConnectWithoutContext("DropBeforeEnqueue",
                                           ns3::MakeCallback(&ManagedQueue::OnDrop, this));
        m_disc->TraceConnectWithoutContext("DropAfterDequeue",
                                           ns3::MakeCallback(&ManagedQueue::OnDrop, this));
        m_disc->TraceConnectWithoutContext("Mark", ns3::MakeCallback(&ManagedQueue::OnMark, this));
        m_disc->Initialize();
    }

    bool Enqueue(ns3::Ptr<ns3::Packet> packet) override
    {
        return m_disc->Enqueue(ns3::Create<MarkableItem>(packet));
    }

    ns3::Ptr<ns3::Packet> Dequeue() override
    {
        const ns3::Ptr<ns3::QueueDiscItem> item = m_disc->Dequeue();
        return item ? item->GetPacket() : nullptr;
    }

    /// Its packets are there, and not in the queue that this one is.
    ns3::QueueDisc& Disc() const
    {
        return *m_disc;
    }

    /// What it drops and marks is counted there.
    void SetCounts(uint64_t* overflow, uint64_t* early, uint64_t* marked)
    {
        m_overflow = overflow;
        m_early = early;
        m_marked = marked;
    }

  private:
    /// Marks and drops are spaced as in the paper's method 2: ns-3's default, `Wait`, has twice that.
    void Make(const Red& red, double rateBps, uint32_t packetBytes, int64_t stream)
    {
        auto disc = ns3::CreateObject<ns3::RedQueueDisc>();
        disc->SetAttribute("MinTh", ns3::DoubleValue(red.minPackets));
        disc->SetAttribute("MaxTh", ns3::DoubleValue(red.maxPackets));
        disc->SetAttribute("LInterm", ns3::DoubleValue(1 / red.maxProbability));
        disc->SetAttribute("QW", ns3::DoubleValue(red.weight));
        disc->SetAttribute("Gentle", ns3::BooleanValue(red.gentle));
        disc->SetAttribute("Wait", ns3::BooleanValue(false));
        disc->SetAttribute("UseEcn", ns3::BooleanValue(red.ecn));
        disc->SetAttribute("MeanPktSize", ns3::UintegerValue(packetBytes));
        disc->SetAttribute(
            "LinkBandwidth",
            ns3::DataRateValue(ns3::DataRate(static_cast<uint64_t>(std::llround(rateBps)))));
        disc->SetAttribute("LinkDelay", ns3::TimeValue(ns3::Time()));
        disc->AssignStreams(stream);
        m_disc = disc;
        m_noRoom = ns3::QueueDisc::INTERNAL_QUEUE_DROP;
    }

    void Make(const CoDel& codel, uint32_t packetBytes)
    {
        auto disc = ns3::CreateObject<ns3::CoDelQueueDisc>();
        disc->SetAttribute("Target", ns3::TimeValue(ns3::Seconds(codel.targetS)));
        disc->SetAttribute("Interval", ns3::TimeValue(ns3::Seconds(codel.intervalS)));
        disc->SetAttribute("UseEcn", ns3::BooleanValue(codel.ecn));
        disc->SetAttribute("MinBytes", ns3::UintegerValue(packetBytes + 1)); // no more than one
        m_disc = disc;
        m_noRoom = ns3::CoDelQueueDisc::OVERLIMIT_DROP;
    }

    /// With the optional elements of RFC 8033 that the scenario's PIE has (longfat.Pie).
    void Make(const Pie& pie, uint32_t packetBytes, int64_t stream)
    {
        auto disc = ns3::CreateObject<ns3::PieQueueDisc>();
        disc->SetAttribute("MeanPktSize", ns3::UintegerValue(packetBytes));
        disc->SetAttribute("A", ns3::DoubleValue(pie.alpha));
        disc->SetAttribute("B", ns3::DoubleValue(pie.beta));
        disc->SetAttribute("Supdate", ns3::TimeValue(ns3::Seconds(pie.updateS)));
        disc->SetAttribute("Tupdate", ns3::TimeValue(ns3::Seconds(pie.updateS)));
        disc->SetAttribute("QueueDelayReference", ns3::TimeValue(ns3::Seconds(pie.targetS)));
        disc->SetAttribute("MaxBurstAllowance", ns3::TimeValue(ns3::Seconds(pie.maxBurstS)));
        disc->SetAttribute("UseCapDropAdjustment", ns3::BooleanValue(true));
        disc->SetAttribute("UseDerandomization", ns3::BooleanValue(true));
        disc->SetAttribute("UseEcn", ns3::BooleanValue(pie.ecn));
        disc->SetAttribute("MarkEcnThreshold", ns3::DoubleValue(pie.markBelow));
        disc->AssignStreams(stream);
        m_disc = disc;
        m_noRoom = ns3::PieQueueDisc::FORCED_DROP;
    }

    void OnDrop(ns3::Ptr<const ns3::QueueDiscItem>, const char* reason)
    {
        ++*(m_noRoom == reason ? m_overflow : m_early);
    }

    void OnMark(ns3::Ptr<const ns3::QueueDiscItem>, const char*)
    {
        ++*m_marked;
    }

    ns3::Ptr<ns3::QueueDisc> m_disc;
    std::string m_noRoom; //!< what the disc calls a drop for want of room
    uint64_t* m_overflow{nullptr};
    uint64_t* m_early{nullptr};
    uint64_t* m_marked{nullptr};
};

} // namespace longfat

#endif
