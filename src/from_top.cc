#include "from_top.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hlg {
namespace {

constexpr double kLog2e = 1.4426950408889634;

// Where h falls to kLowest: below it a weight would leave the normal floats.
double lowest_safe_t(const FromTop& h) {
  constexpr double kLowest = -125, kFarthest = -1e30;
  const double at_knot = double{h.gain} * h.t_toe + h.middle;
  if (!(at_knot > kLowest)) return std::max(kFarthest, (kLowest - h.middle) / h.gain);
  const double bend = (at_knot - kLowest) / h.toe_gain, rate = h.toe_rate;
  const double past =
      h.fade ? (std::sqrt(1 + 4 * rate * bend) - 1) / (2 * rate) : (std::exp2(bend) - 1) / rate;
  return std::max(kFarthest, h.t_toe - past);
}

}  // namespace

FromTop::FromTop(const Curve& curve, float max_logit, double z_top)
    : max(max_logit), t_toe(-std::numeric_limits<float>::infinity()) {
  const hlg_params& p = curve.params;
  const double m = curve.gain, w = p.width;
  gain = static_cast<float>(m * kLog2e);
  t_safe = static_cast<float>(lowest_safe_t(*this));
  if (curve.neutral) return;

  if (p.shoulder != HLG_OFF && z_top > w) {
    t_shoulder = static_cast<float>(w - z_top);
    shoulder_gain = static_cast<float>(m * p.shoulder);
    shoulder_rate = static_cast<float>(1 / (p.shoulder + z_top - w));
    middle = static_cast<float>((m * z_top - curve.eval(z_top)) * kLog2e);
  }
  if (p.toe != HLG_OFF) {
    t_toe = static_cast<float>(std::min(0.0, -w - z_top));
    const double reach = p.toe + std::max(0.0, -w - z_top);  // the top token may be in the toe
    fade = p.toe_shape == HLG_TOE_FADE;
    toe_gain = static_cast<float>(fade ? m * reach / p.toe * kLog2e : m * p.toe);
    toe_rate = static_cast<float>(fade ? 1 / (2 * reach) : 1 / reach);
  }
  toe_origin = static_cast<float>((double{max} + t_toe) * toe_rate);
  t_safe = static_cast<float>(lowest_safe_t(*this));
}

}  // namespace hlg
