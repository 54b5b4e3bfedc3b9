// SPDX-License-Identifier: GPL-2.0-only
//
// The fields of a JSON object, each read with what is allowed for it. Whatever is wrong is said in one
// sentence: field, value, what is allowed.

#ifndef LONGFAT_CORE_SCENARIO_FIELDS_H
#define LONGFAT_CORE_SCENARIO_FIELDS_H

#include "../json.h"
#include "congestion-control.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longfat::core
{

constexpr double ABOVE_0 = std::numeric_limits<double>::denorm_min();
constexpr double BELOW_1 = 0x1.fffffffffffffp-1;
// As in longfat/links.py; that each field has the bounds that it has there, a test holds.
constexpr double SHORTEST_S = 1e-9; // time is counted in nanoseconds
constexpr double LONGEST_S = 1e9;
constexpr double LARGEST = 2'147'483'647;
constexpr double SLOWEST_BPS = 1;
constexpr double FASTEST_BPS = 1e15;
constexpr Bytes USUAL_BUFFER = 64'000'000; //!< of a socket

inline std::string
digits(double number)
{
    char written[40];
    return {written, std::to_chars(written, written + sizeof(written), number).ptr};
}

/// What is wrong with a scenario: the first thing, in a sentence.
class Refusal
{
  public:
    bool fail(const std::string& sentence)
    {
        m_sentence = m_sentence.empty() ? sentence : m_sentence;
        return false;
    }

    bool is_refused() const
    {
        return !m_sentence.empty();
    }

    const std::string& sentence() const
    {
        return m_sentence;
    }

  private:
    std::string m_sentence;
};

/// The fields of an object: each is taken once, and what is left at the end is not known.
class Fields
{
  public:
    Fields(Refusal& refusal, const Json& json, std::string where)
        : m_refusal(refusal),
          m_json(json),
          m_where(std::move(where))
    {
        if (json.IsStated() && json.type != Json::OBJECT)
        {
            fail("", "must be an object");
        }
    }

    const Json& take(std::string_view name)
    {
        m_taken.insert(name);
        return m_json[name];
    }

    void ignore(std::string_view name)
    {
        take(name);
    }

    double number(std::string_view name,
                  double least,
                  double most,
                  std::optional<double> usual = std::nullopt)
    {
        const Json& json = take(name);
        if (json.IsStated() && json.type != Json::NUMBER)
        {
            fail(name, "must be a number");
        }
        else if (json.IsStated() && !(json.number >= least && json.number <= most))
        {
            fail(name, digits(json.number) + range(least, most));
        }
        else if (!json.IsStated() && !usual)
        {
            fail(name, "this field is missing");
        }
        return json.type == Json::NUMBER ? std::clamp(json.number, least, most)
                                         : usual.value_or(least);
    }

    std::optional<double> optional(std::string_view name, double least, double most)
    {
        const double value = number(name, least, most, least);
        return m_json[name].IsStated() ? std::optional(value) : std::nullopt;
    }

    uint64_t whole(std::string_view name, double least, double most, uint64_t usual)
    {
        const double value = number(name, least, most, least);
        if (value != std::floor(value))
        {
            fail(name, "must be a whole number, not " + digits(value));
        }
        return m_json[name].IsStated() ? static_cast<uint64_t>(value) : usual;
    }

    /// None: "auto".
    std::optional<Bytes> buffer(std::string_view name)
    {
        const Json& json = take(name);
        if (json.type == Json::TEXT)
        {
            one_of(name, {"auto"});
            return std::nullopt;
        }
        return static_cast<Bytes>(whole(name, 1, LARGEST, USUAL_BUFFER));
    }

    bool truth(std::string_view name, bool usual)
    {
        const Json& json = take(name);
        if (json.IsStated() && json.type != Json::BOOLEAN)
        {
            fail(name, "must be true or false");
        }
        return json.IsStated() ? json.number != 0 : usual;
    }

    std::string text(std::string_view name)
    {
        const Json& json = take(name);
        if (json.type != Json::TEXT || json.text.empty())
        {
            fail(name, "must be a name");
        }
        return json.text;
    }

    /// One of the words, the first of them if it is not stated.
    std::string one_of(std::string_view name, std::vector<std::string> words)
    {
        const Json& json = take(name);
        const std::string word = json.IsStated() ? json.text : words.front();
        if (std::find(words.begin(), words.end(), word) == words.end())
        {
            std::string known = words.front();
            for (std::size_t i = 1; i < words.size(); ++i)
            {
                known += " or " + words[i];
            }
            fail(name, "must be " + known);
        }
        return word;
    }

    const Json& list(std::string_view name, std::size_t least = 0)
    {
        const Json& json = take(name);
        if ((json.IsStated() && json.type != Json::ARRAY) || json.items.size() < least)
        {
            fail(name, "must be a list of at least " + std::to_string(least));
        }
        return json;
    }

    /// The items of a list, each with where it stands.
    std::vector<std::pair<std::string, const Json*>> each(std::string_view name)
    {
        std::vector<std::pair<std::string, const Json*>> each;
        for (const Json& item : list(name).items)
        {
            const std::string number = std::to_string(each.size());
            each.emplace_back(m_where + std::string(name) + "." + number + ".", &item);
        }
        return each;
    }

    void end()
    {
        for (const std::string& name : m_json.names)
        {
            if (!m_taken.contains(name))
            {
                fail(name, "there is no such field");
            }
        }
    }

  private:
    static std::string range(double least, double most)
    {
        if (least == ABOVE_0)
        {
            return " must be greater than 0, and at most " + digits(most);
        }
        if (most == BELOW_1)
        {
            return " must be from " + digits(least) + " to less than 1";
        }
        return " must be from " + digits(least) + " to " + digits(most);
    }

    void fail(std::string_view name, const std::string& what)
    {
        m_refusal.fail(m_where + std::string(name) + ": " + what);
    }

    Refusal& m_refusal;
    const Json& m_json;
    std::string m_where;
    std::set<std::string_view> m_taken;
};

} // namespace longfat::core

#endif
