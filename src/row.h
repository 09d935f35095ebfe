// A row of logits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hlg/hlg.h"

namespace hlg {

// n logits of one type, n > 0.
struct Row {
  const void* data;
  size_t n;
  hlg_dtype dtype = HLG_FLOAT32;

  const void* from(size_t i) const {
    return static_cast<const char*>(data) + i * (dtype == HLG_FLOAT32 ? sizeof(float) : 2);
  }
};

// A live token is neither masked (-inf) nor NaN.
inline bool is_live(float logit) { return logit > -std::numeric_limits<float>::infinity(); }

}  // namespace hlg
