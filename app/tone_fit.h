// Fits a measured harm curve: which sampler is the best one for this harm?
//
// The distribution of the largest entropy at a given expected harm is the softmax of
// -lambda * harm. So a curve g suits a harm where
//
//     g(z) = -lambda * harm(z) + constant
//
// Here harm(z) = (constant - g(z)) / lambda is fitted by least squares, weights 1/se^2, at T = 1:
// lambda is the dial that is left, and takes the place of the temperature.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "hlg/hlg.h"

// The harm of one band.
struct HarmPoint {
  double z;         // distance of its tokens from what the pivot is counted from, nats
  double harm, se;  // any unit; se 0 counts as the smallest positive one of the curve
};

struct ToneFit {
  std::string shape;   // "fade", "log", "line", "line with cut-off"
  hlg_params knobs{};  // of "fade" and "log"
  double cut = 0;      // of "line with cut-off": one harm for all below it, nats
  double lambda = 0;   // infinite where the harm does not rise, as the constant is then
  double constant = 0;
  double residual = 0;  // root of the mean squared deviation, unit of the harm
  double chi2 = std::numeric_limits<double>::infinity();
  int dof = 0;               // points less fitted numbers
  std::vector<double> harm;  // the fitted one, at each point
};

// Fade, log, line and line with cut-off, in this order. At least three points, from the top down.
std::vector<ToneFit> fit_harm(std::vector<HarmPoint> points, hlg_pivot pivot);

// The points with new errors: to each harm something is added from the normal distribution of its
// standard error, without regard to the others. The same for the same number.
std::vector<HarmPoint> redrawn(std::vector<HarmPoint> points, uint32_t number);
