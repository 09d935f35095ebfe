#include "sweep_plan.h"

#include <cmath>
#include <stdexcept>

#include "knobs.h"

namespace {

constexpr int kSide = 36;  // of the rivals' grids; its square is the number of settings of HLG

std::vector<double> steps(int n, double first, double last) {
  std::vector<double> values;
  values.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) values.push_back(first + i * (last - first) / (n - 1));
  return values;
}

// From first to last, each the same fraction of the one before.
std::vector<double> falling(double first, double last) {
  std::vector<double> values = steps(kSide, std::log(first), std::log(last));
  for (double& value : values) value = std::exp(value);
  return values;
}

std::vector<Grid> rivals() {
  using hlg_rivals::Cut;
  const double low = 0.4, high = 2.15;
  const std::vector<double> temperatures = steps(kSide, low, high);
  std::vector<double> top_p = falling(0.5, 0.0005);
  for (double& p : top_p) p = 1 - p;
  return {{"temperature", Cut::kNone, {0}, steps(kSide * kSide, low, high)},
          {"top_p", Cut::kTopP, top_p, temperatures},
          {"min_p", Cut::kMinP, falling(0.3, 1e-5), temperatures},
          {"top_n_sigma", Cut::kTopNSigma, steps(kSide, 0.5, 4), temperatures}};
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
    for (hlg::params& setting : part) {
      for (const double t : {0.8, 1.0, 1.3, 1.7}) list.push_back(setting.temperature(t));
    }
  }
  return list;
}

}  // namespace

SweepPlan::SweepPlan() : hlg(hlg_settings()), curves(hlg.begin(), hlg.end()), grids(rivals()) {
  for (const Grid& grid : grids) {
    if (grid.values.size() * grid.temperatures.size() != n_each()) {
      throw std::logic_error("samplers with unequal numbers of settings");
    }
  }
}

const std::vector<std::string> SweepPlan::kColumns = {"sampler",  "temperature",  "cut",
                                                      "pivot",    "pivot_offset", "width",
                                                      "shoulder", "toe",          "toe_shape"};

std::vector<std::vector<common_json>> SweepPlan::cells() const {
  std::vector<std::vector<common_json>> lines;
  for (const hlg::params& setting : hlg) {
    const hlg_params& p = setting.get();
    std::vector<common_json> line = {"hlg", p.temperature, nullptr};
    for (const char* name : {"pivot", "pivot_offset", "width", "shoulder", "toe", "toe_shape"}) {
      line.push_back(knob_json_value(*hlg_knob_find(name), knob_of(p, name)));
    }
    lines.push_back(line);
  }
  for (const Grid& grid : grids) {
    for (const double value : grid.values) {
      for (const double temperature : grid.temperatures) {
        std::vector<common_json> line(kColumns.size());
        line[0] = grid.sampler;
        line[1] = temperature;
        if (grid.cut != hlg_rivals::Cut::kNone) line[2] = value;
        lines.push_back(line);
      }
    }
  }
  return lines;
}
