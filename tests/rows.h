// Rows of logits and settings for the tests, and the distribution they give in double.
#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "kernels.h"
#include "knobs.h"
#include "pivot.h"
#include "reference.h"
#include "sampler.h"

namespace hlg_test {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A row shaped like a model's: a few likely tokens, then a long tail. `peak` nats lift the first.
inline std::vector<float> model_like_row(size_t n, float peak, std::mt19937& rng) {
  std::normal_distribution<float> noise(0, 1);
  std::vector<float> row(n);
  for (size_t i = 0; i < n; ++i) {
    row[i] = 5 - 1.5F * std::log1p(static_cast<float>(i)) + noise(rng);
  }
  row[0] += peak;
  return row;
}

inline hlg_params bent(double temperature = 1, int32_t toe_shape = HLG_UNSET_CHOICE) {
  hlg_params p;
  hlg_params_init(&p);
  p.enabled = 1;
  p.temperature = temperature;
  p.toe_shape = toe_shape;
  return p;
}

inline hlg::Curve curve_of(hlg_params params) {
  if (params.enabled == HLG_UNSET_CHOICE) params.enabled = 1;
  hlg::resolve(params);
  return hlg::Curve(params);
}

// Each pivot with each toe, a straight line (the last but one) and greedy (the last).
inline std::vector<hlg_params> every_kind() {
  std::vector<hlg_params> list;
  for (const int32_t pivot : {HLG_PIVOT_TOP, HLG_PIVOT_ENTROPY, HLG_PIVOT_MEDIAN}) {
    for (const int32_t shape : {HLG_TOE_LOG, HLG_TOE_FADE}) {
      hlg_params p = bent(0.9);
      p.pivot = pivot;
      p.toe_shape = shape;
      p.pivot_offset = 1.5;
      p.width = 0.5;
      p.shoulder = 1;
      p.toe = 2;
      list.push_back(p);
    }
  }
  hlg_params neutral = bent(0.9);
  neutral.width = HLG_OFF;
  list.push_back(neutral);
  list.push_back(bent(0));
  return list;
}

// The C interface's objects with owners, for settings that are known to be fine.
struct Free {
  void operator()(hlg_curve* c) const { hlg_curve_free(c); }
  void operator()(hlg_sampler* s) const { hlg_sampler_free(s); }
};
using CurvePtr = std::unique_ptr<hlg_curve, Free>;
using SamplerPtr = std::unique_ptr<hlg_sampler, Free>;

inline CurvePtr make_curve(const hlg_params& params) {
  hlg_curve* c = nullptr;
  if (hlg_curve_new(&params, &c, nullptr, 0) != HLG_OK) std::abort();
  return CurvePtr(c);
}

inline SamplerPtr make_sampler(uint32_t seed = 1) { return SamplerPtr(hlg_sampler_new(seed)); }

// Settings drawn from the whole legal range (numbers log-uniform, so that small ones are met; its
// ends often), and T from 1e-4, the lowest that bends, to 100. The width is never off: that is a
// straight line.
inline hlg_params random_params(std::mt19937& rng) {
  std::uniform_real_distribution<double> unit(0, 1);
  const auto log_uniform = [&](double low, double high) {
    return low * std::pow(high / low, unit(rng));
  };
  const auto number = [&](const char* name, double low) {
    const hlg_knob* k = hlg_knob_find(name);
    const double which = unit(rng);
    if (which < 0.1) return k->min;
    if (which < 0.15) return k->max;
    return log_uniform(low, k->max);
  };
  hlg_params p = bent(log_uniform(1e-4, 100));
  p.pivot = static_cast<int32_t>(rng() % 3);
  p.toe_shape = static_cast<int32_t>(rng() % 2);
  p.pivot_offset = number("pivot_offset", 0.01);
  p.width = number("width", 0.01);
  p.shoulder = unit(rng) < 0.1 ? HLG_OFF : number("shoulder", 0.05);
  p.toe = unit(rng) < 0.1 ? HLG_OFF : number("toe", 0.05);
  return p;
}

inline std::vector<double> distribution(const std::vector<float>& logits,
                                        const hlg_params& params) {
  return reference_distribution(logits, curve_of(params));
}

// The library's own pivot, as a logit.
inline double library_pivot(const std::vector<float>& logits, const hlg_params& params) {
  std::vector<float> scratch;
  hlg::Blocks blocks;
  const hlg::Row row{logits.data(), logits.size()};
  const float max = blocks.scan(row);
  return hlg::pivot_logit(row, max, params, blocks, scratch);
}

// The library's log-probabilities.
inline std::vector<float> library_logprobs(const std::vector<float>& logits,
                                           const hlg_params& params) {
  std::vector<float> out(logits.size());
  hlg::Sampler(1).apply(curve_of(params), {logits.data(), logits.size()}, out.data());
  return out;
}

// Section 2 of the contract, "Accuracy".
inline double allowed_error(const hlg::Curve& curve, double z, double logprob) {
  const double factor = 1e-5 * std::max(1.0, curve.slope(z));
  return logprob > std::log(1e-12) ? factor : factor * std::max(1.0, -logprob);
}

// The token whose log-probability is furthest off, and its error as a part of what is allowed:
// infinite for a NaN, and where a masked token is not -inf. Below -1e20 all are the same.
struct Worst {
  double part = 0;
  size_t token = 0;
};

inline Worst worst_error(const std::vector<float>& logits, const hlg::Curve& curve,
                         const std::vector<double>& expected, const std::vector<float>& seen) {
  const double pivot = reference_pivot(logits, curve.params), max = reference_max(logits);
  Worst worst;
  for (size_t i = 0; i < seen.size(); ++i) {
    const bool live = hlg::is_live(logits[i]);
    if (live && expected[i] < -1e20 && seen[i] < -1e19F) continue;
    double part = seen[i] == -kInf ? 0 : HUGE_VAL;
    if (live) {
      const double z = counted(logits[i], max, curve) - pivot;
      part = std::abs(seen[i] - expected[i]) / allowed_error(curve, z, expected[i]);
    }
    if (!(part <= worst.part)) worst = {std::isnan(part) ? HUGE_VAL : part, i};
  }
  return worst;
}

// A median whose mass comes this near to one half at a token may fall on either side of it.
inline bool median_is_ambiguous(const std::vector<float>& logits, const hlg_params& params) {
  if (params.pivot != HLG_PIVOT_MEDIAN) return false;
  std::vector<float> sorted = logits;
  sorted.erase(
      std::remove_if(sorted.begin(), sorted.end(), [](float x) { return !hlg::is_live(x); }),
      sorted.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double mass = mass_of(logits), max = sorted.front();
  double below = 0;
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    below += std::exp(sorted[i] - max) / mass;
    if (std::abs(below - 0.5) < 1e-6 && sorted[i] != sorted[i + 1]) return true;
  }
  return false;
}

inline double entropy(const std::vector<double>& p) {
  double h = 0;
  for (const double x : p) {
    if (x > 0) h -= x * std::log(x);
  }
  return h;
}

}  // namespace hlg_test
