// The sampler inside llama.cpp's sampler interface, on rows made here (no model).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "candidates.h"
#include "rows.h"

namespace hlg_test {
namespace {

Sampler hlg_chain(const hlg_params& p, uint32_t seed) {
  return chain_of({hlg_llama_sampler_init(&p, seed)});
}

Sampler upstream_chain(float temperature, uint32_t seed) {
  return chain_of({llama_sampler_init_temp(temperature), llama_sampler_init_dist(seed)});
}

int64_t apply(const Sampler& s, Candidates& c) {
  llama_sampler_apply(s.get(), &c.array);
  return c.array.selected;
}

hlg_params neutral(double temperature, int kind) {
  hlg_params p = bent(temperature);
  p.pivot = kind % 3;
  if (kind % 2 == 0) {
    p.width = HLG_OFF;
    p.shoulder = 0.05;
  } else {
    p.shoulder = p.toe = HLG_OFF;
  }
  return p;
}

// Tokens and probabilities of neutral settings are upstream's, bit for bit.
TEST(Neutral, BitForBit) {
  std::mt19937 rng(20);
  for (int kind = 0; kind < 6; ++kind) {
    for (const float temperature : {1.0F, 0.8F, 0.2F, 1.7F, 0.0F, 1e-5F}) {
      const Sampler ours = hlg_chain(neutral(static_cast<double>(temperature), kind), 77);
      const Sampler theirs = upstream_chain(temperature, 77);
      for (int i = 0; i < 40; ++i) {
        std::vector<float> row = model_like_row(500, 0, rng);
        row[5] = -kInf;
        Candidates a(row), b(row);
        ASSERT_EQ(apply(ours, a), apply(theirs, b));
        for (size_t j = 0; j < row.size(); ++j) ASSERT_EQ(a.data[j].p, b.data[j].p);
      }
    }
  }
}

// The library's own straight path gives the same tokens.
TEST(Neutral, LibraryDrawsWhatDistDraws) {
  std::mt19937 rng(21);
  hlg_params p = neutral(static_cast<double>(0.7F), 0);
  hlg_curve* curve = nullptr;
  ASSERT_EQ(hlg_curve_new(&p, &curve, nullptr, 0), HLG_OK);
  hlg_sampler* sampler = hlg_sampler_new(123);
  const Sampler theirs = upstream_chain(0.7F, 123);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<float> logits = model_like_row(300, 0, rng);
    Candidates c(logits);
    const hlg_row row = hlg_row_f32(logits.data(), 300);
    ASSERT_EQ(hlg_sample(sampler, curve, &row), apply(theirs, c));
  }
  hlg_sampler_free(sampler);
  hlg_curve_free(curve);
}

// Both toes, whatever the default is.
constexpr int32_t kToes[] = {HLG_TOE_LOG, HLG_TOE_FADE};

// Greedy, and a bent curve so cold that it is greedy: upstream's token at T = 0.
TEST(Greedy, SameToken) {
  std::mt19937 rng(22);
  for (const double temperature : {0.0, -1.0, 9e-5, 1e-12, 1e-45}) {
    const Sampler ours = hlg_chain(bent(temperature), 1), theirs = upstream_chain(0, 1);
    for (int i = 0; i < 50; ++i) {
      const std::vector<float> row = model_like_row(100, 0, rng);
      Candidates a(row), b(row);
      ASSERT_EQ(apply(ours, a), apply(theirs, b));
    }
  }
}

TEST(Bent, ProbabilitiesAreTheDrawnDistribution) {
  std::mt19937 rng(23);
  const std::vector<float> row = model_like_row(400, 2, rng);
  for (const int32_t toe : kToes) {
    const hlg_params p = bent(1.3, toe);
    const std::vector<double> expected = distribution(row, p);
    Candidates c(row);
    const Sampler s = hlg_chain(p, 3);
    apply(s, c);
    for (size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(c.data[i].p, expected[i], 1e-6);
  }
}

// Section 7 of the contract, bent and straight, and the status that the host asks for.
TEST(Degenerate, Rows) {
  hlg_params cold = neutral(1e-38, 0);
  for (const hlg_params& p :
       {bent(), bent(1, HLG_TOE_LOG), neutral(1, 0), neutral(0.5, 1), bent(0), cold}) {
    const Sampler s = hlg_chain(p, 9);
    Candidates masked({-kInf, -kInf, kNan}), one({-kInf, 2, kNan}), inf({1, kNan, kInf, kInf});
    Candidates empty({});
    EXPECT_GE(apply(s, masked), 0) << "llama.cpp reads it unchecked";
    EXPECT_EQ(hlg_llama_status(s.get()), HLG_NO_LIVE_TOKEN);
    EXPECT_EQ(apply(s, one), 1);
    EXPECT_EQ(hlg_llama_status(s.get()), HLG_OK);
    EXPECT_EQ(apply(s, inf), 2);
    EXPECT_EQ(inf.data[2].p, 1);
    apply(s, empty);
    EXPECT_NE(hlg_llama_status(s.get()), HLG_OK);
  }
}

// The most likely token where x/T leaves the range of a float.
TEST(Degenerate, TinyTemperature) {
  const Sampler s = hlg_chain(neutral(1e-38, 0), 9);
  Candidates c({50, 90, 3});
  EXPECT_EQ(apply(s, c), 1);
}

TEST(Stream, AlignedWithDistAfterAnyRow) {
  std::mt19937 rng(24);
  const std::vector<float> row = model_like_row(60, 0, rng);
  for (const hlg_params& p : {bent(), bent(1, HLG_TOE_LOG), neutral(1, 0)}) {
    const Sampler ours = hlg_chain(p, 5), fresh = hlg_chain(p, 5);
    const Sampler skipping = hlg_chain(p, 5);
    for (const std::vector<float>& odd :
         {std::vector<float>{1}, {-kInf, -kInf}, {kInf, 1}, {kNan, 2, -kInf}}) {
      Candidates a(odd), b(row);
      apply(ours, a);
      apply(skipping, b);
    }
    for (int i = 0; i < 20; ++i) {
      Candidates a(row), b(row);
      ASSERT_EQ(apply(ours, a), apply(skipping, b));
    }
  }
}

TEST(State, CloneCopyResetAndSeed) {
  std::mt19937 rng(25);
  const std::vector<float> row = model_like_row(60, 0, rng);
  for (const hlg_params& p : {bent(2), bent(2, HLG_TOE_LOG), neutral(2, 0)}) {
    const Sampler s = hlg_chain(p, 31), other = hlg_chain(p, 32);
    EXPECT_EQ(hlg_llama_seed(s.get()), 31U);
    const auto draws = [&](const Sampler& sampler) {
      std::vector<int64_t> tokens(25);
      for (int64_t& t : tokens) {
        Candidates c(row);
        t = apply(sampler, c);
      }
      return tokens;
    };
    const std::vector<int64_t> first = draws(s);
    const Sampler clone(llama_sampler_clone(s.get()));
    llama_sampler_copy(s.get(), other.get());
    const std::vector<int64_t> second = draws(s);
    EXPECT_NE(first, second);
    EXPECT_EQ(draws(clone), second);
    EXPECT_EQ(draws(other), second);
    EXPECT_EQ(hlg_llama_seed(other.get()), 31U);
    llama_sampler_reset(s.get());
    EXPECT_EQ(draws(s), first);
  }
}

// A random seed is drawn once and reported.
TEST(State, DefaultSeedIsRandomAndReported) {
  const Sampler s = hlg_chain(bent(), LLAMA_DEFAULT_SEED);
  EXPECT_NE(hlg_llama_seed(s.get()), LLAMA_DEFAULT_SEED);
  const Sampler again = hlg_chain(bent(), hlg_llama_seed(s.get()));
  std::mt19937 rng(26);
  for (int i = 0; i < 50; ++i) {
    const std::vector<float> row = model_like_row(60, 0, rng);
    Candidates a(row), b(row);
    ASSERT_EQ(apply(s, a), apply(again, b));
  }
}

// After a reset the reported seed is the one that is drawn with.
TEST(State, ResetWithARandomSeed) {
  std::mt19937 rng(28);
  for (const hlg_params& p : {bent(2), neutral(2, 0)}) {
    const Sampler s = hlg_chain(p, LLAMA_DEFAULT_SEED);
    llama_sampler_reset(s.get());
    const Sampler again = hlg_chain(p, hlg_llama_seed(s.get()));
    for (int i = 0; i < 30; ++i) {
      const std::vector<float> row = model_like_row(60, 0, rng);
      Candidates a(row), b(row);
      ASSERT_EQ(apply(s, a), apply(again, b));
    }
  }
}

// The contiguous row gives the token of the array, from the same stream.
TEST(Direct, SameTokens) {
  std::mt19937 rng(29);
  const std::vector<float> masked(5, -kInf);
  for (const int32_t toe : kToes) {
    const Sampler direct = hlg_chain(bent(1.2, toe), 8), array = hlg_chain(bent(1.2, toe), 8);
    for (int i = 0; i < 200; ++i) {
      const std::vector<float> row = model_like_row(700, 0, rng);
      Candidates c(row);
      ASSERT_EQ(hlg_llama_sample_row(direct.get(), row.data(), 700), apply(array, c));
    }
    EXPECT_EQ(hlg_llama_sample_row(direct.get(), masked.data(), 5), HLG_NO_LIVE_TOKEN);
    EXPECT_EQ(hlg_llama_status(direct.get()), HLG_NO_LIVE_TOKEN);
  }
  const Sampler straight = hlg_chain(neutral(1, 0), 8), plain = upstream_chain(1, 8);
  EXPECT_EQ(hlg_llama_sample_row(straight.get(), masked.data(), 5), HLG_UNSUPPORTED);
  EXPECT_EQ(hlg_llama_sample_row(plain.get(), masked.data(), 5), HLG_UNSUPPORTED);
}

TEST(Probs, CanBeLeftOut) {
  const Sampler s = hlg_chain(bent(), 8);
  Candidates with({1, 2, 3}), without({1, 2, 3});
  apply(s, with);
  EXPECT_GT(with.data[2].p, 0);
  hlg_llama_set_probs(s.get(), 0);
  apply(s, without);
  EXPECT_EQ(without.data[2].p, 0);
}

// Cut to the top n, sorted, with the drawn one; each p as in the whole array.
TEST(Probs, CanBeOfTheTopOnly) {
  std::mt19937 rng(31);
  const std::vector<float> row = model_like_row(700, 3, rng);
  size_t outside = 0;
  for (const hlg_params& p : {bent(1.4), bent(1.4, HLG_TOE_LOG), neutral(1.4, 0)}) {
    const Sampler all = hlg_chain(p, 8), first = hlg_chain(p, 8);
    hlg_llama_set_probs(first.get(), 5);
    const Sampler top(llama_sampler_clone(first.get()));  // takes the number along
    for (int draw = 0; draw < 50; ++draw) {
      Candidates a(row), b(row);
      const int64_t token = apply(all, a);
      apply(top, b);
      const size_t size = b.array.size;
      ASSERT_EQ(b.array.data[b.array.selected].id, token);
      ASSERT_EQ(size, b.array.selected == 5 ? 6 : 5);
      ASSERT_TRUE(b.array.sorted);
      outside += size - 5;
      for (size_t i = 0; i < size; ++i) {
        ASSERT_EQ(b.array.data[i].p, a.data[b.array.data[i].id].p);
        if (i > 0) ASSERT_GE(b.array.data[i - 1].p, b.array.data[i].p);
      }
    }
  }
  EXPECT_GT(outside, 10U);
}

// However far apart the logits are, and however many are asked for (llama.cpp's own top_k counts in
// ints above 128): the likeliest come first.
TEST(Probs, TopOfHardRows) {
  std::mt19937 rng(32);
  const std::vector<float> row = model_like_row(700, 3, rng);
  std::vector<float> infinite = row, huge = row, spoilt = row;
  infinite[600] = infinite[20] = infinite[650] = kInf;
  huge[600] = 1e12F;
  huge[20] = -1e12F;
  spoilt[600] = kNan;
  spoilt[20] = -kInf;
  for (const hlg_params& p :
       {bent(), bent(1, HLG_TOE_LOG), bent(0), neutral(1, 0), neutral(1e-8, 1), neutral(0, 0)}) {
    for (const std::vector<float>& hard : {row, infinite, huge, spoilt}) {
      for (const size_t n : {1, 5, 128, 129, 699, 700, 1000}) {
        const Sampler all = hlg_chain(p, 8), top = hlg_chain(p, 8);
        hlg_llama_set_probs(top.get(), static_cast<int32_t>(n));
        Candidates a(hard), b(hard);
        const int64_t token = apply(all, a);
        apply(top, b);
        ASSERT_EQ(b.array.data[b.array.selected].id, token);
        std::vector<float> expected, seen;
        for (const llama_token_data& c : a.data) expected.push_back(c.p);
        std::sort(expected.begin(), expected.end(), std::greater<>());
        expected.resize(std::min(n, expected.size()));
        for (size_t i = 0; i < expected.size(); ++i) seen.push_back(b.data[i].p);
        ASSERT_EQ(seen, expected);
      }
    }
  }
}

// Logits in, log-probabilities of the same distribution out; dist behind it draws from them.
TEST(Shaper, ShapesForOthers) {
  std::mt19937 rng(30);
  const std::vector<float> row = model_like_row(400, 2, rng);
  const hlg_params p = bent(1.3, HLG_TOE_LOG);
  const std::vector<double> expected = distribution(row, p);
  const Sampler s = chain_of({hlg_llama_shaper_init(&p), llama_sampler_init_dist(4)});
  const Sampler clone(llama_sampler_clone(s.get()));
  Candidates a(row), b(row);
  const int64_t token = apply(s, a);
  EXPECT_EQ(apply(clone, b), token);
  for (size_t i = 0; i < row.size(); ++i) {
    EXPECT_NEAR(a.data[i].logit, std::log(expected[i]), 2e-5 * (1 - std::log(expected[i])));
    EXPECT_NEAR(a.data[i].p, expected[i], 1e-5);
  }
  Candidates masked({-kInf, kNan});
  const Sampler alone(hlg_llama_shaper_init(&p));
  apply(alone, masked);
  EXPECT_EQ(masked.data[0].logit, -kInf);
  EXPECT_EQ(hlg_llama_status(alone.get()), HLG_NO_LIVE_TOKEN);
}

// The second run for one token, after a grammar laid its mask: the pivot of the free row.
TEST(KeepPivot, ThroughTheChain) {
  std::mt19937 rng(27);
  const std::vector<float> row = model_like_row(80, 3, rng);
  hlg_params p = bent(1, HLG_TOE_LOG);
  p.pivot = HLG_PIVOT_ENTROPY;
  p.width = 1;
  p.toe = 1;
  const std::vector<double> free = distribution(row, p);
  std::vector<float> masked(row.size(), -kInf);
  masked[20] = row[20];
  masked[60] = row[60];
  const Sampler s = hlg_chain(p, 1);
  Candidates a(row), b(masked);
  apply(s, a);
  hlg_llama_keep_pivot(s.get());
  apply(s, b);
  EXPECT_NEAR(b.data[20].p, free[20] / (free[20] + free[60]), 1e-6);
}

TEST(Lookup, NothingThereDoesNothing) {
  const Sampler plain = upstream_chain(1, 4);
  EXPECT_EQ(hlg_llama_status(plain.get()), HLG_OK);
  EXPECT_EQ(hlg_llama_seed(plain.get()), LLAMA_DEFAULT_SEED);
  hlg_llama_keep_pivot(plain.get());
  hlg_llama_keep_pivot(nullptr);
  hlg_params bad = bent();
  bad.toe = 0;
  EXPECT_EQ(hlg_llama_sampler_init(&bad, 1), nullptr);
}

}  // namespace
}  // namespace hlg_test
