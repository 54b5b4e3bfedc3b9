// SPDX-License-Identifier: GPL-2.0-only
//
// Nothing is logged.

#ifndef LONGFAT_STANDIN_LOG_H
#define LONGFAT_STANDIN_LOG_H

#define NS_LOG_COMPONENT_DEFINE(name) static_assert(true)
#define NS_LOG_ERROR(message) static_cast<void>(0)
#define NS_LOG_WARN(message) static_cast<void>(0)
#define NS_LOG_DEBUG(message) static_cast<void>(0)
#define NS_LOG_INFO(message) static_cast<void>(0)
#define NS_LOG_LOGIC(message) static_cast<void>(0)
#define NS_LOG_FUNCTION(parameters) static_cast<void>(0)
#define NS_LOG_FUNCTION_NOARGS() static_cast<void>(0)

#endif
