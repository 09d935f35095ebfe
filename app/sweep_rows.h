// Recorded rows as the sweep sees them: small enough to be kept, all of a model at once.
#pragma once

#include <cstdint>
#include <vector>

#include "rivals.h"
#include "row_groups.h"
#include "rowset.h"

// A rival's cut-off.
struct CutOff {
  hlg_rivals::Cut cut;
  double value;
};

struct SweepRow {
  RowGroups groups;
  std::vector<int32_t> kept;  // tokens that each cut-off leaves; the likeliest ones
};

// Throws Failure where a row has no live token.
std::vector<SweepRow> sweep_rows(const RowSet& rows, const std::vector<CutOff>& cuts,
                                 int n_threads);
