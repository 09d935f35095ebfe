// Drawing: one uniform number picks one index. Pure functions of the row, the curve and u.
#pragma once

#include <vector>

#include "curve.h"
#include "scan.h"

namespace hlg {

// softmax(g(z)) up to its sum: weight(x) = exp(g(x - pivot) - g(max - pivot)), at most 1.
struct Weights {
  Weights(const Curve& c, double mu, double max) : curve(c), pivot(mu), g_max(c.eval(max - mu)) {}

  double log_weight(float x) const { return curve.eval(x - pivot) - g_max; }
  double weight(float x) const;  // 0 for masked tokens and NaN

  const Curve& curve;
  double pivot;
  double g_max;
};

// The first index at which the running sum of the weights exceeds u times their total. The weights
// themselves are never stored: one sum per block is kept in block_mass, then one block is redone.
int32_t draw(Row row, const Weights& weights, double u, std::vector<double>& block_mass);

// The total of the weights.
double total_mass(Row row, const Weights& weights);

// The same for a straight line, in the arithmetic of llama.cpp's temp and dist samplers: float
// x/T, float expf, a running sum in double. For equal u it returns their token, bit for bit, with
// two exceptions in which theirs is no answer: a masked token is not taken at u = 0, and a T so
// small that x/T overflows takes the most likely token.
int32_t draw_straight(Row row, const Scan& scan, float temperature, double u);

}  // namespace hlg
