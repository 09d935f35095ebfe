// Packs of vectors, the passes over them, and the functions of the curve and the pivots: 2^h,
// log2(1 + x) and e^(x - max).
// kernels-inl.h includes this file, once per CPU target.
//
// Work is done in packs of a few vectors at a time, operation by operation: the chains of dependent
// multiply-adds are long, and several of them side by side keep the units busy (docs/kernel.md).
// What is left of a row after the last whole pack is padded with masked tokens: there is no second,
// scalar copy of anything.

// No ordinary include guard: once per target.
#if defined(HLG_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HLG_VECTOR_INL_H_
#undef HLG_VECTOR_INL_H_
#else
#define HLG_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace hlg {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using DD = hn::ScalableTag<double>;
using VD = hn::Vec<DD>;
using M = hn::Mask<D>;
using DI = hn::RebindToSigned<D>;
using VI = hn::Vec<DI>;

// Vectors that are worked on together. Every function on packs does one operation on all of them
// before the next.
constexpr size_t kPack = 4;
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
constexpr double kLog2eDouble = 1.4426950408889634;
constexpr float kLog2eRest = 1.92596299e-8F;  // what the float lacks

// Adding 1.5 * 2^23 rounds a small float to a whole number, which its last bits then hold.
constexpr float kRounder = 12582912.0F;

// Float32 additions in a row per lane before a sum is carried to double: equal small terms round
// the same way every time.
constexpr size_t kFloatAdditions = 16;

// Below this 2^h leaves the normal floats; such weights count as 2^-126.
constexpr float kUnderflow = -126.0F;

HWY_INLINE Pack fill(D d, float value) {
  Pack p;
  HLG_EACH p.v[k] = hn::Set(d, value);
  return p;
}

// A vector of logits of any type, as float32.
HWY_INLINE V load_vector(D d, const float* x) { return hn::LoadU(d, x); }

HWY_INLINE V load_vector(D d, const hwy::bfloat16_t* x) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<hwy::bfloat16_t, D>(), x));
}

HWY_INLINE V load_vector(D d, const hwy::float16_t* x) {
#if (HWY_ARCH_ARM_A64 && HWY_TARGET != HWY_SCALAR) || \
    (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C))
  // Here there is an instruction. Elsewhere Highway converts by hand, and takes infinity for 65,536
  // (release 1.0.3).
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<hwy::float16_t, D>(), x));
#else
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> du16;
  const auto bits = hn::PromoteTo(du, hn::LoadU(du16, reinterpret_cast<const uint16_t*>(x)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7FFF)));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000)));
  const V finite = hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, 0x1p112F));  // the exponents' bias
  const V other = hn::BitCast(d, hn::Or(magnitude, hn::Set(du, 0x7F800000)));  // infinity, NaN
  const V value = hn::IfThenElse(hn::Lt(finite, hn::Set(d, 65536.0F)), finite, other);
  return hn::Or(value, hn::BitCast(d, sign));
#endif
}

// The next pack of x; lanes from n on read as masked.
template <class T>
HWY_INLINE Pack load(D d, const T* x, size_t n) {
  const size_t lanes = hn::Lanes(d);
  Pack p;
  if (n >= kPack * lanes) {
    HLG_EACH p.v[k] = load_vector(d, x + k * lanes);
    return p;
  }
  HWY_ALIGN T padded[kPack * HWY_MAX_BYTES / sizeof(float)] = {};
  std::memcpy(padded, x, n * sizeof(T));
  HLG_EACH {
    const M inside = hn::FirstN(d, n - HWY_MIN(n, k * lanes));
    p.v[k] = hn::IfThenElse(inside, load_vector(d, padded + k * lanes), hn::Set(d, kMasked));
  }
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
template <class T, class Use>
HWY_INLINE void for_each_pack(D d, const T* x, size_t n, const Use& use) {
  for (size_t i = 0; i < n; i += kPack * hn::Lanes(d)) use(load(d, x + i, n - i), i);
}

HWY_INLINE double sum_lanes(D d, const Pack& p) {
  V total = p.v[0];
  for (size_t k = 1; k < kPack; ++k) total = hn::Add(total, p.v[k]);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
}

// The sum of term(pack) over a row, in double.
template <class T, class Term>
HWY_INLINE double sum(D d, const T* x, size_t n, const Term& term) {
  const size_t step = kFloatAdditions * kPack * hn::Lanes(d);
  double total = 0;
  for (size_t begin = 0; begin < n; begin += step) {
    Pack part = fill(d, 0);
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
  Pack y = fill(d, c[kN - 1]);
  for (size_t i = kN - 1; i-- > 0;) {
    HLG_EACH y.v[k] = hn::MulAdd(y.v[k], x.v[k], hn::Set(d, c[i]));
  }
  return y;
}

// Minimax coefficients by relative error. 2^f on [-1/2, 1/2]: 3e-6 for weights, 1e-7 for pivots.
constexpr float kExp2Long[] = {
    1.0F, 6.931470037e-1F, 2.402224243e-1F, 5.550733581e-2F, 9.671512991e-3F, 1.326472731e-3F};
constexpr float kExp2[] = {1.0F, 6.931241751e-1F, 2.402409911e-1F, 5.590642616e-2F,
                           9.582852945e-3F};
// log2(1 + f)/f on [-1/3, 1/3]: 1.2e-6 for weights, 3e-8 for log-probabilities.
constexpr float kLog2Short[] = {1.442694783F,     -7.213798761e-1F, 4.809609056e-1F,
                                -3.583893776e-1F, 2.856925130e-1F,  -2.799937427e-1F,
                                2.461992800e-1F};
constexpr float kLog2Long[] = {1.442695046F,     -7.213465412e-1F, 4.808959719e-1F,
                               -3.607895692e-1F, 2.887113271e-1F,  -2.367865225e-1F,
                               2.017991716e-1F,  -2.222211779e-1F, 2.027867299e-1F};
// y * 2^N, N being what kRounder was added to.
HWY_INLINE Pack scale(D d, Pack y, const Pack& rounded) {
  const DI di;
  HLG_EACH {
    const VI exponent = hn::ShiftLeft<23>(hn::BitCast(di, rounded.v[k]));
    y.v[k] = hn::BitCast(d, hn::Add(hn::BitCast(di, y.v[k]), exponent));
  }
  return y;
}

// 2^h for h <= 0, as exact as the coefficients, and exact at 0.
template <size_t kN>
HWY_INLINE Pack exp2(D d, Pack h, const float (&coefficients)[kN]) {
  const V magic = hn::Set(d, kRounder);
  Pack rounded, f;
  HLG_EACH h.v[k] = hn::Max(h.v[k], hn::Set(d, kUnderflow));
  HLG_EACH rounded.v[k] = hn::Add(h.v[k], magic);
  HLG_EACH f.v[k] = hn::Sub(h.v[k], hn::Sub(rounded.v[k], magic));
  return scale(d, polynomial(d, f, coefficients), rounded);
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

// e^(x - max) for the tokens above low, 0 for the others. The rounded x - max would spoil e by as
// much as the difference is large; so the whole part N of (x - max)*log2 e is taken off inside the
// multiply-adds, with what log2 e and max*log2 e lack in float added: 2e-7 whatever x is.
// Where |max| is large N and max*log2 e do not fit a float together; but there x - max is exact.
class Exponential {
 public:
  Exponential(D d, float max, float low) {
    const float shift = std::abs(max) > 4096 ? max : 0;
    low_ = hn::Set(d, HWY_MAX(low - shift, (max - shift) - kTooLow));
    const double scaled = double{max - shift} * kLog2eDouble;
    shift_ = hn::Set(d, shift);
    max_ = hn::Set(d, static_cast<float>(scaled));
    const double coarse = std::nearbyint(scaled * 1024) / 1024;  // N may be added to it
    coarse_ = hn::Set(d, static_cast<float>(coarse));
    rest_ = hn::Set(d, static_cast<float>(scaled - coarse));
  }

  HWY_INLINE Pack weight(D d, const Pack& x) const {
    const V log2e = hn::Set(d, kLog2e), log2e_rest = hn::Set(d, kLog2eRest);
    Pack y, rounded, f;
    HLG_EACH y.v[k] = hn::Sub(x.v[k], shift_);
    HLG_EACH {
      rounded.v[k] = hn::Add(hn::MulSub(y.v[k], log2e, max_), hn::Set(d, kRounder));
      const V taken = hn::Add(hn::Sub(rounded.v[k], hn::Set(d, kRounder)), coarse_);
      f.v[k] = hn::Add(hn::MulSub(y.v[k], log2e, taken), hn::MulSub(y.v[k], log2e_rest, rest_));
    }
    Pack e = scale(d, polynomial(d, f, kExp2Long), rounded);
    HLG_EACH e.v[k] = hn::IfThenElseZero(hn::Gt(y.v[k], low_), e.v[k]);
    return e;
  }

 private:
  static constexpr float kTooLow = 87;  // e^-87 is about the least normal float
  V shift_, max_, coarse_, rest_, low_;
};

}  // namespace HWY_NAMESPACE
}  // namespace hlg
HWY_AFTER_NAMESPACE();

#endif  // HLG_VECTOR_INL_H_
