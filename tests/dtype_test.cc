// Rows of float16 and bfloat16: the same results, bit for bit, as the float32 row of their values.
#include <gtest/gtest.h>

#include <cstring>

#include "dtypes.h"
#include "hlg/hlg.hpp"
#include "rows.h"

namespace hlg_test {
namespace {

// Rows of all kinds of bits: those of a model, and any.
std::vector<uint16_t> row_of(const NarrowType& type, size_t n, bool any_bits, std::mt19937& rng) {
  std::vector<uint16_t> bits;
  for (const float x : model_like_row(n, 3, rng)) {
    bits.push_back(any_bits ? static_cast<uint16_t>(rng()) : narrowed(type, std::max(x, -99.0F)));
  }
  if (any_bits) bits[rng() % n] = 0x3C00;  // one that is alive for sure
  return bits;
}

void expect_equal(const NarrowType& type, const std::vector<uint16_t>& bits,
                  const hlg_params& params, std::mt19937& rng) {
  std::vector<float> wide;
  for (const uint16_t b : bits) wide.push_back(type.value(b));
  const auto n = static_cast<int64_t>(bits.size());
  const hlg_row narrow_row = hlg_row_of(type.dtype, bits.data(), n);
  const hlg_row wide_row = hlg_row_f32(wide.data(), n);
  const CurvePtr curve = make_curve(params);
  const SamplerPtr a = make_sampler(), b = make_sampler();
  for (int i = 0; i < 5; ++i) {
    const double u = std::uniform_real_distribution<double>(0, 1)(rng);
    ASSERT_EQ(hlg_sample_u(a.get(), curve.get(), &narrow_row, u),
              hlg_sample_u(b.get(), curve.get(), &wide_row, u));
  }
  hlg_stats seen{}, expected{};
  seen.struct_size = expected.struct_size = sizeof seen;
  ASSERT_EQ(hlg_last_stats(a.get(), curve.get(), &narrow_row, &seen), HLG_OK);
  ASSERT_EQ(hlg_last_stats(b.get(), curve.get(), &wide_row, &expected), HLG_OK);
  ASSERT_EQ(std::memcmp(&seen, &expected, sizeof seen), 0);
  std::vector<float> x(bits.size()), y(bits.size());
  ASSERT_EQ(hlg_apply(a.get(), curve.get(), &narrow_row, x.data()), HLG_OK);
  ASSERT_EQ(hlg_apply(b.get(), curve.get(), &wide_row, y.data()), HLG_OK);
  ASSERT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(float)), 0);
}

TEST(NarrowRows, EqualTheWideOne) {
  std::mt19937 rng(51);
  for (int32_t target = 0; target < hlg_target_count(); ++target) {
    SCOPED_TRACE(hlg_target_name(target));
    ASSERT_EQ(hlg_target_force(hlg_target_name(target)), HLG_OK);
    for (const NarrowType& type : kNarrowTypes) {
      for (const size_t n : {1, 7, 64, 65, 1023, 1024, 5000}) {
        for (int i = 0; i < 12; ++i) {
          hlg_params p = random_params(rng);
          if (i % 4 == 3) p.width = HLG_OFF;
          expect_equal(type, row_of(type, n, i % 2 == 1, rng), p, rng);
        }
      }
    }
  }
  hlg_target_force(nullptr);
}

TEST(NarrowRows, AreAlignedToTwoBytes) {
  const uint16_t bits[] = {0x3C00, 0x4000, 0xBC00};  // 1, 2, -1
  hlg::curve curve(hlg::params().temperature(0));
  hlg::sampler sampler(1);
  EXPECT_EQ(sampler.sample(curve, hlg_row_of(HLG_FLOAT16, bits + 1, 2)), 0);
  EXPECT_EQ(sampler.sample(curve, hlg_row_of(HLG_FLOAT16, bits, 3)), 1);
  const char* bytes = reinterpret_cast<const char*>(bits);
  EXPECT_EQ(sampler.sample(curve, hlg_row_of(HLG_FLOAT16, bytes + 1, 2)), HLG_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hlg_test
