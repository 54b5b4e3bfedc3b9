// SPDX-License-Identifier: GPL-2.0-only
//
// A sender of the segment engine, alone: it is told which acknowledgments come when, and what it then
// sends is printed (tools/sender_driver.py). Standard input is a scenario, whose first flow it is, on
// a line, and then a command a line; to each there is an answer, a line of JSON.
//
//     synack TIME [ECE] [window=BYTES]                    the SYN-ACK arrives
//     ack TIME NUMBER [FIRST-END]... [ECE] [echo=TIME] [window=BYTES] [dsack=NUMBER]
//                                                         so does an ACK, with blocks of SACK
//                                                         ([cause=TIME]: when that was sent which
//                                                         has caused it, and is new there)
//     answer TIME NUMBER ASKED                            the answer to a probe, asked at that time
//     run TIME                                            time goes by
//     peer TIME RTT GAP SACK WORD...                      all ACKs up to then are those of peer.h,
//                                                         whose the words are
//
// Times are seconds, an ACK's number is that of the segment expected next, and [FIRST, END) are
// segments. Commands stand in the order of their times; all that happens up to one comes before it.

// It looks into the sender: it is compiled with -fno-access-control.

#include "peer.h"

#include "connection.h"
#include "newreno.h"
#include "probing.h"
#include "scenario.h"
#include "sender.h"

#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace longfat;
using namespace longfat::core;

namespace
{

/// A link that takes no time, and notes what it is given.
class Capture : public Link
{
  public:
    using Link::Link;

    void send(const Packet& packet, Time now) override
    {
        const bool is_segment = !(packet.flags & (Packet::SYN | Packet::ACK | Packet::PROBE));
        if (is_segment || packet.flags & (Packet::SYN | Packet::PROBE))
        {
            sent.push_back({packet, now});
        }
        if (on_segment && is_segment)
        {
            on_segment(packet, now);
        }
    }

    bool finish(Time) override
    {
        return true;
    }

    struct Sent
    {
        PacketHeader packet;
        Time time;
    };

    std::vector<Sent> sent; //!< segments, SYNs and probes, since the last answer
    std::function<void(const Packet& segment, Time now)> on_segment;
};

class Bench
{
  public:
    explicit Bench(const ScenarioSpec& scenario)
        : m_spec(scenario.flows.at(0)),
          m_link(m_events, LinkSpec{}, 0)
    {
        m_stream.mss = m_spec.segment_bytes;
        if (m_spec.bytes > 0)
        {
            m_stream.bytes = m_spec.bytes;
            m_stream.segments = (m_spec.bytes + m_stream.mss - 1) / m_stream.mss;
        }
        m_forth.first = &m_link;
        m_sender = std::make_unique<Sender>(m_events,
                                            m_spec,
                                            m_stream,
                                            m_forth,
                                            control_of(m_spec),
                                            m_checks);
        m_events.at(0, [this] { m_sender->start(); });
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
        const Time time = from_seconds(seconds);
        if (command == "peer")
        {
            FollowPeer(time, words);
            return;
        }
        if (command == "answer")
        {
            Arrive(time, ReadAnswer(words));
        }
        else if (command != "run")
        {
            Arrive(time, ReadAck(command == "synack", words));
        }
        m_events.run(time, NO_LIMIT);
        check();
        Print("");
    }

  private:
    Packet ReadAck(bool syn, std::istringstream& words)
    {
        Packet ack = blank();
        ack.flags = static_cast<uint16_t>(Packet::ACK | (syn ? int(Packet::SYN) : 0));
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
                ack.echo = from_seconds(value);
            }
            else if (std::sscanf(word.c_str(), "cause=%lf", &value) == 1)
            {
                ack.segment_sent = from_seconds(value);
                ack.flags |= Packet::NEWEST;
            }
            else if (std::sscanf(word.c_str(), "window=%lf", &value) == 1)
            {
                ack.window = static_cast<Bytes>(value);
            }
            else if (std::sscanf(word.c_str(), "dsack=%llu", &begin) == 1)
            {
                ack.duplicate = begin;
            }
            else if (std::sscanf(word.c_str(), "%llu-%llu", &begin, &end) == 2)
            {
                ack.sack.at(ack.sack_blocks++) = {static_cast<uint32_t>(begin - ack.number),
                                                  static_cast<uint32_t>(end - ack.number)};
            }
            else
            {
                throw std::invalid_argument("unknown word: " + word);
            }
        }
        return ack;
    }

    static Packet ReadAnswer(std::istringstream& words)
    {
        Packet packet = blank();
        packet.flags = Packet::ACK | Packet::PROBE;
        Question& question = packet.options.emplace().question;
        double asked;
        words >> question.number >> asked;
        question.kind = Question::PROBE;
        question.asked = from_seconds(asked);
        question.is_answer = true;
        return packet;
    }

    /// An acknowledgment is there at that time, after all else of it.
    void Arrive(Time time, Packet ack)
    {
        m_events.run(time, NO_LIMIT);
        ack.sent = time;
        m_events.at(time, [this, ack, time] { m_sender->receive(ack, time); });
    }

    /// An acknowledgment, with what the engine's own checks want to know.
    static Packet blank()
    {
        Packet ack{};
        ack.segment_sent = NEVER;
        ack.segment_received = NEVER;
        ack.window = WINDOW;
        ack.arrived = std::numeric_limits<Bytes>::max();
        ack.duplicate = NO_LIMIT;
        return ack;
    }

    void check() const
    {
        if (const char* wrong = m_checks.wrong())
        {
            throw std::invalid_argument(wrong);
        }
    }

    /// Let the receiver of peer.h answer: an answer of ours for each ACK, and one at the end.
    void FollowPeer(Time until, std::istringstream& words)
    {
        double rttS;
        double gapS;
        words >> rttS >> gapS >> m_peer.sack;
        m_peer.rtt_ns = from_seconds(rttS);
        m_peer.gap_ns = from_seconds(gapS);
        for (std::string word; words >> word;)
        {
            if (!peer_option(&m_peer, word.c_str()))
            {
                throw std::invalid_argument("unknown word: " + word);
            }
        }
        m_link.on_segment = [this](const Packet& segment, Time now) {
            const bool reduced = segment.flags & Packet::CWR;
            const Time due =
                peer_take(&m_peer, static_cast<uint32_t>(segment.number), reduced, now);
            if (due >= 0)
            {
                m_events.at(due, [this] { OnAnswer(); });
            }
        };
        std::istringstream flags(m_peer.ecn ? "ECE" : "");
        Arrive(m_peer.rtt_ns, ReadAck(true, flags));
        m_events.run(until, NO_LIMIT);
        check();
        Print("");
    }

    void OnAnswer()
    {
        const peer_ack answer = peer_answer(&m_peer);
        Packet ack = blank();
        ack.flags = static_cast<uint16_t>(Packet::ACK | (answer.echo ? int(Packet::ECE) : 0));
        ack.number = answer.number;
        ack.sent = m_events.now();
        std::string told = ", \"ack\": " + std::to_string(answer.number) + ", \"sack\": [";
        for (int i = 0; i < answer.blocks; ++i)
        {
            ack.sack.at(ack.sack_blocks++) = {answer.first[i] - answer.number,
                                              answer.end[i] - answer.number};
            told += (i ? ", [" : "[") + std::to_string(answer.first[i]) + ", " +
                    std::to_string(answer.end[i]) + "]";
        }
        Print(""); // what was sent before
        m_sender->receive(ack, m_events.now());
        told += "], \"echo\": " + std::to_string(answer.echo);
        m_events.at(m_events.now() + 1, [this, told] { Print(told); });
    }

    void Print(const std::string& more)
    {
        const Control& control = m_sender->control();
        static const char* const STATES[] = {"open", "disorder", "cwr", "recovery", "loss"};
        std::printf("{\"time_s\": %.9f%s, \"sent\": [", seconds(m_events.now()), more.c_str());
        for (std::size_t i = 0; i < m_link.sent.size(); ++i)
        {
            const auto& [packet, time] = m_link.sent[i];
            std::printf("%s[%.9f, %llu, \"%s%s%s\"]",
                        i ? ", " : "",
                        seconds(time),
                        static_cast<unsigned long long>(packet.number),
                        packet.flags & Packet::SYN ? "SYN" : "",
                        packet.flags & Packet::PROBE ? "PROBE" : "",
                        packet.flags & Packet::SYN   ? ""
                        : packet.flags & Packet::CWR ? "CWR"
                                                     : "");
        }
        m_link.sent.clear();
        std::printf("], \"cwnd\": %.12g, \"ssthresh\": %.12g, \"pipe\": %.12g, \"state\": \"%s\", "
                    "\"recoveries\": %llu, \"timeouts\": %llu}\n",
                    control.cwnd,
                    std::min(control.ssthresh, 1e9), // of none, for JSON has no infinity
                    static_cast<double>(m_sender->m_board.pipe()) / m_stream.mss,
                    STATES[int(m_sender->m_state.state())],
                    static_cast<unsigned long long>(m_sender->count.recoveries),
                    static_cast<unsigned long long>(m_sender->count.timeouts));
        std::fflush(stdout);
    }

    static constexpr Bytes WINDOW = 1'000'000'000; //!< advertised

    EventQueue m_events;
    Checks m_checks;
    const FlowSpec m_spec;
    Stream m_stream;
    Capture m_link;
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
    const std::string wrong = ScenarioReader().read(line, &scenario);
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
