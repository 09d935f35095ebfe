// One setting of a sampler over all rows of a model, at any temperature.
#pragma once

#include <map>
#include <vector>

#include "hlg/hlg.hpp"
#include "objectives.h"
#include "sweep_rows.h"

class SettingOnRows {
 public:
  // The curve of these settings, whose temperature is 1.
  SettingOnRows(const std::vector<SweepRow>& rows, const hlg::params& params);
  // What cut-off number `cut` of the rows leaves.
  SettingOnRows(const std::vector<SweepRow>& rows, size_t cut);

  // The share of each row's top token.
  std::vector<double> top_shares(double temperature) const;
  // Mean over the rows, nats.
  double entropy(double temperature) const;
  // The temperatures with these mean entropies; NaN where none from 0.02 to 50 has it.
  std::vector<double> temperatures_of(const std::vector<double>& entropies) const;
  // `plain_shares`: the top token's at temperature 1, without curve or cut-off.
  Objectives weigh(double temperature, const std::vector<double>& plain_shares,
                   const HarmCurve& harm) const;

 private:
  // A row's weights at temperature T: exp(height[i] / T) for each token of group i.
  struct Weights {
    std::vector<double> height;  // 0 for the top token, and falling
    double last_count;           // tokens of the last group that are left
  };
  struct Sums {
    double total, moment;  // of weights, and of weight times height / T
    double entropy() const;
  };

  // Calls visit(group, weight of all its tokens, height / T) down to where nothing counts.
  template <class Visit>
  void for_each_group(size_t row, double temperature, const Visit& visit) const;
  Sums sums(size_t row, double temperature) const;

  using Known = std::map<double, double>;  // ln T -> entropy
  double temperature_of(double wanted, Known& known) const;

  const std::vector<SweepRow>& rows_;
  std::vector<Weights> weights_;
};

inline bool is_near_greedy(double plain_share) { return plain_share >= 0.99; }
