// SPDX-License-Identifier: GPL-2.0-only
//
// Random numbers: P. L'Ecuyer's MRG32k3a ("Good parameters and implementations for combined multiple
// recursive random number generators", 1999), with the streams and substreams of P. L'Ecuyer,
// R. Simard, E. J. Chen and W. D. Kelton ("An object-oriented random-number package with many long
// streams and substreams", 2002) numbered as ns-3 does: the same numbers, digit by digit.

#ifndef LONGFAT_STANDIN_RANDOM_VARIABLE_STREAM_H
#define LONGFAT_STANDIN_RANDOM_VARIABLE_STREAM_H

#include "object.h"
#include "simulator.h"

#include <array>
#include <cstdint>

namespace ns3
{

class RngStream
{
  public:
    RngStream() = default;

    /// Streams are 2^127 numbers apart, their substreams 2^76.
    RngStream(uint32_t seed, uint64_t stream, uint64_t substream);

    /// Uniform, from 0 to less than 1.
    double RandU01()
    {
        const int64_t one = Modulo<M1>(1'403'580 * m_one[1] - 810'728 * m_one[0]);
        m_one = {m_one[1], m_one[2], one};
        const int64_t two = Modulo<M2>(527'612 * m_two[2] - 1'370'589 * m_two[0]);
        m_two = {m_two[1], m_two[2], two};
        return static_cast<double>(one > two ? one - two : one - two + M1) * (1.0 / (M1 + 1.0));
    }

  private:
    static constexpr int64_t M1 = 4'294'967'087; // 2^32 - 209
    static constexpr int64_t M2 = 4'294'944'443; // 2^32 - 22853

    template <int64_t M>
    static int64_t Modulo(int64_t value)
    {
        const int64_t rest = value % M;
        return rest < 0 ? rest + M : rest;
    }

    std::array<int64_t, 3> m_one{}; //!< the last three numbers of the first generator
    std::array<int64_t, 3> m_two{}; //!< of the second
};

class RandomVariableStream : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RandomVariableStream").SetParent<Object>();
        return tid;
    }

    /// Which stream the numbers come from; -1: one that nothing else has.
    ///
    /// Congestion controls that draw lots number their senders from FIRST_OF_SENDERS on, in a
    /// variable that would go on counting in the next simulation (cc/delay-backoff.h): a simulation
    /// counts them itself, in the same order.
    void SetStream(int64_t stream)
    {
        constexpr int64_t FIRST_OF_SENDERS = 1'000'000;
        constexpr uint64_t FIRST_STATED = uint64_t(1) << 63; // those before are given to who asks
        SimulatorState& state = Simulator::State();
        uint64_t number;
        if (stream < 0)
        {
            number = state.streams++;
        }
        else
        {
            const bool senders = stream >= FIRST_OF_SENDERS;
            number = FIRST_STATED + (senders ? FIRST_OF_SENDERS + state.senderStreams++ : stream);
        }
        m_rng = RngStream(1, number, state.run);
        m_isSet = true;
    }

    virtual double GetValue() = 0;

  protected:
    double Draw()
    {
        if (!m_isSet)
        {
            SetStream(-1);
        }
        return m_rng.RandU01();
    }

  private:
    RngStream m_rng;
    bool m_isSet{false};
};

class UniformRandomVariable : public RandomVariableStream
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::UniformRandomVariable")
                                .SetParent<RandomVariableStream>()
                                .AddConstructor<UniformRandomVariable>()
                                .AddAttribute("Min",
                                              "The least",
                                              DoubleValue(0),
                                              MakeDoubleAccessor(&UniformRandomVariable::m_min),
                                              MakeDoubleChecker<double>())
                                .AddAttribute("Max",
                                              "What all are below",
                                              DoubleValue(1),
                                              MakeDoubleAccessor(&UniformRandomVariable::m_max),
                                              MakeDoubleChecker<double>());
        return tid;
    }

    double GetValue() override
    {
        return GetValue(m_min, m_max);
    }

    double GetValue(double least, double most)
    {
        return least + Draw() * (most - least);
    }

    /// From `least` to `most`, both included.
    uint32_t GetInteger(uint32_t least, uint32_t most)
    {
        return static_cast<uint32_t>(
            GetValue(static_cast<double>(least), static_cast<double>(most) + 1.0));
    }

  private:
    double m_min{0};
    double m_max{1};
};

} // namespace ns3

#endif
