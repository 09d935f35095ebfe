// Rows and settings at which a plain float32 form of the curve loses its digits, and the ends of
// the legal range. Each was met, with errors up to a hundred times the bound.
#include <gtest/gtest.h>

#include "rows.h"

namespace hlg_test {
namespace {

struct HardRow {
  const char* why;
  std::vector<float> logits;
  hlg_params params;
};

hlg_params settings(double temperature, int32_t pivot, double offset, double width) {
  hlg_params p = bent(temperature);
  p.pivot = pivot;
  p.pivot_offset = offset;
  p.width = width;
  return p;
}

// A first token, then n equal ones, in blocks of their own.
std::vector<float> one_and_many(float first, size_t n, float others, float filler) {
  std::vector<float> row(hlg::kBlock, filler);
  row[0] = first;
  row.insert(row.end(), n, others);
  return row;
}

std::vector<HardRow> hard_rows() {
  std::vector<HardRow> rows;
  hlg_params p = settings(0.001, HLG_PIVOT_TOP, 0, 0);
  p.toe_shape = HLG_TOE_LOG;
  p.shoulder = HLG_OFF;
  p.toe = 0.05;
  rows.push_back({"cold log toe", one_and_many(59.9F, 512, 59.893356F, -kInf), p});
  p.temperature = 0.01;
  p.toe = 3;
  rows.push_back({"cool log toe", one_and_many(57.802116F, 512, 57.739079F, -kInf), p});
  p = settings(0.024125886, HLG_PIVOT_ENTROPY, 7.5339485, 0.5);
  p.shoulder = 0.05;
  p.toe = HLG_OFF;
  rows.push_back({"cold entropy pivot", one_and_many(16.83014F, 150725, 4.603443F, -kInf), p});
  p = settings(0.0378175747, HLG_PIVOT_TOP, 36.55838412, 0);
  p.shoulder = 0.05;
  p.toe = HLG_OFF;
  rows.push_back(
      {"far up a hard shoulder", one_and_many(-16.356203F, 7703, -52.925224F, -kInf), p});
  return rows;
}

class HardRows : public testing::Test {
 protected:
  void TearDown() override { hlg_target_force(nullptr); }
};

TEST_F(HardRows, WithinTheContractOnEveryTarget) {
  for (int32_t i = 0; i < hlg_target_count(); ++i) {
    ASSERT_EQ(hlg_target_force(hlg_target_name(i)), HLG_OK);
    for (const HardRow& row : hard_rows()) {
      SCOPED_TRACE(std::string(hlg_target_in_use()) + ": " + row.why);
      const hlg::Curve curve = curve_of(row.params);
      const std::vector<double> expected = reference_logprobs(row.logits, curve);
      const std::vector<float> seen = library_logprobs(row.logits, row.params);
      EXPECT_LE(worst_error(row.logits, curve, expected, seen).part, 1);
      const SamplerPtr s = make_sampler();
      const CurvePtr c = make_curve(row.params);
      const hlg_row r = hlg_row_f32(row.logits.data(), static_cast<int64_t>(row.logits.size()));
      const double boundary = std::exp(expected[0]);
      EXPECT_EQ(hlg_sample_u(s.get(), c.get(), &r, boundary - 1e-5), 0);
      EXPECT_NE(hlg_sample_u(s.get(), c.get(), &r, boundary + 1e-5), 0);
    }
  }
}

// Tokens half way down a long, hard shoulder at a low temperature: far from both of its ends.
TEST_F(HardRows, MiddleOfTheShoulder) {
  for (int32_t i = 0; i < hlg_target_count(); ++i) {
    ASSERT_EQ(hlg_target_force(hlg_target_name(i)), HLG_OK);
    for (const double t : {0.0014, 0.002, 0.004, 0.01}) {
      hlg_params p = settings(t, HLG_PIVOT_TOP, 39, 0.05);
      p.shoulder = 30 * t;
      p.toe = HLG_OFF;
      std::vector<float> row = {17.5F};
      for (int j = 0; j < 300; ++j) row.push_back(-1.5F - 0.01F * static_cast<float>(j));
      const hlg::Curve curve = curve_of(p);
      const std::vector<double> expected = reference_logprobs(row, curve);
      const Worst w = worst_error(row, curve, expected, library_logprobs(row, p));
      EXPECT_LE(w.part, 1) << hlg_target_in_use() << " " << t << " " << row[w.token];
    }
  }
}

TEST_F(HardRows, NoNanAtTheEndsOfTheRange) {
  const std::vector<float> logits = {0, -1, -1e25F, -kInf};
  std::vector<hlg_params> ends;
  for (const double t : {1e-310, 1e-40, 1e-38, 1e-3, 3e38}) {
    for (const int32_t shape : {HLG_TOE_LOG, HLG_TOE_FADE}) {
      ends.push_back(bent(t));
      ends.back().toe_shape = shape;
      ends.push_back(ends.back());
      ends.back().width = HLG_OFF;
    }
  }
  for (const hlg_params& p : ends) {
    for (const float l : library_logprobs(logits, p)) {
      EXPECT_FALSE(std::isnan(l)) << p.temperature << " " << p.width << " " << p.toe_shape;
    }
  }
}

// For logits so large that float32 has no digits left for the others.
void expect_likely_tokens(const std::vector<float>& row, const hlg_params& p) {
  const hlg::Curve curve = curve_of(p);
  const std::vector<double> expected = reference_logprobs(row, curve);
  const std::vector<float> seen = library_logprobs(row, p);
  for (size_t i = 0; i < row.size(); ++i) {
    if (expected[i] < std::log(1e-12)) continue;
    const double z = row[i] - reference_pivot(row, curve.params);
    EXPECT_NEAR(seen[i], expected[i], allowed_error(curve, z, expected[i]))
        << hlg_target_in_use() << " " << row[i] << " T " << p.temperature << " b_h " << p.shoulder
        << " shape " << p.toe_shape;
  }
}

// Logits so large that the knot of the shoulder is the same float as the top token.
TEST_F(HardRows, LargeLogits) {
  for (int32_t i = 0; i < hlg_target_count(); ++i) {
    ASSERT_EQ(hlg_target_force(hlg_target_name(i)), HLG_OK);
    for (const float top : {1e6F, 1e8F, 1e12F, 1e30F}) {
      const std::vector<float> row = {0, top, -top, std::nextafter(top, 0.0F), top};
      for (const double t : {1.0, 0.01, 0.001}) {
        for (hlg_params p : {bent(t, HLG_TOE_LOG), bent(t, HLG_TOE_FADE)}) {
          expect_likely_tokens(row, p);
          p.shoulder = 0.05;
          expect_likely_tokens(row, p);
        }
      }
    }
  }
}

// A hard shoulder whose knot lies well between two floats, with a logit on each side.
TEST_F(HardRows, KnotBetweenFloats) {
  hlg_params p = settings(1.83e-4, HLG_PIVOT_TOP, 0, 0);
  p.shoulder = 0.05;
  p.toe = 0.05;
  const std::vector<float> row = {9379845, 9379846, 9379844, 9379843, 9379842};
  for (int32_t i = 0; i < hlg_target_count(); ++i) {
    ASSERT_EQ(hlg_target_force(hlg_target_name(i)), HLG_OK);
    for (const int32_t shape : {HLG_TOE_LOG, HLG_TOE_FADE}) {
      p.toe_shape = shape;
      for (const double offset : {1.3, 1.7, 2.3, 2.7}) {
        p.pivot_offset = offset;
        const hlg::Curve curve = curve_of(p);
        const Worst w =
            worst_error(row, curve, reference_logprobs(row, curve), library_logprobs(row, p));
        EXPECT_LE(w.part, 1) << hlg_target_in_use() << " c " << offset << " " << row[w.token];
      }
    }
  }
}

TEST_F(HardRows, TemperatureIsFiniteInFloat) {
  hlg_params p = bent(1e46);
  char message[100] = "";
  EXPECT_NE(hlg_params_check(&p, message, sizeof message), HLG_OK);
  EXPECT_STREQ(message,
               "temperature: 1e+46 is not allowed: give a number that is finite in float32");
}

// A pivot kept from quite another row: no law is left to keep, but no masked token may be drawn.
TEST_F(HardRows, ForeignPivotDrawsALiveToken) {
  const std::vector<float> first = {-1.9e19F, -1.1e19F, -5.7e19F, -2.7e19F};
  const std::vector<float> then = {-kInf, -5e18F, -9e19F, -kInf};
  hlg_params p = settings(1, HLG_PIVOT_ENTROPY, 40, 40);
  p.shoulder = 0.05;
  p.toe = 1000;
  const SamplerPtr s = make_sampler();
  const hlg_row a = hlg_row_f32(first.data(), 4), b = hlg_row_f32(then.data(), 4);
  for (const int32_t shape : {HLG_TOE_LOG, HLG_TOE_FADE}) {
    p.toe_shape = shape;
    const CurvePtr c = make_curve(p);
    for (const double u : {0.0, 0.5, std::nextafter(1.0, 0.0)}) {
      hlg_sample_u(s.get(), c.get(), &a, 0.5);
      hlg_sampler_keep_pivot(s.get());
      const int32_t token = hlg_sample_u(s.get(), c.get(), &b, u);
      EXPECT_TRUE(token == 1 || token == 2) << token << " shape " << shape;
    }
  }
}

// And one so foreign that, with fused multiply-adds, some weights are no numbers: those of a later
// block, or of the top token's own.
TEST_F(HardRows, ForeignPivotWithoutWeights) {
  const float first = 0;
  const hlg_row a = hlg_row_f32(&first, 1);
  const CurvePtr c = make_curve(bent(1, HLG_TOE_LOG));
  const SamplerPtr s = make_sampler();
  for (int32_t i = 0; i < hlg_target_count(); ++i) {
    ASSERT_EQ(hlg_target_force(hlg_target_name(i)), HLG_OK);
    for (const int32_t other : {2, 64, 128}) {
      std::vector<float> then(129, -kInf);
      then[1] = 1e37F;
      then[static_cast<size_t>(other)] = -1e37F;
      const hlg_row b = hlg_row_f32(then.data(), 129);
      for (const double u : {0.0, 0.5, std::nextafter(1.0, 0.0)}) {
        hlg_sample_u(s.get(), c.get(), &a, 0.5);
        hlg_sampler_keep_pivot(s.get());
        const int32_t token = hlg_sample_u(s.get(), c.get(), &b, u);
        EXPECT_TRUE(token == 1 || token == other) << hlg_target_in_use() << " " << token;
      }
    }
  }
}

}  // namespace
}  // namespace hlg_test
