#include "draw.h"

#include <algorithm>
#include <cmath>

#include "kernels.h"

namespace hlg {
namespace {

// Rounding may leave the target past the last weight: then the last token with any weight is meant.
template <class Weight>
int32_t last_with_weight(size_t n, const Weight& w) {
  size_t i = n;
  while (i > 1 && !(w(i - 1) > 0)) --i;
  return static_cast<int32_t>(i) - 1;
}

}  // namespace

double total_mass(Row row, const FromTop& h, const std::vector<BlockRange>& ranges,
                  std::vector<double>& block_mass) {
  block_mass.resize(n_blocks(row.n));
  kernels().block_mass(row.data, row.n, h, ranges.data(), block_mass.data());
  double total = 0;
  for (const double mass : block_mass) total += mass;
  return total;
}

int32_t draw(Row row, const FromTop& h, const std::vector<BlockRange>& ranges, double u,
             std::vector<double>& block_mass) {
  const double total = total_mass(row, h, ranges, block_mass);
  if (!(total > 0)) return find_first(row, h.max);  // a pivot kept from quite another row
  const double target = u * total;
  double before = 0;
  size_t block = 0, last = block_mass.size() - 1;
  while (last > 0 && block_mass[last] == 0) --last;  // nothing is drawn behind it
  while (block < last && before + block_mass[block] <= target) before += block_mass[block++];

  const size_t begin = block * kBlock, n = std::min(kBlock, row.n - begin);
  float weights[kBlock];
  kernels().weights(row.data + begin, n, h, weights);
  double sum = before;
  for (size_t i = 0; i < n; ++i) {
    sum += weights[i];
    if (sum > target) return static_cast<int32_t>(begin + i);
  }
  const auto weight = [&](size_t i) { return weights[i]; };
  return static_cast<int32_t>(begin) + last_with_weight(n, weight);
}

int32_t draw_straight(Row row, float max, float temperature, double u) {
  const float top = max / temperature;
  const auto weight = [&](size_t i) -> double {
    return is_live(row.data[i]) ? std::exp(row.data[i] / temperature - top) : 0.0F;
  };
  double total = 0;
  for (size_t i = 0; i < row.n; ++i) total += weight(i);
  const double target = total * u;
  double sum = 0;
  for (size_t i = 0; i < row.n; ++i) {
    const double p = weight(i);
    sum += p;
    if (p > 0 && sum >= target) return static_cast<int32_t>(i);
  }
  return last_with_weight(row.n, weight);
}

}  // namespace hlg
