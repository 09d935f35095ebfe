// What `hlg sweep` weighs: how free a sampler is, and what that costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harm_csv.h"

// A measured harm by distance from the top token: straight between the measured bands, level
// beyond the first and the last.
class HarmCurve {
 public:
  HarmCurve() = default;  // no harm anywhere
  // The rows of a model, a kind of harm and coordinate z_top.
  HarmCurve(const std::vector<HarmRow>& rows, const std::string& model, const std::string& kind);

  bool empty() const { return points_.empty(); }
  double at(double distance) const;

 private:
  struct Point {
    double distance, harm;
  };
  std::vector<Point> points_;
};

// For a row, or as a mean over rows.
struct Objectives {
  double entropy_gain = 0;      // over T = 1, nats
  double top_lowered = 0;       // what the top token loses of its share at T = 1
  double deep_tail = 0;         // mass, see distribution.h
  double near_greedy_loss = 0;  // top_lowered, of rows whose top token has 0.99 or more at T = 1
  double harm = 0;              // expected

  // Whether it is at least as good in entropy, deep tail, near-greedy loss and harm, and better in
  // one of them.
  bool dominates(const Objectives& other) const;
};

// Which of them no other one dominates.
std::vector<bool> pareto(const std::vector<Objectives>& list);

// What a row's tokens cost.
class RowCosts {
 public:
  RowCosts(const std::vector<float>& logits, const HarmCurve& harm);

  bool is_near_greedy() const { return top_ >= 0.99; }
  // Of the softmax of these logits, each of a token of the row. `tokens` may be null: all, in
  // order.
  Objectives weigh(const int32_t* tokens, const std::vector<float>& logits) const;

 private:
  std::vector<double> harm_, deep_;  // a token's
  double entropy_ = 0, top_ = 0;     // at T = 1
};
