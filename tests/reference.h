// The double-precision reference of everything the library does to a row: plain loops over the
// formula of src/curve.cc, in the order of the row. Kernels are held to it.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "curve.h"
#include "row.h"

namespace hlg_test {

inline double reference_max(const std::vector<float>& logits) {
  double max = -HUGE_VAL;
  for (const float x : logits) {
    if (hlg::is_live(x)) max = std::max(max, double{x});
  }
  return max;
}

inline double mass_of(const std::vector<float>& logits) {  // relative to the maximum
  const double max = reference_max(logits);
  double mass = 0;
  for (const float x : logits) mass += hlg::is_live(x) ? std::exp(x - max) : 0;
  return mass;
}

inline double median_logit(std::vector<float> logits) {
  const double max = reference_max(logits), half = mass_of(logits) / 2;
  logits.erase(
      std::remove_if(logits.begin(), logits.end(), [](float x) { return !hlg::is_live(x); }),
      logits.end());
  std::sort(logits.begin(), logits.end(), std::greater<>());
  double mass = 0;
  for (const float x : logits) {
    mass += std::exp(x - max);
    if (mass >= half) return x;
  }
  return logits.back();
}

inline double mean_logit(const std::vector<float>& logits) {
  const double max = reference_max(logits), mass = mass_of(logits);
  double mean = 0;
  for (const float x : logits) {
    if (hlg::is_live(x)) mean += std::exp(x - max) / mass * (x - max);
  }
  return max + mean;
}

// The pivot as a logit (src/pivot.h).
inline double reference_pivot(const std::vector<float>& logits, const hlg_params& params) {
  const double point = params.pivot == HLG_PIVOT_ENTROPY  ? mean_logit(logits)
                       : params.pivot == HLG_PIVOT_MEDIAN ? median_logit(logits)
                                                          : reference_max(logits);
  return point - params.pivot_offset;
}

// A logit more than 1e30 below the largest counts as 1e30 below it (hlg.h). A log toe alone leaves
// such a token any mass.
inline double counted(double logit, double max, const hlg::Curve& curve) {
  const hlg_params& p = curve.params;
  const bool lifted = !curve.neutral && p.toe != HLG_OFF && p.toe_shape == HLG_TOE_LOG;
  return lifted ? std::max(logit, max - 1e30) : logit;
}

// ln of the distribution drawn from; -inf where masked. For rows with a live token and no +inf.
inline std::vector<double> reference_logprobs(const std::vector<float>& logits,
                                              const hlg::Curve& curve) {
  const double pivot = reference_pivot(logits, curve.params), max = reference_max(logits);
  const double top = curve.eval(max - pivot);
  std::vector<double> out(logits.size(), -HUGE_VAL);
  double total = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!hlg::is_live(logits[i])) continue;
    out[i] = curve.eval(counted(logits[i], max, curve) - pivot) - top;
    total += std::exp(out[i]);
  }
  for (double& l : out) l -= std::log(total);
  return out;
}

inline std::vector<double> reference_distribution(const std::vector<float>& logits,
                                                  const hlg::Curve& curve) {
  std::vector<double> p = reference_logprobs(logits, curve);
  for (double& x : p) x = std::exp(x);
  return p;
}

}  // namespace hlg_test
