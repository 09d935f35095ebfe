// What a draw did to the distribution of a row, in double. For reports and experiments: it costs
// far more than the draw.
#pragma once

#include "curve.h"
#include "hlg/hlg.h"
#include "row.h"
#include "sampler.h"

namespace hlg {

// Of the last draw of `sampler`. False where no token is alive. struct_size is left alone.
bool last_stats(const Sampler& sampler, const Curve& curve, Row row, hlg_stats& stats);

}  // namespace hlg
