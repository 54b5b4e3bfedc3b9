// SPDX-License-Identifier: GPL-2.0-only
//
// A file on its way from here to there (longfat.transfers), and what its methods have in common: what
// is counted, and the proof that every byte arrived once.
//
// The proof: a block [begin, end) of the file carries the difference of a hash of its end and one of
// its begin. Over blocks that cover the file, each once, whatever their order and sizes, these add up
// to the difference between the file's end and its begin.

#ifndef LONGFAT_CORE_TRANSFER_H
#define LONGFAT_CORE_TRANSFER_H

#include "flow.h"

#include <functional>
#include <string>

namespace longfat::core
{

/// Of bytes [begin, end) of a file.
inline uint64_t
fingerprint(uint64_t begin, uint64_t end)
{
    const auto hash = [](uint64_t x) { // splitmix64
        x += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    };
    return hash(end) - hash(begin);
}

/// What a transfer has sent, and what has come of it.
struct TransferCount
{
    Time received{NEVER};     //!< the last byte came, and all is right
    Time acknowledged{NEVER}; //!< the source knows
    uint64_t unique_bytes{0}; //!< of the file, at the receiver
    uint64_t packets{0};      //!< with data
    uint64_t packets_again{0};
    uint64_t packet_bytes{0}; //!< of all these on the wire
    uint64_t overrun{0};      //!< packets that the receiver's socket had no room for
    uint64_t control_bytes{0};
    uint64_t rounds{0}; //!< blasts, or 1 and each restart
    SeriesByName series;
};

class Transfer
{
  public:
    Transfer(EventQueue& events, const TransferSpec& spec, Checks& checks)
        : m_events(events),
          m_spec(spec),
          m_checks(checks)
    {
    }

    Transfer(const Transfer&) = delete;
    virtual ~Transfer() = default;

    std::function<void()> on_end; //!< called when there is no more to do

    /// All that was counted.
    virtual TransferCount count() const = 0;

    /// At the end of a run.
    virtual void finish()
    {
        m_checks.expect(m_count.received == NEVER || is_whole(),
                        "a file has arrived with bytes missing, doubled or misplaced");
    }

    void record(const std::string& name, double duration_s, uint32_t points)
    {
        m_count.series.try_emplace(name, duration_s, points);
    }

  protected:
    void keep(const char* name, double value)
    {
        const auto found = m_count.series.find(name);
        if (found != m_count.series.end())
        {
            found->second.Add(seconds(m_events.now()), value);
        }
    }

    /// Bytes [begin, end) are at the receiver; returns whether that is all.
    bool add(uint64_t begin, uint64_t end)
    {
        m_count.unique_bytes += end - begin;
        m_sum += fingerprint(begin, end);
        keep("received_bytes", static_cast<double>(m_count.unique_bytes));
        if (!is_whole())
        {
            return false;
        }
        m_count.received = m_events.now();
        return true;
    }

    /// The receiver has nothing.
    void forget()
    {
        m_count.unique_bytes = m_sum = 0;
    }

    EventQueue& m_events;
    const TransferSpec& m_spec;
    Checks& m_checks;
    TransferCount m_count;

  private:
    bool is_whole() const
    {
        return m_count.unique_bytes == m_spec.bytes && m_sum == fingerprint(0, m_spec.bytes);
    }

    uint64_t m_sum{0};
};

} // namespace longfat::core

#endif
