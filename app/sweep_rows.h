// Recorded rows as the sweep sees them: small enough to be kept, all of a model at once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rivals.h"
#include "rowset.h"

// A rival's cut-off: what it leaves of each row.
struct CutOff {
  hlg_rivals::Cut cut;
  double value;
};

// All that is weighed depends on a token's distance from the top token alone. So tokens are counted
// in groups that are kGroupWidth nats wide: a sum over exp(-s * distance) is off by less than
// (s * kGroupWidth)^2 / 24 of itself, 1e-5 at s = 1.
struct SweepRow {
  static constexpr double kGroupWidth = 1.0 / 64;

  // Groups by rising distance. The first one is the top token alone.
  std::vector<double> distance;  // the mean of its tokens
  std::vector<double> count;
  std::array<double, 3> above_pivot{};  // top token from each hlg_pivot with offset 0, nats
  std::vector<int32_t> kept;            // tokens that each cut-off leaves; the likeliest ones
};

// Throws Failure where a row has no live token.
std::vector<SweepRow> sweep_rows(const RowSet& rows, const std::vector<CutOff>& cuts,
                                 int n_threads);
