// The settings that `hlg sweep` tries: as many of each sampler, for the one that may choose among
// more wins by that alone. The temperature is no part of a setting: it is solved for, so that all
// are compared at the same entropies.
#pragma once

#include <string>
#include <vector>

#include "hlg/hlg.hpp"
#include "json.h"
#include "sweep_rows.h"

// Entropies, as shares of what a model has at T = 1.
constexpr double kEntropyShares[] = {0.7, 0.85, 1, 1.15, 1.3, 1.5};

// HLG's settings, T = 1, then temperature alone, then the rivals', cut-off by cut-off.
struct SweepPlan {
  SweepPlan();

  std::vector<hlg::params> hlg;
  std::vector<CutOff> cuts;  // the first one is none

  size_t size() const { return hlg.size() + cuts.size(); }
  bool is_hlg(size_t setting) const { return setting < hlg.size(); }
  const CutOff& cut(size_t setting) const { return cuts[setting - hlg.size()]; }

  // hlg, temperature, top_p, min_p, top_n_sigma.
  std::string sampler(size_t setting) const;
  // The sampler and, of HLG, the toe shape: between these the best ones are compared.
  std::string arm(size_t setting) const;

  // A setting in the cells of these columns.
  static const std::vector<std::string> kColumns;
  std::vector<common_json> cells(size_t setting) const;
};
