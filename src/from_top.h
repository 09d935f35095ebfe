// The curve as the kernels use it: relative to the top token of the row, and in powers of two.
//
// The weight of a token is 2^h, which is exp(g(z) - g(z of the top)). x is its logit, and t = x -
// origin, where the origin is the knot of the shoulder, or the top token where that is below it:
//
//     t <= 0   h = gain*max(t, t_toe) + middle - toe_gain*bend(max(t_toe - t, 0))
//                  log:  bend(D) = log2(1 + D*toe_rate)
//                  fade: bend(D) = D + D*D*toe_rate
//     t > 0    h = shoulder_gain * log2(1 + (x - max)*shoulder_rate)      in the upper part, and
//              h = shoulder_gain * log2(1 + t*knot_rate + knot_shift) + knot_h    in the lower
//
// A difference of two floats is exact to 2^-24 of itself. So a token's h is exact to 2^-24 of its
// distance from the point that it is measured from, times the slope; the points are chosen so that
// this is small wherever the weight is not. In the lower part the rounding of knot_h comes on top,
// so that part is the last eighth. A shoulder or toe seen from a point on it is again a shoulder or
// toe, with b + d in place of b. The constants are made once a row, in double.
#pragma once

#include "curve.h"

namespace hlg {

struct FromTop {
  enum Form {
    kLog,         // as above
    kFade,        // as above
    kExponential  // plain e^(x - max), for the pivots: ten times as exact
  };

  // z_top: the distance of the top token from the pivot. Not for greedy curves.
  FromTop(const Curve& curve, float max_logit, double z_top);

  // The exponential form.
  explicit FromTop(float max_logit);

  Form form;
  float max;     // the top token's logit
  float origin;  // max: no token is in the shoulder
  float t_toe;   // -1e30: no token is in the toe
  float shoulder_gain = 0, shoulder_rate = 0;
  float parting = 0;  // the logit that parts the shoulder
  float knot_rate = 0, knot_shift = 0, knot_h = 0;
  float gain = 0, middle = 0;
  float toe_gain = 0, toe_rate = 0;
};

}  // namespace hlg
