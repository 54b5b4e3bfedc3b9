// SPDX-License-Identifier: GPL-2.0-only
//
// JSON as scenarios and answers need it: read into values, written piece by piece.

#ifndef LONGFAT_JSON_H
#define LONGFAT_JSON_H

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace longfat
{

struct Json
{
    enum Type
    {
        ABSENT, //!< not there at all
        NULL_,
        BOOLEAN,
        NUMBER,
        TEXT,
        ARRAY,
        OBJECT,
    };

    Type type{ABSENT};
    double number{0}; //!< of a truth value: 0 or 1
    std::string text;
    std::vector<std::string> names; //!< of an object: those of its items
    std::vector<Json> items;        //!< of an array or object

    /// The member of that name, or one that is absent.
    const Json& operator[](std::string_view name) const
    {
        static const Json absent;
        for (std::size_t i = 0; i < names.size(); ++i)
        {
            if (names[i] == name)
            {
                return items[i];
            }
        }
        return absent;
    }

    bool IsStated() const
    {
        return type != ABSENT && type != NULL_;
    }
};

class JsonReader
{
  public:
    /// Read a whole text; returns false where it is not JSON, at character `position`.
    static bool Read(const std::string& text, Json* value, std::size_t* position)
    {
        JsonReader reader(text);
        const bool good = reader.ReadValue(value, 0) && reader.Peek() == '\0' &&
                          reader.m_at == text.c_str() + text.size();
        *position = reader.m_at - text.c_str();
        return good;
    }

  private:
    static constexpr int DEEPEST = 50;

    explicit JsonReader(const std::string& text)
        : m_at(text.c_str())
    {
    }

    char Peek()
    {
        while (*m_at == ' ' || *m_at == '\n' || *m_at == '\r' || *m_at == '\t')
        {
            ++m_at;
        }
        return *m_at;
    }

    bool Take(char wanted)
    {
        const bool there = Peek() == wanted;
        m_at += there;
        return there;
    }

    bool TakeWord(std::string_view word)
    {
        const bool there = std::string_view(m_at).substr(0, word.size()) == word;
        m_at += there ? word.size() : 0;
        return there;
    }

    bool ReadValue(Json* value, int depth)
    {
        const char first = Peek();
        if (depth > DEEPEST)
        {
            return false;
        }
        if (first == '{' || first == '[')
        {
            ++m_at;
            value->type = first == '{' ? Json::OBJECT : Json::ARRAY;
            const char end = first == '{' ? '}' : ']';
            if (Take(end))
            {
                return true;
            }
            do
            {
                if (first == '{' &&
                    (Peek() != '"' || !ReadText(&value->names.emplace_back()) || !Take(':')))
                {
                    return false;
                }
                if (!ReadValue(&value->items.emplace_back(), depth + 1))
                {
                    return false;
                }
            } while (Take(','));
            return Take(end);
        }
        if (first == '"')
        {
            value->type = Json::TEXT;
            return ReadText(&value->text);
        }
        if (TakeWord("true") || TakeWord("false"))
        {
            value->type = Json::BOOLEAN;
            value->number = m_at[-2] == 'u';
            return true;
        }
        if (TakeWord("null"))
        {
            value->type = Json::NULL_;
            return true;
        }
        if (first != '-' && (first < '0' || first > '9'))
        {
            return false;
        }
        char* end;
        value->type = Json::NUMBER;
        value->number = std::strtod(m_at, &end);
        m_at = end;
        return true;
    }

    bool ReadText(std::string* text)
    {
        for (++m_at; *m_at != '"'; ++m_at)
        {
            if (static_cast<unsigned char>(*m_at) < ' ')
            {
                return false;
            }
            if (*m_at != '\\')
            {
                *text += *m_at;
                continue;
            }
            constexpr std::string_view NAMES = "\"\\/bfnrt";
            constexpr std::string_view MEANT = "\"\\/\b\f\n\r\t";
            const std::size_t place = NAMES.find(*++m_at);
            if (*m_at == 'u')
            {
                uint32_t code;
                if (!ReadCode(&code))
                {
                    return false;
                }
                if (code >= 0xd800 && code < 0xdc00 && m_at[1] == '\\' && m_at[2] == 'u')
                {
                    uint32_t second;
                    m_at += 2;
                    if (!ReadCode(&second))
                    {
                        return false;
                    }
                    code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
                }
                AppendUtf8(code, text);
            }
            else if (place != NAMES.npos && *m_at != '\0')
            {
                *text += MEANT[place];
            }
            else
            {
                return false;
            }
        }
        ++m_at;
        return true;
    }

    /// The four digits after a `u`; ends at the last of them.
    bool ReadCode(uint32_t* code)
    {
        const char* end = m_at + 1;
        while (end < m_at + 5 && *end != '\0')
        {
            ++end;
        }
        const auto read = std::from_chars(m_at + 1, end, *code, 16);
        const bool good = read.ptr == m_at + 5;
        m_at += 4 * good;
        return good;
    }

    static void AppendUtf8(uint32_t code, std::string* text)
    {
        if (code < 0x80)
        {
            *text += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        *text += static_cast<char>((0xff00 >> (more + 1) & 0xff) | code >> 6 * more);
        for (int i = more - 1; i >= 0; --i)
        {
            *text += static_cast<char>(0x80 | (code >> 6 * i & 0x3f));
        }
    }

    const char* m_at;
};

/// Writes values one after the other; commas come by themselves.
class JsonWriter
{
  public:
    std::string text;

    JsonWriter& Begin(char bracket)
    {
        Separate();
        text += bracket;
        m_first = true;
        return *this;
    }

    JsonWriter& End(char bracket)
    {
        text += bracket;
        m_first = false;
        return *this;
    }

    JsonWriter& Name(std::string_view name)
    {
        Text(name);
        text += ':';
        m_first = true;
        return *this;
    }

    JsonWriter& Text(std::string_view value)
    {
        Separate();
        text += '"';
        for (const char c : value)
        {
            if (c == '"' || c == '\\')
            {
                text += '\\';
                text += c;
            }
            else if (static_cast<unsigned char>(c) < ' ')
            {
                constexpr std::string_view DIGITS = "0123456789abcdef";
                text += "\\u00";
                text += DIGITS[c >> 4];
                text += DIGITS[c & 15];
            }
            else
            {
                text += c;
            }
        }
        text += '"';
        return *this;
    }

    JsonWriter& Truth(bool value)
    {
        Separate();
        text += value ? "true" : "false";
        return *this;
    }

    /// Null where it is not a number.
    template <class T>
    JsonWriter& Number(T value)
    {
        Separate();
        if (!std::isfinite(static_cast<double>(value)))
        {
            text += "null";
            return *this;
        }
        char digits[40];
        const char* end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
        const std::string_view written(digits, end - digits);
        text += written;
        if (std::is_floating_point_v<T> && written.find_first_of(".e") == written.npos)
        {
            text += ".0"; // so that a whole number is read as a number of that kind
        }
        return *this;
    }

  private:
    void Separate()
    {
        if (!m_first)
        {
            text += ',';
        }
        m_first = false;
    }

    bool m_first{true};
};

} // namespace longfat

#endif
