// Memory: what a draw allocates, and what every function does when there is none left.
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

TEST(NoMemory, IsAStatusOrNull) {
  hlg_params p;
  hlg_params_init(&p);
  char text[200];
  hlg_curve* curve = nullptr;
  const auto check = [&](const hlg_params* params) {
    return with_allocations(0, [&] { return hlg_params_check(params, text, sizeof text); });
  };
  EXPECT_EQ(check(nullptr), HLG_INVALID_ARGUMENT);
  EXPECT_STREQ(text, "params: invalid argument");
  EXPECT_EQ(check(&p), HLG_OK);
  const auto set = [&] { return hlg_params_set_text(&p, "toe", "0.5"); };
  EXPECT_EQ(with_allocations(0, set), HLG_INTERNAL);
  p.toe = 0.01;
  EXPECT_EQ(check(&p), HLG_INTERNAL);
  hlg_params_init(&p);
  EXPECT_EQ(with_allocations(0, [&] { return hlg_curve_new(&p, &curve, nullptr, 0); }),
            HLG_INTERNAL);
  EXPECT_EQ(with_allocations(0, [] { return hlg_sampler_new(1); }), nullptr);
  ASSERT_EQ(hlg_curve_new(&p, &curve, nullptr, 0), HLG_OK);
  const std::vector<float> logits(1000, 0.0F);
  const hlg_row row = hlg_row_f32(logits.data(), 1000);
  hlg::sampler sampler(1);
  EXPECT_EQ(with_allocations(0, [&] { return hlg_sample(sampler.get(), curve, &row); }),
            HLG_INTERNAL);
  EXPECT_EQ(with_allocations(0, [&] { return hlg_sampler_reserve(sampler.get(), curve, 1000); }),
            HLG_INTERNAL);
  hlg_curve_free(curve);
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
