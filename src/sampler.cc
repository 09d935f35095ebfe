#include "sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "draw.h"
#include "kernels.h"
#include "pivot.h"

namespace hlg {

int32_t Sampler::sample(const Curve& curve, Row row, double u) {
  const float max = blocks_.scan(row);
  const double mu = pivot(curve, row, max);
  if (max == -HUGE_VALF) return HLG_NO_LIVE_TOKEN;
  if (max == HUGE_VALF || curve.takes_top(max)) return blocks_.find_top(row, max);
  if (curve.neutral) return draw_straight(row, max, curve.temperature(), u);
  return draw(row, FromTop(curve, max, max - mu), u, blocks_);
}

int32_t Sampler::apply(const Curve& curve, Row row, float* logprobs) {
  const float max = blocks_.scan(row);
  const double mu = pivot(curve, row, max);
  if (max == -HUGE_VALF) return HLG_NO_LIVE_TOKEN;
  if (max == HUGE_VALF || curve.takes_top(max)) {
    const int32_t token = blocks_.find_top(row, max);  // before the fill: the two may be one array
    std::fill_n(logprobs, row.n, -HUGE_VALF);
    logprobs[token] = 0;
    return HLG_OK;
  }
  const FromTop h(curve, max, max - mu);
  blocks_.estimate(h);
  blocks_.tighten(row, h, 0);
  const double log2_total = std::log2(blocks_.total().lower);
  passes(row.dtype).logprobs(row.data, row.n, h, log2_total, logprobs);
  return HLG_OK;
}

// The kept pivot, or the row's own, which is remembered. A row without a finite maximum has none,
// and then nothing is there to be kept; straight and greedy curves need none.
double Sampler::pivot(const Curve& curve, Row row, float max) {
  const bool kept = std::exchange(keep_, false) && last_pivot_;
  if (!kept) {
    last_pivot_.reset();
    if (std::isfinite(max) && !curve.neutral && !curve.greedy) {
      last_pivot_ = pivot_logit(row, max, curve.params, blocks_, scratch_);
    }
  }
  return last_pivot_.value_or(max);
}

void Sampler::reserve(size_t n, const Curve& curve) {
  blocks_.reserve(n);
  if (curve.params.pivot == HLG_PIVOT_MEDIAN) scratch_.reserve(n + kSelectSlack);
}

void Sampler::copy_from(const Sampler& other) {
  generator_ = other.generator_;
  last_pivot_ = other.last_pivot_;
  keep_ = other.keep_;
}

}  // namespace hlg
