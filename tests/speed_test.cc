// A guard against slow-downs: what a draw costs in reads of the row, the best of five, on the CPU
// targets and at the vocabularies where that was measured. On a busy machine more than five are
// tried. `make bench` is the measurement itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "read.h"
#include "rows.h"

namespace hlg_test {
namespace {

constexpr int kRepeats = 5, kMostRepeats = 60, kRows = 8, kDraws = 64;

struct Limit {
  const char* target;
  size_t n_vocab;
  double log, fade;  // reads of the row: about twice what was measured
};
constexpr Limit kLimits[] = {
    {"AVX3", 49152, 10, 7},   {"AVX3", 151936, 8, 5.5}, {"AVX3", 262144, 9, 6},
    {"AVX2", 49152, 13, 9.5}, {"AVX2", 151936, 10, 7},  {"AVX2", 262144, 12, 8},
};

// As of a model, but with the likely tokens anywhere.
std::vector<std::vector<float>> shuffled_rows(size_t n) {
  std::mt19937 rng(61);
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < kRows; ++i) {
    rows.push_back(model_like_row(n, 2, rng));
    std::shuffle(rows.back().begin(), rows.back().end(), rng);
  }
  return rows;
}

// Seconds of this process that kDraws turns of use(row) take.
template <class Use>
double time_of(const std::vector<std::vector<float>>& rows, const Use& use) {
  const std::clock_t start = std::clock();
  for (size_t i = 0; i < kDraws; ++i) use(rows[i % kRows]);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// The best draw over the best read, in interleaved turns, until it is within the limit. The reads
// use the best target there is.
double reads_per_draw(const std::vector<std::vector<float>>& rows, hlg_toe_shape shape,
                      double limit) {
  hlg_params params = bent(0.8);
  params.toe_shape = shape;
  const CurvePtr curve = make_curve(params);
  const SamplerPtr sampler = make_sampler();
  double read = 1e9, draw = 1e9;
  float seen = 0;
  for (int i = 0; i < kRepeats || (i < kMostRepeats && draw > limit * read); ++i) {
    read = std::min(read, time_of(rows, [&](const std::vector<float>& row) {
                      seen += row_max(row.data(), row.size());
                    }));
    draw = std::min(draw, time_of(rows, [&](const std::vector<float>& row) {
                      const hlg_row r = hlg_row_f32(row.data(), static_cast<int64_t>(row.size()));
                      EXPECT_GE(hlg_sample(sampler.get(), curve.get(), &r), 0);
                    }));
  }
  EXPECT_GT(seen, 0);
  return draw / read;
}

TEST(Speed, StaysWithinItsLimits) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a build for debugging";
#endif
  int checked = 0;
  for (const Limit& limit : kLimits) {
    if (hlg_target_force(limit.target) != HLG_OK) continue;
    const auto rows = shuffled_rows(limit.n_vocab);
    const double log = reads_per_draw(rows, HLG_TOE_LOG, limit.log);
    const double fade = reads_per_draw(rows, HLG_TOE_FADE, limit.fade);
    std::printf("%-5s %6zu: log %.1f of %.1f, fade %.1f of %.1f reads\n", limit.target,
                limit.n_vocab, log, limit.log, fade, limit.fade);
    EXPECT_LE(log, limit.log) << limit.target << ' ' << limit.n_vocab;
    EXPECT_LE(fade, limit.fade) << limit.target << ' ' << limit.n_vocab;
    ++checked;
  }
  hlg_target_force(nullptr);
  if (checked == 0) GTEST_SKIP() << "nothing was measured on " << hlg_target_in_use() << " yet";
}

}  // namespace
}  // namespace hlg_test
