#include "from_top.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hlg {
namespace {

constexpr double kLog2e = 1.4426950408889634;
constexpr double kParting = 7.0 / 8;  // how much of the shoulder is the upper part
constexpr float kFarthest = 1e30F;    // as kFarBelow of vector-inl.h

float next_below(float x) { return std::nextafter(x, -std::numeric_limits<float>::infinity()); }

// The largest float that is not above x.
float floor_to_float(double x) {
  const auto nearest = static_cast<float>(x);
  return nearest > x ? std::max(next_below(nearest), std::numeric_limits<float>::lowest())
                     : nearest;
}

}  // namespace

FromTop::FromTop(float max_logit)
    : form(kExponential), max(max_logit), origin(max_logit), t_toe(-kFarthest) {}

FromTop::FromTop(const Curve& curve, float max_logit, double z) : FromTop(max_logit) {
  const hlg_params& p = curve.params;
  const double m = curve.gain, w = p.width;
  const double z_top =
      std::clamp<double>(z, -kFarthest, kFarthest);  // a kept pivot may be anywhere
  gain = static_cast<float>(m * kLog2e);
  form = p.toe_shape == HLG_TOE_FADE ? kFade : kLog;
  if (curve.neutral) return;

  double rest = 0;  // how far the knot lies above its float
  // The top token is on the shoulder, also where a logit is so large that the knot has its float.
  const float below = next_below(max);
  if (p.shoulder != HLG_OFF && z_top > w && std::isfinite(below)) {
    const double d = z_top - w, drop = -m * p.shoulder * std::log1p(d / p.shoulder) * kLog2e;
    origin = std::min(floor_to_float(max - d), below);  // no logit lies between it and the knot
    rest = max - d - origin;
    shoulder_gain = static_cast<float>(m * p.shoulder);
    shoulder_rate = static_cast<float>(1 / (p.shoulder + d));
    parting = std::min(static_cast<float>(max - kParting * d), below);
    knot_rate = static_cast<float>(1 / p.shoulder);
    knot_shift = static_cast<float>(-rest / p.shoulder);
    knot_h = static_cast<float>(drop);
    middle = static_cast<float>(drop - m * kLog2e * rest);
  }
  if (p.toe != HLG_OFF) {
    t_toe = static_cast<float>(std::min(double{max}, max - w - z_top) - origin);
    const double reach = p.toe + std::max(0.0, -w - z_top);  // the top token may be in the toe
    toe_gain = static_cast<float>(form == kFade ? m * reach / p.toe * kLog2e : m * p.toe);
    toe_rate = static_cast<float>(form == kFade ? 1 / (2 * reach) : 1 / reach);
  }
}

}  // namespace hlg
