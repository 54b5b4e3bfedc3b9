// SPDX-License-Identifier: GPL-2.0-only
//
// Which event is next, for ns-3 3.44: priority-queue-scheduler.cc, default-simulator-impl.cc,
// event-id.cc and event-impl.cc.
//
// An event on a link comes a fixed time after it is scheduled: the time that a packet takes to be
// sent, or to arrive. So nearly every new event is either one of the next few, which stand in a row,
// or later than all others of its kind. Those stand in lanes, of which only the fronts have to be
// compared, where a heap of a thousand (packets on their way, timers long cancelled) moves ten for
// each that comes or goes. What fits no lane goes to a heap. Events come in the same order as ever:
// by time, then by number.

#include "ns3/assert.h"
#include "ns3/default-simulator-impl.h"
#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/global-value.h"
#include "ns3/priority-queue-scheduler.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <mutex>
#include <queue>
#include <thread>
#include <unordered_map>
#include <vector>

namespace
{

using Event = ns3::Scheduler::Event;
using Key = ns3::Scheduler::EventKey;

constexpr Key NO_TIME_BEFORE{0, 0, 0};
constexpr Key NEVER{std::numeric_limits<uint64_t>::max(), std::numeric_limits<uint32_t>::max(), 0};

/// Events of which each is later than the one before.
class Lane
{
  public:
    const Key& First() const
    {
        return m_first;
    }

    bool Takes(const Key& key) const
    {
        return m_last < key;
    }

    void Push(const Event& event)
    {
        if (m_size == m_ring.size())
        {
            std::rotate(m_ring.begin(), m_ring.begin() + m_head, m_ring.end());
            m_head = 0;
            m_ring.resize(std::max<std::size_t>(64, 2 * m_ring.size()));
        }
        At(m_size) = event;
        if (m_size++ == 0)
        {
            m_first = event.key;
        }
        m_last = event.key;
    }

    Event Pop()
    {
        const Event first = m_ring[m_head];
        m_head = (m_head + 1) & (m_ring.size() - 1);
        --m_size;
        SetEnds();
        return first;
    }

    const Event& Peek() const
    {
        return m_ring[m_head];
    }

    bool Remove(const Event& event)
    {
        for (std::size_t i = 0; i < m_size; ++i)
        {
            if (At(i) == event)
            {
                for (--m_size; i < m_size; ++i)
                {
                    At(i) = At(i + 1);
                }
                SetEnds();
                return true;
            }
        }
        return false;
    }

  private:
    Event& At(std::size_t i)
    {
        return m_ring[(m_head + i) & (m_ring.size() - 1)];
    }

    void SetEnds()
    {
        m_first = m_size > 0 ? At(0).key : NEVER;
        m_last = m_size > 0 ? At(m_size - 1).key : NO_TIME_BEFORE;
    }

    Key m_first{NEVER};
    Key m_last{NO_TIME_BEFORE};
    std::vector<Event> m_ring; //!< as many as a power of two
    std::size_t m_head{0};
    std::size_t m_size{0};
};

/// The events of a scheduler: a few that are next, in order; and all later ones, in lanes.
class Due
{
  public:
    bool IsEmpty() const
    {
        return m_soonSize == 0 && m_firstLater == NEVER;
    }

    void Insert(const Event& event)
    {
        if (m_firstLater < event.key)
        {
            InsertLater(event);
            return;
        }
        std::size_t place = m_soonSize++;
        for (; place > 0 && m_soon[place - 1].key < event.key; --place)
        {
            m_soon[place] = m_soon[place - 1];
        }
        m_soon[place] = event;
        if (m_soonSize > MOST_SOON)
        {
            InsertLater(m_soon.front());
            std::copy_n(m_soon.begin() + 1, --m_soonSize, m_soon.begin());
        }
    }

    Event PeekNext() const
    {
        return m_soonSize > 0 ? m_soon[m_soonSize - 1] : m_next ? m_next->Peek() : m_others.top();
    }

    Event RemoveNext()
    {
        if (m_soonSize == 0)
        {
            FillSoon();
        }
        return m_soon[--m_soonSize];
    }

    void Remove(const Event& event)
    {
        const auto soonEnd = m_soon.begin() + m_soonSize;
        const auto place = std::find(m_soon.begin(), soonEnd, event);
        if (place != soonEnd)
        {
            std::copy(place + 1, soonEnd, place);
            --m_soonSize;
        }
        else
        {
            std::any_of(m_lanes.begin(), m_lanes.end(), [&event](Lane& lane) {
                return lane.Remove(event);
            }) || m_others.Remove(event);
            FindFirstLater();
        }
    }

  private:
    static constexpr std::size_t MOST_SOON = 16;

    class Heap : public std::priority_queue<Event, std::vector<Event>, std::greater<>>
    {
      public:
        bool Remove(const Event& event)
        {
            const bool found = std::erase(c, event) > 0;
            std::make_heap(c.begin(), c.end(), comp);
            return found;
        }
    };

    void InsertLater(const Event& event)
    {
        Lane* lane = std::find_if(m_lanes.begin(), m_lanes.end(), [&event](const Lane& lane) {
            return lane.Takes(event.key);
        });
        if (lane != m_lanes.end())
        {
            lane->Push(event);
        }
        else
        {
            lane = nullptr;
            m_others.push(event);
        }
        if (event.key < m_firstLater)
        {
            m_firstLater = event.key;
            m_next = lane;
        }
    }

    /// The row is empty: move the next events there.
    void FillSoon()
    {
        for (; m_soonSize < MOST_SOON / 2 && m_firstLater < NEVER; FindFirstLater())
        {
            if (m_next)
            {
                m_soon[m_soonSize++] = m_next->Pop();
            }
            else
            {
                m_soon[m_soonSize++] = m_others.top();
                m_others.pop();
            }
        }
        std::reverse(m_soon.begin(), m_soon.begin() + m_soonSize);
    }

    void FindFirstLater()
    {
        m_next = std::min_element(
            m_lanes.begin(), m_lanes.end(), [](const Lane& a, const Lane& b) {
                return a.First() < b.First();
            });
        m_firstLater = m_next->First();
        if (!m_others.empty() && m_others.top().key < m_firstLater)
        {
            m_firstLater = m_others.top().key;
            m_next = nullptr;
        }
    }

    std::array<Event, MOST_SOON + 1> m_soon; //!< the next ones, the latest first
    std::size_t m_soonSize{0};
    std::array<Lane, 6> m_lanes;
    Heap m_others;
    Key m_firstLater{NEVER}; //!< in the lanes and the heap
    Lane* m_next{nullptr};   //!< has the first of them; none: the heap
};

/// The scheduler that was asked for last, and its events: there is one at a time.
const ns3::Scheduler* g_scheduler = nullptr;
Due* g_due = nullptr;

__attribute__((noinline)) void
Switch(const ns3::PriorityQueueScheduler* scheduler)
{
    static auto& all = *new std::unordered_map<const ns3::PriorityQueueScheduler*, Due>;
    g_scheduler = scheduler;
    g_due = &all[scheduler];
}

/// The events of this scheduler: ns-3's own member stays empty. A scheduler has none when it is new,
/// and none when it goes, so that the next at its address finds none.
Due&
DueOf(const ns3::PriorityQueueScheduler* scheduler)
{
    if (scheduler != g_scheduler)
    {
        Switch(scheduler);
    }
    return *g_due;
}

// The simulator's questions to its scheduler, answered without a detour if it is that one.

bool
HasEvents(ns3::Scheduler& scheduler)
{
    return &scheduler == g_scheduler ? !g_due->IsEmpty() : !scheduler.IsEmpty();
}

void
Insert(ns3::Scheduler& scheduler, const Event& event)
{
    &scheduler == g_scheduler ? g_due->Insert(event) : scheduler.Insert(event);
}

Event
RemoveNext(ns3::Scheduler& scheduler)
{
    return &scheduler == g_scheduler ? g_due->RemoveNext() : scheduler.RemoveNext();
}

} // namespace

namespace ns3
{

/// Events are in order of time and number, whatever the scheduler: this one is the fastest.
static const bool g_isBound =
    GlobalValue::BindFailSafe("SchedulerType", StringValue("ns3::PriorityQueueScheduler"));

void
PriorityQueueScheduler::Insert(const Event& event)
{
    DueOf(this).Insert(event);
}

bool
PriorityQueueScheduler::IsEmpty() const
{
    return DueOf(this).IsEmpty();
}

Scheduler::Event
PriorityQueueScheduler::PeekNext() const
{
    return DueOf(this).PeekNext();
}

Scheduler::Event
PriorityQueueScheduler::RemoveNext()
{
    return DueOf(this).RemoveNext();
}

void
PriorityQueueScheduler::Remove(const Event& event)
{
    DueOf(this).Remove(event);
}

void
EventImpl::Invoke()
{
    if (!m_cancel)
    {
        Notify();
    }
}

bool
EventImpl::IsCancelled()
{
    return m_cancel;
}

EventId::EventId(const Ptr<EventImpl>& impl, uint64_t ts, uint32_t context, uint32_t uid)
    : m_eventImpl(impl),
      m_ts(ts),
      m_context(context),
      m_uid(uid)
{
}

EventImpl*
EventId::PeekEventImpl() const
{
    return PeekPointer(m_eventImpl);
}

uint64_t
EventId::GetTs() const
{
    return m_ts;
}

uint32_t
EventId::GetUid() const
{
    return m_uid;
}

bool
EventId::IsExpired() const
{
    return Simulator::IsExpired(*this);
}

bool
EventId::IsPending() const
{
    return !IsExpired();
}

bool
DefaultSimulatorImpl::IsExpired(const EventId& id) const
{
    EventImpl* event = id.PeekEventImpl();
    if (event == nullptr || event->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == EventId::UID::DESTROY)
    {
        return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) ==
               m_destroyEvents.end();
    }
    return id.GetTs() < m_currentTs || (id.GetTs() == m_currentTs && id.GetUid() <= m_currentUid);
}

EventId
DefaultSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(m_mainThreadId == std::this_thread::get_id(),
                  "Simulator::Schedule Thread-unsafe invocation!");
    NS_ASSERT_MSG(delay.IsPositive(), "DefaultSimulatorImpl::Schedule(): Negative delay");
    const uint64_t ts = m_currentTs + delay.GetTimeStep();
    const uint32_t uid = m_uid++;
    ++m_unscheduledEvents;
    ::Insert(*PeekPointer(m_events), {event, {ts, uid, m_currentContext}});
    return EventId(event, ts, m_currentContext, uid);
}

void
DefaultSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    if (m_mainThreadId == std::this_thread::get_id())
    {
        ++m_unscheduledEvents;
        ::Insert(*PeekPointer(m_events), {event, {m_currentTs + delay.GetTimeStep(), m_uid++, context}});
        return;
    }
    std::unique_lock lock{m_eventsWithContextMutex};
    m_eventsWithContext.push_back({context, uint64_t(delay.GetTimeStep()), event});
    m_eventsWithContextEmpty = false;
}

void
DefaultSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    const auto scheduler = schedulerFactory.Create<Scheduler>();
    while (m_events && !m_events->IsEmpty())
    {
        scheduler->Insert(m_events->RemoveNext());
    }
    g_scheduler = nullptr; // the old one goes, and the next at its address may be of another kind
    m_events = scheduler;
}

void
DefaultSimulatorImpl::Run()
{
    m_mainThreadId = std::this_thread::get_id();
    ProcessEventsWithContext();
    m_stop = false;
    while (!m_stop && HasEvents(*PeekPointer(m_events)))
    {
        ProcessOneEvent();
    }
    NS_ASSERT(m_stop || m_unscheduledEvents == 0);
}

void
DefaultSimulatorImpl::ProcessOneEvent()
{
    // ns-3 also makes an EventId for its hook before events, which does nothing in this class.
    const Scheduler::Event next = ::RemoveNext(*PeekPointer(m_events));
    NS_ASSERT(next.key.m_ts >= m_currentTs);
    --m_unscheduledEvents;
    ++m_eventCount;
    m_currentTs = next.key.m_ts;
    m_currentContext = next.key.m_context;
    m_currentUid = next.key.m_uid;
    next.impl->Invoke();
    next.impl->Unref();
    if (!m_eventsWithContextEmpty)
    {
        ProcessEventsWithContext();
    }
}

} // namespace ns3
