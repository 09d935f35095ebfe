#include "pivot.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels.h"

namespace hlg {
namespace {

// Few enough to sort.
constexpr size_t kSortable = 64;

// The float sums leave the mean within 1.5e-6 nats. An error of the pivot comes out times the
// slopes of the curve, which grow with 1/T: below this temperature the sums are in double.
constexpr double kCold = 0.25;

double mean_logit(Row row, float max, double temperature) {
  const Passes& k = passes(row.dtype);
  double mass = 0, moment = 0;
  (temperature < kCold ? k.moments_double : k.moments)(row.data, row.n, max, &mass, &moment);
  return max + moment / mass;
}

// Among values[0, n), in any order: the largest one at which the mass from the top, `above` being
// the mass of what lies over all of them, reaches `half`. Values are halved by value, not by rank:
// the upper half of the interval nearly always holds few tokens.
float reach(float* values, size_t n, float max, double above, double half) {
  const Passes& k = passes(HLG_FLOAT32);
  while (n > kSortable) {
    float low = 0, high = 0;
    kernels().range(values, n, &low, &high);
    const float middle = low + (high - low) / 2;
    if (!(middle < high)) break;  // all equal, or neighbours
    const double upper = k.mass_above(values, n, max, middle);
    if (above + upper >= half) {
      n = k.select(values, n, middle, high, values);
    } else {
      above += upper;
      n = k.select(values, n, -std::numeric_limits<float>::infinity(), middle, values);
    }
  }
  std::sort(values, values + n, std::greater<>());
  for (size_t i = 0; i + 1 < n; ++i) {
    above += std::exp(static_cast<double>(values[i]) - max);
    if (above >= half) return values[i];
  }
  return values[n - 1];
}

float median_logit(Row row, float max, const std::vector<float>& block_max,
                   std::vector<float>& scratch) {
  const Passes& k = passes(row.dtype);
  const double mass = k.mass_above(row.data, row.n, max, -HUGE_VALF);
  // All tokens up to here together hold less than half of the mass.
  const double floor = max + std::log(mass / 2 / static_cast<double>(row.n));
  const float low = std::nextafter(static_cast<float>(floor), -HUGE_VALF);
  scratch.resize(row.n + kSelectSlack);
  size_t n = 0;
  for (size_t b = 0; b < block_max.size(); ++b) {
    if (block_max[b] <= low) continue;
    const size_t begin = b * kBlock, length = std::min(kBlock, row.n - begin);
    n += k.select(row.from(begin), length, low, max, scratch.data() + n);
  }
  return reach(scratch.data(), n, max, 0, mass / 2);
}

}  // namespace

double pivot_logit(Row row, float max, const std::vector<float>& block_max,
                   const hlg_params& params, std::vector<float>& scratch) {
  switch (params.pivot) {
    case HLG_PIVOT_ENTROPY: return mean_logit(row, max, params.temperature) - params.pivot_offset;
    case HLG_PIVOT_MEDIAN:
      return double{median_logit(row, max, block_max, scratch)} - params.pivot_offset;
    default: return double{max} - params.pivot_offset;
  }
}

}  // namespace hlg
