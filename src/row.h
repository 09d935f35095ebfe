// A row of logits and the two questions every part asks of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace hlg {

// n float32 logits, n > 0.
struct Row {
  const float* data;
  size_t n;
};

// A live token is neither masked (-inf) nor NaN.
inline bool is_live(float logit) { return logit > -std::numeric_limits<float>::infinity(); }

// The first index of that value, or -1.
inline int32_t find_first(Row row, float value) {
  for (size_t i = 0; i < row.n; ++i) {
    if (row.data[i] == value) return static_cast<int32_t>(i);
  }
  return -1;
}

}  // namespace hlg
