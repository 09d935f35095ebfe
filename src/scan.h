// The first look at a row: where its maximum is and which tokens are alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace hlg {

// A row of float32 logits.
struct Row {
  const float* data;
  size_t n;
};

// A live token is neither masked (-inf) nor NaN.
inline bool is_live(float logit) { return logit > -std::numeric_limits<float>::infinity(); }

struct Scan {
  float max = 0;           // the largest live logit; meaningless where n_live is 0
  int32_t argmax = -1;     // its first index
  int32_t first_inf = -1;  // the first +inf, or -1
  size_t n_live = 0;
  size_t n_nan = 0;
};

Scan scan(Row row);

}  // namespace hlg
