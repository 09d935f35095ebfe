#include "pivot.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "blocks.h"
#include "kernels.h"

namespace hlg {
namespace {

// Few enough to sort.
constexpr size_t kSortable = 64;

// The float sums leave the mean within 8e-6 nats (docs/kernel.md). An error of the pivot comes out
// times the slopes of the curve, which grow with 1/T: below this temperature the sums are in
// double.
constexpr double kCold = 0.25;

double mean_logit(Row row, float max, double temperature) {
  const Passes& k = passes(row.dtype);
  double mass = 0, moment = 0;
  (temperature < kCold ? k.moments_double : k.moments)(row.data, row.n, max, &mass, &moment);
  return max + moment / mass;
}

// Among values[0, n), in any order: the largest one at which the mass from the top reaches `half`.
// None where it is not the same at both bounds of half. Values are halved by value, not by rank:
// the upper half of the interval nearly always holds few tokens.
std::optional<float> reach(float* values, size_t n, float max, Bounds half) {
  const Passes& k = passes(HLG_FLOAT32);
  double above = 0;  // the mass of what was dropped, which lies over all of values
  while (n > kSortable) {
    float low = 0, high = 0;
    kernels().range(values, n, &low, &high);
    const float middle = low + (high - low) / 2;
    if (!(middle < high)) break;  // all equal, or neighbours
    const double upper = k.mass_above(values, n, max, middle);
    if (above + upper >= half.upper) {
      n = k.select(values, n, middle, high, values);
    } else if (above + upper < half.lower) {
      above += upper;
      n = k.select(values, n, -HUGE_VALF, middle, values);
    } else {
      return std::nullopt;
    }
  }
  std::sort(values, values + n, std::greater<>());
  for (size_t i = 0; i < n; ++i) {
    above += std::exp(static_cast<double>(values[i]) - max);
    if (above >= half.upper) return values[i];
    if (above >= half.lower) return std::nullopt;
  }
  return std::nullopt;
}

float median_logit(Row row, float max, Blocks& blocks, std::vector<float>& scratch) {
  const FromTop exponential(max);
  scratch.resize(row.n + kSelectSlack);
  blocks.estimate(exponential);
  for (const double share : kShares) {
    blocks.tighten(row, exponential, share);
    const Bounds total = blocks.total();
    const float low = blocks.above_the_rest(0.499, max);
    const size_t n = blocks.select(row, low, max, scratch);
    const auto median = reach(scratch.data(), n, max, {total.lower / 2, total.upper / 2});
    if (median) return *median;
  }
  return max;
}

}  // namespace

double pivot_logit(Row row, float max, const hlg_params& params, Blocks& blocks,
                   std::vector<float>& scratch) {
  switch (params.pivot) {
    case HLG_PIVOT_ENTROPY: return mean_logit(row, max, params.temperature) - params.pivot_offset;
    case HLG_PIVOT_MEDIAN:
      return double{median_logit(row, max, blocks, scratch)} - params.pivot_offset;
    default: return double{max} - params.pivot_offset;
  }
}

}  // namespace hlg
