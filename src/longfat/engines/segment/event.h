// SPDX-License-Identifier: GPL-2.0-only
//
// Simulated time, and what happens when: the queue of events, timers, and the ring in which packets
// wait for theirs.
//
// Events of one nanosecond come in the order in which ns-3 would have scheduled them. An event can be
// put into the queue later than that (a link puts in the arrival of its first packet alone), so that
// the moment at which ns-3 would have scheduled it is a part of its key.

#ifndef LONGFAT_SEGMENT_EVENT_H
#define LONGFAT_SEGMENT_EVENT_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <vector>

namespace longfat::segment
{

using Ticks = int64_t; //!< simulated time, nanoseconds

constexpr Ticks NEVER = std::numeric_limits<Ticks>::max();

inline Ticks
FromSeconds(double seconds)
{
    return ns3::Seconds(seconds).GetTimeStep();
}

inline double
ToSeconds(Ticks time)
{
    return ns3::Time(time).GetSeconds();
}

/// When an event comes.
struct Key
{
    Ticks time;
    Ticks scheduled; //!< when ns-3 would have scheduled it
    uint64_t number; //!< of those of one moment

    bool operator<(const Key& other) const
    {
        if (time != other.time) [[likely]]
        {
            return time < other.time;
        }
        return scheduled != other.scheduled ? scheduled < other.scheduled : number < other.number;
    }

    bool operator==(const Key&) const = default;
};

/// Something that happens again and again, and waits for at most one time at once.
class Event
{
  public:
    using Action = void (*)(void* owner);

    Event(Action action, void* owner)
        : m_action(action),
          m_owner(owner)
    {
    }

    Event(const Event&) = delete;

  private:
    friend class EventQueue;

    static constexpr std::size_t NOWHERE = -1;

    Action m_action;
    void* m_owner;
    std::size_t m_place{NOWHERE}; //!< in the queue
};

/// The action that calls a method of the owner.
template <class Owner, void (Owner::*METHOD)()>
void
CallMethod(void* owner)
{
    (static_cast<Owner*>(owner)->*METHOD)();
}

/// The events of a simulation, and its clock. A heap: nearly all that happens on a link is followed
/// by the next of the same, which takes its place at the top and stays near it.
class EventQueue
{
  public:
    explicit EventQueue(uint64_t run)
    {
        state.run = run;
    }

    EventQueue(const EventQueue&) = delete;

    Ticks Now() const
    {
        return state.now;
    }

    /// When ns-3 would have scheduled what happens now.
    Ticks Scheduled() const
    {
        return m_scheduled;
    }

    uint64_t NextNumber()
    {
        return m_number++;
    }

    /// The key of what is scheduled now.
    Key KeyAt(Ticks time)
    {
        return {time, state.now, NextNumber()};
    }

    /// The event comes then, instead of when it would have come.
    void Schedule(Event& event, const Key& key)
    {
        std::size_t place = event.m_place;
        if (place == Event::NOWHERE)
        {
            m_heap.push_back({key, &event});
            Rise(m_heap.size() - 1, key, &event);
            return;
        }
        m_running = &event == m_running ? nullptr : m_running;
        if (key < m_heap[place].key)
        {
            Rise(place, key, &event);
        }
        else
        {
            Sink(place, key, &event);
        }
    }

    void Cancel(Event& event)
    {
        if (event.m_place == Event::NOWHERE)
        {
            return;
        }
        const std::size_t place = event.m_place;
        event.m_place = Event::NOWHERE;
        m_running = &event == m_running ? nullptr : m_running;
        const Entry last = m_heap.back();
        m_heap.pop_back();
        if (place == m_heap.size())
        {
            return;
        }
        if (place > 0 && last.key < m_heap[(place - 1) / 2].key)
        {
            Rise(place, last.key, last.event);
        }
        else
        {
            Sink(place, last.key, last.event);
        }
    }

    bool IsWaiting(const Event& event) const
    {
        return event.m_place != Event::NOWHERE && &event != m_running;
    }

    const Key& KeyOf(const Event& event) const
    {
        return m_heap[event.m_place].key;
    }

    /// Do that once, at that time.
    void At(Ticks time, std::function<void()> action)
    {
        Once& once = m_once.emplace_back(std::move(action));
        Schedule(once.event, KeyAt(time));
    }

    /// Run so many events, or until something ends it, or until the next one is later than `until`.
    void Run(Ticks until, uint64_t most)
    {
        while (!m_ended && most-- > 0 && !m_heap.empty() && m_heap.front().key.time <= until)
        {
            const Entry& first = m_heap.front();
            state.now = first.key.time;
            m_scheduled = first.key.scheduled;
            m_running = first.event;
            ++m_count;
            m_running->m_action(m_running->m_owner);
            if (m_running) // it has not been scheduled again
            {
                Cancel(*m_running);
            }
        }
    }

    void End()
    {
        m_ended = true;
    }

    bool HasEnded() const
    {
        return m_ended;
    }

    /// How many events there have been.
    uint64_t Count() const
    {
        return m_count;
    }

    ns3::SimulatorState state; //!< the clock, as congestion controls see it

  private:
    struct Entry
    {
        Key key;
        Event* event;
    };

    struct Once
    {
        explicit Once(std::function<void()> action)
            : event(&CallMethod<Once, &Once::Do>, this),
              action(std::move(action))
        {
        }

        void Do()
        {
            action();
        }

        Event event;
        std::function<void()> action;
    };

    void Put(std::size_t place, const Key& key, Event* event)
    {
        m_heap[place] = {key, event};
        event->m_place = place;
    }

    void Rise(std::size_t place, const Key key, Event* event)
    {
        while (place > 0)
        {
            const std::size_t parent = (place - 1) / 2;
            if (!(key < m_heap[parent].key))
            {
                break;
            }
            Put(place, m_heap[parent].key, m_heap[parent].event);
            place = parent;
        }
        Put(place, key, event);
    }

    void Sink(std::size_t place, const Key key, Event* event)
    {
        for (std::size_t child = 2 * place + 1; child < m_heap.size(); child = 2 * place + 1)
        {
            if (child + 1 < m_heap.size() && m_heap[child + 1].key < m_heap[child].key)
            {
                ++child;
            }
            if (!(m_heap[child].key < key))
            {
                break;
            }
            Put(place, m_heap[child].key, m_heap[child].event);
            place = child;
        }
        Put(place, key, event);
    }

    std::vector<Entry> m_heap;
    std::deque<Once> m_once;
    Event* m_running{nullptr}; //!< stays at the top until it has been scheduled again or is over
    Ticks m_scheduled{0};
    uint64_t m_number{0};
    uint64_t m_count{0};
    bool m_ended{false};
};

/// A timer that is set, set again or stopped at no cost: nearly always before it expires. Its event
/// stays in the queue and, when it comes too early, goes on to the time that then holds.
template <class Owner, void (Owner::*EXPIRED)()>
class Timer
{
  public:
    Timer(EventQueue& events, Owner* owner)
        : m_events(events),
          m_owner(owner),
          m_event(&CallMethod<Timer, &Timer::OnWake>, this)
    {
    }

    Timer(const Timer&) = delete;

    void Set(Ticks delay)
    {
        m_key = m_events.KeyAt(m_events.Now() + delay);
        if (!m_events.IsWaiting(m_event) || m_key < m_events.KeyOf(m_event))
        {
            m_events.Schedule(m_event, m_key);
        }
    }

    void Stop()
    {
        m_key.time = NEVER;
    }

    bool IsRunning() const
    {
        return m_key.time != NEVER;
    }

  private:
    void OnWake()
    {
        if (m_key == m_events.KeyOf(m_event))
        {
            m_key.time = NEVER;
            (m_owner->*EXPIRED)();
        }
        else if (m_key.time != NEVER)
        {
            m_events.Schedule(m_event, m_key);
        }
    }

    EventQueue& m_events;
    Owner* m_owner;
    Key m_key{NEVER, 0, 0}; //!< when it expires
    Event m_event;
};

/// A queue that grows by doubling and never shrinks: no allocation once a run is under way.
template <class T>
class Ring
{
  public:
    std::size_t Size() const
    {
        return m_size;
    }

    bool Empty() const
    {
        return m_size == 0;
    }

    T& operator[](std::size_t i)
    {
        return m_items[(m_first + i) & m_mask];
    }

    const T& operator[](std::size_t i) const
    {
        return m_items[(m_first + i) & m_mask];
    }

    T& Front()
    {
        return m_items[m_first];
    }

    T& Back()
    {
        return (*this)[m_size - 1];
    }

    /// Room for one more item at the end; what is there is old.
    T& Push()
    {
        if (m_size > m_mask)
        {
            Grow();
        }
        return (*this)[m_size++];
    }

    void Pop()
    {
        m_first = (m_first + 1) & m_mask;
        --m_size;
    }

#ifdef LONGFAT_PROBES
    void PopBack()
    {
        --m_size;
    }

#endif
  private:
    void Grow()
    {
        std::vector<T> items(2 * m_items.size());
        for (std::size_t i = 0; i < m_size; ++i)
        {
            items[i] = (*this)[i];
        }
        m_items.swap(items);
        m_mask = m_items.size() - 1;
        m_first = 0;
    }

    std::vector<T> m_items = std::vector<T>(16); //!< as many as a power of two
    std::size_t m_mask{15};                      //!< how many, less one
    std::size_t m_first{0};
    std::size_t m_size{0};
};

} // namespace longfat::segment

#endif
