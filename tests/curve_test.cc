// The curve against values worked out by hand, and its properties over the whole legal range.
#include "curve.h"

#include <gtest/gtest.h>

#include "rows.h"

namespace hlg_test {
namespace {

hlg_params sharp(int32_t toe_shape) {
  hlg_params p = bent(2);  // gain 1/2
  p.width = 1;
  p.shoulder = 0.5;
  p.toe = 1;
  p.toe_shape = toe_shape;
  return p;
}

TEST(Curve, ValuesByHand) {
  const hlg::Curve log_toe = curve_of(sharp(HLG_TOE_LOG));
  const hlg::Curve fade_toe = curve_of(sharp(HLG_TOE_FADE));
  EXPECT_DOUBLE_EQ(log_toe.eval(0.5), 0.25);                         // middle: z/2
  EXPECT_DOUBLE_EQ(log_toe.eval(3), 0.5 * (1 + 0.5 * std::log(5)));  // d = 2, 1 + 2/0.5
  EXPECT_DOUBLE_EQ(log_toe.eval(-3), -0.5 * (1 + std::log(3)));      // 1 + 2/1
  EXPECT_DOUBLE_EQ(fade_toe.eval(-3), -0.5 * (1 + 2 + 2));           // d + d*d/2
  EXPECT_DOUBLE_EQ(log_toe.slope(0.5), 0.5);
  EXPECT_DOUBLE_EQ(log_toe.slope(3), 0.5 * 0.5 / 2.5);
  EXPECT_DOUBLE_EQ(log_toe.slope(-3), 0.5 / 3);
  EXPECT_DOUBLE_EQ(fade_toe.slope(-3), 0.5 * 3);
}

TEST(Curve, OffIsStraight) {
  hlg_params p = sharp(HLG_TOE_FADE);
  p.shoulder = HLG_OFF;
  EXPECT_DOUBLE_EQ(curve_of(p).eval(30), 15);
  EXPECT_FALSE(curve_of(p).neutral);
  p.toe = HLG_OFF;
  EXPECT_DOUBLE_EQ(curve_of(p).eval(-30), -15);
  EXPECT_TRUE(curve_of(p).neutral);
  p = sharp(HLG_TOE_FADE);
  p.width = HLG_OFF;
  EXPECT_TRUE(curve_of(p).neutral);
  EXPECT_DOUBLE_EQ(curve_of(p).eval(-30), -15);
  p = sharp(HLG_TOE_FADE);
  p.enabled = 0;
  EXPECT_TRUE(curve_of(p).neutral);
}

TEST(Curve, Greedy) {
  EXPECT_TRUE(curve_of(bent(0)).greedy);
  EXPECT_TRUE(curve_of(bent(-1)).greedy);
  EXPECT_TRUE(curve_of(bent(9.9e-5)).greedy);
  EXPECT_FALSE(curve_of(bent(1e-4)).greedy);
  hlg_params straight = bent(9.9e-5);
  straight.width = HLG_OFF;
  EXPECT_FALSE(curve_of(straight).greedy);
  EXPECT_EQ(curve_of(bent(0)).eval(-30), 0) << "0 everywhere, see hlg.h";
}

TEST(Curve, ContinuousAtTheKnots) {
  std::mt19937 rng(1);
  for (int i = 0; i < 2000; ++i) {
    const hlg::Curve c = curve_of(random_params(rng));
    const double w = c.params.width, h = 1e-9 * (1 + w), bend = 1e-9 + h / 0.05;
    for (const double knot : {w, -w}) {
      const double rise = c.eval(knot + h) - c.eval(knot - h);
      EXPECT_NEAR(rise, 2 * h * c.gain, 2 * h * c.gain * bend * 2 + 1e-14 * c.gain * (1 + w));
      EXPECT_NEAR(c.slope(knot + h), c.slope(knot - h), c.gain * 2 * bend);
    }
  }
}

// Case 10, first half: a > b gives g(a) > g(b) in double where they are 1e-6 apart.
TEST(Curve, StrictlyIncreasing) {
  std::mt19937 rng(2);
  std::uniform_real_distribution<double> z(-200, 200), log_gap(-6, 2);
  for (int i = 0; i < 1000; ++i) {
    const hlg::Curve c = curve_of(random_params(rng));
    for (int j = 0; j < 1000; ++j) {
      const double b = z(rng);
      const double a = std::min(200.0, b + std::pow(10, log_gap(rng)));
      if (a - b < 1e-6) continue;
      ASSERT_GT(c.eval(a), c.eval(b)) << a << " " << b;
    }
  }
}

TEST(Curve, SlopeIsTheDerivative) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> position(-60, 60);
  for (int i = 0; i < 5000; ++i) {
    const hlg::Curve c = curve_of(random_params(rng));
    const double z = position(rng), h = 1e-6;
    const double w = c.params.width;
    if (std::abs(std::abs(z) - w) < 2 * h) continue;
    const double numeric = (c.eval(z + h) - c.eval(z - h)) / (2 * h);
    EXPECT_NEAR(numeric, c.slope(z), 1e-3 * c.slope(z) + 1e-7 * c.gain);
  }
}

// Far below, the log toe stays above the middle's line and the fade toe below it.
TEST(Curve, ToesLeaveTheLineOnTheirOwnSide) {
  const double line = 0.5 * -20;
  EXPECT_GT(curve_of(sharp(HLG_TOE_LOG)).eval(-20), line);
  EXPECT_LT(curve_of(sharp(HLG_TOE_FADE)).eval(-20), line);
  EXPECT_LT(curve_of(sharp(HLG_TOE_LOG)).eval(20), 0.5 * 20);
}

}  // namespace
}  // namespace hlg_test
