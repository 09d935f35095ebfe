// A recorded row, small: how many tokens there are at which distance from the top token. All that
// `hlg kl` and `hlg sweep` weigh depends on that distance alone.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "hlg/hlg.hpp"

// Tokens of less than 1e-4 of the top token's probability, as the model has it, are the deep tail:
// further than this below the top token, in nats.
inline const double kDeepTail = -std::log(1e-4);

// Tokens further below the likeliest one than this, in nats, count as having no mass: a whole
// vocabulary of them has less than double can tell from 1.
constexpr double kNoMass = -60;

struct RowGroups {
  // Groups by rising distance; the first one is the top token alone. They end at whole nats and at
  // kDeepTail. Masked tokens are in none.
  std::vector<double> distance;  // the mean of its tokens, nats
  std::vector<double> count;
  std::array<double, 3> above_pivot{};  // top token from each hlg_pivot with offset 0, nats

  size_t size() const { return count.size(); }
  // The curve at each group, less its value at the top token.
  std::vector<double> heights(const hlg::curve& curve, const hlg_params& params) const;
};

// Makes groups of rows; one in each thread.
class RowGrouper {
 public:
  // With groups of at most this width, in nats, a sum over exp(-s * distance) is off by less than
  // (s * width)^2 / 24 of itself. A power of two.
  explicit RowGrouper(double width);

  // Throws Failure where the row has no live token.
  RowGroups operator()(const std::vector<float>& logits);

 private:
  double pivot(const hlg::curve& curve, const std::vector<float>& logits);  // a log-probability

  double width_;
  std::vector<hlg::curve> curves_;  // one for each pivot, offset 0
  std::vector<float> logprobs_;
  hlg::sampler sampler_{0};
};
