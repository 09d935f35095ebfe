#include "stats.h"

#include <algorithm>
#include <cmath>

#include "kernels.h"
#include "pivot.h"

namespace hlg {
namespace {

// A distribution given by log-weights: its log-sum-exp and its entropy, in one pass each.
struct Distribution {
  double max = -HUGE_VAL, mass = 0, moment = 0;

  void add(double log_weight) {  // max is known
    const double d = log_weight - max, e = std::exp(d);
    mass += e;
    if (e > 0) moment += e * d;
  }
  double log_total() const { return max + std::log(mass); }
  double entropy() const { return std::log(mass) - moment / mass; }
};

void count(Row row, hlg_stats& stats) {
  for (size_t i = 0; i < row.n; ++i) {
    stats.n_live += is_live(row.data[i]);
    stats.n_nan += std::isnan(row.data[i]);
  }
}

// Entropies and masses. The row needs a live token and no +inf.
void measure(const Curve& curve, Row row, double pivot, hlg_stats& stats) {
  Distribution before, after;
  const double w = curve.params.width;
  double mass[3] = {0, 0, 0};  // toe, middle, shoulder
  for (size_t i = 0; i < row.n; ++i) {
    if (is_live(row.data[i])) before.max = std::max(before.max, double{row.data[i]});
  }
  after.max = curve.eval(before.max - pivot);
  for (size_t i = 0; i < row.n; ++i) {
    if (!is_live(row.data[i])) continue;
    const double z = row.data[i] - pivot, g = curve.eval(z);
    before.add(row.data[i]);
    if (curve.greedy && row.data[i] < before.max) continue;
    after.add(g);
    mass[z < -w ? 0 : z > w ? 2 : 1] += std::exp(g - after.max);
  }
  stats.pivot = pivot - before.log_total();
  stats.entropy_before = before.entropy();
  stats.entropy_after = curve.greedy ? 0 : after.entropy();
  stats.mass_toe = mass[0] / after.mass;
  stats.mass_middle = mass[1] / after.mass;
  stats.mass_shoulder = mass[2] / after.mass;
}

}  // namespace

bool last_stats(const Sampler& sampler, const Curve& curve, Row row, hlg_stats& stats) {
  count(row, stats);
  if (stats.n_live == 0) return false;
  const float certain = 0;  // a +inf takes all of the mass: like a row of one token
  if (find_first(row, HUGE_VALF) >= 0) row = {&certain, 1};
  const bool drawn = row.data != &certain && !curve.neutral && !curve.greedy;
  if (drawn && sampler.last_pivot()) {
    measure(curve, row, *sampler.last_pivot(), stats);
  } else {
    std::vector<float> scratch;
    std::vector<BlockRange> ranges(n_blocks(row.n));
    const float max = kernels().block_range(row.data, row.n, ranges.data());
    measure(curve, row, pivot_logit(row, max, ranges, curve.params, scratch), stats);
  }
  return true;
}

}  // namespace hlg
