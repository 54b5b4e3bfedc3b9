// SPDX-License-Identifier: GPL-2.0-only
//
// What can be set of CUBIC (the attributes of cubic.h).

#ifndef LONGFAT_CUBIC_SETTINGS_H
#define LONGFAT_CUBIC_SETTINGS_H

namespace longfat
{

struct CubicSettings
{
    double c;             //!< C, in segments/s^3
    double beta;          //!< part of the window that is left after a loss
    bool fastConvergence; //!< section 4.7
    bool renoFriendly;    //!< section 4.3
    bool hystart;         //!< section 4.10
    bool rfc8312;         //!< growth by RFC 8312; ns-3 has no other
    bool asLinux;         //!< W_est as in Linux 6.12; not in ns-3
};

} // namespace longfat

#endif
