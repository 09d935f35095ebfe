#include "pivot.h"

#include <algorithm>
#include <cmath>

namespace hlg {
namespace {

// sum of p*x over the live tokens.
double mean_logit(Row row, double max) {
  double mass = 0, moment = 0;
  for (size_t i = 0; i < row.n; ++i) {
    if (!is_live(row.data[i])) continue;
    const double d = row.data[i] - max;
    const double e = std::exp(d);
    mass += e;
    moment += e * d;
  }
  return max + moment / mass;
}

// The logit at which the mass, summed from the top, first reaches one half. A heap gives the tokens
// from the top; usually a few are enough, so the row is not sorted.
double median_logit(Row row, double max, std::vector<float>& heap) {
  heap.clear();
  double mass = 0;
  for (size_t i = 0; i < row.n; ++i) {
    if (!is_live(row.data[i])) continue;
    heap.push_back(row.data[i]);
    mass += std::exp(row.data[i] - max);
  }
  std::make_heap(heap.begin(), heap.end());
  double from_top = 0;
  while (true) {
    const float x = heap.front();
    from_top += std::exp(x - max);
    if (from_top >= mass / 2 || heap.size() == 1) return x;
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
}

}  // namespace

double pivot_logit(Row row, const Scan& scan, const hlg_params& params,
                   std::vector<float>& scratch) {
  const double max = scan.max;
  switch (params.pivot) {
    case HLG_PIVOT_ENTROPY: return mean_logit(row, max) - params.pivot_offset;
    case HLG_PIVOT_MEDIAN: return median_logit(row, max, scratch) - params.pivot_offset;
    default: return max - params.pivot_offset;
  }
}

}  // namespace hlg
