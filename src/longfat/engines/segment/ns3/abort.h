// SPDX-License-Identifier: GPL-2.0-only
//
// To give up a run.

#ifndef LONGFAT_STANDIN_ABORT_H
#define LONGFAT_STANDIN_ABORT_H

namespace ns3
{

/// Leave these last words, and end.
[[noreturn]] void GiveUp(const char* words);

} // namespace ns3

#define NS_ABORT_MSG(message) ns3::GiveUp(#message)
#define NS_ABORT_MSG_IF(condition, message) ((condition) ? ns3::GiveUp(#message) : void())
#define NS_ABORT_MSG_UNLESS(condition, message) ((condition) ? void() : ns3::GiveUp(#message))
#define NS_ABORT_IF(condition) ((condition) ? ns3::GiveUp(#condition) : void())
#define NS_ABORT_UNLESS(condition) ((condition) ? void() : ns3::GiveUp(#condition))
#define NS_FATAL_ERROR(message) ns3::GiveUp(#message)

#endif
