// SPDX-License-Identifier: GPL-2.0-only

#ifndef LONGFAT_STANDIN_DOUBLE_H
#define LONGFAT_STANDIN_DOUBLE_H

#include "attribute.h"

#endif
