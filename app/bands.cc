#include "bands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool inside(const Band& band, double z) {
  return z == 0 ? band.high == band.low : band.low <= z && z < band.high;
}

}  // namespace

BandedRow::BandedRow(const float* logits, size_t n) : z_(logits, logits + n) {
  double top = -kInfinity;
  for (const double x : z_) {
    if (std::isfinite(x)) top = std::max(top, x);
  }
  if (!std::isfinite(top)) throw std::runtime_error("the model gave a row without a live token");
  double sum = 0, sum_z = 0;
  for (double& z : z_) {
    z = std::isfinite(z) ? z - top : -kInfinity;
    const double p = std::exp(z);
    sum += p;
    if (p > 0) sum_z += p * z;
  }
  log_sum_ = std::log(sum);
  entropy_ = log_sum_ - sum_z / sum;
}

int32_t BandedRow::draw(const Band& band, double u) const {
  double mass = 0;
  for (const double z : z_) mass += inside(band, z) ? std::exp(z - band.high) : 0;
  int32_t drawn = -1;
  double left = u * mass;
  for (size_t i = 0; i < z_.size() && left >= 0; ++i) {
    if (!inside(band, z_[i])) continue;
    drawn = static_cast<int32_t>(i);
    left -= std::exp(z_[i] - band.high);
  }
  return drawn;
}

Place BandedRow::place(int32_t token) const {
  const double z = z_[static_cast<size_t>(token)];
  const double logprob = z - log_sum_;
  return {z, logprob, logprob + entropy_,
          std::count_if(z_.begin(), z_.end(), [z](double other) { return other > z; })};
}
