// Drawing: one uniform number picks one index. Pure functions of the row, the curve and u.
#pragma once

#include "blocks.h"
#include "from_top.h"
#include "row.h"

namespace hlg {

// The first index at which the running sum of the weights 2^h exceeds u times their total. blocks:
// as its scan of the row left it.
//
// Guarantee: the token is that of the double-precision formula, unless u lies within 1e-5 of a
// boundary between two tokens' intervals of the cumulative distribution.
int32_t draw(Row row, const FromTop& h, double u, Blocks& blocks);

// The same for a straight line, in the arithmetic of llama.cpp's temp and dist samplers: float
// x/T, float expf, a running sum in double. For equal u it returns their token, bit for bit, but
// never a masked one, which theirs does at u = 0. max/T must be finite.
int32_t draw_straight(Row row, float max, float temperature, double u);

}  // namespace hlg
