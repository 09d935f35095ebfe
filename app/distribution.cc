#include "distribution.h"

#include <algorithm>

#include "flags.h"

std::vector<float> distances_from_top(const std::vector<float>& logits) {
  const float top = *std::max_element(logits.begin(), logits.end());
  std::vector<float> distances(logits.size());
  std::transform(logits.begin(), logits.end(), distances.begin(), [&](float x) { return top - x; });
  return distances;
}

void apply_curve(hlg::sampler& sampler, const hlg::curve& curve, const std::vector<float>& logits,
                 std::vector<float>& logprobs) {
  logprobs.resize(logits.size());
  const int32_t status = sampler.apply(curve, logits.data(), logits.size(), logprobs.data());
  if (status != HLG_OK) throw Failure(kNoLiveToken, hlg_status_name(status));
}

void Distribution::draw_from(const hlg::curve& curve, const std::vector<float>& logits) {
  apply_curve(sampler_, curve, logits, logprobs_);
  const size_t n = logits.size();
  p_.resize(n);
  double total = 0;
  for (size_t i = 0; i < n; ++i) {
    p_[i] = logprobs_[i] > kNoMass ? std::exp(double{logprobs_[i]}) : 0;
    total += p_[i];
  }
  for (double& p : p_) p /= total;
  log_total_ = std::log(total);
  top_ = *std::max_element(p_.begin(), p_.end());
}

double Distribution::entropy() const {
  double moment = 0;
  for (size_t i = 0; i < size(); ++i) {
    if (p_[i] > 0) moment += p_[i] * log_p(i);
  }
  return -moment;
}
