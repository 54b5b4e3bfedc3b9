// SPDX-License-Identifier: GPL-2.0-only
//
// The start-up of a flow, read from its JSON (longfat.start_ups says what each field means).

#ifndef LONGFAT_CORE_SCENARIO_START_UP_H
#define LONGFAT_CORE_SCENARIO_START_UP_H

#include "scenario-fields.h"
#include "start-up.h"

namespace longfat::core
{

inline CarefulResumeStart
read_careful_resume(Fields& fields)
{
    CarefulResumeStart start_up;
    fields.number("saved_cwnd_bytes", 1, LARGEST);
    start_up.saved_cwnd_bytes = double(fields.whole("saved_cwnd_bytes", 1, LARGEST, 1));
    start_up.saved_rtt_s = fields.number("saved_rtt_s", ABOVE_0, LONGEST_S);
    start_up.beta = fields.number("beta", 0.5, 1, 0.5);
    if (const auto most = fields.optional("max_jump_bytes", 1, LARGEST))
    {
        start_up.max_jump_bytes = double(fields.whole("max_jump_bytes", 1, LARGEST, 1));
    }
    return start_up;
}

inline PicoquicStart
read_picoquic(Fields& fields)
{
    PicoquicStart start_up;
    start_up.reference_rtt_s = fields.number("reference_rtt_s", 1e-6, 10, 0.1);
    start_up.largest_rtt_s = fields.number("largest_rtt_s", 1e-6, 1000, 0.61);
    start_up.scales_first_window = fields.truth("scales_first_window", true);
    return start_up;
}

inline StartUpSpec
read_start_up_of_kind(Fields& fields)
{
    const std::string kind = fields.one_of("kind",
                                           {"standard",
                                            "paced",
                                            "limited",
                                            "hystart",
                                            "hystart++",
                                            "search",
                                            "hybla",
                                            "picoquic",
                                            "careful-resume"});
    if (kind == "standard" || kind == "paced")
    {
        PacedStart start_up;
        start_up.limit = fields.number("limit_segments", 1, LARGEST, 1.0);
        if (kind == "standard")
        {
            return static_cast<const StandardStart&>(start_up);
        }
        start_up.gain = fields.number("gain", 1, 100, 2.0);
        return start_up;
    }
    if (kind == "limited")
    {
        LimitedStart start_up;
        start_up.growth.max_ssthresh = fields.number("max_ssthresh_segments", 2, LARGEST, 100.0);
        return start_up;
    }
    if (kind == "search")
    {
        SearchStart start_up;
        start_up.threshold = fields.number("threshold", ABOVE_0, BELOW_1, 0.26);
        return start_up;
    }
    if (kind == "hybla")
    {
        HyblaStart start_up;
        start_up.rtt0_s = fields.number("rtt0_s", 1e-6, 10, 0.025);
        return start_up;
    }
    if (kind == "picoquic")
    {
        return read_picoquic(fields);
    }
    if (kind == "careful-resume")
    {
        return read_careful_resume(fields);
    }
    return kind == "hystart" ? StartUpSpec(HyStartStart()) : StartUpSpec(HyStartPlusPlusStart());
}

/// A name alone is a kind without parameters.
inline StartUpSpec
read_start_up(Refusal& refusal, const Json& json, const std::string& where)
{
    if (!json.IsStated())
    {
        return {};
    }
    Json named;
    if (json.type == Json::TEXT)
    {
        named.type = Json::OBJECT;
        named.names.push_back("kind");
        named.items.push_back(json);
    }
    Fields fields(refusal, json.type == Json::TEXT ? named : json, where);
    StartUpSpec start_up = read_start_up_of_kind(fields);
    fields.end();
    const auto* picoquic = std::get_if<PicoquicStart>(&start_up);
    if (picoquic && picoquic->largest_rtt_s < picoquic->reference_rtt_s)
    {
        refusal.fail(where.substr(0, where.size() - 1) +
                     ": largest_rtt_s must be at least reference_rtt_s");
    }
    return start_up;
}

} // namespace longfat::core

#endif
