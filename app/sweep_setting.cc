#include "sweep_setting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace {

constexpr double kColdest = 0.02, kHottest = 50;
constexpr double kNear = 1e-7;  // of the entropy, and of ln T

}  // namespace

SettingOnRows::SettingOnRows(const std::vector<SweepRow>& rows, const hlg::params& params)
    : rows_(rows) {
  const hlg::curve curve(params);
  for (const SweepRow& row : rows) {
    weights_.push_back({row.groups.heights(curve, params.get()), row.groups.count.back()});
  }
}

SettingOnRows::SettingOnRows(const std::vector<SweepRow>& rows, size_t cut) : rows_(rows) {
  for (const SweepRow& row : rows) {
    double left = row.kept[cut];
    Weights weights{};
    for (size_t i = 0; i < row.groups.size() && left > 0; ++i) {
      weights.height.push_back(-row.groups.distance[i]);
      weights.last_count = std::min(left, row.groups.count[i]);
      left -= weights.last_count;
    }
    weights_.push_back(std::move(weights));
  }
}

template <class Visit>
void SettingOnRows::for_each_group(size_t row, double temperature, const Visit& visit) const {
  const auto& [height, last_count] = weights_[row];
  const std::vector<double>& count = rows_[row].groups.count;
  for (size_t i = 0; i < height.size(); ++i) {
    const double x = height[i] / temperature;
    if (x < kNoMass) return;
    visit(i, (i + 1 == height.size() ? last_count : count[i]) * std::exp(x), x);
  }
}

SettingOnRows::Sums SettingOnRows::sums(size_t row, double temperature) const {
  Sums sums{};
  for_each_group(row, temperature, [&](size_t, double weight, double x) {
    sums.total += weight;
    sums.moment += weight * x;
  });
  return sums;
}

double SettingOnRows::Sums::entropy() const { return std::log(total) - moment / total; }

std::vector<double> SettingOnRows::top_shares(double temperature) const {
  std::vector<double> shares;
  for (size_t row = 0; row < rows_.size(); ++row) {
    shares.push_back(1 / sums(row, temperature).total);  // its own weight is 1
  }
  return shares;
}

double SettingOnRows::entropy(double temperature) const {
  double sum = 0;
  for (size_t row = 0; row < rows_.size(); ++row) sum += sums(row, temperature).entropy();
  return sum / static_cast<double>(rows_.size());
}

std::vector<double> SettingOnRows::temperatures_of(const std::vector<double>& entropies) const {
  Known known;
  for (const double t : {kColdest, kHottest}) known[std::log(t)] = entropy(t);
  std::vector<double> found;
  found.reserve(entropies.size());
  for (const double wanted : entropies) found.push_back(temperature_of(wanted, known));
  return found;
}

// Between the nearest known points: halving while they are far apart, then regula falsi; where one
// end stays, its value is halved (the Illinois way).
double SettingOnRows::temperature_of(double wanted, Known& known) const {
  const auto next = std::find_if(known.begin(), known.end(),
                                 [&](const auto& point) { return point.second >= wanted; });
  if (next == known.begin() || next == known.end()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double low = std::prev(next)->first, below = std::prev(next)->second - wanted;
  double high = next->first, above = next->second - wanted;
  int last_side = 0;
  while (true) {
    const bool halve = high - low > 0.5;
    const double at = halve ? (low + high) / 2 : high - above * (high - low) / (above - below);
    const double off = (known[at] = entropy(std::exp(at))) - wanted;
    if (std::abs(off) <= kNear * wanted || high - low < kNear) return std::exp(at);
    const int side = off < 0 ? -1 : 1;
    (side < 0 ? low : high) = at;
    (side < 0 ? below : above) = off;
    if (!halve && side == last_side) (side < 0 ? above : below) /= 2;
    last_side = side;
  }
}

Objectives SettingOnRows::weigh(double temperature, const std::vector<double>& plain_shares,
                                const HarmCurve& harm) const {
  Objectives mean;
  mean.bands.resize(harm.n_bands());
  const double part = 1 / static_cast<double>(rows_.size());
  double n_near_greedy = 0;
  for (size_t row = 0; row < rows_.size(); ++row) {
    const Sums all = sums(row, temperature);
    mean.entropy += part * all.entropy();
    const double lowered = plain_shares[row] - 1 / all.total;
    mean.top_lowered += part * lowered;
    if (is_near_greedy(plain_shares[row])) {
      ++n_near_greedy;
      mean.near_greedy_loss += lowered;
    }
    const std::vector<double>& distances = rows_[row].groups.distance;
    for_each_group(row, temperature, [&](size_t i, double weight, double) {
      const double mass = part * weight / all.total, distance = distances[i];
      if (distance > kDeepTail) mean.deep_tail += mass;
      harm.share(mass, distance, mean.bands);
    });
  }
  if (n_near_greedy > 0) mean.near_greedy_loss /= n_near_greedy;
  mean.harm = harm.expected(mean.bands);
  return mean;
}
