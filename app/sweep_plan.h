// The settings that `hlg sweep` tries: as many of each sampler, for the one that may choose among
// more wins by that alone.
#pragma once

#include <string>
#include <vector>

#include "hlg/hlg.hpp"
#include "json.h"
#include "rivals.h"

// A rival: values of its cut, each at each temperature.
struct Grid {
  const char* sampler;
  hlg_rivals::Cut cut;
  std::vector<double> values, temperatures;
};

// All settings: those of HLG, then each rival's, by value, then by temperature.
struct SweepPlan {
  SweepPlan();

  std::vector<hlg::params> hlg;
  std::vector<hlg::curve> curves;  // made of them
  std::vector<Grid> grids;

  size_t n_each() const { return hlg.size(); }  // of each sampler
  size_t n_samplers() const { return 1 + grids.size(); }
  size_t size() const { return n_each() * n_samplers(); }

  // A setting in the cells of these columns, a line a setting.
  static const std::vector<std::string> kColumns;
  std::vector<std::vector<common_json>> cells() const;
};
