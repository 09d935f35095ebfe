#include "objectives.h"

#include <algorithm>

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

void HarmCurve::share(double mass, double distance, std::vector<double>& bands) const {
  if (points_.empty()) return;
  const auto above =
      std::upper_bound(points_.begin(), points_.end(), distance,
                       [](double value, const Point& point) { return value < point.distance; });
  const auto next = static_cast<size_t>(above - points_.begin());
  if (next == 0 || next == points_.size()) {
    bands[next == 0 ? 0 : next - 1] += mass;
    return;
  }
  const Point &low = above[-1], &high = above[0];
  const double part = (distance - low.distance) / (high.distance - low.distance);
  bands[next - 1] += mass * (1 - part);
  bands[next] += mass * part;
}

double HarmCurve::expected(const std::vector<double>& bands) const {
  double harm = 0;
  for (size_t i = 0; i < bands.size(); ++i) harm += bands[i] * points_[i].harm;
  return harm;
}

bool Objectives::dominates(const Objectives& other) const {
  const double better[] = {other.deep_tail - deep_tail, other.near_greedy_loss - near_greedy_loss,
                           other.harm - harm};
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
