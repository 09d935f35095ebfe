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

// What is known of the tokens of a block, from its range; each step leaves operations out.
enum class Known {
  kNothing,     // anything, tokens in the shoulder included
  kNoShoulder,  // none in the shoulder
  kSafe,        // nor any masked, nor so far down that it underflows
  kToeOnly,     // nor any above the knot of the toe
  kFaint        // so little mass in all that 1e-4 of it is exact enough
};

// h(t) of from_top.h in vectors, with either toe.
template <bool kFade, Known kKnown>
struct Curve {
  static constexpr bool kIsSafe = kKnown >= Known::kSafe;
  static constexpr bool kIsToe = kKnown >= Known::kToeOnly;

  Curve(D d, const FromTop& h)
      : max(hn::Set(d, h.max)),
        origin(hn::Set(d, h.origin)),
        t_toe(hn::Set(d, h.t_toe)),
        shoulder_gain(hn::Set(d, h.shoulder_gain)),
        shoulder_rate(hn::Set(d, h.shoulder_rate)),
        upper_half(hn::Set(d, h.upper_half)),
        knot_rate(hn::Set(d, h.knot_rate)),
        knot_shift(hn::Set(d, h.knot_shift)),
        knot_h(hn::Set(d, h.knot_h)),
        gain(hn::Set(d, h.gain)),
        middle(hn::Set(d, h.middle)),
        toe_start(hn::MulAdd(gain, t_toe, middle)),
        toe_gain(hn::Set(d, h.toe_gain)),
        toe_rate(hn::Set(d, h.toe_rate)),
        toe_origin(hn::Set(d, h.toe_origin)) {}

  // For x at most max; masked lanes give anything. log2: the coefficients to use.
  template <size_t kN>
  HWY_INLINE Pack operator()(D d, const Pack& x, const float (&log2)[kN]) const {
    Pack t, past, h;
    if (kIsToe && !kFade) {  // the argument of the logarithm in one step
      const V origin = kKnown == Known::kFaint ? hn::Add(toe_origin, hn::Set(d, 1.0F)) : toe_origin;
      HLG_EACH past.v[k] = hn::NegMulAdd(toe_rate, x.v[k], origin);
      const Pack bent = kKnown == Known::kFaint ? log2_of(d, past, log2) : log2_1p(d, past, log2);
      HLG_EACH h.v[k] = hn::NegMulAdd(toe_gain, bent.v[k], toe_start);
      return h;
    }
    HLG_EACH t.v[k] = hn::Sub(x.v[k], origin);
    if (kIsToe) {
      HLG_EACH past.v[k] = hn::Sub(t_toe, t.v[k]);  // distance past the knot of the toe
      HLG_EACH h.v[k] = toe_start;
    } else {
      HLG_EACH h.v[k] = hn::Max(t.v[k], t_toe);
      HLG_EACH past.v[k] = hn::Sub(h.v[k], t.v[k]);
      HLG_EACH h.v[k] = hn::MulAdd(gain, h.v[k], middle);
    }
    const Pack bent = bend(d, past, log2);
    HLG_EACH h.v[k] = hn::NegMulAdd(toe_gain, bent.v[k], h.v[k]);
    return kKnown == Known::kNothing ? with_shoulder(d, x, t, h, log2) : h;
  }

  template <size_t kN>
  HWY_INLINE Pack bend(D d, Pack past, const float (&log2)[kN]) const {
    if (kFade) {
      HLG_EACH past.v[k] = hn::MulAdd(hn::Mul(past.v[k], past.v[k]), toe_rate, past.v[k]);
      return past;
    }
    if (!kIsSafe) {
      HLG_EACH past.v[k] = hn::Min(past.v[k], hn::Set(d, kFarBelow));
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
      arg.v[k] = hn::IfThenElse(hn::Gt(x.v[k], upper_half), from_top, from_knot);
      arg.v[k] = hn::IfThenElseZero(is_inside(d, t.v[k]), arg.v[k]);
    }
    const Pack bent = log2_1p(d, arg, log2);
    HLG_EACH {
      const V start = hn::IfThenZeroElse(hn::Gt(x.v[k], upper_half), knot_h);
      const V bow = hn::MulAdd(shoulder_gain, bent.v[k], start);
      h.v[k] = hn::IfThenElse(is_inside(d, t.v[k]), bow, h.v[k]);
    }
    return h;
  }

  // Of the shoulder.
  static HWY_INLINE M is_inside(D d, V t) { return hn::Gt(t, hn::Zero(d)); }

  HWY_INLINE Pack weight(D d, const Pack& x) const {
    if (kKnown == Known::kFaint) return exp2<true>(d, (*this)(d, x, kLog2Faint), kExp2Faint);
    Pack w = exp2<kIsSafe>(d, (*this)(d, x, kLog2Short), kExp2);
    if (!kIsSafe) {
      HLG_EACH w.v[k] = hn::IfThenElseZero(is_live(d, x.v[k]), w.v[k]);
    }
    return w;
  }

  V max, origin, t_toe, shoulder_gain, shoulder_rate, upper_half, knot_rate, knot_shift, knot_h,
      gain, middle, toe_start, toe_gain, toe_rate, toe_origin;
};

Known known_of(const FromTop& h, BlockRange range) {
  if (range.max > h.origin) return Known::kNothing;
  if (!(range.min - h.origin > h.t_safe)) return Known::kNoShoulder;
  const bool exact = std::abs(h.origin + h.t_toe) * h.gain < 92;  // toe_origin has the digits
  return range.max - h.origin > h.t_toe || !exact ? Known::kSafe : Known::kToeOnly;
}

// Calls use(curve) with the form of the curve for what is known.
template <Known kKnown, class Use>
HWY_INLINE void with_curve(D d, const FromTop& h, const Use& use) {
  h.fade ? use(Curve<true, kKnown>(d, h)) : use(Curve<false, kKnown>(d, h));
}

HWY_INLINE float max_lanes(D d, Pack p) {
  for (size_t k = 1; k < kPack; ++k) p.v[0] = hn::Max(p.v[0], p.v[k]);
  return hn::GetLane(hn::MaxOfLanes(d, p.v[0]));
}

HWY_INLINE float min_lanes(D d, Pack p) {
  for (size_t k = 1; k < kPack; ++k) p.v[0] = hn::Min(p.v[0], p.v[k]);
  return hn::GetLane(hn::MinOfLanes(d, p.v[0]));
}

// The range of a block with masked tokens.
HWY_NOINLINE BlockRange MaskedRange(const float* x, size_t n) {
  const D d;
  Pack high = fill(d, kMasked);
  for_each_pack(d, x, n, [&](const Pack& p, size_t) HWY_ATTR {
    HLG_EACH high.v[k] = hn::IfThenElse(hn::Gt(p.v[k], high.v[k]), p.v[k], high.v[k]);  // NaN loses
  });
  return {max_lanes(d, high), kMasked};
}

float BlockRanges(const float* x, size_t n, BlockRange* range) {
  const D d;
  const V zero = hn::Zero(d);
  float top = kMasked;
  for (size_t begin = 0; begin < n; begin += kBlock, ++range) {
    Pack high = fill(d, kMasked), low = fill(d, -kMasked), spoilt = fill(d, 0);
    const size_t length = HWY_MIN(kBlock, n - begin);
    for_each_pack(d, x + begin, length, [&](const Pack& p, size_t) HWY_ATTR {
      HLG_EACH {
        high.v[k] = hn::Max(p.v[k], high.v[k]);
        low.v[k] = hn::Min(p.v[k], low.v[k]);
        spoilt.v[k] = hn::MulAdd(p.v[k], zero, spoilt.v[k]);  // NaN from the first NaN or inf on
      }
    });
    const bool plain = sum_lanes(d, spoilt) == 0;
    *range =
        plain ? BlockRange{max_lanes(d, high), min_lanes(d, low)} : MaskedRange(x + begin, length);
    top = HWY_MAX(top, range->max);
  }
  return top;
}

// Blocks of a kind are done together, so that constants are set once and no branch is mispredicted,
// and from the end of the row to its start: the end is what the pass before left in the cache. The
// next block is fetched while one is worked on.
constexpr size_t kGroup = 256;
constexpr size_t kCacheLine = 64;  // bytes

// How much mass may be faint: its error stays below 1e-6 of the total, which is 1 at least, the
// weight of the top token. Negative, which is none, where the curve magnifies the error too much.
double faint_limit(const FromTop& h) {
  const double error = 1.1e-4 + (h.fade ? 0 : 2e-5 * h.toe_gain);  // relative
  return error < 0.01 ? 1e-6 / error : -1;
}

struct Group {
  uint16_t blocks[kGroup];
  size_t n = 0;
};

HWY_INLINE void fetch(const float* x, size_t n) {
  for (size_t i = 0; i < n; i += kCacheLine / sizeof(float)) hwy::Prefetch(x + i);
}

// The masses of the blocks of a group, from the one at first on, while *used, their sum, stays
// within limit. Returns the first that is not done.
template <Known kKnown>
HWY_INLINE size_t MassOf(const Group& group, size_t first, const float* x, size_t n,
                         const FromTop& h, double limit, double* used, double* mass) {
  const D d;
  size_t i = first;
  with_curve<kKnown>(d, h, [&](const auto& curve) HWY_ATTR {
    for (; i < group.n && *used <= limit; ++i) {
      const size_t begin = group.blocks[i] * kBlock;
      if (i + 1 < group.n) fetch(x + group.blocks[i + 1] * kBlock, kBlock);
      const double m = sum(d, x + begin, HWY_MIN(kBlock, n - begin),
                           [&](const Pack& p) HWY_ATTR { return curve.weight(d, p); });
      if (*used + m > limit) break;
      mass[group.blocks[i]] = m;
      *used += m;
    }
  });
  return i;
}

// One group of blocks, as BlockMass. *faint: the mass that was taken faintly so far.
void GroupMass(const float* x, size_t n, const FromTop& h, const BlockRange* range, double* faint,
               double* mass) {
  Group groups[4];
  for (size_t b = n_blocks(n); b-- > 0;) {
    Group& group = groups[static_cast<size_t>(known_of(h, range[b]))];
    group.blocks[group.n++] = static_cast<uint16_t>(b);
  }
  double exact = 0;
  MassOf<Known::kNothing>(groups[0], 0, x, n, h, HUGE_VAL, &exact, mass);
  MassOf<Known::kNoShoulder>(groups[1], 0, x, n, h, HUGE_VAL, &exact, mass);
  MassOf<Known::kSafe>(groups[2], 0, x, n, h, HUGE_VAL, &exact, mass);
  const size_t done = MassOf<Known::kFaint>(groups[3], 0, x, n, h, faint_limit(h), faint, mass);
  MassOf<Known::kToeOnly>(groups[3], done, x, n, h, HUGE_VAL, &exact, mass);
}

void BlockMass(const float* x, size_t n, const FromTop& h, const BlockRange* range, double* mass) {
  constexpr size_t kLength = kGroup * kBlock;
  double faint = 0;
  for (size_t g = (n + kLength - 1) / kLength; g-- > 0;) {
    const size_t begin = g * kLength;
    GroupMass(x + begin, HWY_MIN(kLength, n - begin), h, range + g * kGroup, &faint,
              mass + g * kGroup);
  }
}

void Weights(const float* x, size_t n, const FromTop& h, float* w) {
  const D d;
  with_curve<Known::kNothing>(d, h, [&](const auto& curve) HWY_ATTR {
    for_each_pack(d, x, n, [&](const Pack& p, size_t i) HWY_ATTR {
      store(d, curve.weight(d, p), w + i, n - i);
    });
  });
}

void LogProbs(const float* x, size_t n, const FromTop& h, double log2_total, float* out) {
  const D d;
  const V total = hn::Set(d, static_cast<float>(log2_total)), ln2 = hn::Set(d, kLn2);
  with_curve<Known::kNothing>(d, h, [&](const auto& curve) HWY_ATTR {
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

const Kernels* Table() {
  static const Kernels kTable = {hwy::TargetName(HWY_TARGET),
                                 BlockRanges,
                                 BlockMass,
                                 Weights,
                                 LogProbs,
                                 Moments,
                                 MomentsDouble,
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
