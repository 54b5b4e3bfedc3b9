// SPDX-License-Identifier: GPL-2.0-only
//
// Objects that know their class and begin with the values of its attributes.

#ifndef LONGFAT_STANDIN_OBJECT_H
#define LONGFAT_STANDIN_OBJECT_H

#include "ptr.h"
#include "type-id.h"

#include <utility>

namespace ns3
{

class ObjectBase : public SimpleRefCount
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ObjectBase");
        return tid;
    }

    virtual TypeId GetInstanceTypeId() const
    {
        return m_class;
    }

    void SetAttribute(const std::string& name, const AttributeValue& value)
    {
        m_class.LookupAttribute(name)->accessor->Set(this, value);
    }

    /// The value as AttributeValue reads it from text.
    void SetAttribute(const std::string& name, const std::string& value)
    {
        SetAttribute(name, AttributeValue(m_class.LookupAttribute(name)->checker.kind, value));
    }

    /// A new object becomes one of that class, with the initial values of its attributes.
    template <class T>
    static T* Construct(T* object, TypeId own)
    {
        object->m_class = own;
        for (TypeId tid = own;; tid = tid.GetParent())
        {
            for (const TypeId::AttributeInformation& attribute : tid.Attributes())
            {
                attribute.accessor->Set(object, attribute.initialValue);
            }
            if (!tid.HasParent())
            {
                return object;
            }
        }
    }

  private:
    TypeId m_class;
};

class Object : public ObjectBase
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::Object").SetParent<ObjectBase>();
        return tid;
    }
};

template <class T, class... Args>
Ptr<T>
CreateObject(Args&&... args)
{
    return Ptr<T>(ObjectBase::Construct(new T(std::forward<Args>(args)...), T::GetTypeId()));
}

template <class T>
Ptr<T>
CopyObject(Ptr<const T> object)
{
    return Ptr<T>(new T(*PeekPointer(object)));
}

template <class T>
Ptr<T>
CopyObject(Ptr<T> object)
{
    return Ptr<T>(new T(*PeekPointer(object)));
}

template <class T>
Ptr<T>
CopyObject(const T* object)
{
    return Ptr<T>(new T(*object));
}

} // namespace ns3

/// The class is known by its name as soon as its header is loaded.
#define NS_OBJECT_ENSURE_REGISTERED(type)                                                          \
    [[maybe_unused]] static const ns3::TypeId g_typeIdOf##type = type::GetTypeId()

#define NS_OBJECT_TEMPLATE_CLASS_DEFINE(type, parameter) template class type<parameter>

#endif
