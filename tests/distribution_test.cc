// The drawn distribution: which way each knob moves it, what leaves it as it is, its far end.
#include <gtest/gtest.h>

#include <algorithm>

#include "rows.h"

namespace hlg_test {
namespace {

TEST(Distribution, ShiftAndPermutation) {
  std::mt19937 rng(8);
  std::vector<float> row = model_like_row(300, 1, rng);
  for (float& x : row) x = std::round(x * 1024) / 1024;
  std::vector<float> moved(row.rbegin(), row.rend());
  for (float& x : moved) x += 32;
  for (const hlg_params& p : every_kind()) {
    const hlg::Curve curve = curve_of(p);
    if (curve.greedy) continue;
    std::vector<float> seen = library_logprobs(moved, p);
    std::reverse(seen.begin(), seen.end());
    const Worst w = worst_error(row, curve, reference_logprobs(row, curve), seen);
    EXPECT_LE(w.part, 1) << "token " << w.token;
  }
}

// How much a token at z gains against the straight line: the contract's bounds, written out.
double log_toe_lift(const hlg_params& p, double z) {
  const double d = -z - p.width;
  return (d - p.toe * std::log1p(d / p.toe)) / p.temperature;
}

double shoulder_loss(const hlg_params& p, double z) {
  const double d = z - p.width;
  if (d <= 0 || p.shoulder == HLG_OFF) return 0;
  return (d - p.shoulder * std::log1p(d / p.shoulder)) / p.temperature;
}

// Case 3.
TEST(Distribution, FarTokenKeepsItsPlace) {
  const std::vector<float> logits = {5, 4, -999, -kInf};
  std::mt19937 rng(5);
  for (int i = 0; i < 2000; ++i) {
    hlg_params p = random_params(rng);
    p.temperature = std::min(p.temperature, 10.0);
    if (p.toe == HLG_OFF) continue;
    const double z_top = 5 - reference_pivot(logits, p), z_far = z_top - 1004;
    const std::vector<double> d = distribution(logits, p);
    EXPECT_EQ(d[3], 0);
    if (p.toe_shape == HLG_TOE_FADE) {
      EXPECT_LT(d[2], 1e-30);
    } else if (d[2] > 1e-300) {  // no denormals
      const double straight = -1004 / p.temperature;
      EXPECT_NEAR(std::log(d[2] / d[0]),
                  straight + log_toe_lift(p, z_far) + shoulder_loss(p, z_top), 1e-9);
    }
    const std::vector<float> seen = library_logprobs(logits, p);
    const double expected = reference_logprobs(logits, curve_of(p))[2];
    EXPECT_NEAR(seen[2], expected, allowed_error(curve_of(p), z_far, expected));
    EXPECT_EQ(seen[3], -kInf);
  }
}

// Case 10, second half, and the table of directions: each knob moves the entropy as documented
// (top pivot), on rows of many kinds and settings of the whole legal range.
class Direction : public testing::Test {
 protected:
  // Entropy after minus before, `change` being applied to random settings.
  template <class Prepare, class Change>
  void expect_sign(int sign, const Prepare& prepare, const Change& change) {
    std::mt19937 rng(9);
    int moved = 0;
    for (int i = 0; i < 3000; ++i) {
      const std::vector<float> row = model_like_row(200, static_cast<float>(rng() % 8), rng);
      hlg_params p = random_params(rng);
      p.pivot = HLG_PIVOT_TOP;
      p.temperature = std::clamp(p.temperature, 0.05, 20.0);
      prepare(p);
      const double before = entropy(distribution(row, p));
      change(p);
      const double rise = sign * (entropy(distribution(row, p)) - before);
      EXPECT_GT(rise, -1e-9);
      moved += rise > 1e-6;
    }
    EXPECT_GT(moved, 100);  // it does something
  }
};

TEST_F(Direction, Temperature) {
  expect_sign(
      +1, [](hlg_params&) {}, [](hlg_params& p) { p.temperature *= 1.3; });
}

TEST_F(Direction, Shoulder) {
  expect_sign(
      -1, [](hlg_params& p) { p.shoulder = std::min(p.shoulder, 50.0); },
      [](hlg_params& p) { p.shoulder *= 2; });
}

TEST_F(Direction, ToeLog) {
  expect_sign(
      -1,
      [](hlg_params& p) {
        p.toe_shape = HLG_TOE_LOG;
        p.toe = std::min(p.toe, 50.0);
      },
      [](hlg_params& p) { p.toe *= 2; });
}

TEST_F(Direction, ToeFade) {
  expect_sign(
      +1,
      [](hlg_params& p) {
        p.toe_shape = HLG_TOE_FADE;
        p.toe = std::min(p.toe, 50.0);
      },
      [](hlg_params& p) { p.toe *= 2; });
}

TEST_F(Direction, WidthWithLogToe) {
  expect_sign(
      -1, [](hlg_params& p) { p.toe_shape = HLG_TOE_LOG; }, [](hlg_params& p) { p.width += 0.5; });
}

TEST_F(Direction, WidthWithToeOff) {
  expect_sign(
      -1, [](hlg_params& p) { p.toe = HLG_OFF; }, [](hlg_params& p) { p.width += 0.5; });
}

TEST_F(Direction, WidthWithFadeAlone) {
  expect_sign(
      +1,
      [](hlg_params& p) {
        p.toe_shape = HLG_TOE_FADE;
        p.shoulder = HLG_OFF;
      },
      [](hlg_params& p) { p.width += 0.5; });
}

TEST_F(Direction, OffsetWithFade) {
  expect_sign(
      +1, [](hlg_params& p) { p.toe_shape = HLG_TOE_FADE; },
      [](hlg_params& p) { p.pivot_offset += 0.5; });
}

}  // namespace
}  // namespace hlg_test
