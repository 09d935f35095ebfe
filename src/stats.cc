#include "stats.h"

#include <algorithm>
#include <cmath>

#include "blocks.h"
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

void count(const std::vector<float>& logits, hlg_stats& stats) {
  for (const float x : logits) {
    stats.n_live += is_live(x);
    stats.n_nan += std::isnan(x);
  }
}

// Entropies and masses. The row needs a live token and no +inf.
void measure(const Curve& curve, const std::vector<float>& logits, double pivot, hlg_stats& stats) {
  Distribution before, after;
  const double w = curve.params.width;
  double mass[3] = {0, 0, 0};  // toe, middle, shoulder
  for (const float x : logits) {
    if (is_live(x)) before.max = std::max(before.max, double{x});
  }
  const bool takes_top = curve.takes_top(static_cast<float>(before.max));
  after.max = curve.eval(before.max - pivot);
  for (const float x : logits) {
    if (!is_live(x)) continue;
    const double z = x - pivot, g = curve.eval(z);
    before.add(x);
    if (takes_top && x < before.max) continue;
    after.add(g);
    mass[z < -w ? 0 : z > w ? 2 : 1] += std::exp(g - after.max);
  }
  stats.pivot = pivot - before.log_total();
  stats.entropy_before = before.entropy();
  stats.entropy_after = takes_top ? 0 : after.entropy();
  stats.mass_toe = mass[0] / after.mass;
  stats.mass_middle = mass[1] / after.mass;
  stats.mass_shoulder = mass[2] / after.mass;
}

}  // namespace

bool last_stats(const Sampler& sampler, const Curve& curve, Row row, hlg_stats& stats) {
  std::vector<float> logits(row.n);
  passes(row.dtype).widen(row.data, row.n, logits.data());
  count(logits, stats);
  if (stats.n_live == 0) return false;
  const bool certain = std::find(logits.begin(), logits.end(), HUGE_VALF) != logits.end();
  if (certain) logits = {0};  // a +inf takes all of the mass: like a row of one token
  if (!certain && !curve.neutral && !curve.greedy && sampler.last_pivot()) {
    measure(curve, logits, *sampler.last_pivot(), stats);
  } else {
    std::vector<float> scratch;
    Blocks blocks;
    const Row all{logits.data(), logits.size()};
    const float max = blocks.scan(all);
    measure(curve, logits, pivot_logit(all, max, curve.params, blocks, scratch), stats);
  }
  return true;
}

}  // namespace hlg
