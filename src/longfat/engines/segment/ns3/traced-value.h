// SPDX-License-Identifier: GPL-2.0-only
//
// A value that tells one listener when it changes.

#ifndef LONGFAT_STANDIN_TRACED_VALUE_H
#define LONGFAT_STANDIN_TRACED_VALUE_H

#include <utility>

namespace ns3
{

/// Hears of every new value.
template <class T>
class TracedListener
{
  public:
    virtual void OnChange(const T& now) = 0;

  protected:
    ~TracedListener() = default;
};

template <class T>
class TracedValue
{
  public:
    TracedValue() = default;

    TracedValue(const T& value)
        : m_value(value)
    {
    }

    /// The value alone: a copy has no listener.
    TracedValue(const TracedValue& other)
        : m_value(other.m_value)
    {
    }

    template <class U>
    TracedValue(const TracedValue<U>& other)
        : m_value(other.Get())
    {
    }

    template <class U>
    TracedValue(const U& value)
        : m_value(static_cast<T>(value))
    {
    }

    TracedValue& operator=(const TracedValue& other)
    {
        Set(other.m_value);
        return *this;
    }

    operator T() const
    {
        return m_value;
    }

    const T& Get() const
    {
        return m_value;
    }

    void Set(const T& value)
    {
        if (m_value != value)
        {
            m_value = value;
            if (m_listener)
            {
                m_listener->OnChange(value);
            }
        }
    }

    void Listen(TracedListener<T>* listener)
    {
        m_listener = listener;
    }

    TracedValue& operator++()
    {
        T value = m_value;
        Set(++value);
        return *this;
    }

    TracedValue& operator--()
    {
        T value = m_value;
        Set(--value);
        return *this;
    }

    T operator++(int)
    {
        const T before = m_value;
        ++*this;
        return before;
    }

    T operator--(int)
    {
        const T before = m_value;
        --*this;
        return before;
    }

  private:
    T m_value{};
    TracedListener<T>* m_listener{nullptr};
};

// A traced value stands in an expression for the value.
#define LONGFAT_TRACED_BINARY(OPERATOR)                                                            \
    template <class T, class U>                                                                    \
    auto operator OPERATOR(const TracedValue<T>& a, const TracedValue<U>& b)                       \
    {                                                                                              \
        return a.Get() OPERATOR b.Get();                                                           \
    }                                                                                              \
    template <class T, class U>                                                                    \
    auto operator OPERATOR(const TracedValue<T>& a, const U& b)                                    \
    {                                                                                              \
        return a.Get() OPERATOR b;                                                                 \
    }                                                                                              \
    template <class T, class U>                                                                    \
    auto operator OPERATOR(const U& a, const TracedValue<T>& b)                                    \
    {                                                                                              \
        return a OPERATOR b.Get();                                                                 \
    }

#define LONGFAT_TRACED_ASSIGNMENT(OPERATOR)                                                        \
    template <class T, class U>                                                                    \
    TracedValue<T>& operator OPERATOR(TracedValue<T>& a, const U& b)                               \
    {                                                                                              \
        T value = a.Get();                                                                         \
        value OPERATOR b;                                                                          \
        a.Set(value);                                                                              \
        return a;                                                                                  \
    }

LONGFAT_TRACED_BINARY(==)
LONGFAT_TRACED_BINARY(!=)
LONGFAT_TRACED_BINARY(<)
LONGFAT_TRACED_BINARY(<=)
LONGFAT_TRACED_BINARY(>)
LONGFAT_TRACED_BINARY(>=)
LONGFAT_TRACED_BINARY(+)
LONGFAT_TRACED_BINARY(-)
LONGFAT_TRACED_BINARY(*)
LONGFAT_TRACED_BINARY(/)
LONGFAT_TRACED_BINARY(%)
LONGFAT_TRACED_ASSIGNMENT(+=)
LONGFAT_TRACED_ASSIGNMENT(-=)
LONGFAT_TRACED_ASSIGNMENT(*=)
LONGFAT_TRACED_ASSIGNMENT(/=)
LONGFAT_TRACED_ASSIGNMENT(%=)
#undef LONGFAT_TRACED_BINARY
#undef LONGFAT_TRACED_ASSIGNMENT

} // namespace ns3

#endif
