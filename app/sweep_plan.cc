#include "sweep_plan.h"

#include <cmath>

#include "knobs.h"

using hlg_rivals::Cut;

namespace {

std::vector<double> steps(size_t n, double first, double last) {
  std::vector<double> values;
  values.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    values.push_back(first + static_cast<double>(i) * (last - first) / static_cast<double>(n - 1));
  }
  return values;
}

// From first to last, each the same fraction of the one before.
std::vector<double> falling(size_t n, double first, double last) {
  std::vector<double> values = steps(n, std::log(first), std::log(last));
  for (double& value : values) value = std::exp(value);
  return values;
}

// n of each kind, after none.
std::vector<CutOff> cut_offs(size_t n) {
  std::vector<CutOff> cuts = {{Cut::kNone, 0}};
  for (const double left_out : falling(n, 0.5, 0.0005)) cuts.push_back({Cut::kTopP, 1 - left_out});
  for (const double p : falling(n, 0.3, 1e-5)) cuts.push_back({Cut::kMinP, p});
  for (const double sigmas : steps(n, 0.5, 4)) cuts.push_back({Cut::kTopNSigma, sigmas});
  return cuts;
}

// Each of the settings with each of the values of a knob.
std::vector<hlg::params> each(const std::vector<hlg::params>& settings, const char* knob,
                              const std::vector<double>& values) {
  std::vector<hlg::params> list;
  for (const hlg::params& setting : settings) {
    for (const double value : values) list.push_back(hlg::params(setting).set(knob, value));
  }
  return list;
}

// Offsets are smaller where the pivot is below the top token by itself.
std::vector<hlg::params> hlg_settings() {
  std::vector<hlg::params> list;
  for (const int pivot : {HLG_PIVOT_TOP, HLG_PIVOT_ENTROPY, HLG_PIVOT_MEDIAN}) {
    std::vector<hlg::params> part = {hlg::params().set("enabled", 1).set("pivot", pivot)};
    part = each(part, "toe_shape", {HLG_TOE_LOG, HLG_TOE_FADE});
    part =
        each(part, "pivot_offset",
             pivot == HLG_PIVOT_TOP ? std::vector<double>{4, 6, 8} : std::vector<double>{0, 2, 4});
    part = each(part, "width", {2, 4});
    part = each(part, "shoulder", {1, 4, HLG_OFF});
    part = each(part, "toe", {2, 6, 20});
    list.insert(list.end(), part.begin(), part.end());
  }
  return list;
}

}  // namespace

SweepPlan::SweepPlan() : hlg(hlg_settings()), cuts(cut_offs(hlg.size())) {}

std::string SweepPlan::sampler(size_t setting) const {
  if (is_hlg(setting)) return "hlg";
  switch (cut(setting).cut) {
    case Cut::kNone: return "temperature";
    case Cut::kTopP: return "top_p";
    case Cut::kMinP: return "min_p";
    case Cut::kTopNSigma: return "top_n_sigma";
  }
  return {};
}

std::string SweepPlan::arm(size_t setting) const {
  if (!is_hlg(setting)) return sampler(setting);
  return hlg[setting].get().toe_shape == HLG_TOE_FADE ? "hlg fade" : "hlg log";
}

const std::vector<std::string> SweepPlan::kColumns = {"cut",      "pivot", "pivot_offset", "width",
                                                      "shoulder", "toe",   "toe_shape"};

std::vector<common_json> SweepPlan::cells(size_t setting) const {
  std::vector<common_json> line(kColumns.size());
  if (is_hlg(setting)) {
    for (size_t i = 1; i < line.size(); ++i) {
      const char* name = kColumns[i].c_str();
      line[i] = knob_json_value(*hlg_knob_find(name), knob_of(hlg[setting].get(), name));
    }
  } else if (cut(setting).cut != Cut::kNone) {
    line[0] = cut(setting).value;
  }
  return line;
}
