// The largest value of a row, for the best CPU target at hand: Highway includes this file again for
// each one. Eight vectors at a time, so that no load waits for a comparison.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "read.cc"
#include "read.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kVectors = 8;

float RowMax(const float* x, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> top[kVectors];
  for (auto& v : top) v = hn::Set(d, x[0]);
  size_t i = 0;
  for (; i + kVectors * lanes <= n; i += kVectors * lanes) {
    for (size_t k = 0; k < kVectors; ++k) {
      top[k] = hn::Max(top[k], hn::LoadU(d, x + i + k * lanes));
    }
  }
  for (size_t k = 1; k < kVectors; ++k) top[0] = hn::Max(top[0], top[k]);
  float max = hn::GetLane(hn::MaxOfLanes(d, top[0]));
  for (; i < n; ++i) max = x[i] > max ? x[i] : max;
  return max;
}

}  // namespace HWY_NAMESPACE
}  // namespace bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace bench {
HWY_EXPORT(RowMax);
}  // namespace bench

float row_max(const float* x, size_t n) {
  using namespace bench;  // HWY_DYNAMIC_DISPATCH wants the bare name
  return HWY_DYNAMIC_DISPATCH(RowMax)(x, n);
}

#endif  // HWY_ONCE
