// The bands of hlg harm, and the fit of a curve to the harm.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "bands.h"
#include "hlg/hlg.hpp"
#include "law.h"
#include "tone_fit.h"

namespace {

constexpr float kMasked = -INFINITY;

TEST(Bands, FollowEachOtherFromTheTop) {
  EXPECT_EQ(kBands[0].high, 0);
  for (size_t i = 1; i < kBands.size(); ++i) {
    EXPECT_EQ(kBands[i].high, kBands[i - 1].low) << i;
    EXPECT_LT(kBands[i].low, kBands[i].high) << i;
  }
}

TEST(Bands, APlaceIsThatOfTheRow) {
  const std::vector<float> logits{1, 3, kMasked, 2, 3 - 50};
  const BandedRow row(logits.data(), logits.size());
  const double sum = std::exp(-2.0) + 1 + std::exp(-1.0) + std::exp(-50.0);
  double entropy = 0;
  for (const double z : {-2.0, 0.0, -1.0, -50.0}) {
    entropy -= std::exp(z) / sum * (z - std::log(sum));
  }
  const Place place = row.place(0);
  EXPECT_EQ(place.z_top, -2);
  EXPECT_NEAR(place.logprob, -2 - std::log(sum), 1e-12);
  EXPECT_NEAR(place.z_entropy, place.logprob + entropy, 1e-12);
  EXPECT_EQ(place.rank, 2);
  EXPECT_EQ(row.place(1).rank, 0);
}

TEST(Bands, ADrawIsFromTheBandAlone) {
  const std::vector<float> logits{0, -1, -1.5, -2, kMasked, -2.5};
  const BandedRow row(logits.data(), logits.size());
  EXPECT_EQ(row.draw(kBands[0], 0.99), 0);
  EXPECT_EQ(row.draw(kBands[1], 0.99), 1);  // a lower edge belongs to the band above it
  EXPECT_EQ(row.draw(kBands[2], 0), 2);
  EXPECT_EQ(row.draw(kBands[2], 0.999), 3);
  EXPECT_EQ(row.draw(kBands[3], 0.5), 5);
  EXPECT_EQ(row.draw(kBands[4], 0.5), -1);
}

TEST(Bands, ADrawHasTheLawOfTheBand) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> anywhere(-6, 0);
  std::vector<float> logits(200);
  for (float& x : logits) x = anywhere(random);
  logits[7] = 0;
  const BandedRow row(logits.data(), logits.size());
  const Band& band = kBands[3];
  std::vector<double> p;
  double sum = 0;
  for (const float x : logits) {
    p.push_back(band.low <= x && x < band.high ? std::exp(static_cast<double>(x)) : 0);
    sum += p.back();
  }
  for (double& share : p) share /= sum;
  constexpr int kDraws = 20000;
  std::vector<int> counts(logits.size());
  for (int i = 0; i < kDraws; ++i) {
    const int32_t token = row.draw(band, random() / 0x1p32);
    ASSERT_GT(p[static_cast<size_t>(token)], 0);
    ++counts[static_cast<size_t>(token)];
  }
  hlg_test::expect_law(counts, p, kDraws);
}

TEST(Bands, ARowWithoutALiveTokenIsRefused) {
  const std::vector<float> logits(3, kMasked);
  EXPECT_THROW(BandedRow(logits.data(), logits.size()), std::runtime_error);
}

// ---- fit ----------------------------------------------------------------------------------------

constexpr double kLambda = 40;

// Points that a curve fits exactly, every nat from the top down.
std::vector<HarmPoint> points_of(const hlg::params& knobs, double offset) {
  const hlg::curve curve(knobs);
  std::vector<HarmPoint> points;
  for (double z = 0; z > -16; --z) {
    points.push_back({z, (curve.eval(offset) - curve.eval(z + offset)) / kLambda, 0.01});
  }
  return points;
}

const ToneFit& named(const std::vector<ToneFit>& fits, const std::string& shape) {
  for (const ToneFit& f : fits) {
    if (f.shape == shape) return f;
  }
  throw std::runtime_error("no fit " + shape);
}

void expect_knobs(const ToneFit& fit, double offset, double width, double shoulder, double toe) {
  EXPECT_NEAR(fit.knobs.pivot_offset, offset, 0.1);
  EXPECT_NEAR(fit.knobs.width, width, 0.1);
  EXPECT_NEAR(fit.knobs.shoulder, shoulder, 0.1 * shoulder);
  EXPECT_NEAR(fit.knobs.toe, toe, 0.1 * toe);
  EXPECT_NEAR(fit.lambda, kLambda, 0.02 * kLambda);
  EXPECT_LT(fit.chi2, 1e-3);
}

TEST(Fit, FindsTheKnobsOfAFade) {
  hlg::params knobs;
  knobs.set("pivot_offset", 5.3).set("width", 1.7).set("shoulder", 0.8);
  knobs.set("toe", 3.1).set("toe_shape", "fade");
  const auto fits = fit_harm(points_of(knobs, 5.3), HLG_PIVOT_TOP);
  expect_knobs(named(fits, "fade"), 5.3, 1.7, 0.8, 3.1);
  EXPECT_GT(named(fits, "log").chi2, 10 * named(fits, "fade").chi2);
  EXPECT_GT(named(fits, "line").chi2, 1);
}

TEST(Fit, FindsTheKnobsOfALog) {
  hlg::params knobs;
  knobs.set("pivot_offset", 6).set("width", 2.5).set("shoulder", 1.5);
  knobs.set("toe", 2).set("toe_shape", "log");
  const auto fits = fit_harm(points_of(knobs, 6), HLG_PIVOT_TOP);
  expect_knobs(named(fits, "log"), 6, 2.5, 1.5, 2);
  EXPECT_GT(named(fits, "fade").chi2, 10 * named(fits, "log").chi2);
}

TEST(Redrawn, HasTheGivenErrors) {
  const std::vector<HarmPoint> points = {{0, 0.1, 0.02}, {-1, 0.3, 0.05}, {-2, 0.2, 0}};
  const int n = 4000;
  std::vector<double> sum(3), squares(3);
  double product = 0;  // of the first two deviations
  for (uint32_t number = 0; number < n; ++number) {
    const auto again = redrawn(points, number);
    for (size_t i = 0; i < 3; ++i) {
      sum[i] += again[i].harm - points[i].harm;
      squares[i] += std::pow(again[i].harm - points[i].harm, 2);
    }
    product += (again[0].harm - points[0].harm) * (again[1].harm - points[1].harm);
  }
  const double errors[] = {0.02, 0.05, 0.02};  // 0 counts as the smallest other one
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(sum[i] / n, 0, 4 * errors[i] / std::sqrt(n)) << i;
    EXPECT_NEAR(std::sqrt(squares[i] / n), errors[i], 0.05 * errors[i]) << i;
  }
  EXPECT_NEAR(product / n, 0, 4 * errors[0] * errors[1] / std::sqrt(n));
  EXPECT_EQ(redrawn(points, 7)[1].harm, redrawn(points, 7)[1].harm);
}

TEST(Fit, ALineIsALine) {
  std::vector<HarmPoint> points;
  for (double z = 0; z > -16; --z) points.push_back({z, 0.1 - z / kLambda, 0.01});
  for (const ToneFit& fit : fit_harm(points, HLG_PIVOT_TOP)) {
    EXPECT_LT(fit.chi2, fit.shape == "log" || fit.shape == "fade" ? 1e-2 : 1e-9) << fit.shape;
  }
  const ToneFit line = named(fit_harm(points, HLG_PIVOT_TOP), "line");
  EXPECT_NEAR(line.lambda, kLambda, 1e-9);
  EXPECT_NEAR(line.constant, 0.1 * kLambda, 1e-9);
  EXPECT_EQ(line.dof, 14);
}

TEST(Fit, ACutOffIsFound) {
  std::vector<HarmPoint> points;
  for (double z = 0; z > -16; --z) points.push_back({z, z > -8.5 ? -z / kLambda : 3, 0.01});
  const ToneFit fit = named(fit_harm(points, HLG_PIVOT_TOP), "line with cut-off");
  EXPECT_EQ(fit.cut, -8.5);
  EXPECT_NEAR(fit.lambda, kLambda, 1e-9);
  EXPECT_LT(fit.chi2, 1e-9);
}

TEST(Fit, TheErrorsAreTheWeights) {
  const std::vector<HarmPoint> points{{0, 0, 0.1}, {-1, 1, 0.1}, {-2, 2, 0.1}, {-3, 30, 1000}};
  EXPECT_NEAR(named(fit_harm(points, HLG_PIVOT_TOP), "line").lambda, 1, 1e-3);
}

TEST(Fit, AnErrorOfZeroIsTheSmallestOther) {
  std::vector<HarmPoint> points{{0, 0, 0}, {-1, 1.2, 0.1}, {-2, 2, 0.3}, {-3, 2.9, 0.2}};
  const double chi2 = named(fit_harm(points, HLG_PIVOT_TOP), "line").chi2;
  points[0].se = 0.1;
  EXPECT_EQ(named(fit_harm(points, HLG_PIVOT_TOP), "line").chi2, chi2);
}

TEST(Fit, HarmThatFallsHasNoLambda) {
  std::vector<HarmPoint> points;
  for (double z = 0; z > -16; --z) points.push_back({z, 1 + z / kLambda, 0.01});
  for (const ToneFit& fit : fit_harm(points, HLG_PIVOT_TOP)) {
    if (fit.shape != "line with cut-off") EXPECT_EQ(fit.lambda, INFINITY) << fit.shape;
  }
}

}  // namespace
