// SPDX-License-Identifier: GPL-2.0-only
//
// What a class says of itself: name, parent, how to make one, attributes, trace sources. It is said
// once, when the class is loaded, and then stays as it is.

#ifndef LONGFAT_STANDIN_TYPE_ID_H
#define LONGFAT_STANDIN_TYPE_ID_H

#include "attribute.h"
#include "trace-source-accessor.h"

#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

class TypeId
{
  public:
    struct AttributeInformation
    {
        std::string name;
        AttributeValue initialValue;
        const AttributeAccessor* accessor;
        AttributeChecker checker;
    };

    struct TraceSourceInformation
    {
        std::string name;
        const TraceSourceAccessor* accessor;
    };

    enum SupportLevel
    {
        SUPPORTED,
        DEPRECATED,
        OBSOLETE,
    };

    TypeId() = default;

    explicit TypeId(const char* name)
        : m_class(new Class(name))
    {
        All().push_back(m_class);
    }

    /// False where there is no such class.
    static bool LookupByNameFailSafe(const std::string& name, TypeId* found)
    {
        for (Class* known : All())
        {
            if (known->name == name)
            {
                found->m_class = known;
                return true;
            }
        }
        return false;
    }

    template <class T>
    TypeId SetParent()
    {
        m_class->parent = T::GetTypeId().m_class;
        return *this;
    }

    TypeId SetGroupName(const std::string&)
    {
        return *this;
    }

    template <class T>
    TypeId AddConstructor()
    {
        m_class->make = [](TypeId self) -> ObjectBase* { return T::Construct(new T, self); };
        return *this;
    }

    TypeId AddAttribute(const std::string& name,
                        const std::string&,
                        const AttributeValue& initialValue,
                        const AttributeAccessor* accessor,
                        const AttributeChecker& checker,
                        SupportLevel = SUPPORTED,
                        const std::string& = "")
    {
        m_class->attributes.push_back({name, initialValue, accessor, checker});
        return *this;
    }

    TypeId AddTraceSource(const std::string& name,
                          const std::string&,
                          const TraceSourceAccessor* accessor,
                          const std::string& = "",
                          SupportLevel = SUPPORTED,
                          const std::string& = "")
    {
        m_class->traceSources.push_back({name, accessor});
        return *this;
    }

    const std::string& GetName() const
    {
        return m_class->name;
    }

    bool HasParent() const
    {
        return m_class->parent != nullptr;
    }

    TypeId GetParent() const
    {
        TypeId parent;
        parent.m_class = m_class->parent;
        return parent;
    }

    bool HasConstructor() const
    {
        return m_class->make != nullptr;
    }

    ObjectBase* Make() const
    {
        return m_class->make(*this);
    }

    const std::vector<AttributeInformation>& Attributes() const
    {
        return m_class->attributes;
    }

    /// The attribute of that name, of the class or of a parent, or null.
    const AttributeInformation* LookupAttribute(const std::string& name) const
    {
        for (const Class* own = m_class; own; own = own->parent)
        {
            for (const AttributeInformation& attribute : own->attributes)
            {
                if (attribute.name == name)
                {
                    return &attribute;
                }
            }
        }
        return nullptr;
    }

    /// The trace source of that name, of the class or of a parent, or null.
    const TraceSourceAccessor* LookupTraceSourceByName(const std::string& name) const
    {
        for (const Class* own = m_class; own; own = own->parent)
        {
            for (const TraceSourceInformation& source : own->traceSources)
            {
                if (source.name == name)
                {
                    return source.accessor;
                }
            }
        }
        return nullptr;
    }

  private:
    struct Class
    {
        explicit Class(const char* name)
            : name(name)
        {
        }

        std::string name;
        Class* parent{nullptr};
        ObjectBase* (*make)(TypeId){nullptr};
        std::vector<AttributeInformation> attributes;
        std::vector<TraceSourceInformation> traceSources;
    };

    static std::vector<Class*>& All()
    {
        static auto* all = new std::vector<Class*>;
        return *all;
    }

    Class* m_class{nullptr};
};

} // namespace ns3

#endif
