// The mass of each block of a row, known at first only between bounds.
//
// A block of n tokens whose largest weight is w has a mass of w to n*w. On rows of a language model
// that is enough for nearly all blocks: together they weigh so little that the token is the same at
// either end of their bounds. Only the blocks that matter are computed token by token.
#pragma once

#include <vector>

#include "from_top.h"
#include "kernels.h"
#include "row.h"

namespace hlg {

// How far apart a block's bounds may be, in blocks' mean masses, in each attempt at an answer
// (docs/kernel.md).
constexpr double kShares[] = {16, 1, 0.1, 0.01, 0};

struct Bounds {
  double lower = 0, upper = 0;
};

class Blocks {
 public:
  // Room for rows of n tokens: what follows then allocates nothing.
  void reserve(size_t n);

  // The first pass over a row. Returns its largest logit, -inf where all tokens are masked.
  float scan(Row row);

  // The first index of the largest logit, which is `value`, of the row that was scanned.
  int32_t find_top(Row row, float value) const;

  // Bounds of all masses from the largest logits.
  void estimate(const FromTop& h);

  // Computes the masses of all blocks whose bounds are further apart than `share` of a block's mean
  // mass. 0: of all.
  void tighten(Row row, const FromTop& h, double share);

  // Of everything.
  Bounds total() const;

  // A logit above the rest: the tokens up to there surely hold less than `share` of the mass, and
  // those above it lie in blocks whose masses are computed. top: the largest. For e^(x - max) only.
  float above_the_rest(double share, float top) const;

  // The logits above low, in order, to values, which has room for the row. Returns how many.
  size_t select(Row row, float low, float top, std::vector<float>& values);

  // The token at u of the cumulative distribution, or -1 where the bounds leave it open, or where
  // the weights are no numbers.
  int32_t find(Row row, const FromTop& h, double u) const;

 private:
  void add_up();

  std::vector<float> max_, lower_, slack_;  // a block's mass is from lower to lower + slack
  std::vector<double> group_lower_, group_slack_;
  float limit_ = 0;  // of the slacks
  std::vector<uint32_t> list_;
};

}  // namespace hlg
