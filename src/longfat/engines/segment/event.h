// SPDX-License-Identifier: GPL-2.0-only
//
// Simulated time, and what happens when: the queue of events, timers, and the ring in which packets
// wait for theirs.
//
// Of two events of one nanosecond that comes first which was caused first. An event can be put into
// the queue later than its cause (a link puts in the arrival of its first packet alone), so that the
// time of its cause is a part of its key.

#ifndef LONGFAT_CORE_EVENT_H
#define LONGFAT_CORE_EVENT_H

#include "congestion-control.h"

#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace longfat::core
{

/// To the nearest nanosecond.
inline Time
from_seconds(double s)
{
    return static_cast<Time>(std::floor(s * 1e9 + 0.5));
}

/// The time after that delay; what is later than any scenario is not told apart.
constexpr Time
later(Time time, Time delay)
{
    constexpr Time LATEST = NEVER - 1;
    return time > LATEST - delay ? LATEST : time + delay;
}

/// When an event comes.
struct Key
{
    Time time;
    Time caused;     //!< when it became certain
    uint64_t number; //!< of those that one moment caused

    bool operator<(const Key& other) const
    {
        if (time != other.time) [[likely]]
        {
            return time < other.time;
        }
        return caused != other.caused ? caused < other.caused : number < other.number;
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
call(void* owner)
{
    (static_cast<Owner*>(owner)->*METHOD)();
}

/// The events of a simulation, and its clock: a heap. Nearly all that happens on a link is followed by
/// the next of the same, which takes its place at the top and stays near it.
class EventQueue
{
  public:
    EventQueue() = default;
    EventQueue(const EventQueue&) = delete;

    Time now() const
    {
        return m_now;
    }

    /// When what happens now was caused.
    Time caused() const
    {
        return m_caused;
    }

    uint64_t next_number()
    {
        return m_number++;
    }

    /// The key of what is caused now.
    Key key_at(Time time)
    {
        return {time, m_now, next_number()};
    }

    /// The event comes then, instead of when it would have come.
    void schedule(Event& event, const Key& key)
    {
        const std::size_t place = event.m_place;
        if (place == Event::NOWHERE)
        {
            m_heap.push_back({key, &event});
            rise(m_heap.size() - 1, key, &event);
            return;
        }
        m_running = &event == m_running ? nullptr : m_running;
        if (key < m_heap[place].key)
        {
            rise(place, key, &event);
        }
        else
        {
            sink(place, key, &event);
        }
    }

    void cancel(Event& event)
    {
        if (event.m_place == Event::NOWHERE)
        {
            return;
        }
        const std::size_t place = event.m_place;
        event.m_place = Event::NOWHERE;
        m_running = &event == m_running ? nullptr : m_running;
        const HeapEntry last = m_heap.back();
        m_heap.pop_back();
        if (place == m_heap.size())
        {
            return;
        }
        if (place > 0 && last.key < m_heap[(place - 1) / 2].key)
        {
            rise(place, last.key, last.event);
        }
        else
        {
            sink(place, last.key, last.event);
        }
    }

    bool is_waiting(const Event& event) const
    {
        return event.m_place != Event::NOWHERE && &event != m_running;
    }

    const Key& key_of(const Event& event) const
    {
        return m_heap[event.m_place].key;
    }

    /// Do that once, at that time.
    void at(Time time, std::function<void()> action)
    {
        if (m_done.empty())
        {
            m_done.push_back(&m_once.emplace_back(*this));
        }
        Once& once = *m_done.back();
        m_done.pop_back();
        once.action = std::move(action);
        schedule(once.event, key_at(time));
    }

    /// Run until something ends it, or so many events, or until the next one is later than `until`.
    void run(Time until, uint64_t most)
    {
        while (!m_ended && most-- > 0 && !m_heap.empty() && m_heap.front().key.time <= until)
        {
            const HeapEntry& first = m_heap.front();
            m_now = first.key.time;
            m_caused = first.key.caused;
            m_running = first.event;
            ++m_count;
            m_running->m_action(m_running->m_owner);
            if (m_running) // it has not been scheduled again
            {
                cancel(*m_running);
            }
        }
    }

    void end()
    {
        m_ended = true;
    }

    bool has_ended() const
    {
        return m_ended || m_heap.empty();
    }

    /// How many events there have been.
    uint64_t count() const
    {
        return m_count;
    }

  private:
    struct HeapEntry
    {
        Key key;
        Event* event;
    };

    struct Once
    {
        explicit Once(EventQueue& events)
            : events(events),
              event(&call<Once, &Once::act>, this)
        {
        }

        /// What it holds is let go, and its place is for another from now on.
        void act()
        {
            std::exchange(action, nullptr)();
            events.m_done.push_back(this);
        }

        EventQueue& events;
        Event event;
        std::function<void()> action;
    };

    void put(std::size_t place, const Key& key, Event* event)
    {
        m_heap[place] = {key, event};
        event->m_place = place;
    }

    void rise(std::size_t place, const Key key, Event* event)
    {
        while (place > 0)
        {
            const std::size_t parent = (place - 1) / 2;
            if (!(key < m_heap[parent].key))
            {
                break;
            }
            put(place, m_heap[parent].key, m_heap[parent].event);
            place = parent;
        }
        put(place, key, event);
    }

    void sink(std::size_t place, const Key key, Event* event)
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
            put(place, m_heap[child].key, m_heap[child].event);
            place = child;
        }
        put(place, key, event);
    }

    std::vector<HeapEntry> m_heap;
    std::deque<Once> m_once;   //!< all
    std::vector<Once*> m_done; //!< those that wait for nothing
    Event* m_running{nullptr}; //!< stays at the top until it has been scheduled again or is over
    Time m_now{0};
    Time m_caused{0};
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
          m_event(&call<Timer, &Timer::on_wake>, this)
    {
    }

    Timer(const Timer&) = delete;

    void set(Time delay)
    {
        const Time now = m_events.now();
        m_key = m_events.key_at(later(now, delay));
        if (!m_events.is_waiting(m_event) || m_key < m_events.key_of(m_event))
        {
            m_events.schedule(m_event, m_key);
        }
    }

    void stop()
    {
        m_key.time = NEVER;
    }

    bool is_running() const
    {
        return m_key.time != NEVER;
    }

    Time expires() const
    {
        return m_key.time;
    }

  private:
    void on_wake()
    {
        if (m_key == m_events.key_of(m_event))
        {
            m_key.time = NEVER;
            (m_owner->*EXPIRED)();
        }
        else if (m_key.time != NEVER)
        {
            m_events.schedule(m_event, m_key);
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
    std::size_t size() const
    {
        return m_size;
    }

    bool empty() const
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

    T& front()
    {
        return m_items[m_first];
    }

    T& back()
    {
        return (*this)[m_size - 1];
    }

    /// Room for one more item at the end; what is there is old.
    T& push()
    {
        if (m_size > m_mask)
        {
            grow();
        }
        return (*this)[m_size++];
    }

    void pop()
    {
        m_first = (m_first + 1) & m_mask;
        --m_size;
    }

    void clear()
    {
        m_size = 0;
    }

    /// Take that one out of the row.
    void remove(std::size_t i)
    {
        for (; i + 1 < m_size; ++i)
        {
            (*this)[i] = std::move((*this)[i + 1]);
        }
        --m_size;
    }

  private:
    void grow()
    {
        std::vector<T> items(2 * m_items.size());
        for (std::size_t i = 0; i < m_size; ++i)
        {
            items[i] = std::move((*this)[i]);
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

} // namespace longfat::core

#endif
