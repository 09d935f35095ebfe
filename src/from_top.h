// The curve as the kernels use it: relative to the top token of the row, and in powers of two.
//
// With t = x - max(x) <= 0 the weight of a token is 2^h(t), which is exp(g(z) - g(z of the top)):
//
//     t > t_shoulder   h = shoulder_gain * log2(1 + t*shoulder_rate)
//     else             h = gain*max(t, t_toe) + middle - toe_gain*bend(max(t_toe - t, 0))
//                          log:  bend(D) = log2(1 + D*toe_rate)
//                          fade: bend(D) = D + D*D*toe_rate
//
// Taking the top token as the origin loses no digits where m is large or the top is far up the
// shoulder: a shoulder or toe seen from a point on it is again a shoulder or toe, with b + d in
// place of b. The constants are made once a row, in double.
#pragma once

#include "curve.h"

namespace hlg {

struct FromTop {
  // z_top: the distance of the top token from the pivot. Not for greedy curves.
  FromTop(const Curve& curve, float max_logit, double z_top);

  float max;             // the top token's logit
  float t_safe;          // above it 2^h is a normal float, and nothing overflows on the way
  float t_shoulder = 0;  // 0: no token is in the shoulder
  float t_toe;           // -inf: no token is in the toe
  float shoulder_gain = 0, shoulder_rate = 0;
  float gain = 0, middle = 0;
  float toe_gain = 0, toe_rate = 0;
  float toe_origin = 0;  // the logit at the knot of the toe, times toe_rate
  bool fade = false;
};

}  // namespace hlg
