#include "draw.h"

#include <algorithm>
#include <cmath>

namespace hlg {
namespace {

constexpr size_t kBlock = 512;
constexpr double kNever = std::numeric_limits<double>::infinity();

// Adds w(i) for i in [begin, end) to `sum` in order, and stops at the first index where the sum
// exceeds `target`. Returns that index, or end.
template <class Weight>
size_t walk(size_t begin, size_t end, const Weight& w, double target, double& sum) {
  for (size_t i = begin; i < end; ++i) {
    sum += w(i);
    if (sum > target) return i;
  }
  return end;
}

// Rounding may leave the target at the very end: then the last token with any weight is meant.
template <class Weight>
int32_t last_with_weight(size_t n, const Weight& w) {
  size_t i = n;
  while (i > 1 && !(w(i - 1) > 0)) --i;
  return static_cast<int32_t>(i) - 1;
}

}  // namespace

double Weights::weight(float x) const { return is_live(x) ? std::exp(log_weight(x)) : 0.0; }

double total_mass(Row row, const Weights& weights) {
  double total = 0;
  for (size_t i = 0; i < row.n; ++i) total += weights.weight(row.data[i]);
  return total;
}

int32_t draw(Row row, const Weights& weights, double u, std::vector<double>& block_mass) {
  const auto weight = [&](size_t i) { return weights.weight(row.data[i]); };
  const auto end_of = [&](size_t block) { return std::min(row.n, (block + 1) * kBlock); };
  const size_t n_blocks = (row.n + kBlock - 1) / kBlock;
  block_mass.resize(n_blocks);
  double total = 0;
  for (size_t b = 0; b < n_blocks; ++b) {
    block_mass[b] = 0;
    walk(b * kBlock, end_of(b), weight, kNever, block_mass[b]);
    total += block_mass[b];
  }
  const double target = u * total;
  double sum = 0;
  size_t b = 0;
  while (b + 1 < n_blocks && sum + block_mass[b] <= target) sum += block_mass[b++];
  const size_t i = walk(b * kBlock, end_of(b), weight, target, sum);
  return i < end_of(b) ? static_cast<int32_t>(i) : last_with_weight(end_of(b), weight);
}

int32_t draw_straight(Row row, const Scan& scan, float temperature, double u) {
  const float max = scan.max / temperature;
  if (!std::isfinite(max)) return scan.argmax;  // T so small that x/T overflows
  const auto weight = [&](size_t i) -> double {
    return is_live(row.data[i]) ? std::exp(row.data[i] / temperature - max) : 0.0F;
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
