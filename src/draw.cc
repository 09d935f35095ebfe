#include "draw.h"

#include <algorithm>
#include <cmath>

#include "kernels.h"

namespace hlg {
namespace {

// Calls use(index, logit) along the row until it returns true.
template <class Use>
void for_each_logit(Row row, const Use& use) {
  float logits[kBlock];
  for (size_t begin = 0; begin < row.n; begin += kBlock) {
    const size_t n = std::min(kBlock, row.n - begin);
    passes(row.dtype).widen(row.from(begin), n, logits);
    for (size_t i = 0; i < n; ++i) {
      if (use(begin + i, logits[i])) return;
    }
  }
}

}  // namespace

int32_t draw(Row row, const FromTop& h, double u, Blocks& blocks) {
  blocks.estimate(h);
  for (const double share : kShares) {
    blocks.tighten(row, h, share);
    const int32_t token = blocks.find(row, h, u);
    if (token >= 0) return token;
  }
  // The weights are no numbers: a pivot kept from quite another row, or logits far beyond 1e9.
  return blocks.find_top(row, h.max);
}

int32_t draw_straight(Row row, float max, float temperature, double u) {
  const float top = max / temperature;
  const auto weight = [&](float x) -> double {
    return is_live(x) ? std::exp(x / temperature - top) : 0.0F;
  };
  double total = 0;
  for_each_logit(row, [&](size_t, float x) {
    total += weight(x);
    return false;
  });
  const double target = total * u;
  double sum = 0;
  size_t token = 0;  // in the end, where rounding left the target past it: the last with any weight
  for_each_logit(row, [&](size_t i, float x) {
    const double p = weight(x);
    sum += p;
    if (p > 0) token = i;
    return p > 0 && sum >= target;
  });
  return static_cast<int32_t>(token);
}

}  // namespace hlg
