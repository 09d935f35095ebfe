// The C interface and its C++ owners: what a refused call leaves alone, batches, statistics.
#include <gtest/gtest.h>

#include <cstdlib>

#include "hlg/hlg.hpp"
#include "rows.h"

namespace hlg_test {
namespace {

hlg::params every_mode(int32_t mode) {
  hlg::params p;
  p.temperature(0.9).set("pivot", mode).set("toe_shape", mode % 2).set("pivot_offset", 1);
  return p;
}

hlg_stats empty_stats() {
  hlg_stats s{};
  s.struct_size = sizeof(s);
  return s;
}

// A call that is refused (-10, -20) leaves everything as it was.
TEST(Refused, TakesNothingFromTheSampler) {
  std::mt19937 rng(55);
  const std::vector<float> logits = model_like_row(300, 1, rng), other(300, 1.0F);
  const hlg::curve curve(every_mode(1));
  const hlg_row row = hlg_row_f32(logits.data(), 300), flat = hlg_row_f32(other.data(), 300);
  hlg_row empty = row, newer = row;
  empty.n = 0;
  newer.struct_size += 8;
  hlg::sampler refused(9), untouched(9);
  for (const hlg::sampler* s : {&refused, &untouched}) {
    ASSERT_GE(hlg_sample(s->get(), curve.get(), &flat), 0);
    hlg_sampler_keep_pivot(s->get());
  }
  EXPECT_EQ(hlg_sample(refused.get(), nullptr, &row), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample(refused.get(), curve.get(), nullptr), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample(refused.get(), curve.get(), &empty), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample(refused.get(), curve.get(), &newer), HLG_UNSUPPORTED);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(hlg_sample(refused.get(), curve.get(), &row),
              hlg_sample(untouched.get(), curve.get(), &row))
        << i;
  }
}

TEST(Refused, LeavesTheOutputAlone) {
  const hlg::curve curve{hlg::params()};
  const hlg::sampler sampler(1);
  const std::vector<float> dead = {-kInf, kNan};
  const hlg_row row = hlg_row_f32(dead.data(), 2);
  hlg_row newer = row;
  newer.struct_size += 8;
  std::vector<float> out = {7, 8};
  EXPECT_EQ(hlg_apply(sampler.get(), curve.get(), &row, out.data()), HLG_NO_LIVE_TOKEN);
  EXPECT_EQ(hlg_apply(sampler.get(), curve.get(), &newer, out.data()), HLG_UNSUPPORTED);
  EXPECT_EQ(out, (std::vector<float>{7, 8}));
}

TEST(Refused, DataThatIsNoArrayOfFloats) {
  const hlg::curve curve{hlg::params()};
  const hlg::sampler sampler(1);
  alignas(float) char bytes[9] = {};
  for (int shift = 0; shift < 4; ++shift) {
    const hlg_row row = hlg_row_f32(reinterpret_cast<const float*>(bytes + shift), 1);
    EXPECT_EQ(hlg_sample(sampler.get(), curve.get(), &row), shift ? HLG_INVALID_ARGUMENT : 0);
  }
}

TEST(Apply, InPlace) {
  std::mt19937 rng(57);
  std::vector<float> logits = model_like_row(1300, 1, rng);
  logits[7] = kNan;
  std::vector<float> certain = logits;
  certain[9] = kInf;
  std::vector<hlg::params> kinds = {every_mode(0), every_mode(1), every_mode(2)};
  kinds.push_back(hlg::params().temperature(0));
  kinds.push_back(hlg::params().set("width", "off"));
  for (const hlg::params& kind : kinds) {
    const hlg::curve curve(kind);
    hlg::sampler sampler(1);
    for (const std::vector<float>& row : {logits, certain}) {
      std::vector<float> apart(row.size()), own = row;
      ASSERT_EQ(sampler.apply(curve, row.data(), row.size(), apart.data()), HLG_OK);
      ASSERT_EQ(sampler.apply(curve, own.data(), own.size(), own.data()), HLG_OK);
      ASSERT_EQ(own, apart);
    }
  }
}

// A row without a live token does take the kept pivot, and a uniform.
TEST(DeadRow, UsesUpTheKeptPivot) {
  std::mt19937 rng(56);
  const std::vector<float> logits = model_like_row(300, 1, rng), flat(300, 1.0F), dead(300, -kInf);
  const hlg::curve curve(every_mode(1));
  hlg::sampler sampler(9), fresh(9);
  std::vector<float> out(300), expected(300);
  ASSERT_GE(sampler.sample(curve, flat.data(), 300), 0);
  sampler.keep_pivot();
  ASSERT_EQ(sampler.sample(curve, dead.data(), 300), HLG_NO_LIVE_TOKEN);
  ASSERT_EQ(sampler.apply(curve, logits.data(), 300, out.data()), HLG_OK);
  ASSERT_EQ(fresh.apply(curve, logits.data(), 300, expected.data()), HLG_OK);
  EXPECT_EQ(out, expected);
}

// Case 2: one row of the batch has no live token.
TEST(Batch, EqualsEachRowAlone) {
  std::mt19937 rng(50);
  constexpr int kItems = 24;
  std::vector<std::vector<float>> rows;
  std::vector<hlg::curve> curves;
  for (int i = 0; i < kItems; ++i) {
    rows.push_back(model_like_row(300 + 217 * static_cast<size_t>(i), 1, rng));
    curves.emplace_back(every_mode(i % 3));
  }
  rows[7].assign(500, -kInf);
  std::vector<hlg_row> views;
  for (const auto& row : rows) {
    views.push_back(hlg_row_f32(row.data(), static_cast<int64_t>(row.size())));
  }
  for (const int32_t n_threads : {1, 2, 5}) {
    std::vector<hlg::sampler> together, alone;
    std::vector<hlg_batch_item> items;
    for (uint32_t i = 0; i < kItems; ++i) {
      together.emplace_back(i);
      alone.emplace_back(i);
    }
    for (size_t i = 0; i < kItems; ++i) {
      items.push_back({sizeof(hlg_batch_item), 0, together[i].get(), curves[i].get(), &views[i]});
    }
    for (int repeat = 0; repeat < 10; ++repeat) {
      ASSERT_EQ(hlg_sample_batch(items.data(), kItems, n_threads), HLG_OK);
      for (size_t i = 0; i < kItems; ++i) {
        const int32_t token = alone[i].sample(curves[i], rows[i].data(), rows[i].size());
        ASSERT_EQ(items[i].token, token) << i;
        ASSERT_EQ(token == HLG_NO_LIVE_TOKEN, i == 7);
      }
    }
  }
}

TEST(Batch, WrongArguments) {
  hlg_batch_item items[2] = {};
  EXPECT_EQ(hlg_sample_batch(nullptr, 1, 1), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample_batch(items, 1, 0), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample_batch(items, -1, 1), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_sample_batch(items, 1, 1), HLG_INVALID_ARGUMENT) << "no struct_size";
  EXPECT_EQ(hlg_sample_batch(items, 0, 1), HLG_OK);
  items[0].struct_size = sizeof items[0];
  EXPECT_EQ(hlg_sample_batch(items, 2, 1), HLG_INVALID_ARGUMENT) << "unequal sizes";
  EXPECT_EQ(items[0].token, 0) << "nothing was drawn";
  EXPECT_EQ(hlg_sample_batch(items, 1, 1), HLG_OK);
  EXPECT_EQ(items[0].token, HLG_INVALID_ARGUMENT) << "no sampler, no curve, no row";
  items[0].struct_size = sizeof items[0] - 1;
  EXPECT_EQ(hlg_sample_batch(items, 1, 1), HLG_INVALID_ARGUMENT) << "no struct is that long";
}

// struct_size is the way from one item to the next.
TEST(Batch, ItemsOfOtherSizes) {
  struct Newer {
    hlg_batch_item item;
    void* more;
  } newer[2] = {};
  for (Newer& n : newer) n.item.struct_size = sizeof n;
  EXPECT_EQ(hlg_sample_batch(&newer[0].item, 2, 1), HLG_UNSUPPORTED);
  EXPECT_EQ(newer[0].item.token, 0);
  struct Older {  // without a row, so that nothing can be drawn
    uint32_t struct_size;
    int32_t token;
    hlg_sampler* sampler;
    const hlg_curve* curve;
  };
  const hlg::curve curve{hlg::params()};
  hlg::sampler sampler(1), other(2);
  Older older[3] = {{sizeof(Older), 7, sampler.get(), curve.get()},
                    {sizeof(Older), 7, other.get(), curve.get()},
                    {77, 7, nullptr, nullptr}};
  EXPECT_EQ(hlg_sample_batch(reinterpret_cast<hlg_batch_item*>(older), 2, 2), HLG_OK);
  EXPECT_EQ(older[0].token, HLG_INVALID_ARGUMENT);
  EXPECT_EQ(older[1].token, HLG_INVALID_ARGUMENT);
  EXPECT_EQ(older[1].sampler, other.get());
  EXPECT_EQ(older[2].struct_size, 77U);
  EXPECT_EQ(older[2].token, 7);
}

TEST(Stats, AgainstTheReference) {
  std::mt19937 rng(51);
  std::vector<float> logits = model_like_row(2000, 2, rng);
  logits[5] = kNan;
  logits[6] = -kInf;
  for (int32_t mode = 0; mode < 3; ++mode) {
    const hlg_params p = every_mode(mode).get();
    const hlg::curve curve(p);
    hlg::sampler sampler(1);
    const hlg_row row = hlg_row_f32(logits.data(), 2000);
    ASSERT_GE(sampler.sample(curve, logits.data(), 2000), 0);
    hlg_stats s = empty_stats();
    ASSERT_EQ(hlg_last_stats(sampler.get(), curve.get(), &row, &s), HLG_OK);
    const hlg::Curve reference = curve_of(p);
    const double mu = reference_pivot(logits, reference.params);
    const double lse = reference_max(logits) + std::log(mass_of(logits));
    const std::vector<double> d = distribution(logits, p);
    double mass[3] = {0, 0, 0};
    std::vector<double> plain;
    for (size_t i = 0; i < logits.size(); ++i) {
      if (!hlg::is_live(logits[i])) continue;
      const double z = logits[i] - mu, w = reference.params.width;
      mass[z < -w ? 0 : z > w ? 2 : 1] += d[i];
      plain.push_back(std::exp(logits[i] - lse));
    }
    EXPECT_NEAR(s.pivot, mu - lse, 1e-5);
    EXPECT_NEAR(s.entropy_before, entropy(plain), 1e-9);
    EXPECT_NEAR(s.entropy_after, entropy(d), 1e-5);
    EXPECT_NEAR(s.mass_toe, mass[0], 1e-5);
    EXPECT_NEAR(s.mass_middle, mass[1], 1e-5);
    EXPECT_NEAR(s.mass_shoulder, mass[2], 1e-5);
    EXPECT_EQ(s.n_live, 1998);
    EXPECT_EQ(s.n_nan, 1);
  }
}

TEST(Stats, OddRows) {
  const hlg::curve curve{hlg::params()};
  hlg::sampler sampler(1);
  const std::vector<float> masked = {-kInf, kNan}, certain = {1, kInf, kInf, kNan};
  hlg_stats s = empty_stats();
  hlg_row row = hlg_row_f32(masked.data(), 2);
  EXPECT_EQ(hlg_last_stats(sampler.get(), curve.get(), &row, &s), HLG_NO_LIVE_TOKEN);
  EXPECT_EQ(s.n_nan, 1);
  row = hlg_row_f32(certain.data(), 4);
  ASSERT_EQ(hlg_last_stats(sampler.get(), curve.get(), &row, &s), HLG_OK);
  EXPECT_EQ(s.entropy_before, 0);
  EXPECT_EQ(s.pivot, -6);
  EXPECT_EQ(s.mass_shoulder, 1);
  EXPECT_EQ(s.n_live, 3) << "every +inf";
  EXPECT_EQ(sampler.sample(curve, certain.data(), 4), 1) << "the first one";
}

hlg_stats stats_of(const hlg::sampler& sampler, const hlg::curve& curve,
                   const std::vector<float>& logits) {
  hlg_stats s = empty_stats();
  const hlg_row row = hlg_row_f32(logits.data(), static_cast<int64_t>(logits.size()));
  EXPECT_EQ(hlg_last_stats(sampler.get(), curve.get(), &row, &s), HLG_OK);
  return s;
}

// The row was masked after the first draw and the pivot kept: the statistics use that one.
TEST(Stats, OfAKeptPivot) {
  const std::vector<float> free = {10, 4, 3}, masked = {-kInf, 4, 3};
  const hlg::curve curve(
      hlg::params().set("pivot_offset", 4).set("width", 1).set("shoulder", 1).set("toe", 1));
  hlg::sampler sampler(1);
  ASSERT_GE(sampler.sample(curve, free.data(), 3), 0);
  hlg_sampler_keep_pivot(sampler.get());
  ASSERT_GE(sampler.sample(curve, masked.data(), 3), 1);
  const hlg_stats s = stats_of(sampler, curve, masked);
  // The pivot is 10 - 4 = 6, so both tokens are in the fade toe, at d = 1 and d = 2, where g is
  // -(1 + 1 + 1/2) and -(1 + 2 + 2): 2.5 apart. With a pivot of its own one would be in the
  // shoulder.
  const double p = 1 / (1 + std::exp(-2.5)), q = 1 / (1 + std::exp(-1));
  EXPECT_NEAR(s.pivot, 6 - 4 - std::log(1 + std::exp(-1)), 1e-12);
  EXPECT_NEAR(s.entropy_after, -p * std::log(p) - (1 - p) * std::log(1 - p), 1e-12);
  EXPECT_NEAR(s.entropy_before, -q * std::log(q) - (1 - q) * std::log(1 - q), 1e-12);
  EXPECT_DOUBLE_EQ(s.mass_toe, 1);
  EXPECT_EQ(s.n_live, 2);
}

TEST(Stats, OfAStraightLine) {
  const hlg::curve curve(hlg::params().temperature(0.5).set("width", "off"));
  const hlg_stats s = stats_of(hlg::sampler(1), curve, {1, 2});
  const double p = 1 / (1 + std::exp(-2)), q = 1 / (1 + std::exp(-1));
  EXPECT_NEAR(s.entropy_before, -q * std::log(q) - (1 - q) * std::log(1 - q), 1e-12);
  EXPECT_NEAR(s.entropy_after, -p * std::log(p) - (1 - p) * std::log(1 - p), 1e-12);
  EXPECT_NEAR(s.pivot, std::log(q) - 6, 1e-12);
  EXPECT_EQ(s.mass_middle, 1);
}

// Where the top token is taken all mass is on the first of the largest: greedy, and a straight line
// so cold that x/T overflows.
TEST(Stats, WhereTheTopTokenIsTaken) {
  const std::vector<float> logits = {50, 50, 3};
  for (const hlg::params& p :
       {hlg::params().temperature(0), hlg::params().temperature(2e-38).set("width", "off")}) {
    const hlg::curve curve(p);
    const hlg_stats s = stats_of(hlg::sampler(1), curve, logits);
    EXPECT_NEAR(s.entropy_before, std::log(2), 1e-12);
    EXPECT_EQ(s.entropy_after, 0);
    EXPECT_NEAR(s.pivot, -std::log(2) - 6, 1e-12);
    EXPECT_EQ(s.mass_toe, 0);
    EXPECT_EQ(s.mass_middle + s.mass_shoulder, 1);
  }
}

TEST(Environment, AnUnknownTargetMeansTheBest) {
  const char* const chosen = std::getenv("HLG_TARGET");
  const std::string before = chosen ? chosen : "";
  setenv("HLG_TARGET", "ABACUS", 1);
  ASSERT_EQ(hlg_target_force(nullptr), HLG_OK);
  EXPECT_STREQ(hlg_target_in_use(), hlg_target_name(0));
  setenv("HLG_TARGET", before.c_str(), 1);
  ASSERT_EQ(hlg_target_force(nullptr), HLG_OK);
  EXPECT_EQ(hlg_target_force("ABACUS"), HLG_INVALID_ARGUMENT);
}

// The line that set throws, or "".
template <class Value>
std::string refusal(const char* name, Value value) {
  try {
    hlg::params().set(name, value);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Owners, SayWhatIsWrong) {
  const std::string allowed = " is not allowed: give a number from 0.05 to 1000, or off";
  EXPECT_EQ(refusal("toe", 0.01), "toe: 0.01" + allowed);
  EXPECT_EQ(refusal("toe", 0.0499999999), "toe: 0.0499999999" + allowed);
  EXPECT_EQ(refusal("toe", 1e300), "toe: 1e+300" + allowed);
  EXPECT_EQ(refusal("toe", 2000), "toe: 2000" + allowed);
  EXPECT_EQ(refusal("toe", "much"), "toe: much" + allowed);
  EXPECT_EQ(refusal("toe", static_cast<const char*>(nullptr)), "toe: (null)" + allowed);
  EXPECT_EQ(refusal("pivot", 3), "pivot: 3 is not allowed: give top, entropy or median");
  EXPECT_EQ(refusal("pivot_offset", HLG_OFF),
            "pivot_offset: off is not allowed: give a number from 0 to 40");
  const std::string names =
      "unknown; the settings are enabled, pivot, pivot_offset, width, shoulder, toe, toe_shape";
  EXPECT_EQ(refusal("widht", 1), "widht: " + names);
  EXPECT_EQ(refusal(nullptr, "1"), "(null): " + names);
  hlg_params p;
  hlg_params_init(&p);
  p.temperature = NAN;
  EXPECT_THROW(hlg::curve{p}, std::invalid_argument);
}

TEST(Owners, TakeEveryKindOfNumber) {
  const hlg::params p = hlg::params().set("width", 0).set("toe", 2L).set("shoulder", 3.0F);
  EXPECT_EQ(p.get().width, 0);
  EXPECT_EQ(p.get().toe, 2);
  EXPECT_EQ(p.get().shoulder, 3);
  EXPECT_EQ(hlg::params().set("enabled", true).get().enabled, 1);
  EXPECT_EQ(hlg::params().set("pivot", HLG_PIVOT_MEDIAN).get().pivot, HLG_PIVOT_MEDIAN);
}

TEST(Owners, ACopyContinuesTheStream) {
  std::mt19937 rng(53);
  const std::vector<float> logits = model_like_row(100, 0, rng);
  const hlg::curve curve(hlg::params().temperature(2));
  hlg::sampler a(7);
  a.sample(curve, logits.data(), 100);
  hlg::sampler b = a;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(a.sample(curve, logits.data(), 100), b.sample(curve, logits.data(), 100));
  }
}

}  // namespace
}  // namespace hlg_test
