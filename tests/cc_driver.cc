// SPDX-License-Identifier: GPL-2.0-only
//
// A congestion control without TCP: reads events, a line each, and answers each with its decision, for
// tests/cc_driver.py. The congestion controls are included before this file.
//
//     make {"name": value}      one with these parameters
//     start_up {"kind": ...}    from now on with another start-up than its own
//     set KEY VALUE             a field of the events that follow, and of the window
//     ack | congestion CAUSE | timeout | recovered STATE | established | restart | undo | lost | timer |
//     answer | supplement | holds CAUSE
//
// After the decision stand what the event has returned, and what was asked for since the last.

#include "json.h"
#include "model.h"
#include "scenario-start-up.h"

#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>

using namespace longfat;
using namespace longfat::core;

namespace
{

struct Quiet final : Requests
{
    void timer(Time delay) override
    {
        wakes = delay;
    }

    uint64_t probe(Bytes bytes, bool low_priority) override
    {
        asked += " probe:" + std::to_string(bytes) + (low_priority ? ":low" : "");
        return ++probes;
    }

    uint64_t query() override
    {
        asked += " query";
        return ++queries;
    }

    bool supplement(bool low_priority) override
    {
        asked += low_priority ? " supplement:low" : " supplement";
        return true;
    }

    void hold() override
    {
        asked += " hold";
    }

    void resume(Resumption how) override
    {
        constexpr const char* WORDS[] = {" unchanged", " reduced", " timeout"};
        asked += WORDS[static_cast<int>(how)];
    }

    Time wakes{NEVER};
    uint64_t probes{0};
    uint64_t queries{0};
    std::string asked;
};

class Driver
{
  public:
    /// Returns false and a sentence where that algorithm, or a value, is not known.
    bool make(const std::string& name, const Json& parameters, std::string* wrong)
    {
        Algorithm::Values values;
        for (std::size_t i = 0; i < parameters.names.size(); ++i)
        {
            values.emplace_back(parameters.names[i], parameters.items[i]);
        }
        *wrong = "there is no " + name;
        for (const Algorithm* algorithm : Algorithm::all())
        {
            if (name == algorithm->entry().name)
            {
                wrong->clear();
                m_control = algorithm->make(values, wrong);
            }
        }
        if (!wrong->empty())
        {
            return false;
        }
        m_control->on_start(m_requests);
        return true;
    }

    /// Returns what is wrong with it, or nothing.
    std::string start_up(const Json& json)
    {
        Refusal refusal;
        m_control = with_start_up(read_start_up(refusal, json, "start_up."), std::move(m_control));
        return refusal.sentence();
    }

    void set(const std::string& key, double value)
    {
        (key == "cwnd"       ? m_now.cwnd
         : key == "ssthresh" ? m_now.ssthresh
         : key == "pacing"   ? m_now.pacing_bps
                             : m_fields[key]) = value;
    }

    void on(const std::string& event, const std::string& what)
    {
        if (event == "ack")
        {
            m_now = m_control->on_ack(ack(), m_now);
        }
        else if (event == "congestion")
        {
            m_now.ssthresh = m_control->ssthresh(congestion(what), m_now);
        }
        else if (event == "timeout")
        {
            m_now = m_control->on_timeout(whole("now"), m_now);
        }
        else if (event == "sent")
        {
            m_control->on_sent(
                {whole("now"), whole("sequence"), whole("mss"), whole("pipe"), false});
        }
        else if (event == "recovered")
        {
            const Recovered recovered{whole("now"), whole("mss"), whole("pipe"), state(what)};
            m_now = m_control->on_recovered(recovered, m_now);
        }
        else if (event == "established")
        {
            const Established established{whole("now"),
                                          whole("mss"),
                                          whole("rtt"),
                                          UNLIMITED,
                                          1,
                                          0,
                                          m_fields["no_sack"] == 0,
                                          whole("header_bytes"),
                                          feedback()};
            m_now = m_control->on_established(established, m_now);
        }
        else if (event == "restart")
        {
            m_now = m_control->on_restart({whole("now"), whole("idle")}, m_now);
        }
        else if (event == "timer")
        {
            m_requests.wakes = NEVER;
            m_now = m_control->on_timer(whole("now"), m_now);
        }
        else if (event == "undo")
        {
            m_now = m_control->on_undo({whole("now"), {m_fields["before"]}}, m_now);
        }
        else if (event == "lost")
        {
            m_control->on_lost({whole("now"),
                                whole("sequence"),
                                whole("mss"),
                                whole("sent_time"),
                                whole("sent_delivered"),
                                whole("lost_since"),
                                whole("tx_in_flight"),
                                m_fields["is_app_limited"] != 0});
        }
        else if (event == "answer")
        {
            m_now = m_control->on_answer(answer(), m_now);
        }
        else if (event == "supplement")
        {
            m_now = m_control->on_supplement(
                {whole("now"), whole("mss"), static_cast<State>(whole("state"))},
                m_now);
        }
        else if (event == "holds")
        {
            m_returned = m_control->holds(congestion(what));
        }
        else
        {
            std::printf("no event %s\n", event.c_str());
        }
        std::printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g%s\n",
                    m_now.cwnd,
                    m_now.ssthresh,
                    m_now.pacing_bps,
                    m_control->bandwidth_bps(),
                    m_control->utilization(),
                    m_requests.wakes == NEVER ? -1 : seconds(m_requests.wakes),
                    m_returned,
                    m_requests.asked.c_str());
        m_requests.asked.clear();
        std::fflush(stdout);
    }

  private:
    static State state(const std::string& name)
    {
        return name == "open"       ? State::OPEN
               : name == "disorder" ? State::DISORDER
               : name == "cwr"      ? State::CWR
               : name == "recovery" ? State::RECOVERY
                                    : State::LOSS;
    }

    Bytes whole(const std::string& key)
    {
        return static_cast<Bytes>(m_fields[key]);
    }

    Ack ack()
    {
        Ack ack{};
        ack.now = whole("now");
        ack.mss = whole("mss");
        ack.snd_una = whole("snd_una");
        ack.snd_nxt = whole("snd_nxt");
        ack.newly_acked = whole("newly_acked");
        ack.newly_sacked = whole("newly_sacked");
        ack.newly_delivered = whole("newly_delivered");
        ack.newly_lost = whole("newly_lost");
        ack.delivered = whole("delivered");
        ack.lost = whole("lost");
        ack.prior_in_flight = whole("prior_in_flight");
        ack.pipe = whole("pipe");
        ack.rtt = whole("rtt");
        ack.latest_rtt = whole("latest_rtt");
        ack.srtt = whole("srtt");
        ack.min_rtt = whole("min_rtt");
        if (m_fields["segment_received"] >= 0) // -1: the ACK tells of no segment
        {
            ack.segment_sent = whole("segment_sent");
            ack.segment_received = whole("segment_received");
        }
        ack.ece = whole("ece");
        ack.rate.delivered = whole("rate_delivered");
        ack.rate.interval = whole("rate_interval");
        ack.rate.prior_delivered = whole("rate_prior_delivered");
        ack.rate.tx_in_flight = whole("rate_tx_in_flight");
        ack.rate.lost = whole("rate_lost");
        ack.rate.is_app_limited = whole("is_app_limited");
        ack.feedback = feedback();
        ack.app_limited = whole("app_limited");
        ack.cwnd_limited = whole("cwnd_limited");
        ack.advertised_window = whole("advertised_window");
        ack.state = static_cast<State>(whole("state"));
        ack.prior_state = static_cast<State>(whole("prior_state"));
        return ack;
    }

    /// Of an ACK or of the handshake: 0 silent, 1 in part, 2 all routers.
    RouterFeedback feedback()
    {
        return {m_fields["rate_change"], whole("routers") > 0, whole("routers") == 2};
    }

    /// One link on the way.
    Answer answer()
    {
        m_record = {static_cast<uint32_t>(whole("link")),
                    m_fields["rate_bps"],
                    whole("sent_bytes"),
                    whole("at")};
        Answer answer{};
        answer.now = whole("now");
        answer.asked = whole("asked");
        answer.number = static_cast<uint64_t>(whole("number"));
        answer.is_query = m_fields["is_query"] != 0;
        answer.records = std::span(&m_record, answer.is_query ? 1 : 0);
        answer.complete = m_fields["complete"] != 0;
        answer.mss = whole("mss");
        answer.state = static_cast<State>(whole("state"));
        return answer;
    }

    Congestion congestion(const std::string& cause)
    {
        Congestion congestion{};
        congestion.cause = cause == "loss"    ? Congestion::LOSS
                           : cause == "again" ? Congestion::LOST_RETRANSMISSION
                           : cause == "ecn"   ? Congestion::ECN
                                              : Congestion::TIMEOUT;
        congestion.now = whole("now");
        congestion.mss = whole("mss");
        congestion.snd_una = whole("snd_una");
        congestion.snd_nxt = whole("snd_nxt");
        congestion.flight_size = whole("snd_nxt") - whole("snd_una");
        congestion.pipe = whole("pipe");
        congestion.advertised_window = whole("advertised_window");
        congestion.srtt = whole("srtt");
        congestion.min_rtt = whole("min_rtt");
        return congestion;
    }

    Quiet m_requests;
    std::unique_ptr<CongestionControl> m_control;
    Control m_now{};
    std::map<std::string, double> m_fields;
    LinkRecord m_record;
    double m_returned{0};
};

} // namespace

int
main()
{
    Driver driver;
    std::string line;
    while (std::getline(std::cin, line))
    {
        std::istringstream words(line);
        std::string first;
        std::string second;
        words >> first >> second;
        if (first == "make" || first == "start_up")
        {
            Json json;
            std::size_t position;
            std::string text;
            std::getline(words, text);
            std::string wrong;
            if (first == "make")
            {
                JsonReader::Read(text, &json, &position);
                driver.make(second, json, &wrong);
            }
            else
            {
                JsonReader::Read(second + text, &json, &position);
                wrong = driver.start_up(json);
            }
            std::printf("%s\n", wrong.c_str());
            std::fflush(stdout);
        }
        else if (first == "set")
        {
            double value;
            words >> value;
            driver.set(second, value);
        }
        else
        {
            driver.on(first, second);
        }
    }
    return 0;
}
