// SPDX-License-Identifier: GPL-2.0-only

#ifndef LONGFAT_STANDIN_FATAL_ERROR_H
#define LONGFAT_STANDIN_FATAL_ERROR_H

#include "abort.h"

#endif
