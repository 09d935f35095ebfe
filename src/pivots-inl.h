// The passes over a row that the entropy and median pivots need. kernels-inl.h includes this file,
// once per CPU target.

// No ordinary include guard: once per target.
#if defined(HLG_PIVOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLG_PIVOTS_INL_H_
#undef HLG_PIVOTS_INL_H_
#else
#define HLG_PIVOTS_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>

#include "vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlg {
namespace HWY_NAMESPACE {

template <class T>
double MassAbove(const void* x, size_t n, float max, float low) {
  const D d;
  const Exponential exponential(d, max, low);
  return sum(d, static_cast<const T*>(x), n,
             [&](const Pack& p) HWY_ATTR { return exponential.weight(d, p); });
}

template <class T>
void Moments(const void* row, size_t n, float max, double* mass, double* moment) {
  const D d;
  const T* x = static_cast<const T*>(row);
  const Exponential exponential(d, max, kMasked);
  const size_t step = kFloatAdditions * kPack * hn::Lanes(d);
  *mass = *moment = 0;
  for (size_t begin = 0; begin < n; begin += step) {
    Pack e_sum = fill(d, 0), te_sum = fill(d, 0);
    for_each_pack(d, x + begin, HWY_MIN(step, n - begin), [&](const Pack& p, size_t) HWY_ATTR {
      const Pack e = exponential.weight(d, p);
      HLG_EACH {
        // an e^t too small to count is not multiplied by its t, nor is a NaN's
        const V low = hn::Set(d, kUnderflow), from_max = hn::Sub(p.v[k], hn::Set(d, max));
        const V t = hn::IfThenElse(hn::Gt(from_max, low), from_max, low);
        e_sum.v[k] = hn::Add(e_sum.v[k], e.v[k]);
        te_sum.v[k] = hn::MulAdd(e.v[k], t, te_sum.v[k]);
      }
    });
    *mass += sum_lanes(d, e_sum);
    *moment += sum_lanes(d, te_sum);
  }
}

// 2^h for -1022 < h <= 0 in double, relative error 2e-14, exact at 0.
HWY_INLINE VD exp2_double(DD d, VD h) {
  const hn::RebindToSigned<DD> di;
  constexpr double kExp2Double[] = {1.0,
                                    0.6931471805598847,
                                    0.24022650695722433,
                                    0.055504108668436726,
                                    0.0096181291811422,
                                    0.001333355762291216,
                                    0.00015403440836520918,
                                    1.5252991306825667e-05,
                                    1.3258344466784633e-06,
                                    1.0148112231419325e-07};
  const VD magic = hn::Set(d, 6755399441055744.0);  // 1.5 * 2^52
  const VD rounded = hn::Add(h, magic), f = hn::Sub(h, hn::Sub(rounded, magic));
  VD y = hn::Set(d, kExp2Double[9]);
  for (size_t i = 9; i-- > 0;) y = hn::MulAdd(y, f, hn::Set(d, kExp2Double[i]));
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(di, rounded));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, y), exponent));
}

template <class T>
void MomentsDouble(const void* row, size_t n, float max, double* mass, double* moment) {
  const DD d;
  const D d32;
  const hn::Rebind<float, DD> half;  // as many floats
  const size_t lanes = hn::Lanes(d);
  VD e_sum = hn::Zero(d), te_sum = hn::Zero(d);
  HWY_ALIGN float wide[kPack * HWY_MAX_BYTES / sizeof(float)];
  for_each_pack(d32, static_cast<const T*>(row), n, [&](const Pack& p, size_t) HWY_ATTR {
    HLG_EACH hn::Store(p.v[k], d32, wide + k * hn::Lanes(d32));
    for (size_t i = 0; i < kPack * hn::Lanes(d32); i += lanes) {
      const VD v = hn::PromoteTo(d, hn::LoadU(half, wide + i));
      const VD t = hn::Sub(v, hn::Set(d, double{max})), low = hn::Set(d, -700.0);
      const VD e = exp2_double(d, hn::Mul(hn::Max(t, low), hn::Set(d, kLog2eDouble)));
      const auto counts = hn::Gt(t, low);  // neither masked nor too far to count
      e_sum = hn::Add(e_sum, hn::IfThenElseZero(counts, e));
      te_sum = hn::Add(te_sum, hn::IfThenElseZero(counts, hn::Mul(e, t)));
    }
  });
  *mass = hn::GetLane(hn::SumOfLanes(d, e_sum));
  *moment = hn::GetLane(hn::SumOfLanes(d, te_sum));
}

template <class T>
size_t Select(const void* x, size_t n, float low, float high, float* out) {
  const D d;
  const V lo = hn::Set(d, low), hi = hn::Set(d, high);
  size_t kept = 0;
  for_each_pack(d, static_cast<const T*>(x), n, [&](const Pack& p, size_t) HWY_ATTR {
    for (const V& v : p.v) {  // a register compress and a whole store: faster than CompressStore
      const M keep = hn::And(hn::Gt(v, lo), hn::Le(v, hi));
      hn::StoreU(hn::Compress(v, keep), d, out + kept);
      kept += hn::CountTrue(d, keep);
    }
  });
  return kept;
}

void Range(const float* x, size_t n, float* low, float* high) {
  const D d;
  V lo = hn::Set(d, x[0]), hi = lo;
  for_each_pack(d, x, n, [&](const Pack& p, size_t) HWY_ATTR {
    for (const V& v : p.v) {
      hi = hn::Max(hi, v);
      lo = hn::Min(lo, hn::IfThenElse(is_live(d, v), v, lo));
    }
  });
  *low = hn::GetLane(hn::MinOfLanes(d, lo));
  *high = hn::GetLane(hn::MaxOfLanes(d, hi));
}

}  // namespace HWY_NAMESPACE
}  // namespace hlg
HWY_AFTER_NAMESPACE();

#endif  // HLG_PIVOTS_INL_H_
