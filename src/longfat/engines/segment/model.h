// SPDX-License-Identifier: GPL-2.0-only
//
// A congestion control's class behind the one face that TCP calls (congestion-control.h has what is
// told and answered): its parameters, its entry, and which of the optional functions it has.

#ifndef LONGFAT_CORE_MODEL_H
#define LONGFAT_CORE_MODEL_H

#include "congestion-control.h"

#include "../json.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace longfat::core
{

/// A parameter, declared once: the member that holds it, and all that catalogue, validation and
/// reference say of it. A class lists its own in `static constexpr auto parameters()`.
template <class T>
struct Parameter
{
    const char* name;
    std::variant<double T::*, int64_t T::*, bool T::*> member;
    double initial;
    double minimum;
    double maximum;
    const char* unit;
    const char* meaning;
    const char* source{""};
    const char* below{""}; //!< the parameter that it must be less than
    const char* linux{""}; //!< the same in Linux, in ms: a path below /sys/module
};

/// What TCP calls. The functions that an algorithm does not have do what the RFCs do without it.
class CongestionControl
{
  public:
    virtual ~CongestionControl() = default;
    virtual Control on_ack(const Ack& ack, const Control& now) = 0;
    virtual double ssthresh(const Congestion& congestion, const Control& now) = 0;
    virtual void on_start(Requests& requests) = 0;
    virtual Control on_established(const Established& established, const Control& now) = 0;
    virtual void on_sent(const Sent& sent) = 0;
    virtual void on_lost(const Lost& lost) = 0;
    virtual Control on_timeout(Time time, const Control& now) = 0;
    virtual Control on_recovered(const Recovered& recovered, const Control& now) = 0;
    virtual Control on_undo(const Undo& undo, const Control& now) = 0;
    virtual Control on_restart(const Restart& restart, const Control& now) = 0;
    virtual Control on_handoff(const Handoff& handoff, const Control& now) = 0;
    virtual Control on_timer(Time time, const Control& now) = 0;
    virtual Control on_answer(const Answer& answer, const Control& now) = 0;
    virtual Control on_supplement(const Supplement& supplement, const Control& now) = 0;
    virtual bool holds(const Congestion& congestion) = 0;
    virtual double bandwidth_bps() const = 0;
    virtual double utilization() const = 0;
};

/// Which of the optional functions a class has.
template <class T>
constexpr uint32_t
events_of()
{
    uint32_t events = 0;
    const auto add = [&events](uint32_t event, bool has) { events |= has ? event : 0; };
    add(event::START, requires(T t, Requests& r) { t.on_start(r); });
    add(event::ESTABLISHED, requires(T t, Established e, Control c) { t.on_established(e, c); });
    add(event::SENT, requires(T t, Sent s) { t.on_sent(s); });
    add(event::LOST, requires(T t, Lost l) { t.on_lost(l); });
    add(event::TIMEOUT, requires(T t, Time n, Control c) { t.on_timeout(n, c); });
    add(event::RECOVERED, requires(T t, Recovered r, Control c) { t.on_recovered(r, c); });
    add(event::UNDO, requires(T t, Undo u, Control c) { t.on_undo(u, c); });
    add(event::RESTART, requires(T t, Restart r, Control c) { t.on_restart(r, c); });
    add(event::HANDOFF, requires(T t, Handoff h, Control c) { t.on_handoff(h, c); });
    add(event::TIMER, requires(T t, Time n, Control c) { t.on_timer(n, c); });
    add(event::ANSWER, requires(T t, Answer a, Control c) { t.on_answer(a, c); });
    add(event::BANDWIDTH, requires(const T t) { t.bandwidth_bps(); });
    add(event::UTILIZATION, requires(const T t) { t.utilization(); });
    add(event::SUPPLEMENT, requires(T t, Supplement s, Control c) { t.on_supplement(s, c); });
    add(event::HOLDS, requires(T t, Congestion c) { t.holds(c); });
    return events;
}

template <class T>
class Model final : public CongestionControl
{
    static constexpr uint32_t EVENTS = events_of<T>();
    static_assert(T::entry.events == EVENTS,
                  "the events that the entry names are not the functions that the class has");

  public:
    T algorithm;

    Control on_ack(const Ack& ack, const Control& now) override
    {
        return algorithm.on_ack(ack, now);
    }

    double ssthresh(const Congestion& congestion, const Control& now) override
    {
        return algorithm.ssthresh(congestion, now);
    }

    void on_start(Requests& requests) override
    {
        if constexpr (EVENTS & event::START)
        {
            algorithm.on_start(requests);
        }
    }

    Control on_established(const Established& established, const Control& now) override
    {
        if constexpr (EVENTS & event::ESTABLISHED)
        {
            return algorithm.on_established(established, now);
        }
        return now;
    }

    void on_sent(const Sent& sent) override
    {
        if constexpr (EVENTS & event::SENT)
        {
            algorithm.on_sent(sent);
        }
    }

    void on_lost(const Lost& lost) override
    {
        if constexpr (EVENTS & event::LOST)
        {
            algorithm.on_lost(lost);
        }
    }

    Control on_timeout(Time time, const Control& now) override
    {
        if constexpr (EVENTS & event::TIMEOUT)
        {
            return algorithm.on_timeout(time, now);
        }
        return now;
    }

    /// RFC 5681, section 3.2, step 6: the window is the threshold.
    Control on_recovered(const Recovered& recovered, const Control& now) override
    {
        if constexpr (EVENTS & event::RECOVERED)
        {
            return algorithm.on_recovered(recovered, now);
        }
        return {now.ssthresh, now.ssthresh, now.pacing_bps};
    }

    Control on_undo(const Undo& undo, const Control& now) override
    {
        if constexpr (EVENTS & event::UNDO)
        {
            return algorithm.on_undo(undo, now);
        }
        return undo.applied(now);
    }

    Control on_restart(const Restart& restart, const Control& now) override
    {
        if constexpr (EVENTS & event::RESTART)
        {
            return algorithm.on_restart(restart, now);
        }
        return now;
    }

    Control on_handoff(const Handoff& handoff, const Control& now) override
    {
        if constexpr (EVENTS & event::HANDOFF)
        {
            return algorithm.on_handoff(handoff, now);
        }
        return now;
    }

    Control on_timer(Time time, const Control& now) override
    {
        if constexpr (EVENTS & event::TIMER)
        {
            return algorithm.on_timer(time, now);
        }
        return now;
    }

    Control on_answer(const Answer& answer, const Control& now) override
    {
        if constexpr (EVENTS & event::ANSWER)
        {
            return algorithm.on_answer(answer, now);
        }
        return now;
    }

    Control on_supplement(const Supplement& supplement, const Control& now) override
    {
        if constexpr (EVENTS & event::SUPPLEMENT)
        {
            return algorithm.on_supplement(supplement, now);
        }
        return now;
    }

    bool holds(const Congestion& congestion) override
    {
        if constexpr (EVENTS & event::HOLDS)
        {
            return algorithm.holds(congestion);
        }
        return false;
    }

    double bandwidth_bps() const override
    {
        if constexpr (EVENTS & event::BANDWIDTH)
        {
            return algorithm.bandwidth_bps();
        }
        return std::nan("");
    }

    double utilization() const override
    {
        if constexpr (EVENTS & event::UTILIZATION)
        {
            return algorithm.utilization();
        }
        return std::nan("");
    }
};

/// A congestion control that this program has: its entry, and how one is made.
class Algorithm
{
  public:
    using Values = std::vector<std::pair<std::string, Json>>; //!< of parameters, by name

    virtual const Entry& entry() const = 0;

    /// One with those values; returns null and a sentence in `wrong` for a value that is not allowed.
    virtual std::unique_ptr<CongestionControl> make(const Values& values,
                                                    std::string* wrong) const = 0;

    /// Its entry and its table of parameters.
    virtual void write(JsonWriter& json) const = 0;

    /// All that have been registered, in the order in which they were.
    static std::vector<const Algorithm*>& all()
    {
        static std::vector<const Algorithm*> algorithms;
        return algorithms;
    }

  protected:
    ~Algorithm() = default; // they are there as long as the program
};

template <class T>
class AlgorithmOf final : public Algorithm
{
  public:
    /// `file` is that of the header. One that other headers include too is registered once.
    explicit AlgorithmOf(std::string_view file)
        : m_header(file.substr(file.find_last_of('/') + 1))
    {
        for (const Algorithm* known : all())
        {
            if (std::string_view(known->entry().name) == T::entry.name)
            {
                return;
            }
        }
        all().push_back(this);
    }

    const Entry& entry() const override
    {
        return T::entry;
    }

    std::unique_ptr<CongestionControl> make(const Values& values, std::string* wrong) const override
    {
        auto model = std::make_unique<Model<T>>();
        for_each_parameter(
            [&](const auto& parameter) { set(model->algorithm, parameter, parameter.initial); });
        for (const auto& stated : values) // clang 15 captures no structured bindings
        {
            const std::string& name = stated.first;
            const Json& value = stated.second;
            std::string refused = "there is no such parameter";
            for_each_parameter([&](const auto& parameter) {
                if (name == parameter.name)
                {
                    refused = refusal(parameter, value);
                    set(model->algorithm, parameter, refused.empty() ? value.number : 0);
                }
            });
            if (!refused.empty())
            {
                *wrong = name + ": " + refused;
                return nullptr;
            }
        }
        for_each_parameter([&](const auto& one) {
            for_each_parameter([&](const auto& other) {
                if (std::string_view(one.below) == other.name &&
                    get(model->algorithm, one) >= get(model->algorithm, other))
                {
                    *wrong = std::string(one.name) + ": must be less than " + other.name;
                }
            });
        });
        return model;
    }

    void write(JsonWriter& json) const override
    {
        const Entry& own = T::entry;
        json.Begin('{').Name("name").Text(own.name).Name("title").Text(own.title);
        json.Name("header")
            .Text(m_header)
            .Name("source")
            .Text(own.source)
            .Name("short_name")
            .Text(own.short_name);
        json.Name("colour").Text(own.colour).Name("marker").Text(own.marker);
        json.Name("linux").Text(own.linux).Name("version").Number(own.version);
        write_names(json.Name("events"), EVENT_NAMES, own.events);
        write_names(json.Name("needs"), NEED_NAMES, own.needs);
        json.Name("regulates_recovery").Truth(own.regulates_recovery);
        json.Name("parameters").Begin('[');
        for_each_parameter([&json](const auto& parameter) {
            constexpr const char* KINDS[] = {"number", "whole number", "truth"};
            json.Begin('{').Name("name").Text(parameter.name);
            json.Name("kind").Text(KINDS[parameter.member.index()]);
            json.Name("default").Number(parameter.initial);
            json.Name("minimum").Number(parameter.minimum);
            json.Name("maximum").Number(parameter.maximum);
            json.Name("unit").Text(parameter.unit).Name("meaning").Text(parameter.meaning);
            json.Name("source").Text(parameter.source).Name("below").Text(parameter.below);
            json.Name("linux").Text(parameter.linux).End('}');
        });
        json.End(']').End('}');
    }

  private:
    static constexpr const char* EVENT_NAMES[] = {"start",
                                                  "established",
                                                  "sent",
                                                  "lost",
                                                  "timeout",
                                                  "recovered",
                                                  "undo",
                                                  "restart",
                                                  "handoff",
                                                  "timer",
                                                  "answer",
                                                  "bandwidth",
                                                  "utilization",
                                                  "supplement",
                                                  "holds"};
    static constexpr const char* NEED_NAMES[] = {"one-way delay", "router feedback"};

    /// Those whose bits are set.
    static void write_names(JsonWriter& json, std::span<const char* const> names, uint32_t bits)
    {
        json.Begin('[');
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            if (bits >> i & 1)
            {
                json.Text(names[i]);
            }
        }
        json.End(']');
    }

    template <class Do>
    static void for_each_parameter(Do each)
    {
        if constexpr (requires { T::parameters(); })
        {
            static constexpr auto parameters = T::parameters();
            for (const auto& parameter : parameters)
            {
                each(parameter);
            }
        }
    }

    template <class P>
    static void set(T& algorithm, const P& parameter, double value)
    {
        std::visit(
            [&](auto member) {
                using Value = std::remove_reference_t<decltype(algorithm.*member)>;
                algorithm.*member = static_cast<Value>(value);
            },
            parameter.member);
    }

    template <class P>
    static double get(const T& algorithm, const P& parameter)
    {
        return std::visit([&](auto member) { return static_cast<double>(algorithm.*member); },
                          parameter.member);
    }

    template <class P>
    static std::string refusal(const P& parameter, const Json& value)
    {
        constexpr std::size_t WHOLE = 1;
        constexpr std::size_t TRUTH = 2;
        if (parameter.member.index() == TRUTH)
        {
            return value.type == Json::BOOLEAN ? "" : "must be true or false";
        }
        if (value.type != Json::NUMBER)
        {
            return "must be a number";
        }
        if (!(value.number >= parameter.minimum && value.number <= parameter.maximum))
        {
            const auto digits = [](double number) {
                JsonWriter words;
                return words.Number(number).text;
            };
            return digits(value.number) + " is not from " + digits(parameter.minimum) + " to " +
                   digits(parameter.maximum);
        }
        const bool whole = value.number == std::floor(value.number);
        return parameter.member.index() == WHOLE && !whole ? "must be a whole number" : "";
    }

    const std::string_view m_header;
};

} // namespace longfat::core

/// Make a class known to the engine under the name in its entry.
#define LONGFAT_CONGESTION_CONTROL(Class)                                                          \
    static const ::longfat::core::AlgorithmOf<Class> algorithm_of_##Class(__FILE__)

#endif
