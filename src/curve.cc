#include "curve.h"

#include <cmath>
#include <limits>

namespace hlg {
namespace {

// Below this temperature a bent curve takes the most likely token: m*z would need more digits than
// a float32 logit has. In float, as hosts hold T.
constexpr float kGreedyTemperature = 1e-4F;

bool is_straight(const hlg_params& p) {
  return p.enabled == 0 || p.width == HLG_OFF || (p.shoulder == HLG_OFF && p.toe == HLG_OFF);
}

bool is_greedy(const hlg_params& p) {
  const auto t = static_cast<float>(p.temperature);
  return t < (is_straight(p) ? std::numeric_limits<float>::min() : kGreedyTemperature);
}

}  // namespace

Curve::Curve(const hlg_params& resolved)
    : params(resolved),
      gain(is_greedy(resolved) ? 0 : 1 / resolved.temperature),
      neutral(is_straight(resolved)),
      greedy(is_greedy(resolved)) {}

bool Curve::takes_top(float max) const {
  return greedy || (neutral && !std::isfinite(max / temperature()));
}

double Curve::eval(double z) const {
  const double w = params.width, b_h = params.shoulder, b_t = params.toe;
  if (!neutral && z > w && b_h != HLG_OFF) {
    return gain * (w + b_h * std::log1p((z - w) / b_h));
  }
  if (!neutral && z < -w && b_t != HLG_OFF) {
    const double d = -z - w;
    return params.toe_shape == HLG_TOE_LOG ? -gain * (w + b_t * std::log1p(d / b_t))
                                           : -gain * (w + d + d * d / (2 * b_t));
  }
  return gain * z;
}

double Curve::slope(double z) const {
  const double w = params.width, b_h = params.shoulder, b_t = params.toe;
  if (!neutral && z > w && b_h != HLG_OFF) return gain * b_h / (b_h + z - w);
  if (!neutral && z < -w && b_t != HLG_OFF) {
    const double d = -z - w;
    return params.toe_shape == HLG_TOE_LOG ? gain * b_t / (b_t + d) : gain * (1 + d / b_t);
  }
  return gain;
}

}  // namespace hlg
