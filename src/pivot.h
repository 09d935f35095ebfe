// The pivot: the one number of a row that says where the curve sits.
//
// A pivot mu is a log-probability. It is computed and remembered as a logit, mu + log-sum-exp of
// the row, so that z = x - pivot needs no normalisation and stays right when the row is masked
// afterwards.
//
//     top      max(x) - c
//     entropy  sum of p*x - c              (= -H - c, as a log-probability)
//     median   x of the token where the mass, summed from the most likely down, first reaches
//              0.5, - c
//
// Always from the T = 1 distribution, over live tokens only, sums over blocks in double.
#pragma once

#include <vector>

#include "blocks.h"
#include "hlg/hlg.h"
#include "row.h"

namespace hlg {

// max: the largest logit of the row, finite, as blocks' scan of it found it. `scratch` is used by
// the median alone; it grows to row.n and some.
double pivot_logit(Row row, float max, const hlg_params& params, Blocks& blocks,
                   std::vector<float>& scratch);

}  // namespace hlg
