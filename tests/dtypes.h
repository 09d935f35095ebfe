// The types of rows of 16 bits, from their definitions.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "rows.h"

namespace hlg_test {

// The value of IEEE binary16 bits.
inline float half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = bits & 0x8000 ? -1.0F : 1.0F;
  if (exponent == 31) return fraction ? kNan : sign * kInf;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

inline float bfloat_value(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

struct NarrowType {
  hlg_dtype dtype;
  float (*value)(uint16_t);
};
constexpr NarrowType kNarrowTypes[] = {{HLG_FLOAT16, half_value}, {HLG_BFLOAT16, bfloat_value}};

// The bits of x, rounded towards zero where it is not one of the values.
inline uint16_t narrowed(const NarrowType& type, float x) {
  if (std::isnan(x)) return 0x7fff;
  int found = 0;
  for (int bit = 0x4000; bit > 0; bit /= 2) {  // the magnitude, bit by bit
    if (type.value(static_cast<uint16_t>(found | bit)) <= std::abs(x)) found |= bit;
  }
  return static_cast<uint16_t>(found | (std::signbit(x) ? 0x8000 : 0));
}

}  // namespace hlg_test
