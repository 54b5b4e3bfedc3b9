// SPDX-License-Identifier: GPL-2.0-only
//
// Pointers that count: the last one deletes what it points to.

#ifndef LONGFAT_STANDIN_PTR_H
#define LONGFAT_STANDIN_PTR_H

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ns3
{

/// What a Ptr can point to.
class SimpleRefCount
{
  public:
    SimpleRefCount() = default;

    SimpleRefCount(const SimpleRefCount&)
    {
    }

    SimpleRefCount& operator=(const SimpleRefCount&)
    {
        return *this;
    }

    virtual ~SimpleRefCount() = default;

    void Ref() const
    {
        ++m_count;
    }

    void Unref() const
    {
        if (--m_count == 0)
        {
            delete this;
        }
    }

  private:
    mutable uint32_t m_count{0};
};

template <class T>
class Ptr
{
  public:
    Ptr() = default;

    Ptr(std::nullptr_t)
    {
    }

    Ptr(T* object)
        : m_object(object)
    {
        Acquire();
    }

    Ptr(const Ptr& other)
        : m_object(other.m_object)
    {
        Acquire();
    }

    Ptr(Ptr&& other) noexcept
        : m_object(std::exchange(other.m_object, nullptr))
    {
    }

    template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
    Ptr(const Ptr<U>& other)
        : m_object(other.Peek())
    {
        Acquire();
    }

    Ptr& operator=(Ptr other) noexcept
    {
        std::swap(m_object, other.m_object);
        return *this;
    }

    ~Ptr()
    {
        if (m_object)
        {
            m_object->Unref();
        }
    }

    T* operator->() const
    {
        return m_object;
    }

    T& operator*() const
    {
        return *m_object;
    }

    explicit operator bool() const
    {
        return m_object != nullptr;
    }

    T* Peek() const
    {
        return m_object;
    }

    template <class U>
    friend bool operator==(const Ptr& a, const Ptr<U>& b)
    {
        return a.m_object == b.Peek();
    }

    friend bool operator==(const Ptr& a, std::nullptr_t)
    {
        return a.m_object == nullptr;
    }

  private:
    void Acquire()
    {
        if (m_object)
        {
            m_object->Ref();
        }
    }

    T* m_object{nullptr};
};

template <class T>
T*
PeekPointer(const Ptr<T>& pointer)
{
    return pointer.Peek();
}

template <class T, class U>
Ptr<T>
DynamicCast(const Ptr<U>& pointer)
{
    return Ptr<T>(dynamic_cast<T*>(pointer.Peek()));
}

template <class T, class... Args>
Ptr<T>
Create(Args&&... args)
{
    return Ptr<T>(new T(std::forward<Args>(args)...));
}

} // namespace ns3

#endif
