// SPDX-License-Identifier: GPL-2.0-only

#ifndef LONGFAT_STANDIN_ASSERT_H
#define LONGFAT_STANDIN_ASSERT_H

#include "abort.h"

#define NS_ASSERT(condition) NS_ABORT_UNLESS(condition)
#define NS_ASSERT_MSG(condition, message) NS_ABORT_MSG_UNLESS(condition, message)

#endif
