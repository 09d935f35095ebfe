// The tone curve: the formula, in double. This is the reference that every faster form is held to.
//
// Let x be a logit, l = ln softmax(x) its log-probability over the whole row, mu the pivot and
// z = l - mu the distance from it, all in nats. With T the temperature, m = 1/T the gain, w the
// width, b_h the shoulder and b_t the toe:
//
//     z >  w    shoulder     g(z) =  m*w + m*b_h*ln(1 + (z - w)/b_h)      slope m*b_h/(b_h + d)
//     |z| <= w  middle       g(z) =  m*z                                  slope m
//     z < -w    toe "log"    g(z) = -m*w - m*b_t*ln(1 + (-z - w)/b_t)     slope m*b_t/(b_t + d)
//               toe "fade"   g(z) = -m*w - m*(d + d*d/(2*b_t))            slope m*(1 + d/b_t)
//
// d is the distance past the knot (z - w above, -z - w below). The token is drawn from
// softmax(g(z)).
//
//      g |                  . - '  shoulder: rolls off, so the favourite gains less
//        |             . /
//        |           /             middle: plain temperature
//        |        / .
//        |     /   .               toe "log": bends up, lifts the tail
//        |   .'   /                toe "fade": bends down, presses the tail towards zero
//        +-------+-------+-----> z
//               -w      +w
//
// What follows from it:
//   - value and slope are continuous at both knots; g is strictly increasing, so the ranking of
//     the tokens and the argmax never change.
//   - a constant added to all logits changes nothing, and neither does a constant added to g: the
//     log-sum-exp inside l cancels, so z = x - (mu + log-sum-exp) is all that is ever computed.
//   - shoulder and toe off (or the width) leave g(z) = m*z: plain temperature.
//
// Source: Hybrid Log-Gamma (ITU-R BT.2100) gave the name and the idea of a curve with a
// logarithmic shoulder; the log toe is the original formula of the sampler, the fade toe is ours.
#pragma once

#include "hlg/hlg.h"

namespace hlg {

// A checked, resolved set of settings. Immutable once made.
struct Curve {
  explicit Curve(const hlg_params& resolved);

  double eval(double z) const;   // g(z)
  double slope(double z) const;  // g'(z)

  // T as llama.cpp holds it.
  float temperature() const { return static_cast<float>(params.temperature); }

  // Whether a row with this maximum gives its top token whatever u is: greedy, or a straight line
  // so cold that x/T overflows, for which llama.cpp's own arithmetic has no answer.
  bool takes_top(float max) const;

  hlg_params params;
  double gain;   // m = 1/T; 0 where greedy
  bool neutral;  // a straight line
  bool greedy;   // always the most likely token
};

}  // namespace hlg
