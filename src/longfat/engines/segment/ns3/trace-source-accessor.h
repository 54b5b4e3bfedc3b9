// SPDX-License-Identifier: GPL-2.0-only
//
// How a traced value is found by its name.

#ifndef LONGFAT_STANDIN_TRACE_SOURCE_ACCESSOR_H
#define LONGFAT_STANDIN_TRACE_SOURCE_ACCESSOR_H

#include "traced-value.h"

#include <type_traits>

namespace ns3
{

class ObjectBase;

class TraceSourceAccessor
{
  public:
    /// The value, if it is a number, else null.
    virtual TracedValue<double>* Find(ObjectBase* object) const = 0;

  protected:
    ~TraceSourceAccessor() = default;
};

template <class T, class Source>
class MemberTraceSource final : public TraceSourceAccessor
{
  public:
    explicit MemberTraceSource(Source T::* member)
        : m_member(member)
    {
    }

    TracedValue<double>* Find(ObjectBase* object) const override
    {
        if constexpr (std::is_same_v<Source, TracedValue<double>>)
        {
            return &(static_cast<T*>(object)->*m_member);
        }
        else
        {
            return nullptr;
        }
    }

  private:
    Source T::* m_member;
};

template <class T, class Source>
const TraceSourceAccessor*
MakeTraceSourceAccessor(Source T::* member)
{
    return new MemberTraceSource<T, Source>(member);
}

} // namespace ns3

#endif
