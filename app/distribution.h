// The distribution that a curve draws from, for a row of logits: by hlg_apply, then normalised once
// more in double, so that what is computed from it does not carry the rounding of its sum.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "hlg/hlg.hpp"

// Tokens of less than 1e-4 of the top token's probability, as the model has it, are the deep tail:
// further than this below the top token, in nats.
inline const double kDeepTail = -std::log(1e-4);

// Tokens further below the likeliest one than this, in nats, count as having no mass: a whole
// vocabulary of them has less than double can tell from 1.
constexpr double kNoMass = -60;

// How far each token is below the top token, nats; infinite where it is masked.
std::vector<float> distances_from_top(const std::vector<float>& logits);

// hlg_apply. Throws Failure where the row has no live token.
void apply_curve(hlg::sampler& sampler, const hlg::curve& curve, const std::vector<float>& logits,
                 std::vector<float>& logprobs);

class Distribution {
 public:
  void draw_from(const hlg::curve& curve, const std::vector<float>& logits);

  size_t size() const { return p_.size(); }
  double p(size_t token) const { return p_[token]; }
  double log_p(size_t token) const { return logprobs_[token] - log_total_; }  // -inf: masked
  double entropy() const;                                                     // nats
  double top_share() const { return top_; }                                   // of the likeliest

 private:
  std::vector<float> logprobs_;
  std::vector<double> p_;
  double log_total_ = 0, top_ = 0;
  hlg::sampler sampler_{0};
};
