// SPDX-License-Identifier: GPL-2.0-only
//
// Events of ns-3's simulator that are scheduled again and again without being allocated again, a
// timer made of one, and the ring in which packets wait for theirs.

#ifndef LONGFAT_SEGMENT_EVENT_H
#define LONGFAT_SEGMENT_EVENT_H

#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace longfat::segment
{

using Ticks = int64_t; //!< simulated time in ns-3's steps, nanoseconds

constexpr Ticks NEVER = std::numeric_limits<Ticks>::max();

inline Ticks
Now()
{
    return ns3::Simulator::Now().GetTimeStep();
}

inline Ticks
FromSeconds(double seconds)
{
    return ns3::Seconds(seconds).GetTimeStep();
}

inline double
ToSeconds(Ticks time)
{
    return ns3::TimeStep(time).GetSeconds();
}

/// Calls a method of its owner. Made by ns3::Create, since ns-3 keeps what is scheduled.
template <class Owner, void (Owner::*METHOD)()>
class Event : public ns3::EventImpl
{
  public:
    explicit Event(Owner* owner)
        : m_owner(owner),
          m_simulator(ns3::PeekPointer(ns3::Simulator::GetImplementation()))
    {
    }

    /// In so much time from now.
    void Schedule(Ticks delay)
    {
        Ref(); // the simulator gives it back after the call
        m_simulator->ScheduleWithContext(0, ns3::TimeStep(delay), this); // makes no EventId
    }

  protected:
    void Notify() override
    {
        (m_owner->*METHOD)();
    }

  private:
    Owner* m_owner;
    ns3::SimulatorImpl* m_simulator;
};

/// The timers that may expire at the present nanosecond, which paced flows' and two flows' equal
/// timeouts do all the time when packets arrive. ns-3 takes the events of one nanosecond in the
/// order in which they were scheduled: a timer's when it was set, a packet's when its transmission
/// began. The timers here are cheaper than that, so that their order is put right by hand.
class DueTimer
{
  public:
    /// Timers that were set before an event was scheduled that happens now expire before it.
    static void ExpireBefore(Ticks now, Ticks scheduled)
    {
        while (!s_due.empty())
        {
            DueTimer* first = nullptr;
            for (DueTimer* timer : s_due)
            {
                if (timer->m_expires == now && timer->m_set < scheduled &&
                    (!first || timer->m_set < first->m_set))
                {
                    first = timer;
                }
            }
            if (!first)
            {
                return;
            }
            first->m_expires = NEVER;
            first->OnExpired();
        }
    }

    DueTimer(const DueTimer&) = delete;

  protected:
    DueTimer() = default;

    virtual ~DueTimer()
    {
        LeaveDue();
    }

    void JoinDue()
    {
        s_due.push_back(this);
    }

    void LeaveDue()
    {
        s_due.erase(std::remove(s_due.begin(), s_due.end(), this), s_due.end());
    }

    virtual void OnExpired() = 0;

    Ticks m_set{0};
    Ticks m_expires{NEVER}; //!< NEVER: stopped

  private:
    static inline std::vector<DueTimer*> s_due;
};

/// A timer that is set, set again or stopped at no cost: nearly always before it expires. Its event
/// stays in the simulator and, when it comes too early, goes on to the time that then holds. It
/// comes a nanosecond before that time, and once more in time, after the packets that arrive then.
template <class Owner, void (Owner::*EXPIRED)()>
class Timer : DueTimer
{
  public:
    explicit Timer(Owner* owner)
        : m_owner(owner),
          m_event(ns3::Create<Wake>(this))
    {
    }

    void Set(Ticks now, Ticks delay)
    {
        m_set = now;
        m_expires = now + delay;
        WakeBy(now);
    }

    void Stop()
    {
        m_expires = NEVER;
    }

    bool IsRunning() const
    {
        return m_expires != NEVER;
    }

    /// When it was set last.
    Ticks WasSet() const
    {
        return m_set;
    }

  private:
    void WakeBy(Ticks now)
    {
        const Ticks wakes = std::max(now, m_expires - 1);
        if (wakes < m_wakes)
        {
            m_wakes = wakes;
            m_event->Schedule(wakes - now);
        }
    }

    void OnWake()
    {
        const Ticks now = Now();
        if (now != m_wakes)
        {
            return; // an earlier event took its place
        }
        if (!m_isDue && m_expires <= now + 1)
        {
            m_isDue = true;
            JoinDue();
            m_wakes = m_expires;
            m_event->Schedule(m_expires - now);
            return;
        }
        m_wakes = NEVER;
        if (m_isDue)
        {
            ExpireBefore(now, m_set + 1); // itself, and others that were set before
            m_isDue = false;
            LeaveDue();
        }
        if (m_expires != NEVER)
        {
            WakeBy(now);
        }
    }

    void OnExpired() override
    {
        (m_owner->*EXPIRED)();
    }

    using Wake = Event<Timer, &Timer::OnWake>;

    Owner* m_owner;
    ns3::Ptr<Wake> m_event;
    Ticks m_wakes{NEVER}; //!< when its next event is due
    bool m_isDue{false};  //!< it may expire at this nanosecond or the next
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
