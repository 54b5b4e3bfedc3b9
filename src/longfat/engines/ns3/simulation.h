// SPDX-License-Identifier: GPL-2.0-only
//
// A scenario in ns-3, from its parts to its end. Once per process: ns-3's random streams and
// addresses go on counting from one simulation to the next.

#ifndef LONGFAT_SIMULATION_H
#define LONGFAT_SIMULATION_H

#include "flow.h"
#include "rbudp.h"
#include "tsunami.h"

#include "ns3/rng-seed-manager.h"

#include <memory>

namespace longfat
{

class Simulation
{
  public:
    explicit Simulation(uint64_t seed)
    {
        ns3::RngSeedManager::SetSeed(1);
        ns3::RngSeedManager::SetRun(seed);
        ns3::RngSeedManager::ResetNextStreamIndex(); // whatever was warmed up in this process
    }

    Network network;
    std::vector<std::unique_ptr<Flow>> flows;

    Flow& AddFlow(const FlowSpec& spec, double durationS, uint32_t points)
    {
        const uint16_t port = 5000 + flows.size();
        flows.push_back(std::make_unique<Flow>(spec, network, port, durationS, points));
        return *flows.back();
    }

    std::vector<std::unique_ptr<Transfer>> transfers;

    /// `control` is the TCP of messages. The run ends with its transfers and the flows that have an
    /// end.
    Transfer& AddTransfer(const TransferSpec& spec, const FlowSpec& control)
    {
        const uint16_t port = 45000 + 3 * transfers.size();
        if (spec.method == TransferSpec::RBUDP)
        {
            transfers.push_back(std::make_unique<Rbudp>(spec, control, network, port));
        }
        else if (spec.method == TransferSpec::TSUNAMI)
        {
            transfers.push_back(std::make_unique<Tsunami>(spec, control, network, port));
        }
        else
        {
            std::vector<Flow*> carriers;
            for (const uint64_t number : spec.carriers)
            {
                carriers.push_back(flows[number].get());
            }
            transfers.push_back(std::make_unique<StreamsTransfer>(spec, carriers));
        }
        transfers.back()->onEnd = [this] { StopWhenTransfersAre(); };
        for (const auto& flow : flows)
        {
            flow->onDelivery = transfers.back()->onEnd;
        }
        return *transfers.back();
    }

    void StopWhenTransfersAre() const
    {
        for (const auto& transfer : transfers)
        {
            if (!transfer->IsDone())
            {
                return;
            }
        }
        for (const auto& flow : flows)
        {
            if (!flow->IsComplete())
            {
                return;
            }
        }
        ns3::Simulator::Stop();
    }

    /// Run to the end, or until every flow that has an end is complete and there is no other.
    void Run(double durationS, bool untilComplete)
    {
        if (untilComplete)
        {
            ns3::Simulator::Schedule(ns3::MilliSeconds(100), &Simulation::StopWhenComplete, this);
        }
        ns3::Simulator::Stop(ns3::Seconds(durationS));
        ns3::Simulator::Run();
        events = ns3::Simulator::GetEventCount();
        endS = ns3::Simulator::Now().GetSeconds();
    }

    uint64_t events{0}; //!< executed
    double endS{0};     //!< simulated time at the end

  private:
    void StopWhenComplete()
    {
        for (const auto& flow : flows)
        {
            if (std::isnan(flow->count.completionS))
            {
                ns3::Simulator::Schedule(ns3::MilliSeconds(100),
                                         &Simulation::StopWhenComplete,
                                         this);
                return;
            }
        }
        ns3::Simulator::Stop();
    }
};

} // namespace longfat

#endif
