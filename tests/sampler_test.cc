// Drawing: degenerate rows, exact inverse-CDF checks, the law, the kept pivot, the random stream.
#include <gtest/gtest.h>

#include <algorithm>

#include "hlg/hlg.h"
#include "law.h"
#include "rows.h"

namespace hlg_test {
namespace {

int32_t draw_at(const std::vector<float>& logits, const hlg_params& params, double u) {
  const SamplerPtr s = make_sampler();
  const CurvePtr c = make_curve(params);
  const hlg_row row = hlg_row_f32(logits.data(), static_cast<int64_t>(logits.size()));
  return hlg_sample_u(s.get(), c.get(), &row, u);
}

// Case 1.
TEST(Degenerate, EveryKindOfRow) {
  const std::vector<float> masked(8, -kInf), one = {-kInf, -kInf, -4, -kInf};
  const std::vector<float> with_nan = {kNan, 1, kNan, -kInf}, with_inf = {3, kInf, 5, kInf, kNan};
  for (const hlg_params& p : every_kind()) {
    for (const double u : {0.0, 0.5, 0.9999999999}) {
      EXPECT_EQ(draw_at(masked, p, u), HLG_NO_LIVE_TOKEN);
      EXPECT_EQ(draw_at(one, p, u), 2);
      EXPECT_EQ(draw_at(with_nan, p, u), 1);
      EXPECT_EQ(draw_at(with_inf, p, u), 1);
      EXPECT_EQ(draw_at({7}, p, u), 0);
      EXPECT_EQ(draw_at({}, p, u), HLG_INVALID_ARGUMENT);
    }
  }
}

TEST(Degenerate, ApplyWritesWhatWouldBeDrawn) {
  const CurvePtr c = make_curve(bent());
  const SamplerPtr s = make_sampler();
  const std::vector<float> logits = {1, kInf, kNan, -kInf};
  std::vector<float> out(4);
  const hlg_row row = hlg_row_f32(logits.data(), 4);
  ASSERT_EQ(hlg_apply(s.get(), c.get(), &row, out.data()), HLG_OK);
  EXPECT_EQ(out, (std::vector<float>{-kInf, 0, -kInf, -kInf}));
}

// The token is the one whose interval of the cumulative distribution holds u.
TEST(Draw, InverseOfTheCumulativeDistribution) {
  std::mt19937 rng(6);
  for (const hlg_params& p : every_kind()) {
    if (curve_of(p).greedy) continue;
    std::vector<float> logits = model_like_row(1300, 1, rng);  // more than two blocks
    logits[3] = -kInf;
    logits[700] = kNan;
    const std::vector<double> d = distribution(logits, p);
    double below = 0;
    for (size_t i = 0; i < d.size(); ++i) {
      const double above = below + d[i];
      if (d[i] > 1e-6) {  // the float arithmetic of a straight line moves boundaries by 1e-7
        EXPECT_EQ(draw_at(logits, p, below + 0.25 * d[i]), static_cast<int32_t>(i));
        EXPECT_EQ(draw_at(logits, p, below + 0.75 * d[i]), static_cast<int32_t>(i));
      }
      below = above;
    }
    EXPECT_NEAR(below, 1, 1e-12);
  }
}

TEST(Draw, NeverAMaskedTokenAtTheEnds) {
  const std::vector<float> logits = {-kInf, 1, 2, -kInf};
  for (const hlg_params& p : every_kind()) {
    EXPECT_GE(draw_at(logits, p, 0), 1);
    EXPECT_LE(draw_at(logits, p, std::nextafter(1.0, 0.0)), 2);
  }
}

// Where rounding leaves the target past the last weight, the last token with any weight is meant.
TEST(Draw, NeverAMaskedTokenByRounding) {
  std::mt19937 rng(13);
  const double almost_one = std::nextafter(1.0, 0.0);
  for (int i = 0; i < 400; ++i) {
    std::vector<float> logits = model_like_row(700, 0, rng);
    std::fill(logits.begin() + 650, logits.end(), -kInf);
    for (const hlg_params& p : {bent(3, HLG_TOE_LOG), bent(3, HLG_TOE_FADE), every_kind()[6]}) {
      const int32_t token = draw_at(logits, p, almost_one);
      ASSERT_TRUE(token >= 0 && token < 650) << token;
    }
  }
}

TEST(Draw, GreedyTakesTheFirstOfTheLargest) {
  for (const double u : {0.0, 0.3, 0.999}) {
    EXPECT_EQ(draw_at({1, 5, 5, 2}, bent(0), u), 1);
    EXPECT_EQ(draw_at({1, 2, 2.5, 2}, bent(9e-5), u), 2);
  }
}

// A straight line uses the arithmetic of temp and dist: float x/T, float expf, sums in double. The
// boundaries of the cumulative sum lie where that arithmetic puts them, to the last bits.
TEST(Draw, StraightBoundariesAreThoseOfFloats) {
  std::mt19937 rng(14);
  const std::vector<float> logits = model_like_row(300, 0, rng);
  hlg_params p = bent(static_cast<double>(0.7F));
  p.width = HLG_OFF;
  const float max = *std::max_element(logits.begin(), logits.end()) / 0.7F;
  std::vector<double> sums;
  double total = 0;
  for (const float x : logits) sums.push_back(total += std::exp(x / 0.7F - max));
  for (size_t i = 0; i + 1 < sums.size(); ++i) {
    const double u = sums[i] / total;
    EXPECT_EQ(draw_at(logits, p, u * (1 - 1e-13)), static_cast<int32_t>(i));
    EXPECT_EQ(draw_at(logits, p, u * (1 + 1e-13)), static_cast<int32_t>(i + 1));
  }
}

// Case 11.
TEST(Draw, LawOfEachPivotAndToe) {
  std::mt19937 rng(7);
  const int draws = 100000;
  for (const size_t n : {40, 5000}) {
    const std::vector<float> logits = model_like_row(n, 0, rng);
    for (const hlg_params& p : every_kind()) {
      if (curve_of(p).greedy) continue;
      const SamplerPtr s = make_sampler(11);
      const CurvePtr c = make_curve(p);
      const hlg_row row = hlg_row_f32(logits.data(), static_cast<int64_t>(n));
      std::vector<int> counts(n);
      for (int i = 0; i < draws; ++i) {
        ++counts[static_cast<size_t>(hlg_sample(s.get(), c.get(), &row))];
      }
      expect_law(counts, distribution(logits, p), draws);
    }
  }
}

// A row masked after the first draw, with the pivot kept: exactly the first distribution,
// restricted and normalised again. Without it the pivot is the masked row's own.
TEST(KeepPivot, RestrictsTheFirstDistribution) {
  std::mt19937 rng(10);
  const std::vector<float> logits = model_like_row(100, 3, rng);
  std::vector<float> masked = logits;
  for (size_t i = 0; i < masked.size(); ++i) {
    if (i % 7 != 3) masked[i] = -kInf;
  }
  for (const hlg_params& p : every_kind()) {
    if (curve_of(p).greedy) continue;
    const std::vector<double> free = distribution(logits, p);
    double allowed = 0;
    for (size_t i = 3; i < free.size(); i += 7) allowed += free[i];
    const SamplerPtr s = make_sampler();
    const CurvePtr c = make_curve(p);
    const hlg_row first = hlg_row_f32(logits.data(), 100), second = hlg_row_f32(masked.data(), 100);
    std::vector<float> kept(100), own(100);
    ASSERT_GE(hlg_sample(s.get(), c.get(), &first), 0);
    ASSERT_EQ(hlg_sampler_keep_pivot(s.get()), HLG_OK);
    ASSERT_EQ(hlg_apply(s.get(), c.get(), &second, kept.data()), HLG_OK);
    ASSERT_EQ(hlg_apply(s.get(), c.get(), &second, own.data()), HLG_OK);
    for (size_t i = 3; i < free.size(); i += 7) {
      EXPECT_NEAR(kept[i], std::log(free[i] / allowed), 1e-5);
    }
    EXPECT_EQ(kept == own, curve_of(p).neutral) << "kept once, and only once";
    ASSERT_GE(hlg_sample(s.get(), c.get(), &first), 0);
    ASSERT_EQ(hlg_sampler_keep_pivot(s.get()), HLG_OK);
    const SamplerPtr clone(hlg_sampler_clone(s.get()));
    ASSERT_EQ(hlg_apply(clone.get(), c.get(), &second, own.data()), HLG_OK);
    EXPECT_EQ(kept, own) << "a clone keeps it too";
  }
}

// A row without a finite maximum leaves no pivot to keep: the next row has its own, and masked
// tokens stay masked.
TEST(KeepPivot, AfterARowThatHasNone) {
  const std::vector<float> next = {-kInf, -kInf, 2, 3.5F};
  for (const hlg_params& p : every_kind()) {
    for (const std::vector<float>& odd :
         {std::vector<float>{1, kInf, 2, 3}, {-kInf, -kInf, -kInf, kNan}}) {
      const SamplerPtr s = make_sampler(), fresh = make_sampler();
      const CurvePtr c = make_curve(p);
      const hlg_row first = hlg_row_f32(odd.data(), 4), second = hlg_row_f32(next.data(), 4);
      std::vector<float> kept(4), own(4);
      hlg_sample(s.get(), c.get(), &first);
      hlg_sampler_keep_pivot(s.get());
      ASSERT_EQ(hlg_apply(s.get(), c.get(), &second, kept.data()), HLG_OK);
      ASSERT_EQ(hlg_apply(fresh.get(), c.get(), &second, own.data()), HLG_OK);
      EXPECT_EQ(kept, own);
      hlg_sample(s.get(), c.get(), &first);
      hlg_sampler_keep_pivot(s.get());
      EXPECT_GE(hlg_sample_u(s.get(), c.get(), &second, 0), 2);
    }
  }
}

TEST(Degenerate, ColdStraightLineAgreesWithItself) {
  hlg_params p = bent(2e-38);
  p.width = HLG_OFF;
  const std::vector<float> logits = {50, 50, 3};
  EXPECT_EQ(draw_at(logits, p, 0.9), 0);
  const SamplerPtr s = make_sampler();
  const CurvePtr c = make_curve(p);
  const hlg_row row = hlg_row_f32(logits.data(), 3);
  std::vector<float> out(3);
  ASSERT_EQ(hlg_apply(s.get(), c.get(), &row, out.data()), HLG_OK);
  EXPECT_EQ(out, (std::vector<float>{0, -kInf, -kInf}));
}

TEST(Stream, OneUniformPerDrawWhateverTheRow) {
  const std::vector<float> plain = {1, 2, 3, 4}, one = {5}, masked(3, -kInf);
  const CurvePtr c = make_curve(bent()), greedy = make_curve(bent(0));
  std::mt19937 generator(42);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const SamplerPtr s = make_sampler(42);
  const hlg_row rows[] = {hlg_row_f32(one.data(), 1), hlg_row_f32(masked.data(), 3)};
  for (const hlg_row& row : rows) {
    hlg_sample(s.get(), c.get(), &row);
    uniform(generator);
  }
  const hlg_row row = hlg_row_f32(plain.data(), 4);
  hlg_sample(s.get(), greedy.get(), &row);
  uniform(generator);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(hlg_sample(s.get(), c.get(), &row), draw_at(plain, bent(), uniform(generator)));
  }
}

TEST(Stream, CloneCopyAndReset) {
  std::mt19937 rng(12);
  const std::vector<float> logits = model_like_row(50, 0, rng);
  const hlg_row row = hlg_row_f32(logits.data(), 50);
  const CurvePtr c = make_curve(bent(2));
  const auto draws = [&](hlg_sampler* s) {
    std::vector<int32_t> tokens(30);
    for (int32_t& t : tokens) t = hlg_sample(s, c.get(), &row);
    return tokens;
  };
  const SamplerPtr s = make_sampler(5), copy = make_sampler(6);
  const std::vector<int32_t> first = draws(s.get());
  const SamplerPtr clone(hlg_sampler_clone(s.get()));
  ASSERT_EQ(hlg_sampler_copy(copy.get(), s.get()), HLG_OK);
  const std::vector<int32_t> second = draws(s.get());
  EXPECT_NE(first, second);
  EXPECT_EQ(draws(clone.get()), second);
  EXPECT_EQ(draws(copy.get()), second);
  ASSERT_EQ(hlg_sampler_reset(s.get(), 5), HLG_OK);
  EXPECT_EQ(draws(s.get()), first);
}

TEST(Arguments, WrongOnesGiveAStatus) {
  const SamplerPtr s = make_sampler();
  const CurvePtr c = make_curve(bent());
  const float x = 1;
  hlg_row row = hlg_row_f32(&x, 1);
  EXPECT_EQ(hlg_sample(nullptr, c.get(), &row), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample(s.get(), nullptr, &row), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample(s.get(), c.get(), nullptr), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample_u(s.get(), c.get(), &row, 1), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample_u(s.get(), c.get(), &row, kNan), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_apply(s.get(), c.get(), &row, nullptr), HLG_INVALID_ARGUMENT);
  row.dtype = 99;
  EXPECT_EQ(hlg_sample(s.get(), c.get(), &row), HLG_UNSUPPORTED);
  row = hlg_row_f32(nullptr, 1);
  EXPECT_EQ(hlg_sample(s.get(), c.get(), &row), HLG_INVALID_ARGUMENT);
  row.struct_size = 4096;
  EXPECT_EQ(hlg_sample(s.get(), c.get(), &row), HLG_UNSUPPORTED);
  EXPECT_STREQ(hlg_status_name(HLG_NO_LIVE_TOKEN), "no live token");
  EXPECT_STREQ(hlg_status_name(-12345), "unknown status");
}

}  // namespace
}  // namespace hlg_test
