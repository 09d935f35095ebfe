// The three pivots against closed forms.
#include "pivot.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rows.h"

namespace hlg_test {
namespace {

// The pivot of a row as a log-probability; pivot_logit gives it as a logit.
double pivot(const std::vector<float>& logits, int32_t mode, double offset) {
  hlg_params p = bent();
  p.pivot = mode;
  p.pivot_offset = offset;
  const double max = reference_max(logits), mu = library_pivot(logits, p);
  EXPECT_NEAR(mu, reference_pivot(logits, p), 2e-6 * (1 + std::abs(mu)));
  return mu - max - std::log(mass_of(logits));
}

// Logits whose softmax is 1/2, 1/4, 1/8, 1/8, each moved up by `shift`.
std::vector<float> halves(float shift) {
  const float h = std::log(0.5F);
  return {3 * h + shift, h + shift, 2 * h + shift, 3 * h + shift};
}

TEST(Pivot, Top) { EXPECT_NEAR(pivot(halves(0), HLG_PIVOT_TOP, 6), std::log(0.5) - 6, 1e-6); }

TEST(Pivot, EntropyOfHalves) {
  // H = 1/2 ln 2 + 1/4 ln 4 + 2/8 ln 8 = 1.75 ln 2
  EXPECT_NEAR(pivot(halves(0), HLG_PIVOT_ENTROPY, 0), -1.75 * std::log(2), 1e-6);
  EXPECT_NEAR(pivot(halves(0), HLG_PIVOT_ENTROPY, 2.5), -1.75 * std::log(2) - 2.5, 1e-6);
}

TEST(Pivot, MedianOfDominatedRow) {
  EXPECT_NEAR(pivot({0, 3, 0, 0}, HLG_PIVOT_MEDIAN, 0), 3 - std::log(std::exp(3) + 3), 1e-6);
}

TEST(Pivot, MedianBelowTheTop) {
  // probabilities 0.4, 0.3, 0.2, 0.1: the mass reaches 0.5 at the second
  const std::vector<float> row = {std::log(0.2F), std::log(0.4F), std::log(0.1F), std::log(0.3F)};
  EXPECT_NEAR(pivot(row, HLG_PIVOT_MEDIAN, 0), std::log(0.3), 1e-6);
  EXPECT_NEAR(pivot(row, HLG_PIVOT_MEDIAN, 1), std::log(0.3) - 1, 1e-6);
}

TEST(Pivot, MedianIsWhereTheMassReachesOneHalf) {
  const auto second = [](float top) {  // top, 0.9 of the rest, 0.1 of the rest
    return std::vector<float>{std::log((1 - top) * 0.1F), std::log(top),
                              std::log((1 - top) * 0.9F)};
  };
  EXPECT_NEAR(pivot(second(0.501F), HLG_PIVOT_MEDIAN, 0), std::log(0.501), 1e-6);
  EXPECT_NEAR(pivot(second(0.499F), HLG_PIVOT_MEDIAN, 0), std::log(0.501 * 0.9), 1e-6);
}

TEST(Pivot, FlatRow) {
  const std::vector<float> flat(1000, -7.25F);
  for (const int32_t mode : {HLG_PIVOT_TOP, HLG_PIVOT_ENTROPY, HLG_PIVOT_MEDIAN}) {
    EXPECT_NEAR(pivot(flat, mode, 0), -std::log(1000), 1e-6) << mode;
  }
}

TEST(Pivot, ShiftAndOrderDoNotMatter) {
  std::mt19937 rng(4);
  std::vector<float> row = model_like_row(5000, 2, rng);
  for (float& x : row) x = std::round(x * 1024) / 1024;  // so that the shift below is exact
  std::vector<float> moved = row;
  for (float& x : moved) x += 64;
  std::shuffle(moved.begin(), moved.end(), rng);
  for (const int32_t mode : {HLG_PIVOT_TOP, HLG_PIVOT_ENTROPY, HLG_PIVOT_MEDIAN}) {
    EXPECT_NEAR(pivot(row, mode, 1), pivot(moved, mode, 1), 2e-6) << mode;
  }
}

TEST(Pivot, MaskedTokensDoNotCount) {
  std::vector<float> row = halves(1);
  const std::vector<float> alone = row;
  row.insert(row.begin() + 1, {-kInf, kNan, -3e38F});
  for (const int32_t mode : {HLG_PIVOT_TOP, HLG_PIVOT_ENTROPY, HLG_PIVOT_MEDIAN}) {
    EXPECT_NEAR(pivot(row, mode, 0), pivot(alone, mode, 0), 2e-6) << mode;
  }
}

TEST(Pivot, HugeRangeMakesNoNan) {
  for (const int32_t mode : {HLG_PIVOT_TOP, HLG_PIVOT_ENTROPY, HLG_PIVOT_MEDIAN}) {
    EXPECT_EQ(pivot({3e38F, -3e38F, 0}, mode, 0), 0) << mode;
  }
}

}  // namespace
}  // namespace hlg_test
