// The vector form of the curve, and the passes over a row, for the CPU target being compiled.
// kernels.cc includes this file once per target; nothing else does.
//
// Work is done in packs of a few vectors at a time, operation by operation: the chains of dependent
// multiply-adds are long, and two of them side by side keep the units busy (measured on Zen 4:
// 10 % for 16 lanes, 17 % for 8; four instead of two gain nothing more). What is left of a row
// after the last whole pack is padded with masked tokens: there is no second, scalar copy of
// anything.

// No ordinary include guard: once per target.
#if defined(HLG_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLG_KERNELS_INL_H_
#undef HLG_KERNELS_INL_H_
#else
#define HLG_KERNELS_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

#include "kernels.h"

HWY_BEFORE_NAMESPACE();
namespace hlg {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
using DI = hn::RebindToSigned<D>;
using VI = hn::Vec<DI>;

// Vectors that are worked on together. Every function on packs does one operation on all of them
// before the next.
constexpr size_t kPack = 2;
#define HLG_EACH for (size_t k = 0; k < kPack; ++k)

struct Pack {
  HWY_INLINE Pack() {}  // an implicit one would lack the target's attributes on Arm
  V v[kPack];
};

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// A token further than this below the top counts as this far below: no overflow, no NaN.
constexpr float kFarBelow = 1e30F;

constexpr float kLn2 = 0.693147181F;
constexpr float kLog2e = 1.44269504F;

// Float32 additions in a row per lane before a sum is carried to double: equal small terms round
// the same way every time.
constexpr size_t kFloatAdditions = 16;

// Below this 2^h leaves the normal floats; such weights count as 2^-126.
constexpr float kUnderflow = -126.0F;

// The next pack of x; lanes from n on read as masked.
HWY_INLINE Pack load(D d, const float* x, size_t n) {
  Pack p;
  if (n >= kPack * hn::Lanes(d)) {
    HLG_EACH p.v[k] = hn::LoadU(d, x + k * hn::Lanes(d));
    return p;
  }
  HWY_ALIGN float lanes[kPack * HWY_MAX_BYTES / sizeof(float)];
  for (float& lane : lanes) lane = kMasked;
  for (size_t i = 0; i < n; ++i) lanes[i] = x[i];
  HLG_EACH p.v[k] = hn::Load(d, lanes + k * hn::Lanes(d));
  return p;
}

// The first n lanes of the pack, all of them if there are more.
HWY_INLINE void store(D d, const Pack& p, float* out, size_t n) {
  if (n >= kPack * hn::Lanes(d)) {
    HLG_EACH hn::StoreU(p.v[k], d, out + k * hn::Lanes(d));
    return;
  }
  HWY_ALIGN float lanes[kPack * HWY_MAX_BYTES / sizeof(float)];
  HLG_EACH hn::Store(p.v[k], d, lanes + k * hn::Lanes(d));
  for (size_t i = 0; i < n; ++i) out[i] = lanes[i];
}

// Calls use(pack, index) over a row.
template <class Use>
HWY_INLINE void for_each_pack(D d, const float* x, size_t n, const Use& use) {
  for (size_t i = 0; i < n; i += kPack * hn::Lanes(d)) use(load(d, x + i, n - i), i);
}

HWY_INLINE double sum_lanes(D d, const Pack& p) {
  V total = p.v[0];
  for (size_t k = 1; k < kPack; ++k) total = hn::Add(total, p.v[k]);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
}

// The sum of term(pack) over a row, in double.
template <class Term>
HWY_INLINE double sum(D d, const float* x, size_t n, const Term& term) {
  const size_t step = kFloatAdditions * kPack * hn::Lanes(d);
  double total = 0;
  for (size_t begin = 0; begin < n; begin += step) {
    Pack part;
    HLG_EACH part.v[k] = hn::Zero(d);
    for_each_pack(d, x + begin, HWY_MIN(step, n - begin), [&](const Pack& p, size_t) HWY_ATTR {
      const Pack t = term(p);
      HLG_EACH part.v[k] = hn::Add(part.v[k], t.v[k]);
    });
    total += sum_lanes(d, part);
  }
  return total;
}

HWY_INLINE M is_live(D d, V x) { return hn::Gt(x, hn::Set(d, kMasked)); }  // NaN is not

// c[0] + c[1]*x + ... by Horner's rule.
template <size_t kN>
HWY_INLINE Pack polynomial(D d, const Pack& x, const float (&c)[kN]) {
  Pack y;
  HLG_EACH y.v[k] = hn::Set(d, c[kN - 1]);
  for (size_t i = kN - 1; i-- > 0;) {
    HLG_EACH y.v[k] = hn::MulAdd(y.v[k], x.v[k], hn::Set(d, c[i]));
  }
  return y;
}

// Minimax coefficients by relative error. 2^f on [-1/2, 1/2]: 3e-6.
constexpr float kExp2[] = {1.0F, 6.931241751e-1F, 2.402409911e-1F, 5.590642616e-2F,
                           9.582852945e-3F};
// log2(1 + f)/f on [-1/3, 1/3]: 1e-6 for weights, 2e-7 for log-probabilities.
constexpr float kLog2Short[] = {1.442694783F,     -7.213798761e-1F, 4.809609056e-1F,
                                -3.583893776e-1F, 2.856925130e-1F,  -2.799937427e-1F,
                                2.461992800e-1F};
constexpr float kLog2Long[] = {1.442694783F,     -7.213466167e-1F, 4.809654951e-1F,
                               -3.607837260e-1F, 2.855820358e-1F,  -2.368918210e-1F,
                               2.468621731e-1F,  -2.216798663e-1F};

// 2^h for h <= 0, relative error 3e-6, exact at 0.
HWY_INLINE Pack exp2(D d, const Pack& h) {
  const DI di;
  const V magic = hn::Set(d, 12582912.0F);  // 1.5 * 2^23: adding it rounds to whole numbers
  Pack rounded, f;
  HLG_EACH rounded.v[k] = hn::Add(hn::Max(h.v[k], hn::Set(d, kUnderflow)), magic);
  HLG_EACH f.v[k] = hn::Sub(hn::Max(h.v[k], hn::Set(d, kUnderflow)), hn::Sub(rounded.v[k], magic));
  Pack y = polynomial(d, f, kExp2);
  HLG_EACH {
    const VI exponent = hn::ShiftLeft<23>(hn::BitCast(di, rounded.v[k]));
    y.v[k] = hn::BitCast(d, hn::Add(hn::BitCast(di, y.v[k]), exponent));
  }
  return y;
}

// log2(1 + x) for x > -1, as exact near 0 as elsewhere: the fraction is taken from x and not from
// the rounded 1 + x.
template <size_t kN>
HWY_INLINE Pack log2_1p(D d, const Pack& x, const float (&coefficients)[kN]) {
  const DI di;
  const V one = hn::Set(d, 1.0F);
  const VI two_thirds = hn::Set(di, 0x3F2AAAAB), exponent_mask = hn::Set(di, ~0x7FFFFF);
  Pack f, whole;  // 1 + x = 2^whole * (1 + f), |f| <= 1/3
  HLG_EACH {
    const VI bits = hn::BitCast(di, hn::Add(x.v[k], one));
    const VI exponent = hn::And(hn::Sub(bits, two_thirds), exponent_mask);
    const V scale = hn::BitCast(d, hn::Sub(hn::BitCast(di, one), exponent));  // 2^-whole
    f.v[k] = hn::MulAdd(x.v[k], scale, hn::Sub(scale, one));
    whole.v[k] = hn::ConvertTo(d, hn::ShiftRight<23>(exponent));
  }
  Pack y = polynomial(d, f, coefficients);
  HLG_EACH y.v[k] = hn::MulAdd(y.v[k], f.v[k], whole.v[k]);
  return y;
}

// h(t) of from_top.h in vectors, in the forms that occur: with either toe, and with or without
// tokens in the shoulder.
template <bool kFade, bool kShoulder>
struct Curve {
  Curve(D d, const FromTop& h)
      : max(hn::Set(d, h.max)),
        t_shoulder(hn::Set(d, h.t_shoulder)),
        t_toe(hn::Set(d, h.t_toe)),
        shoulder_gain(hn::Set(d, h.shoulder_gain)),
        shoulder_rate(hn::Set(d, h.shoulder_rate)),
        gain(hn::Set(d, h.gain)),
        middle(hn::Set(d, h.middle)),
        toe_gain(hn::Set(d, h.toe_gain)),
        toe_rate(hn::Set(d, h.toe_rate)) {}

  // For x at most max; masked lanes give anything. log2: the coefficients to use.
  template <size_t kN>
  HWY_INLINE Pack operator()(D d, const Pack& x, const float (&log2)[kN]) const {
    Pack t, past, h;
    HLG_EACH t.v[k] = hn::Sub(x.v[k], max);
    HLG_EACH h.v[k] = hn::Max(t.v[k], t_toe);
    HLG_EACH past.v[k] = hn::Sub(h.v[k], t.v[k]);  // distance past the knot of the toe
    HLG_EACH h.v[k] = hn::MulAdd(gain, h.v[k], middle);
    const Pack bent = bend(d, past, log2);
    HLG_EACH h.v[k] = hn::NegMulAdd(toe_gain, bent.v[k], h.v[k]);
    return kShoulder ? with_shoulder(d, t, h, log2) : h;
  }

  template <size_t kN>
  HWY_INLINE Pack bend(D d, Pack past, const float (&log2)[kN]) const {
    if (kFade) {
      HLG_EACH past.v[k] = hn::MulAdd(hn::Mul(past.v[k], past.v[k]), toe_rate, past.v[k]);
      return past;
    }
    HLG_EACH past.v[k] = hn::Mul(hn::Min(past.v[k], hn::Set(d, kFarBelow)), toe_rate);
    return log2_1p(d, past, log2);
  }

  template <size_t kN>
  HWY_INLINE Pack with_shoulder(D d, const Pack& t, Pack h, const float (&log2)[kN]) const {
    Pack arg;
    HLG_EACH {
      const M inside = hn::Gt(t.v[k], t_shoulder);
      arg.v[k] = hn::IfThenElseZero(inside, hn::Mul(t.v[k], shoulder_rate));
    }
    const Pack bent = log2_1p(d, arg, log2);
    HLG_EACH {
      const M inside = hn::Gt(t.v[k], t_shoulder);
      h.v[k] = hn::IfThenElse(inside, hn::Mul(shoulder_gain, bent.v[k]), h.v[k]);
    }
    return h;
  }

  HWY_INLINE Pack weight(D d, const Pack& x) const {
    Pack w = exp2(d, (*this)(d, x, kLog2Short));
    HLG_EACH w.v[k] = hn::IfThenElseZero(is_live(d, x.v[k]), w.v[k]);
    return w;
  }

  V max, t_shoulder, t_toe, shoulder_gain, shoulder_rate, gain, middle, toe_gain, toe_rate;
};

// Calls use(curve) with the form of the curve that covers logits up to `highest`.
template <class Use>
HWY_INLINE void with_curve(D d, const FromTop& h, float highest, const Use& use) {
  const bool shoulder = highest - h.max > h.t_shoulder;
  if (h.fade) {
    shoulder ? use(Curve<true, true>(d, h)) : use(Curve<true, false>(d, h));
  } else {
    shoulder ? use(Curve<false, true>(d, h)) : use(Curve<false, false>(d, h));
  }
}

float BlockMax(const float* x, size_t n, float* max) {
  const D d;
  float top = kMasked;
  for (size_t begin = 0; begin < n; begin += kBlock) {
    Pack m;
    HLG_EACH m.v[k] = hn::Set(d, kMasked);
    for_each_pack(d, x + begin, HWY_MIN(kBlock, n - begin), [&](const Pack& p, size_t) HWY_ATTR {
      HLG_EACH m.v[k] = hn::IfThenElse(hn::Gt(p.v[k], m.v[k]), p.v[k], m.v[k]);  // NaN loses
    });
    V all = m.v[0];
    for (size_t k = 1; k < kPack; ++k) all = hn::Max(all, m.v[k]);
    *max = hn::GetLane(hn::MaxOfLanes(d, all));
    top = *max > top ? *max : top;
    ++max;
  }
  return top;
}

void BlockMass(const float* x, size_t n, const FromTop& h, const float* block_max, double* mass) {
  const D d;
  for (size_t begin = 0; begin < n; begin += kBlock) {
    with_curve(d, h, *block_max++, [&](const auto& curve) HWY_ATTR {
      *mass++ = sum(d, x + begin, HWY_MIN(kBlock, n - begin),
                    [&](const Pack& p) HWY_ATTR { return curve.weight(d, p); });
    });
  }
}

void Weights(const float* x, size_t n, const FromTop& h, float* w) {
  const D d;
  with_curve(d, h, h.max, [&](const auto& curve) HWY_ATTR {
    for_each_pack(d, x, n, [&](const Pack& p, size_t i) HWY_ATTR {
      store(d, curve.weight(d, p), w + i, n - i);
    });
  });
}

void LogProbs(const float* x, size_t n, const FromTop& h, double log2_total, float* out) {
  const D d;
  const V total = hn::Set(d, static_cast<float>(log2_total)), ln2 = hn::Set(d, kLn2);
  with_curve(d, h, h.max, [&](const auto& curve) HWY_ATTR {
    for_each_pack(d, x, n, [&](const Pack& p, size_t i) HWY_ATTR {
      Pack l = curve(d, p, kLog2Long);
      HLG_EACH {
        l.v[k] = hn::Mul(ln2, hn::Sub(l.v[k], total));
        l.v[k] = hn::IfThenElse(is_live(d, p.v[k]), l.v[k], hn::Set(d, kMasked));
      }
      store(d, l, out + i, n - i);
    });
  });
}

// e^(x - max) for the tokens above low, 0 for the others.
HWY_INLINE Pack exp_above(D d, const Pack& x, float max, float low) {
  Pack h;
  HLG_EACH h.v[k] = hn::Mul(hn::Sub(x.v[k], hn::Set(d, max)), hn::Set(d, kLog2e));
  h = exp2(d, h);
  HLG_EACH h.v[k] = hn::IfThenElseZero(hn::Gt(x.v[k], hn::Set(d, low)), h.v[k]);
  return h;
}

double MassAbove(const float* x, size_t n, float max, float low) {
  const D d;
  return sum(d, x, n, [&](const Pack& p) HWY_ATTR { return exp_above(d, p, max, low); });
}

void Moments(const float* x, size_t n, float max, double* mass, double* moment) {
  const D d;
  const size_t step = kFloatAdditions * kPack * hn::Lanes(d);
  *mass = *moment = 0;
  for (size_t begin = 0; begin < n; begin += step) {
    Pack e_sum, te_sum;
    HLG_EACH e_sum.v[k] = te_sum.v[k] = hn::Zero(d);
    for_each_pack(d, x + begin, HWY_MIN(step, n - begin), [&](const Pack& p, size_t) HWY_ATTR {
      const Pack e = exp_above(d, p, max, kMasked);
      HLG_EACH {
        // an e^t too small to count is not multiplied by its t
        const V t = hn::Max(hn::Sub(p.v[k], hn::Set(d, max)), hn::Set(d, kUnderflow));
        e_sum.v[k] = hn::Add(e_sum.v[k], e.v[k]);
        te_sum.v[k] = hn::MulAdd(e.v[k], t, te_sum.v[k]);
      }
    });
    *mass += sum_lanes(d, e_sum);
    *moment += sum_lanes(d, te_sum);
  }
}

size_t Select(const float* x, size_t n, float low, float high, float* out) {
  const D d;
  const V lo = hn::Set(d, low), hi = hn::Set(d, high);
  size_t kept = 0;
  for_each_pack(d, x, n, [&](const Pack& p, size_t) HWY_ATTR {
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

const Kernels* Table() {
  static const Kernels kTable = {hwy::TargetName(HWY_TARGET),
                                 BlockMax,
                                 BlockMass,
                                 Weights,
                                 LogProbs,
                                 Moments,
                                 Select,
                                 MassAbove,
                                 Range};
  return &kTable;
}

#undef HLG_EACH

}  // namespace HWY_NAMESPACE
}  // namespace hlg
HWY_AFTER_NAMESPACE();

#endif  // HLG_KERNELS_INL_H_
