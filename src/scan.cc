#include "scan.h"

#include <cmath>

namespace hlg {

Scan scan(Row row) {
  Scan s;
  for (size_t i = 0; i < row.n; ++i) {
    const float x = row.data[i];
    if (std::isnan(x)) ++s.n_nan;
    if (!is_live(x)) continue;
    ++s.n_live;
    if (s.argmax < 0 || x > s.max) {
      s.max = x;
      s.argmax = static_cast<int32_t>(i);
    }
    if (std::isinf(x) && s.first_inf < 0) s.first_inf = static_cast<int32_t>(i);
  }
  return s;
}

}  // namespace hlg
