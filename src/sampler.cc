#include "sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "draw.h"
#include "pivot.h"

namespace hlg {

int32_t Sampler::sample(const Curve& curve, Row row, double u) {
  const Scan s = scan(row);
  const double mu = pivot(curve, row, s);
  if (s.first_inf >= 0) return s.first_inf;
  if (s.n_live == 0) return HLG_NO_LIVE_TOKEN;
  if (curve.greedy || s.n_live == 1) return s.argmax;
  if (curve.neutral) return draw_straight(row, s, curve.temperature(), u);
  return draw(row, Weights(curve, mu, s.max), u, block_mass_);
}

int32_t Sampler::apply(const Curve& curve, Row row, float* logprobs) {
  const Scan s = scan(row);
  const double mu = pivot(curve, row, s);
  if (s.n_live == 0) return HLG_NO_LIVE_TOKEN;
  if (s.first_inf >= 0 || curve.greedy) {
    std::fill_n(logprobs, row.n, -std::numeric_limits<float>::infinity());
    logprobs[s.first_inf >= 0 ? s.first_inf : s.argmax] = 0;
    return HLG_OK;
  }
  const Weights weights(curve, mu, s.max);
  const double log_total = std::log(total_mass(row, weights));
  for (size_t i = 0; i < row.n; ++i) {
    logprobs[i] = is_live(row.data[i])
                      ? static_cast<float>(weights.log_weight(row.data[i]) - log_total)
                      : -std::numeric_limits<float>::infinity();
  }
  return HLG_OK;
}

double Sampler::pivot(const Curve& curve, Row row, const Scan& s) {
  const bool keep = std::exchange(keep_, false);
  if (keep && last_pivot_) return *last_pivot_;
  const bool ordinary = s.n_live > 0 && s.first_inf < 0;
  last_pivot_ = ordinary && !curve.neutral ? pivot_logit(row, s, curve.params, scratch_) : s.max;
  return *last_pivot_;
}

void Sampler::copy_from(const Sampler& other) {
  generator_ = other.generator_;
  last_pivot_ = other.last_pivot_;
  keep_ = other.keep_;
}

}  // namespace hlg
