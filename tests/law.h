// Counts of draws against the distribution they should have.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hlg_test {

// Chi-square of counts against p, tokens expected under 8 times pooled, over a limit that a true
// law exceeds once in a million (Wilson and Hilferty).
inline double misfit(const std::vector<int>& counts, const std::vector<double>& p, int draws) {
  double chi2 = 0, pooled_p = 0;
  int pooled = 0, cells = 0;
  const auto add = [&](double expected, double seen) {
    chi2 += (seen - expected) * (seen - expected) / expected;
    ++cells;
  };
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] * draws >= 8) {
      add(p[i] * draws, counts[i]);
    } else {
      pooled_p += p[i];
      pooled += counts[i];
    }
  }
  if (pooled_p * draws >= 1) add(pooled_p * draws, pooled);
  const double k = cells - 1, z = 4.75;
  const double limit = k * std::pow(1 - 2 / (9 * k) + z * std::sqrt(2 / (9 * k)), 3);
  return chi2 / limit;
}

inline void expect_law(const std::vector<int>& counts, const std::vector<double>& p, int draws) {
  EXPECT_LT(misfit(counts, p, draws), 1);
}

}  // namespace hlg_test
