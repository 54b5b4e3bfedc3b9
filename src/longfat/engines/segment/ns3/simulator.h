// SPDX-License-Identifier: GPL-2.0-only
//
// The clock. ns-3 has one for the process; here every simulation has its own, and what asks for the
// time is answered by that which runs in its thread.

#ifndef LONGFAT_STANDIN_SIMULATOR_H
#define LONGFAT_STANDIN_SIMULATOR_H

#include "nstime.h"

#include <cstdint>

// One access, from a congestion control that was loaded later too.
#ifdef __wasm__
#define LONGFAT_THREAD_LOCAL
#else
#define LONGFAT_THREAD_LOCAL thread_local __attribute__((tls_model("initial-exec")))
#endif

namespace ns3
{

/// What ns-3 keeps for a process and its classes ask for: the time, and the random numbers.
struct SimulatorState
{
    int64_t now{0};           //!< in nanoseconds
    uint64_t run{1};          //!< substream of all random numbers
    uint64_t streams{0};      //!< given so far to those that asked for any
    int64_t senderStreams{0}; //!< given so far to senders (random-variable-stream.h)
};

class Simulator
{
  public:
    static Time Now()
    {
        return Time(s_state->now);
    }

    static SimulatorState& State()
    {
        return *s_state;
    }

    /// While it lives, its simulation is the one that runs in this thread.
    class Running
    {
      public:
        explicit Running(SimulatorState* state)
            : m_before(s_state)
        {
            s_state = state;
        }

        Running(const Running&) = delete;

        ~Running()
        {
            s_state = m_before;
        }

      private:
        SimulatorState* m_before;
    };

  private:
    static inline constinit LONGFAT_THREAD_LOCAL SimulatorState* s_state{nullptr};
};

inline Time
Now()
{
    return Simulator::Now();
}

} // namespace ns3

#endif
