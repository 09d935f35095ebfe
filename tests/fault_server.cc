// `hlg serve` with faults: where a request's width is kMasked or kNan, its eighth and later rows
// have every token masked, or are NaN. The linker puts __wrap_hlg_sample in the place of hlg_sample
// (--wrap); everything else is the product. For tests/server/test_faults.py.
#include <cmath>
#include <limits>
#include <vector>

#include "hlg/hlg.h"

extern "C" int32_t __real_hlg_sample(hlg_sampler* sampler, const hlg_curve* curve,
                                     const hlg_row* row);

namespace {

constexpr double kMasked = 13.25, kNan = 13.5;  // nats, no one else's
constexpr int kGoodRows = 7;

// The value that a bad row is full of, or 0.
float fault_of(const hlg_curve* curve) {
  hlg_params params;
  hlg_params_init(&params);
  hlg_curve_params(curve, &params);
  if (params.width == kMasked) return -std::numeric_limits<float>::infinity();
  return params.width == kNan ? std::numeric_limits<float>::quiet_NaN() : 0;
}

}  // namespace

extern "C" int32_t __wrap_hlg_sample(hlg_sampler* sampler, const hlg_curve* curve,
                                     const hlg_row* row) {
  const float fault = fault_of(curve);
  if (fault == 0) return __real_hlg_sample(sampler, curve, row);
  static int rows = 0;  // one such request at a time
  if (++rows <= kGoodRows) return __real_hlg_sample(sampler, curve, row);
  rows = 0;
  const std::vector<float> bad(static_cast<size_t>(row->n), fault);
  const hlg_row bad_row = hlg_row_f32(bad.data(), row->n);
  return __real_hlg_sample(sampler, curve, &bad_row);
}

int llama_server(int argc, char** argv);

int main(int argc, char** argv) { return llama_server(argc - 1, argv + 1); }  // after "serve"
