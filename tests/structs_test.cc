// The structs of the C interface: those of older and newer callers, and no buffer for a message.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hlg/hlg.hpp"

namespace hlg_test {
namespace {

TEST(Sizes, AnOlderCallerIsServed) {
  // A caller whose hlg_params ends before `toe`, followed by memory that is not ours.
  struct Older {
    char bytes[offsetof(hlg_params, toe)];
    char canary[64];
  } older;
  std::memset(&older, 0x5A, sizeof older);
  auto* params = reinterpret_cast<hlg_params*>(older.bytes);
  ASSERT_EQ(hlg_params_init_sized(params, sizeof older.bytes), HLG_OK);
  ASSERT_EQ(hlg_params_set(params, "width", 2), HLG_OK);
  ASSERT_EQ(hlg_params_set_text(params, "shoulder", "off"), HLG_OK);
  ASSERT_EQ(hlg_params_resolve(params), HLG_OK);
  hlg_curve* curve = nullptr;
  ASSERT_EQ(hlg_curve_new(params, &curve, nullptr, 0), HLG_OK);
  ASSERT_EQ(hlg_curve_params(curve, params), HLG_OK);
  hlg_params all;
  hlg_params_init(&all);
  ASSERT_EQ(hlg_curve_params(curve, &all), HLG_OK);
  EXPECT_EQ(all.width, 2);
  EXPECT_EQ(all.shoulder, HLG_OFF);
  EXPECT_EQ(all.toe, 6) << "unknown to the caller, so its default";
  for (const char c : older.canary) ASSERT_EQ(c, 0x5A);
  hlg_curve_free(curve);
}

// An older caller's struct, and the memory behind it.
struct OlderParams {
  explicit OlderParams(size_t size) {
    std::memset(this, 0x5A, sizeof *this);
    hlg_params_init_sized(&p, size);
  }
  bool untouched_from(size_t size) const {
    const char* bytes = reinterpret_cast<const char*>(this);
    return std::all_of(bytes + size, bytes + sizeof *this, [](char c) { return c == 0x5A; });
  }
  hlg_params p;
};

TEST(Sizes, AFieldThatTheCallerLacksCannotBeSet) {
  OlderParams older(offsetof(hlg_params, toe));
  hlg_params above;
  hlg_params_init(&above);
  above.toe = 2;
  EXPECT_EQ(hlg_params_set(&older.p, "toe", 2), HLG_UNSUPPORTED);
  EXPECT_EQ(hlg_params_set_text(&older.p, "toe", "2"), HLG_UNSUPPORTED);
  EXPECT_EQ(hlg_params_overlay(&older.p, &above), HLG_UNSUPPORTED);
  EXPECT_EQ(hlg_params_set(&older.p, "toe", 2000), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_params_set(&older.p, "toe", HLG_UNSET), HLG_OK) << "it is unset";
  EXPECT_EQ(hlg_params_resolve(&older.p), HLG_OK) << "the default is what it means";
  EXPECT_TRUE(older.untouched_from(offsetof(hlg_params, toe)));
}

// Every size up to the whole struct: a field is there or it is not, never half of it.
TEST(Sizes, AFieldThatIsCutIsAbsent) {
  for (size_t size = 4; size <= sizeof(hlg_params); ++size) {
    OlderParams older(size);
    const size_t whole = std::max<size_t>(4, size / 8 * 8);
    ASSERT_TRUE(older.untouched_from(whole)) << size;
    ASSERT_EQ(hlg_params_check(&older.p, nullptr, 0), HLG_OK) << size;
    const bool has_offset = size >= offsetof(hlg_params, width);
    ASSERT_EQ(hlg_params_set(&older.p, "pivot_offset", 3), has_offset ? HLG_OK : HLG_UNSUPPORTED);
    double value = 0;
    ASSERT_EQ(hlg_params_get(&older.p, "pivot_offset", &value), HLG_OK);
    ASSERT_EQ(value, has_offset ? 3 : HLG_UNSET) << size;
    ASSERT_TRUE(older.untouched_from(whole)) << size;
  }
}

TEST(Sizes, TooSmallForASizeWritesNothing) {
  for (const size_t size : {0, 1, 2, 3}) {
    OlderParams older(size);
    EXPECT_EQ(hlg_params_init_sized(&older.p, size), HLG_INVALID_ARGUMENT);
    EXPECT_TRUE(older.untouched_from(0)) << size;
  }
  hlg_params p;
  EXPECT_EQ(hlg_params_init_sized(&p, (size_t{1} << 32) + sizeof p), HLG_UNSUPPORTED);
}

TEST(Sizes, StatisticsAreNotCutEither) {
  const hlg::curve curve{hlg::params()};
  hlg::sampler sampler(1);
  const float logits[] = {1, 2};
  const hlg_row row = hlg_row_f32(logits, 2);
  for (uint32_t size = 4; size <= sizeof(hlg_stats); ++size) {
    hlg_stats s;
    std::memset(&s, 0x5A, sizeof s);
    s.struct_size = size;
    ASSERT_EQ(hlg_last_stats(sampler.get(), curve.get(), &row, &s), HLG_OK);
    for (size_t i = std::max<size_t>(4, size / 8 * 8); i < sizeof s; ++i) {
      ASSERT_EQ(reinterpret_cast<const char*>(&s)[i], 0x5A) << size;
    }
  }
}

TEST(Messages, NoBufferIsNoBuffer) {
  hlg_params p;
  hlg_params_init(&p);
  p.toe = 2000;
  hlg_curve* curve = nullptr;
  EXPECT_EQ(hlg_params_check(&p, nullptr, 100), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_params_check(nullptr, nullptr, 100), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_curve_new(&p, &curve, nullptr, 100), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_knob_allowed(hlg_knob_find("toe_shape"), nullptr, 100), 11);
}

TEST(Sizes, ANewerCallerIsRefused) {
  struct {
    hlg_params p;
    double more;
  } newer;
  hlg_params_init(&newer.p);
  newer.p.struct_size = sizeof newer;
  EXPECT_EQ(hlg_params_set(&newer.p, "width", 2), HLG_UNSUPPORTED);
  EXPECT_EQ(hlg_params_check(&newer.p, nullptr, 0), HLG_UNSUPPORTED);
  newer.p.struct_size = 0;
  EXPECT_EQ(hlg_params_check(&newer.p, nullptr, 0), HLG_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hlg_test
