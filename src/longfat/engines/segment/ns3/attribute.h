// SPDX-License-Identifier: GPL-2.0-only
//
// Attributes: values that can be set by name, with a range each. Every kind of value is one of a
// truth value, a whole number, a number or a time.

#ifndef LONGFAT_STANDIN_ATTRIBUTE_H
#define LONGFAT_STANDIN_ATTRIBUTE_H

#include "nstime.h"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>

namespace ns3
{

class ObjectBase;

class AttributeValue
{
  public:
    enum Kind
    {
        BOOLEAN,
        INTEGER,
        UINTEGER,
        DOUBLE,
        TIME,
    };

    AttributeValue(Kind kind, int64_t whole)
        : kind(kind),
          whole(whole)
    {
    }

    explicit AttributeValue(double number)
        : kind(DOUBLE),
          number(number)
    {
    }

    /// A whole number's digits, of a truth value 0 or 1, of a time nanoseconds; or any number.
    AttributeValue(Kind kind, const std::string& text)
        : kind(kind)
    {
        if (kind == DOUBLE)
        {
            number = std::strtod(text.c_str(), nullptr);
        }
        else
        {
            whole = std::strtoll(text.c_str(), nullptr, 10);
        }
    }

    Kind kind;

    union {
        int64_t whole; //!< of a time: in nanoseconds; of a truth value: 0 or 1
        double number;
    };

    /// What it is in C++.
    template <class T>
    T As() const
    {
        if constexpr (std::is_same_v<T, Time>)
        {
            return Time(whole);
        }
        else
        {
            return kind == DOUBLE ? static_cast<T>(number) : static_cast<T>(whole);
        }
    }
};

class BooleanValue : public AttributeValue
{
  public:
    BooleanValue(bool value = false)
        : AttributeValue(BOOLEAN, value)
    {
    }

    bool Get() const
    {
        return whole;
    }
};

class IntegerValue : public AttributeValue
{
  public:
    IntegerValue(int64_t value = 0)
        : AttributeValue(INTEGER, value)
    {
    }

    int64_t Get() const
    {
        return whole;
    }
};

class UintegerValue : public AttributeValue
{
  public:
    UintegerValue(uint64_t value = 0)
        : AttributeValue(UINTEGER, static_cast<int64_t>(value))
    {
    }

    uint64_t Get() const
    {
        return whole;
    }
};

class DoubleValue : public AttributeValue
{
  public:
    DoubleValue(double value = 0)
        : AttributeValue(value)
    {
    }

    double Get() const
    {
        return number;
    }
};

class TimeValue : public AttributeValue
{
  public:
    TimeValue(const Time& value = Time())
        : AttributeValue(TIME, value.GetTimeStep())
    {
    }

    Time Get() const
    {
        return Time(whole);
    }
};

/// Sets an attribute of an object. One is made for each attribute, and stays.
class AttributeAccessor
{
  public:
    virtual void Set(ObjectBase* object, const AttributeValue& value) const = 0;

  protected:
    ~AttributeAccessor() = default;
};

/// By a member, or by a method that takes the value.
template <class Member>
class MemberAccessor;

template <class T, class U>
class MemberAccessor<U T::*> final : public AttributeAccessor
{
  public:
    explicit MemberAccessor(U T::* member)
        : m_member(member)
    {
    }

    void Set(ObjectBase* object, const AttributeValue& value) const override
    {
        static_cast<T*>(object)->*m_member = value.As<U>();
    }

  private:
    U T::* m_member;
};

template <class T, class R, class U>
class MemberAccessor<R (T::*)(U)> final : public AttributeAccessor
{
  public:
    explicit MemberAccessor(R (T::*setter)(U))
        : m_setter(setter)
    {
    }

    void Set(ObjectBase* object, const AttributeValue& value) const override
    {
        (static_cast<T*>(object)->*m_setter)(value.As<std::decay_t<U>>());
    }

  private:
    R (T::*m_setter)(U);
};

/// With a getter, which nothing asks here, before or after it.
template <class Member, class... Getter>
const AttributeAccessor*
MakeAccessor(Member member, Getter...)
{
    return new MemberAccessor<Member>(member);
}

template <class T, class R, class... Setter>
const AttributeAccessor*
MakeAccessor(R (T::*)() const, Setter... setter)
{
    return MakeAccessor(setter...);
}

/// Which values an attribute can have: from `least` to `most`, in nanoseconds if it is a time.
struct AttributeChecker
{
    AttributeValue::Kind kind;
    double least{-std::numeric_limits<double>::infinity()};
    double most{std::numeric_limits<double>::infinity()};
};

template <class... M>
auto
MakeBooleanAccessor(M... m)
{
    return MakeAccessor(m...);
}

template <class... M>
auto
MakeIntegerAccessor(M... m)
{
    return MakeAccessor(m...);
}

template <class... M>
auto
MakeUintegerAccessor(M... m)
{
    return MakeAccessor(m...);
}

template <class... M>
auto
MakeDoubleAccessor(M... m)
{
    return MakeAccessor(m...);
}

template <class... M>
auto
MakeTimeAccessor(M... m)
{
    return MakeAccessor(m...);
}

inline AttributeChecker
MakeBooleanChecker()
{
    return {AttributeValue::BOOLEAN};
}

template <class T = int64_t>
AttributeChecker
MakeIntegerChecker(int64_t least = std::numeric_limits<T>::min(),
                   int64_t most = std::numeric_limits<T>::max())
{
    return {AttributeValue::INTEGER, static_cast<double>(least), static_cast<double>(most)};
}

template <class T = uint64_t>
AttributeChecker
MakeUintegerChecker(uint64_t least = 0, uint64_t most = std::numeric_limits<T>::max())
{
    return {AttributeValue::UINTEGER, static_cast<double>(least), static_cast<double>(most)};
}

template <class T = double>
AttributeChecker
MakeDoubleChecker(double least = -std::numeric_limits<T>::max(),
                  double most = std::numeric_limits<T>::max())
{
    return {AttributeValue::DOUBLE, least, most};
}

inline AttributeChecker
MakeTimeChecker(Time least = Time::Min(), Time most = Time::Max())
{
    return {AttributeValue::TIME, least.GetDouble(), most.GetDouble()};
}

} // namespace ns3

#endif
