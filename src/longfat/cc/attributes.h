// SPDX-License-Identifier: GPL-2.0-only
//
// The ns-3 attributes of a class of ours, each with its default and its range said once:
//
//     static ns3::TypeId tid = Attributes<TcpMine, TcpStandard>("longfat::TcpMine")
//                                  .AddAttribute("Gain", "a gain", Number(&TcpMine::m_gain, 0.5, 0.0, 1.0))
//                                  .AddAttribute("Pace", "paced", Switch(&TcpMine::m_pace, true));
//
// The catalogue reads these lines. Numbers are literals of the member's type, which the compiler sees to:
// 2.0 for a double, 2u for a uint32_t, ns3::Seconds(2) for a time.

#ifndef LONGFAT_ATTRIBUTES_H
#define LONGFAT_ATTRIBUTES_H

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <string>

namespace longfat
{

/// A number or a time that a member holds, from `least` to `most`.
template <typename Owner, typename Value>
struct Number
{
    Number(Value Owner::* member, Value initial, Value least, Value most)
        : place(member),
          initially(initial),
          minimum(least),
          maximum(most)
    {
    }

    Value Owner::* place;
    Value initially;
    Value minimum;
    Value maximum;
};

/// What is true or false.
template <typename Owner>
struct Switch
{
    Switch(bool Owner::* member, bool initial)
        : place(member),
          initially(initial)
    {
    }

    bool Owner::* place;
    bool initially;
};

/// A class that can be made by its type's name, and its parent.
template <typename Class, typename Parent>
class Attributes
{
    using Text = std::string;

  public:
    explicit Attributes(const char* name)
        : m_type(ns3::TypeId(name).SetParent<Parent>().template AddConstructor<Class>())
    {
    }

    template <typename Owner>
    Attributes& AddAttribute(const Text& name, const Text& help, Number<Owner, double> number)
    {
        m_type.AddAttribute(name,
                            help,
                            ns3::DoubleValue(number.initially),
                            ns3::MakeDoubleAccessor(number.place),
                            ns3::MakeDoubleChecker<double>(number.minimum, number.maximum));
        return *this;
    }

    template <typename Owner>
    Attributes& AddAttribute(const Text& name, const Text& help, Number<Owner, uint32_t> number)
    {
        m_type.AddAttribute(name,
                            help,
                            ns3::UintegerValue(number.initially),
                            ns3::MakeUintegerAccessor(number.place),
                            ns3::MakeUintegerChecker<uint32_t>(number.minimum, number.maximum));
        return *this;
    }

    template <typename Owner>
    Attributes& AddAttribute(const Text& name, const Text& help, Number<Owner, ns3::Time> time)
    {
        m_type.AddAttribute(name,
                            help,
                            ns3::TimeValue(time.initially),
                            ns3::MakeTimeAccessor(time.place),
                            ns3::MakeTimeChecker(time.minimum, time.maximum));
        return *this;
    }

    template <typename Owner>
    Attributes& AddAttribute(const Text& name, const Text& help, Switch<Owner> which)
    {
        m_type.AddAttribute(name,
                            help,
                            ns3::BooleanValue(which.initially),
                            ns3::MakeBooleanAccessor(which.place),
                            ns3::MakeBooleanChecker());
        return *this;
    }

    operator ns3::TypeId() const
    {
        return m_type;
    }

  private:
    ns3::TypeId m_type;
};

} // namespace longfat

#endif
