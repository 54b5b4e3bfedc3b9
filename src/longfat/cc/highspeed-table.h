// SPDX-License-Identifier: GPL-2.0-only
//
// HighSpeed TCP's table of whole a(w) (RFC 3649, appendix B), by which ns-3's TcpHighSpeed and
// Linux 6.12 (tcp_highspeed.c) grow. They take the next higher row: at 39 segments a(w) is 2 where
// the RFC's formula gives 1. ns-3 has b(w) with two digits, Linux in 256ths.

#ifndef LONGFAT_HIGHSPEED_TABLE_H
#define LONGFAT_HIGHSPEED_TABLE_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace longfat
{

class HighSpeedTable
{
  public:
    /// The window up to which a(w) is that, with two digits of b(w), and Linux's 256ths of it.
    struct Row
    {
        uint32_t w;
        uint32_t a;
        double b;
        uint32_t in256ths;
    };

    /// The row for that window, in segments.
    static const Row& Find(uint32_t w)
    {
        static const std::vector<Row> table = Make();
        const auto row = std::find_if(table.begin(), table.end(), [w](const Row& row) {
            return w <= (row.w == 53677 ? 53667 : row.w); // ns-3's digit
        });
        return row == table.end() ? table.back() : *row;
    }

  private:
    /// The RFC's program: a(w) with 12.8 w^1.2 for 1 / p(w), wherever it has grown by one more.
    static std::vector<Row> Make()
    {
        std::vector<Row> table{{38, 1, 0.5, 128}};
        double last = 1;
        for (uint32_t w = 38; w < 95000; ++w)
        {
            const double b = 0.5 - 0.4 * std::log(w / 38.0) / std::log(83000 / 38.0);
            const double a = 2 * double(w) * w * b / ((2 - b) * 12.8 * std::pow(w, 1.2));
            if (a > last + 1)
            {
                table.push_back({w,
                                 static_cast<uint32_t>(a),
                                 std::round(100 * b) / 100,
                                 static_cast<uint32_t>(256 * b)});
                last = a;
            }
        }
        return table;
    }
};

} // namespace longfat

#endif
