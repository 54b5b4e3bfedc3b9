// SPDX-License-Identifier: GPL-2.0-only
//
// A sender of the segment engine, alone: it is told which acknowledgments come when, and what it then
// sends is printed (tools/sender_driver.py). Standard input is a scenario, whose first flow it is, on
// a line, and then a command a line; to each there is an answer, a line of JSON.
//
//     synack TIME [ECE] [window=BYTES]                    the SYN-ACK arrives
//     ack TIME NUMBER [FIRST-END]... [ECE] [echo=TIME] [window=BYTES]
//                                                         so does an ACK, with blocks of SACK
//     run TIME                                            time goes by
//     peer TIME RTT GAP SACK WORD...                      all ACKs up to then are those of peer.h,
//                                                         whose the words are
//
// Times are seconds, an ACK's number is that of the segment expected next, and [FIRST, END) are
// segments. Commands stand in the order of their times; all that happens up to one comes before it.

#include "peer.h"

#include "algorithm.h"
#include "scenario.h"
#include "sender.h"

#include "ns3/abort.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace longfat;
using namespace longfat::segment;
using State = ns3::TcpSocketState;

extern "C" const Algorithm newreno;
extern "C" const Algorithm reno;

std::vector<const Algorithm*>
longfat::segment::KnownAlgorithms()
{
    return {&newreno, &reno};
}

void
ns3::GiveUp(const char* words)
{
    std::fprintf(stderr, "%s\n", words);
    std::abort();
}

namespace
{

/// The other end of a link that takes no time.
class Capture : public Endpoint
{
  public:
    void Receive(const Packet& packet, Ticks now) override
    {
        if (packet.flags & (Packet::SYN | Packet::PROBE) || !(packet.flags & Packet::ACK))
        {
            sent.push_back({packet, now});
            if (onSegment && !(packet.flags & (Packet::SYN | Packet::PROBE)))
            {
                onSegment(packet, now);
            }
        }
    }

    struct Sent
    {
        Packet packet;
        Ticks time;
    };

    std::vector<Sent> sent; //!< segments, SYNs and probes, since the last answer
    std::function<void(const Packet& segment, Ticks now)> onSegment;
};

class Bench
{
  public:
    explicit Bench(const ScenarioSpec& scenario)
        : m_events(1),
          m_link(m_events, Fast(), 0, 0)
    {
        const FlowSpec& spec = scenario.flows.at(0);
        m_stream.segmentBytes = spec.segmentBytes;
        if (spec.bytes > 0)
        {
            m_stream.bytes = spec.bytes;
            m_stream.segments = (spec.bytes + spec.segmentBytes - 1) / spec.segmentBytes;
        }
        m_forth.first = &m_link;
        m_forth.next = {nullptr};
        m_forth.end = &m_capture;
        m_sender = std::make_unique<Sender>(m_events, spec, m_stream, m_forth);
        m_events.At(0, [this] { m_sender->Start(); });
    }

    void Do(const std::string& line)
    {
        std::istringstream words(line);
        std::string command;
        double seconds;
        if (!(words >> command >> seconds))
        {
            throw std::invalid_argument("no command and time: " + line);
        }
        const Ticks time = FromSeconds(seconds);
        if (command == "peer")
        {
            FollowPeer(time, words);
            return;
        }
        if (command != "run")
        {
            Arrive(time, ReadAck(command == "synack", words));
        }
        m_events.Run(time + 1, NO_LIMIT); // what is written is sent a step later
        Print("");
    }

  private:
    static LinkSpec Fast()
    {
        LinkSpec link;
        link.rateBps = 1e18;
        return link;
    }

    Packet ReadAck(bool syn, std::istringstream& words)
    {
        Packet ack{};
        ack.flags = Packet::ACK | (syn ? Packet::SYN : 0);
        ack.window = WINDOW;
        if (!syn)
        {
            words >> ack.number;
        }
        for (std::string word; words >> word;)
        {
            unsigned long long begin;
            unsigned long long end;
            double value;
            if (word == "ECE")
            {
                ack.flags |= Packet::ECE;
            }
            else if (std::sscanf(word.c_str(), "echo=%lf", &value) == 1)
            {
                ack.echo = FromSeconds(value);
            }
            else if (std::sscanf(word.c_str(), "window=%lf", &value) == 1)
            {
                ack.window = static_cast<uint32_t>(value);
            }
            else if (std::sscanf(word.c_str(), "%llu-%llu", &begin, &end) == 2)
            {
                ack.sack.at(ack.sackBlocks++) = {static_cast<uint32_t>(begin - ack.number),
                                                 static_cast<uint32_t>(end - ack.number)};
            }
            else
            {
                throw std::invalid_argument("unknown word: " + word);
            }
        }
        return ack;
    }

    /// An acknowledgment is there at that time, after all else of it.
    void Arrive(Ticks time, Packet ack)
    {
        m_events.Run(time, NO_LIMIT);
        ack.sent = time;
        ack.causeSent = NEVER;
        m_events.At(time, [this, ack, time] { m_sender->Receive(ack, time); });
    }

    /// Let the receiver of peer.h answer: an answer of ours for each ACK, and one at the end.
    void FollowPeer(Ticks until, std::istringstream& words)
    {
        double rttS;
        double gapS;
        words >> rttS >> gapS >> m_peer.sack;
        m_peer.rtt_ns = FromSeconds(rttS);
        m_peer.gap_ns = FromSeconds(gapS);
        for (std::string word; words >> word;)
        {
            if (!peer_option(&m_peer, word.c_str()))
            {
                throw std::invalid_argument("unknown word: " + word);
            }
        }
        m_capture.onSegment = [this](const Packet& segment, Ticks now) {
            const bool reduced = segment.flags & Packet::CWR;
            const Ticks due = peer_take(&m_peer, segment.number, reduced, now);
            if (due >= 0)
            {
                m_events.At(due, [this] { OnAnswer(); });
            }
        };
        std::istringstream flags(m_peer.ecn ? "ECE" : "");
        Arrive(m_peer.rtt_ns, ReadAck(true, flags));
        m_events.Run(until, NO_LIMIT);
        Print("");
    }

    void OnAnswer()
    {
        const peer_ack answer = peer_answer(&m_peer);
        Packet ack{};
        ack.flags = Packet::ACK | (answer.echo ? Packet::ECE : 0);
        ack.number = answer.number;
        ack.window = WINDOW;
        ack.sent = m_events.Now();
        ack.causeSent = NEVER;
        std::string told = ", \"ack\": " + std::to_string(answer.number) + ", \"sack\": [";
        for (int i = 0; i < answer.blocks; ++i)
        {
            ack.sack.at(ack.sackBlocks++) = {answer.first[i] - answer.number,
                                             answer.end[i] - answer.number};
            told += (i ? ", [" : "[") + std::to_string(answer.first[i]) + ", " +
                    std::to_string(answer.end[i]) + "]";
        }
        Print(""); // what was sent before
        m_sender->Receive(ack, m_events.Now());
        told += "], \"echo\": " + std::to_string(answer.echo);
        m_events.At(m_events.Now() + 1, [this, told] { Print(told); });
    }

    void Print(const std::string& more)
    {
        const State& tcb = *m_sender->tcb;
        const double segment = m_stream.segmentBytes;
        static const char* const STATES[] = {"open", "disorder", "cwr", "recovery", "loss"};
        std::printf("{\"time_s\": %.9f%s, \"sent\": [", ToSeconds(m_events.Now()), more.c_str());
        for (std::size_t i = 0; i < m_capture.sent.size(); ++i)
        {
            const auto& [packet, time] = m_capture.sent[i];
            std::printf("%s[%.9f, %llu, \"%s%s%s\"]",
                        i ? ", " : "",
                        ToSeconds(time),
                        static_cast<unsigned long long>(packet.number),
                        packet.flags & Packet::SYN ? "SYN" : "",
                        packet.flags & Packet::PROBE ? "PROBE" : "",
                        packet.flags & Packet::SYN   ? ""
                        : packet.flags & Packet::CWR ? "CWR"
                                                     : "");
        }
        m_capture.sent.clear();
        std::printf("], \"cwnd\": %.9g, \"ssthresh\": %.9g, \"pipe\": %.9g, \"state\": \"%s\", "
                    "\"recoveries\": %llu, \"timeouts\": %llu}\n",
                    tcb.m_cWnd.Get() / segment,
                    tcb.m_ssThresh.Get() / segment,
                    tcb.m_bytesInFlight.Get() / segment,
                    STATES[tcb.m_congState.Get()],
                    static_cast<unsigned long long>(m_sender->count.recoveries),
                    static_cast<unsigned long long>(m_sender->count.timeouts));
        std::fflush(stdout);
    }

    static constexpr uint32_t WINDOW = 1'000'000'000; //!< advertised, in bytes

    EventQueue m_events;
    const ns3::Simulator::Running m_running{&m_events.state};
    Stream m_stream;
    Capture m_capture;
    Link m_link;
    Route m_forth;
    std::unique_ptr<Sender> m_sender;
    peer m_peer{};
};

} // namespace

int
main()
{
    std::string line;
    std::getline(std::cin, line);
    ScenarioSpec scenario;
    const std::string wrong = ScenarioReader(KnownAlgorithms()).Read(line, &scenario);
    if (!wrong.empty())
    {
        std::fprintf(stderr, "%s\n", wrong.c_str());
        return 2;
    }
    Bench bench(scenario);
    while (std::getline(std::cin, line))
    {
        try
        {
            bench.Do(line);
        }
        catch (const std::invalid_argument& error)
        {
            std::fprintf(stderr, "%s\n", error.what());
            return 2;
        }
    }
}
