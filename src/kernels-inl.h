// The vector form of the curve, and the passes over a row, for the CPU target being compiled.
// kernels.cc includes this file once per target; nothing else does.

// No ordinary include guard: once per target.
#if defined(HLG_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLG_KERNELS_INL_H_
#undef HLG_KERNELS_INL_H_
#else
#define HLG_KERNELS_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cmath>

#include "kernels.h"
#include "pivots-inl.h"
#include "vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace hlg {
namespace HWY_NAMESPACE {

// h(t) of from_top.h in vectors, with either toe.
template <bool kFade>
struct Curve {
  Curve(D d, const FromTop& h)
      : max(hn::Set(d, h.max)),
        origin(hn::Set(d, h.origin)),
        t_toe(hn::Set(d, h.t_toe)),
        shoulder_gain(hn::Set(d, h.shoulder_gain)),
        shoulder_rate(hn::Set(d, h.shoulder_rate)),
        parting(hn::Set(d, h.parting)),
        knot_rate(hn::Set(d, h.knot_rate)),
        knot_shift(hn::Set(d, h.knot_shift)),
        knot_h(hn::Set(d, h.knot_h)),
        gain(hn::Set(d, h.gain)),
        middle(hn::Set(d, h.middle)),
        toe_gain(hn::Set(d, h.toe_gain)),
        toe_rate(hn::Set(d, h.toe_rate)) {}

  // For x at most max; masked lanes give anything. log2: the coefficients to use.
  template <size_t kN>
  HWY_INLINE Pack operator()(D d, const Pack& x, const float (&log2)[kN]) const {
    Pack t, past, h;
    HLG_EACH t.v[k] = hn::Max(hn::Sub(x.v[k], origin), hn::Set(d, -kFarBelow));
    HLG_EACH h.v[k] = hn::Max(t.v[k], t_toe);
    HLG_EACH past.v[k] = hn::Sub(h.v[k], t.v[k]);  // distance past the knot of the toe
    HLG_EACH h.v[k] = hn::MulAdd(gain, h.v[k], middle);
    const Pack bent = bend(d, past, log2);
    HLG_EACH h.v[k] = hn::NegMulAdd(toe_gain, bent.v[k], h.v[k]);
    M in_shoulder = is_inside(d, t.v[0]);
    for (size_t k = 1; k < kPack; ++k) in_shoulder = hn::Or(in_shoulder, is_inside(d, t.v[k]));
    return hn::AllFalse(d, in_shoulder) ? h : with_shoulder(d, x, t, h, log2);
  }

  template <size_t kN>
  HWY_INLINE Pack bend(D d, Pack past, const float (&log2)[kN]) const {
    if (kFade) {
      HLG_EACH past.v[k] = hn::MulAdd(hn::Mul(past.v[k], past.v[k]), toe_rate, past.v[k]);
      return past;
    }
    HLG_EACH past.v[k] = hn::Mul(past.v[k], toe_rate);
    return log2_1p(d, past, log2);
  }

  template <size_t kN>
  HWY_INLINE Pack with_shoulder(D d, const Pack& x, const Pack& t, Pack h,
                                const float (&log2)[kN]) const {
    Pack arg;
    HLG_EACH {
      const V from_top = hn::Mul(hn::Sub(x.v[k], max), shoulder_rate);
      const V from_knot = hn::Max(hn::MulAdd(t.v[k], knot_rate, knot_shift), hn::Zero(d));
      arg.v[k] = hn::IfThenElse(hn::Gt(x.v[k], parting), from_top, from_knot);
      arg.v[k] = hn::IfThenElseZero(is_inside(d, t.v[k]), arg.v[k]);
    }
    const Pack bent = log2_1p(d, arg, log2);
    HLG_EACH {
      const V start = hn::IfThenZeroElse(hn::Gt(x.v[k], parting), knot_h);
      const V bow = hn::MulAdd(shoulder_gain, bent.v[k], start);
      h.v[k] = hn::IfThenElse(is_inside(d, t.v[k]), bow, h.v[k]);
    }
    return h;
  }

  // Of the shoulder.
  static HWY_INLINE M is_inside(D d, V t) { return hn::Gt(t, hn::Zero(d)); }

  HWY_INLINE Pack weight(D d, const Pack& x) const {
    Pack w = exp2(d, (*this)(d, x, kLog2Short), kExp2);
    HLG_EACH w.v[k] = hn::IfThenElseZero(is_live(d, x.v[k]), w.v[k]);
    return w;
  }

  V max, origin, t_toe, shoulder_gain, shoulder_rate, parting, knot_rate, knot_shift, knot_h, gain,
      middle, toe_gain, toe_rate;
};

// Calls use(curve) with a curve of the form that h has.
template <class Use>
HWY_INLINE void with_curve(D d, const FromTop& h, const Use& use) {
  h.form == FromTop::kFade ? use(Curve<true>(d, h)) : use(Curve<false>(d, h));
}

// Calls use(w), w.weight(d, pack) being the weights.
template <class Use>
HWY_INLINE void with_weight(D d, const FromTop& h, const Use& use) {
  h.form == FromTop::kExponential ? use(Exponential(d, h.max, kMasked)) : with_curve(d, h, use);
}

// ---- the largest logit of each block

constexpr size_t kLanes = hn::MaxLanes(D());

// Lane i of the result: the largest lane of v[i].
HWY_INLINE V max_of_each(D d, V (&v)[kLanes]) {
#if HWY_TARGET == HWY_SCALAR  // one lane
  (void)d;
#else
  for (size_t n = kLanes / 2; n > 0; n /= 2) {
    for (size_t i = 0; i < n; ++i) {
      const V a = v[2 * i], b = v[2 * i + 1];
      v[i] = hn::Max(hn::ConcatEven(d, b, a), hn::ConcatOdd(d, b, a));
    }
  }
#endif
  return v[0];
}

// The largest logits of kLanes whole blocks. With a NaN among them the result is anything, and
// *spoilt is NaN.
template <class T>
HWY_INLINE V max_of_blocks(D d, const T* x, V* spoilt) {
  V high[kLanes], total = hn::Zero(d);
  for (size_t b = 0; b < kLanes; ++b, x += kBlock) {
    high[b] = load_vector(d, x);
    V sum = high[b];
    for (size_t i = kLanes; i < kBlock; i += kLanes) {
      const V v = load_vector(d, x + i);
      high[b] = hn::Max(high[b], v);
      sum = hn::Add(sum, v);
    }
    total = hn::Add(total, sum);
  }
  *spoilt = total;
  return max_of_each(d, high);
}

// The same for a block with whatever in it, n logits of it.
template <class T>
HWY_NOINLINE float max_of_live(D d, const T* x, size_t n) {
  Pack high = fill(d, kMasked);
  for_each_pack(d, x, n, [&](const Pack& p, size_t) HWY_ATTR {
    HLG_EACH high.v[k] = hn::IfThenElse(hn::Gt(p.v[k], high.v[k]), p.v[k], high.v[k]);  // NaN loses
  });
  for (size_t k = 1; k < kPack; ++k) high.v[0] = hn::Max(high.v[0], high.v[k]);
  return hn::GetLane(hn::MaxOfLanes(d, high.v[0]));
}

template <class T>
float BlockMax(const void* row, size_t n, float* max) {
  const D d;
  const T* x = static_cast<const T*>(row);
  const size_t whole = n / kBlock / kLanes * kLanes, end = n_blocks(n);
  V top = hn::Set(d, kMasked);
  for (size_t b = 0; b < whole; b += kLanes) {
    V spoilt;
    V high = max_of_blocks(d, x + b * kBlock, &spoilt);
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(spoilt)))) {
      for (size_t i = b; i < b + kLanes; ++i) max[i] = max_of_live(d, x + i * kBlock, kBlock);
      high = hn::LoadU(d, max + b);
    }
    hn::StoreU(high, d, max + b);
    top = hn::Max(top, high);
  }
  float largest = hn::GetLane(hn::MaxOfLanes(d, top));
  for (size_t b = whole; b < end; ++b) {
    const size_t begin = b * kBlock;
    max[b] = begin < n ? max_of_live(d, x + begin, HWY_MIN(kBlock, n - begin)) : kMasked;
    largest = HWY_MAX(largest, max[b]);
  }
  return largest;
}

// ---- masses and weights

constexpr size_t kCacheLine = 64;  // bytes
constexpr size_t kAhead = 8;       // blocks that are fetched while one is worked on

template <class T>
HWY_INLINE void fetch(const T* x) {
  for (size_t i = 0; i < kBlock; i += kCacheLine / sizeof(T)) hwy::Prefetch(x + i);
}

template <class T>
void BlockMass(const void* row, size_t n, const FromTop& h, const uint32_t* list, size_t n_list,
               float* mass) {
  const D d;
  const T* x = static_cast<const T*>(row);
  with_weight(d, h, [&](const auto& curve) HWY_ATTR {
    for (size_t i = 0; i < n_list; ++i) {
      const size_t begin = list[i] * kBlock;
      if (i + kAhead < n_list) fetch(x + list[i + kAhead] * kBlock);
      Pack total = fill(d, 0);
      for_each_pack(d, x + begin, HWY_MIN(kBlock, n - begin), [&](const Pack& p, size_t) HWY_ATTR {
        const Pack w = curve.weight(d, p);
        HLG_EACH total.v[k] = hn::Add(total.v[k], w.v[k]);
      });
      mass[list[i]] = static_cast<float>(sum_lanes(d, total));
    }
  });
}

template <class T>
void Weights(const void* x, size_t n, const FromTop& h, float* w) {
  const D d;
  with_weight(d, h, [&](const auto& curve) HWY_ATTR {
    for_each_pack(d, static_cast<const T*>(x), n, [&](const Pack& p, size_t i) HWY_ATTR {
      store(d, curve.weight(d, p), w + i, n - i);
    });
  });
}

template <class T>
void LogProbs(const void* x, size_t n, const FromTop& h, double log2_total, float* out) {
  const D d;
  const V total = hn::Set(d, static_cast<float>(log2_total)), ln2 = hn::Set(d, kLn2);
  with_curve(d, h, [&](const auto& curve) HWY_ATTR {
    for_each_pack(d, static_cast<const T*>(x), n, [&](const Pack& p, size_t i) HWY_ATTR {
      Pack l = curve(d, p, kLog2Long);
      HLG_EACH {
        l.v[k] = hn::Mul(ln2, hn::Sub(l.v[k], total));
        l.v[k] = hn::IfThenElse(is_live(d, p.v[k]), l.v[k], hn::Set(d, kMasked));
      }
      store(d, l, out + i, n - i);
    });
  });
}

template <class T>
void Widen(const void* x, size_t n, float* out) {
  const D d;
  for_each_pack(d, static_cast<const T*>(x), n,
                [&](const Pack& p, size_t i) HWY_ATTR { store(d, p, out + i, n - i); });
}

// ---- arrays of blocks

size_t Above(const float* x, size_t n, float limit, uint32_t* list) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const V low = hn::Set(d, limit);
  auto index = hn::Iota(du, 0);
  size_t kept = 0;
  for (size_t i = 0; i < n; i += kLanes) {
    const auto keep = hn::RebindMask(du, hn::Gt(hn::LoadU(d, x + i), low));
    if (!hn::AllFalse(du, keep)) {  // again and again to one place is slow
      hn::StoreU(hn::Compress(index, keep), du, list + kept);
      kept += hn::CountTrue(du, keep);
    }
    index = hn::Add(index, hn::Set(du, static_cast<uint32_t>(kLanes)));
  }
  return kept;
}

double CappedSum(const float* x, const float* y, size_t n, float cap) {
  const D d;
  const V high = hn::Set(d, cap);
  V total = hn::Zero(d);
  for (size_t i = 0; i < n; i += kLanes) {
    total = hn::Add(total, hn::Min(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), high));
  }
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
}

void GroupSums(const float* x, size_t n_groups, double* sums) {
  const D d;
  for (size_t g = 0; g < n_groups; ++g, x += kGroup) {
    V total = hn::LoadU(d, x);
    for (size_t i = kLanes; i < kGroup; i += kLanes) total = hn::Add(total, hn::LoadU(d, x + i));
    sums[g] = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
  }
}

template <class T>
constexpr Passes kPasses = {BlockMax<T>,      BlockMass<T>, Weights<T>,   LogProbs<T>, Moments<T>,
                            MomentsDouble<T>, Select<T>,    MassAbove<T>, Widen<T>};

const Kernels* Table() {
  static const Kernels kTable = {
      hwy::TargetName(HWY_TARGET),
      {kPasses<float>, kPasses<hwy::float16_t>, kPasses<hwy::bfloat16_t>},
      Range,
      Above,
      CappedSum,
      GroupSums};
  return &kTable;
}

#undef HLG_EACH

}  // namespace HWY_NAMESPACE
}  // namespace hlg
HWY_AFTER_NAMESPACE();

#endif  // HLG_KERNELS_INL_H_
