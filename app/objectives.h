// What `hlg sweep` weighs: what a sampler costs at a given entropy.
#pragma once

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
  size_t n_bands() const { return points_.size(); }
  // Shares a mass at a distance between the two bands around it, the nearer one getting more.
  // bands[i] is the i-th band's, from the top token down.
  void share(double mass, double distance, std::vector<double>& bands) const;
  // What a mass of so much in each band expects.
  double expected(const std::vector<double>& bands) const;

 private:
  struct Point {
    double distance, harm;
  };
  std::vector<Point> points_;
};

// Means over rows.
struct Objectives {
  double entropy = 0;           // nats
  double top_lowered = 0;       // what the top token loses of its share at T = 1
  double deep_tail = 0;         // mass, see row_groups.h
  double near_greedy_loss = 0;  // top_lowered, of rows whose top token has 0.99 or more at T = 1
  double harm = 0;              // expected
  std::vector<double> bands;    // the mass that falls to each band of the harm curve

  // Whether it is at least as good in deep tail, near-greedy loss and harm, and better in one.
  bool dominates(const Objectives& other) const;
};

// Whether no other one dominates it.
std::vector<bool> pareto(const std::vector<Objectives>& list);
