// SPDX-License-Identifier: GPL-2.0-only
//
// What ns-3 3.44 does otherwise than the RFCs say, by name: data/faults.csv tells each, and where it
// stands. A sender has those that its scenario names, usually none.

#ifndef LONGFAT_SEGMENT_FAULTS_H
#define LONGFAT_SEGMENT_FAULTS_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace longfat::segment
{

enum class Fault : uint32_t
{
    PRR_OVERFLOW,
    PRR_COUNTS_TWICE,
    PRR_FROM_PIPE,
    PRR_UNSAFE_ACK,
    LOST_RETRANSMISSION,
    SACKED_IN_FLIGHT,
    CWR_UNTOLD,
    RECOVERY_CREDIT,
    LIMITED_TRANSMIT,
    RECOVER_REACHED,
    PARTIAL_ACK_BURST,
    IMPATIENT_TIMER,
    TIMEOUT_CUTS_AGAIN,
    BACKOFF_FORGOTTEN,
    SMOOTHED_RTT,
    LOSS_IN_CWR,
    ECHO_IN_RECOVERY,
    ECHO_ON_DUPLICATE,
    WINDOW_OVERWRITTEN,
    DISORDER_CREDIT,
    NO_RESCUE,
    TIMEOUT_ORDER,
    HIGHEST_SACKED,
    PIPE_AS_FLIGHT,
    SYN_TIMEOUT,
    REPAIRS_AS_LOSSES,
    STALE_PIPE,
};

/// The names that scenarios have for them, in the same order.
constexpr std::string_view FAULT_NAMES[] = {
    "prr-overflow",        "prr-counts-twice",  "prr-from-pipe",      "prr-unsafe-ack",
    "lost-retransmission", "sacked-in-flight",  "cwr-untold",         "recovery-credit",
    "limited-transmit",    "recover-reached",   "partial-ack-burst",  "impatient-timer",
    "timeout-cuts-again",  "backoff-forgotten", "smoothed-rtt",       "loss-in-cwr",
    "echo-in-recovery",    "echo-on-duplicate", "window-overwritten", "disorder-credit",
    "no-rescue",           "timeout-order",     "highest-sacked",     "pipe-as-flight",
    "syn-timeout",         "repairs-as-losses", "stale-pipe",
};

/// A set of them.
class Faults
{
  public:
    constexpr Faults(uint32_t bits = 0)
        : m_bits(bits)
    {
    }

    constexpr operator uint32_t() const
    {
        return m_bits;
    }

    constexpr bool Has(Fault fault) const
    {
        return m_bits >> static_cast<uint32_t>(fault) & 1;
    }

    /// Returns false for a name that none has.
    bool Add(std::string_view name)
    {
        const auto found = std::find(std::begin(FAULT_NAMES), std::end(FAULT_NAMES), name);
        if (found == std::end(FAULT_NAMES))
        {
            return false;
        }
        m_bits |= 1u << (found - std::begin(FAULT_NAMES));
        return true;
    }

  private:
    uint32_t m_bits;
};

} // namespace longfat::segment

#endif
