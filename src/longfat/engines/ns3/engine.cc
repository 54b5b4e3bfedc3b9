// SPDX-License-Identifier: GPL-2.0-only
//
// The engine as a library: what the server's process calls when no bindings are needed.

#include "run.h"

/// Run a request; the answer stays until the next one. An exception ends the process.
extern "C" const char*
longfat_run(const char* request) noexcept
{
    static std::string answer;
    answer = longfat::Run(request);
    return answer.c_str();
}
