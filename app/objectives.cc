#include "objectives.h"

#include <algorithm>
#include <cmath>

#include "distribution.h"

HarmCurve::HarmCurve(const std::vector<HarmRow>& rows, const std::string& model,
                     const std::string& kind) {
  for (const HarmRow& row : rows) {
    if (row.model == model && row.kind == kind && row.coordinate == "z_top") {
      points_.push_back({-row.band, row.harm});
    }
  }
  std::stable_sort(points_.begin(), points_.end(),
                   [](const Point& a, const Point& b) { return a.distance < b.distance; });
}

double HarmCurve::at(double distance) const {
  if (points_.empty()) return 0;
  const auto above =
      std::upper_bound(points_.begin(), points_.end(), distance,
                       [](double value, const Point& point) { return value < point.distance; });
  if (above == points_.begin()) return above->harm;
  const Point& low = above[-1];
  if (above == points_.end()) return low.harm;
  const double part = (distance - low.distance) / (above->distance - low.distance);
  return low.harm + part * (above->harm - low.harm);
}

bool Objectives::dominates(const Objectives& other) const {
  const double better[] = {entropy_gain - other.entropy_gain, other.deep_tail - deep_tail,
                           other.near_greedy_loss - near_greedy_loss, other.harm - harm};
  return *std::min_element(std::begin(better), std::end(better)) >= 0 &&
         *std::max_element(std::begin(better), std::end(better)) > 0;
}

std::vector<bool> pareto(const std::vector<Objectives>& list) {
  std::vector<bool> optimal;
  optimal.reserve(list.size());
  for (const Objectives& one : list) {
    optimal.push_back(std::none_of(list.begin(), list.end(),
                                   [&](const Objectives& other) { return other.dominates(one); }));
  }
  return optimal;
}

RowCosts::RowCosts(const std::vector<float>& logits, const HarmCurve& harm) {
  for (const float distance : distances_from_top(logits)) {
    harm_.push_back(harm.at(distance));
    deep_.push_back(distance > kDeepTail);
  }
  const Objectives plain = weigh(nullptr, logits);
  entropy_ = plain.entropy_gain;
  top_ = -plain.top_lowered;
}

Objectives RowCosts::weigh(const int32_t* tokens, const std::vector<float>& logits) const {
  const double top = *std::max_element(logits.begin(), logits.end());
  double total = 0, moment = 0, deep = 0, harm = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const double l = logits[i] - top;
    if (l < kNoMass) continue;
    const double weight = std::exp(l);
    const size_t token = tokens ? static_cast<size_t>(tokens[i]) : i;
    total += weight;
    moment += weight * l;
    deep += weight * deep_[token];
    harm += weight * harm_[token];
  }
  Objectives found;
  found.entropy_gain = std::log(total) - moment / total - entropy_;
  found.top_lowered = top_ - 1 / total;  // the top token's weight is 1
  found.deep_tail = deep / total;
  found.harm = harm / total;
  if (is_near_greedy()) found.near_greedy_loss = found.top_lowered;
  return found;
}
