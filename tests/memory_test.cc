// Memory: what a draw allocates, and what the functions that may allocate do when there is none
// left.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "hlg/hlg.hpp"
#include "rows.h"

// Every allocation of the test program is counted, and those of a thread can be made to fail.
static std::atomic<size_t> n_allocations{0};
static thread_local long n_allowed = -1;  // so many more; -1: no limit

static void* allocate(size_t size) noexcept {
  ++n_allocations;
  if (n_allowed == 0) return nullptr;
  if (n_allowed > 0) --n_allowed;
  return std::malloc(size);
}
void* operator new(size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t& /*tag*/) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { std::free(memory); }

namespace hlg_test {
namespace {

// What call() returns when this thread may allocate n times.
template <class Call>
auto with_allocations(long n, const Call& call) {
  n_allowed = n;
  const auto result = call();
  n_allowed = -1;
  return result;
}

hlg::params with_pivot(int32_t pivot) {
  hlg::params p;
  p.temperature(0.9).set("pivot", pivot).set("toe_shape", pivot % 2);
  return p;
}

// The first test of this program: the targets are looked for at the first call.
TEST(NoMemory, TargetsAreFound) {
  const auto name = [] { return hlg_target_in_use(); };
  const auto count = [] { return hlg_target_count(); };
  EXPECT_STRNE(with_allocations(0, name), nullptr);
  EXPECT_GE(with_allocations(0, count), 1);
}

// What call() returns when there is no memory left.
template <class Call>
auto without_memory(const Call& call) {
  return with_allocations(0, call);
}

TEST(NoMemory, Settings) {
  hlg_params p, above;
  hlg_params_init(&p);
  hlg_params_init(&above);
  above.toe = 0.01;  // not allowed: the complaint needs memory
  char text[200] = "";
  const auto check = [&](const hlg_params* params) {
    return without_memory([&] { return hlg_params_check(params, text, sizeof text); });
  };
  EXPECT_EQ(check(nullptr), HLG_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "params: invalid argument");
  EXPECT_EQ(check(&p), HLG_OK);
  EXPECT_EQ(check(&above), HLG_INTERNAL);
  EXPECT_STREQ(text, "out of memory");
  const auto set = [&] { return hlg_params_set(&p, "width", 2); };
  const auto set_text = [&] { return hlg_params_set_text(&p, "toe", "0.5"); };
  const auto overlay = [&] { return hlg_params_overlay(&p, &above); };
  EXPECT_EQ(without_memory(set), HLG_OK);
  EXPECT_EQ(p.width, 2);
  EXPECT_EQ(without_memory(set_text), HLG_INTERNAL);
  EXPECT_EQ(p.toe, HLG_UNSET);
  EXPECT_EQ(without_memory(overlay), HLG_OK);
  EXPECT_EQ(p.toe, 0.01);
}

TEST(NoMemory, Knobs) {
  const hlg_knob* toe = hlg_knob_find("toe");
  char text[200] = "";
  const auto number = [&] { return hlg_knob_text(toe, 2.5, text, sizeof text); };
  const auto off = [&] { return hlg_knob_text(toe, HLG_OFF, text, sizeof text); };
  const auto allowed = [&] { return hlg_knob_allowed(toe, text, sizeof text); };
  EXPECT_EQ(without_memory(number), HLG_INTERNAL);
  EXPECT_EQ(without_memory(allowed), HLG_INTERNAL);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(without_memory(off), 3);
}

TEST(NoMemory, CurvesAndSamplers) {
  hlg_params p;
  hlg_params_init(&p);
  char text[200] = "";
  hlg_curve* curve = nullptr;
  const auto make = [&] { return hlg_curve_new(&p, &curve, text, sizeof text); };
  EXPECT_EQ(without_memory(make), HLG_INTERNAL);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(curve, nullptr);
  EXPECT_EQ(without_memory([] { return hlg_sampler_new(1); }), nullptr);
  hlg::sampler sampler(1);
  hlg_sampler* const s = sampler.get();
  EXPECT_EQ(without_memory([&] { return hlg_sampler_clone(s); }), nullptr);
  EXPECT_EQ(without_memory([&] { return hlg_sampler_copy(s, s); }), HLG_OK);
  EXPECT_EQ(without_memory([&] { return hlg_sampler_reset(s, 2); }), HLG_OK);
}

TEST(NoMemory, Rows) {
  const hlg::curve curve{hlg::params()};
  hlg::sampler sampler(1);
  hlg_sampler* const s = sampler.get();
  const hlg_curve* const c = curve.get();
  const std::vector<float> logits(1000, 0.0F);
  const hlg_row row = hlg_row_f32(logits.data(), 1000);
  std::vector<float> out(1000, 7.0F);
  hlg_stats stats{};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(without_memory([&] { return hlg_sample(s, c, &row); }), HLG_INTERNAL);
  EXPECT_EQ(without_memory([&] { return hlg_sample_u(s, c, &row, 0.5); }), HLG_INTERNAL);
  EXPECT_EQ(without_memory([&] { return hlg_apply(s, c, &row, out.data()); }), HLG_INTERNAL);
  EXPECT_EQ(without_memory([&] { return hlg_sampler_reserve(s, c, 1000); }), HLG_INTERNAL);
  EXPECT_EQ(without_memory([&] { return hlg_last_stats(s, c, &row, &stats); }), HLG_INTERNAL);
  EXPECT_EQ(out, std::vector<float>(1000, 7.0F));
  EXPECT_EQ(stats.n_live, 0) << "not written";
}

// Where a thread cannot be started, those that there are draw all of the tokens.
TEST(NoMemory, ABatchIsDrawnByFewerThreads) {
  std::mt19937 rng(54);
  constexpr size_t kItems = 8, kVocab = 700;
  const std::vector<float> logits = model_like_row(kVocab, 1, rng);
  const hlg_row row = hlg_row_f32(logits.data(), kVocab);
  for (int32_t round = 0; round < 24; ++round) {
    const long n = round / 2;
    const hlg::curve curve(with_pivot(round % 2));  // either toe
    std::vector<hlg::sampler> samplers;
    std::vector<hlg_batch_item> items;
    for (uint32_t i = 0; i < kItems; ++i) samplers.emplace_back(i);
    for (const hlg::sampler& s : samplers) {
      ASSERT_EQ(hlg_sampler_reserve(s.get(), curve.get(), kVocab), HLG_OK);
      items.push_back({sizeof(hlg_batch_item), 0, s.get(), curve.get(), &row});
    }
    const auto batch = [&] { return hlg_sample_batch(items.data(), kItems, 4); };
    ASSERT_EQ(with_allocations(n, batch), HLG_OK) << n;
    for (uint32_t i = 0; i < kItems; ++i) {
      ASSERT_EQ(items[i].token, hlg::sampler(i).sample(curve, logits.data(), kVocab)) << n;
    }
  }
}

TEST(Memory, SamplingDoesNotAllocate) {
  std::mt19937 rng(52);
  const std::vector<float> logits = model_like_row(50000, 1, rng);
  std::vector<float> out(logits.size());
  const auto allocations = [&](hlg::sampler& sampler, const hlg::curve& curve) {
    const size_t before = n_allocations;
    for (int i = 0; i < 20; ++i) sampler.sample(curve, logits.data(), logits.size());
    sampler.apply(curve, logits.data(), logits.size(), out.data());
    return n_allocations - before;
  };
  const hlg::curve median(with_pivot(HLG_PIVOT_MEDIAN)),
      straight(hlg::params().set("width", "off"));
  for (int32_t pivot = 0; pivot < 3; ++pivot) {
    const hlg::curve curve(with_pivot(pivot));
    hlg::sampler its_own(1), for_all(1), none(1);
    ASSERT_EQ(hlg_sampler_reserve(its_own.get(), curve.get(), 50000), HLG_OK);
    ASSERT_EQ(hlg_sampler_reserve(for_all.get(), median.get(), 50000), HLG_OK);
    EXPECT_EQ(allocations(its_own, curve), 0U);
    EXPECT_EQ(allocations(for_all, curve), 0U) << "a median curve makes room for every curve";
    EXPECT_EQ(allocations(for_all, straight), 0U);
    EXPECT_GT(allocations(none, curve), 0U);
  }
}

}  // namespace
}  // namespace hlg_test
