#include "blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hlg {
namespace {

// A walk along the cumulative distribution, from coarse items to fine ones.
struct Walk {
  double u;
  Bounds before, after;  // the masses on both sides of what is looked at

  // The first of n items that surely ends above u, or the last one with any mass. The walk is then
  // in front of it.
  template <class Item>
  size_t into(size_t n, const Item& item) {
    Bounds rest = after;
    for (size_t i = 0; i < n; ++i) rest = {rest.lower + item(i).lower, rest.upper + item(i).upper};
    size_t last = 0;
    for (size_t i = 0; i < n; ++i) {
      const Bounds m = item(i);
      if (!(m.upper > 0)) continue;
      last = i;
      rest = {rest.lower - m.lower, rest.upper - m.upper};
      if ((1 - u) * (before.lower + m.lower) > u * rest.upper) break;
      before = {before.lower + m.lower, before.upper + m.upper};
    }
    after = rest;
    return last;
  }

  // Whether an item of this mass, in front of which the walk is, surely starts at u or below.
  bool is_below(double mass) const { return (1 - u) * before.upper <= u * (mass + after.lower); }
};

}  // namespace

void Blocks::reserve(size_t n) {
  max_.reserve(n_blocks(n));
  lower_.reserve(n_blocks(n));
  slack_.reserve(n_blocks(n));
  list_.reserve(n_blocks(n));
  group_lower_.reserve(n_groups(n));
  group_slack_.reserve(n_groups(n));
}

float Blocks::scan(Row row) {
  max_.resize(n_blocks(row.n));
  return passes(row.dtype).block_max(row.data, row.n, max_.data());
}

int32_t Blocks::find_top(Row row, float value) const {
  const auto block = static_cast<size_t>(std::find(max_.begin(), max_.end(), value) - max_.begin());
  const size_t begin = block * kBlock, n = std::min(kBlock, row.n - begin);
  float logits[kBlock];
  passes(row.dtype).widen(row.from(begin), n, logits);
  return static_cast<int32_t>(begin) +
         static_cast<int32_t>(std::find(logits, logits + n, value) - logits);
}

void Blocks::estimate(const FromTop& h) {
  const size_t n = max_.size();
  lower_.resize(n);
  slack_.resize(n);
  list_.resize(n);
  passes(HLG_FLOAT32).weights(max_.data(), n, h, lower_.data());
  for (size_t b = 0; b < n; ++b) slack_[b] = (kBlock - 1) * lower_[b];
  add_up();
}

void Blocks::tighten(Row row, const FromTop& h, double share) {
  const size_t n = lower_.size();
  // Never below 0, whatever the weights are: the blocks behind the row are not to be listed.
  limit_ = std::max(0.0F, static_cast<float>(share * total().lower / static_cast<double>(n)));
  const size_t n_list = kernels().above(slack_.data(), n, limit_, list_.data());
  passes(row.dtype).block_mass(row.data, row.n, h, list_.data(), n_list, lower_.data());
  for (size_t i = 0; i < n_list; ++i) slack_[list_[i]] = 0;
  add_up();
}

void Blocks::add_up() {
  const size_t n = lower_.size() / kGroup;
  group_lower_.resize(n);
  group_slack_.resize(n);
  kernels().group_sums(lower_.data(), n, group_lower_.data());
  kernels().group_sums(slack_.data(), n, group_slack_.data());
}

Bounds Blocks::total() const {
  const double lower = std::accumulate(group_lower_.begin(), group_lower_.end(), 0.0);
  return {lower, std::accumulate(group_slack_.begin(), group_slack_.end(), lower)};
}

float Blocks::above_the_rest(double share, float top) const {
  const double mass = share * total().lower;
  const double open = std::log(double{limit_} / (kBlock - 1)) + 1e-5;  // 1e-5: for rounding
  for (float depth = 2;; depth *= 1.5F) {
    const float low = top - depth;
    const auto cap = static_cast<float>(kBlock * std::exp(double{low} - top));  // of each block
    if (kernels().capped_sum(lower_.data(), slack_.data(), lower_.size(), cap) < mass) {
      return std::max(low, static_cast<float>(top + open));
    }
  }
}

size_t Blocks::select(Row row, float low, float top, std::vector<float>& values) {
  const size_t n_list = kernels().above(max_.data(), max_.size(), low, list_.data());
  size_t n = 0;
  for (size_t i = 0; i < n_list; ++i) {
    const size_t begin = list_[i] * kBlock, length = std::min(kBlock, row.n - begin);
    n += passes(row.dtype).select(row.from(begin), length, low, top, values.data() + n);
  }
  return n;
}

int32_t Blocks::find(Row row, const FromTop& h, double u) const {
  const Bounds all = total();
  if (!(all.lower > 0)) return -1;
  Walk walk{u, {}, {}};
  const size_t group = walk.into(group_lower_.size(), [&](size_t g) {
    return Bounds{group_lower_[g], group_lower_[g] + group_slack_[g]};
  });
  const size_t block = group * kGroup + walk.into(kGroup, [&](size_t b) {
    const double lower = lower_[group * kGroup + b];
    return Bounds{lower, lower + slack_[group * kGroup + b]};
  });
  const size_t begin = block * kBlock, n = std::min(kBlock, row.n - begin);
  float weights[kBlock];
  passes(row.dtype).weights(row.from(begin), n, h, weights);
  const size_t i = walk.into(n, [&](size_t k) { return Bounds{weights[k], weights[k]}; });
  const bool sure = walk.is_below(weights[i]) || all.upper == all.lower;
  return sure ? static_cast<int32_t>(begin + i) : -1;
}

}  // namespace hlg
