// Every CPU target of this machine against the double-precision reference, on wide and nasty rows.
#include "kernels.h"

#include <gtest/gtest.h>

#include "rows.h"

namespace hlg_test {
namespace {

// Rows with names, of every kind that has ever hurt a kernel.
struct NamedRow {
  std::string name;
  std::vector<float> logits;
};

std::vector<float> two_clusters(size_t n) {
  std::vector<float> row(n, -8);
  for (size_t i = 0; i < n; i += 3) row[i] = 11;
  return row;
}

std::vector<float> mostly_masked(size_t n, std::mt19937& rng) {
  std::vector<float> row(n, -kInf);
  for (size_t i = 0; i < n; i += 1 + rng() % 700) row[i] = static_cast<float>(rng() % 9);
  row[n - 1] = 3;
  return row;
}

std::vector<NamedRow> nasty_rows() {
  std::mt19937 rng(40);
  std::vector<NamedRow> rows;
  for (const size_t n : {1, 2, 3, 15, 16, 17, 31, 33, 511, 512, 513, 1023, 1024, 1025, 4096}) {
    rows.push_back({"model-like " + std::to_string(n), model_like_row(n, 2, rng)});
  }
  rows.push_back({"several groups of blocks", model_like_row(9001, 2, rng)});
  std::shuffle(rows.back().logits.begin(), rows.back().logits.end(), rng);
  rows.push_back({"all equal", std::vector<float>(3000, 1.5F)});
  rows.push_back({"two clusters", two_clusters(2000)});
  rows.push_back({"one live", std::vector<float>(1500, -kInf)});
  rows.back().logits[700] = -3;
  rows.push_back({"mostly masked", mostly_masked(5000, rng)});
  std::vector<float> huge = model_like_row(1000, 0, rng);
  for (float& x : huge) x *= 1e6F;
  huge[3] = -9e29F;
  rows.push_back({"huge range", huge});
  std::vector<float> denormal(600);
  for (size_t i = 0; i < denormal.size(); ++i) denormal[i] = static_cast<float>(i) * 1e-41F;
  rows.push_back({"denormals", denormal});
  std::vector<float> holes = model_like_row(1700, 1, rng);
  for (size_t i = 0; i < holes.size(); i += 5) holes[i] = i % 2 ? kNan : -kInf;
  rows.push_back({"NaN and masked", holes});
  std::vector<float> flat_tail(4000, -14);
  flat_tail[1234] = 0;
  rows.push_back({"one peak, flat tail", flat_tail});
  return rows;
}

class Targets : public testing::Test {
 protected:
  // Runs check once per target of this machine.
  template <class Check>
  void for_each_target(const Check& check) {
    for (int32_t i = 0; i < hlg_target_count(); ++i) {
      SCOPED_TRACE(hlg_target_name(i));
      ASSERT_EQ(hlg_target_force(hlg_target_name(i)), HLG_OK);
      ASSERT_STREQ(hlg_target_in_use(), hlg_target_name(i));
      check();
    }
  }
  void TearDown() override { hlg_target_force(nullptr); }
};

TEST_F(Targets, LogprobsWithinTheContract) {
  for_each_target([&] {
    std::mt19937 rng(41);
    int ambiguous = 0;
    double worst = 0;
    for (const NamedRow& row : nasty_rows()) {
      SCOPED_TRACE(row.name);
      for (int i = 0; i < 60; ++i) {
        const hlg_params p = random_params(rng);
        if (median_is_ambiguous(row.logits, p)) {
          ++ambiguous;
          continue;
        }
        const hlg::Curve curve = curve_of(p);
        const std::vector<double> expected = reference_logprobs(row.logits, curve);
        const std::vector<float> seen = library_logprobs(row.logits, p);
        const Worst w = worst_error(row.logits, curve, expected, seen);
        worst = std::max(worst, w.part);
        ASSERT_LE(w.part, 1) << "token " << w.token << " logit " << row.logits[w.token] << " gets "
                             << seen[w.token] << " expected " << expected[w.token] << " T "
                             << p.temperature << " w " << p.width << " b_h " << p.shoulder
                             << " b_t " << p.toe << " shape " << p.toe_shape << " c "
                             << p.pivot_offset << " mode " << p.pivot;
      }
    }
    std::printf("%-10s worst error %.2f of what is allowed, %d ambiguous medians left out\n",
                hlg_target_in_use(), worst, ambiguous);
  });
}

// The token of the reference, unless u is within 1e-5 of a boundary: tested just outside of it.
TEST_F(Targets, TokensOutsideTheBoundAreThoseOfTheReference) {
  constexpr double kBound = 1e-5;
  for_each_target([&] {
    std::mt19937 rng(42);
    int checked = 0;
    for (const NamedRow& row : nasty_rows()) {
      SCOPED_TRACE(row.name);
      for (int i = 0; i < 8; ++i) {
        const hlg_params p = random_params(rng);
        if (curve_of(p).neutral || median_is_ambiguous(row.logits, p)) continue;
        const std::vector<double> d = distribution(row.logits, p);
        const CurvePtr c = make_curve(p);
        const SamplerPtr s = make_sampler();
        const hlg_row r = hlg_row_f32(row.logits.data(), static_cast<int64_t>(d.size()));
        double below = 0;
        for (size_t j = 0; j < d.size(); ++j) {
          const double low = below + kBound, high = below + d[j] - kBound;
          below += d[j];
          if (low >= high) continue;
          ++checked;
          for (const double u : {low, (low + high) / 2, std::min(high, std::nextafter(1.0, 0.0))}) {
            ASSERT_EQ(hlg_sample_u(s.get(), c.get(), &r, u), static_cast<int32_t>(j)) << u;
          }
        }
      }
    }
    EXPECT_GT(checked, 1000);
  });
}

TEST_F(Targets, PivotsAgree) {
  for_each_target([&] {
    for (const NamedRow& row : nasty_rows()) {
      SCOPED_TRACE(row.name);
      for (const int32_t mode : {HLG_PIVOT_TOP, HLG_PIVOT_ENTROPY, HLG_PIVOT_MEDIAN}) {
        hlg_params p = bent();
        p.pivot = mode;
        p.pivot_offset = 0.5;
        if (median_is_ambiguous(row.logits, p)) continue;
        const double expected = reference_pivot(row.logits, p);
        ASSERT_NEAR(library_pivot(row.logits, p), expected, 3e-6 * (1 + std::abs(expected)))
            << mode;
      }
    }
  });
}

TEST_F(Targets, NothingAlive) {
  for_each_target([&] {
    for (const float masked : {-kInf, kNan}) {
      const std::vector<float> logits(700, masked);
      const CurvePtr c = make_curve(bent());
      const SamplerPtr s = make_sampler();
      const hlg_row row = hlg_row_f32(logits.data(), 700);
      std::vector<float> out(700, 1);
      EXPECT_EQ(hlg_sample_u(s.get(), c.get(), &row, 0.5), HLG_NO_LIVE_TOKEN);
      EXPECT_EQ(hlg_apply(s.get(), c.get(), &row, out.data()), HLG_NO_LIVE_TOKEN);
      EXPECT_EQ(out, std::vector<float>(700, 1));
    }
  });
}

// Pairs of neighbours, not much more than `gap` nats apart, over 40 nats, from the top down.
std::vector<float> close_pairs(float top, double gap, std::mt19937& rng) {
  std::uniform_real_distribution<double> wide(0, 0.008);
  std::vector<float> row = {top};
  while (row.back() > top - 40) {
    const double above = row.back();
    auto below = static_cast<float>(above - gap);
    while (above - below < gap) below = std::nextafter(below, -kInf);
    row.push_back(below);
    row.push_back(static_cast<float>(below - gap - wide(rng)));
  }
  return row;
}

// Case 10, in vectors: a token 1e-5 nats or more below another one is never put above it.
TEST_F(Targets, LogprobsKeepTheOrder) {
  for_each_target([&] {
    std::mt19937 rng(45);
    std::uniform_real_distribution<double> temperature(0.8, 1.5);
    for (int i = 0; i < 300; ++i) {
      hlg_params p = random_params(rng);
      p.temperature = temperature(rng);
      const std::vector<float> row = close_pairs(i % 2 ? 0 : 20, 1e-5, rng);
      const std::vector<float> seen = library_logprobs(row, p);
      const auto rise = std::is_sorted_until(seen.begin(), seen.end(), std::greater<>());
      ASSERT_EQ(rise, seen.end()) << "logit " << row[static_cast<size_t>(rise - seen.begin())]
                                  << " b_h " << p.shoulder << " b_t " << p.toe << " shape "
                                  << p.toe_shape << " mode " << p.pivot;
    }
  });
}

// Logits at the ends of the float range: nothing overflows into a NaN, and the law stays a law.
TEST_F(Targets, EndsOfTheFloatRange) {
  for_each_target([&] {
    std::mt19937 rng(44);
    const std::vector<float> logits = {3e38F, -3e38F, 2.9e38F, 0, -kInf, 3e38F, 1e-45F};
    for (int i = 0; i < 300; ++i) {
      const hlg_params p = random_params(rng);
      if (curve_of(p).takes_top(3e38F)) continue;  // straight, and x/T overflows
      const std::vector<float> seen = library_logprobs(logits, p);
      double total = 0;
      for (const float l : seen) {
        ASSERT_FALSE(std::isnan(l));
        total += std::exp(double{l});
      }
      ASSERT_NEAR(total, 1, 1e-5);
      ASSERT_EQ(seen[0], seen[5]);
      ASSERT_EQ(seen[4], -kInf);
    }
  });
}

// A start that is not aligned to a vector gives the same bits.
TEST_F(Targets, AlignmentDoesNotMatter) {
  for_each_target([&] {
    std::mt19937 rng(43);
    const std::vector<float> logits = model_like_row(1300, 1, rng);
    for (const hlg_params& p : every_kind()) {
      const std::vector<float> expected = library_logprobs(logits, p);
      const CurvePtr c = make_curve(p);
      for (size_t shift = 1; shift < 17; ++shift) {
        std::vector<float> moved(shift + logits.size()), out(logits.size());
        std::copy(logits.begin(), logits.end(), moved.begin() + static_cast<std::ptrdiff_t>(shift));
        const SamplerPtr s = make_sampler();
        const hlg_row row = hlg_row_f32(moved.data() + shift, 1300);
        ASSERT_EQ(hlg_apply(s.get(), c.get(), &row, out.data()), HLG_OK);
        ASSERT_EQ(out, expected) << shift;
      }
    }
  });
}

TEST(Target, UnknownNamesAreRefused) {
  const std::string before = hlg_target_in_use();
  EXPECT_EQ(hlg_target_force("Z80"), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_target_in_use(), before);
  EXPECT_EQ(hlg_target_name(hlg_target_count()), nullptr);
  EXPECT_EQ(hlg_target_name(-1), nullptr);
}

}  // namespace
}  // namespace hlg_test
