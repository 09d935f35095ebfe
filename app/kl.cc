// hlg kl: how each knob moves the distribution, beside plain temperature, over recorded rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "commands.h"
#include "flags.h"
#include "knobs.h"
#include "row_groups.h"
#include "rowset.h"
#include "table.h"

namespace {

struct Options {
  std::string folder;
  ResultFlags results;
};

constexpr double kTemperatures[] = {0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 2};

constexpr double kGroupWidth = 1.0 / 256;  // nats: sums are good to 1e-6

// Lower ends of the bands of distance from the top token, nats.
constexpr std::array<double, 9> kBands = {0, 1, 2, 4, 6, 8, 10, 14, 20};

// What is computed for a row and a setting. "temp" is plain temperature at the same T.
enum Metric {
  kKlHlgTemp,
  kKlTempHlg,
  kTotalVariation,
  kEntropyBefore,
  kEntropyAfter,
  kEffectiveAfter,
  kTailBefore,
  kTailAfter,
  kTopBefore,
  kTopAfter,
  kBandMass,
  kMetrics = kBandMass + kBands.size()
};
std::vector<std::string> metric_names() {
  std::vector<std::string> names = {
      "kl_hlg_temp",     "kl_temp_hlg",      "total_variation", "entropy_before", "entropy_after",
      "effective_after", "deep_tail_before", "deep_tail_after", "top_before",     "top_after"};
  const auto nats = [](size_t band) { return std::to_string(static_cast<int>(kBands[band])); };
  for (size_t i = 0; i + 1 < kBands.size(); ++i) {
    names.push_back("mass_" + nats(i) + "_" + nats(i + 1));
  }
  names.push_back("mass_over_" + nats(kBands.size() - 1));
  return names;
}
using Metrics = std::array<double, kMetrics>;

// ---- settings ---------------------------------------------------------------------------------

// A line of the result: a knob at a value, the others at their defaults.
struct Setting {
  std::string knob;
  common_json value;
  hlg_params params;  // resolved
};

// The ends of the range, the default, off, and between them 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, ...
std::set<double> grid(const hlg_knob& knob, double standard) {
  std::set<double> values = {knob.min, knob.max, standard};
  for (int power = -1; std::ldexp(1, power) < knob.max; ++power) {
    for (const double value : {std::ldexp(1, power), std::ldexp(1.5, power)}) {
      if (value > knob.min && value < knob.max) values.insert(value);
    }
  }
  if (knob.can_be_off) values.insert(HLG_OFF);
  return values;
}

hlg_params resolved(const hlg::params& params) {
  hlg_params all = params.get();
  hlg_params_resolve(&all);
  return all;
}

// Each pivot with each toe shape, all else at its default.
std::vector<hlg_params> bases() {
  std::vector<hlg_params> list;
  const hlg_knob* pivot = hlg_knob_find("pivot");
  const hlg_knob* shape = hlg_knob_find("toe_shape");
  for (int32_t p = 0; p < pivot->n_choices; ++p) {
    for (int32_t s = 0; s < shape->n_choices; ++s) {
      list.push_back(resolved(hlg::params().set("enabled", 1).set("pivot", p).set("toe_shape", s)));
    }
  }
  return list;
}

void add_knob(std::vector<Setting>& settings, const hlg_knob& knob, const hlg_params& base) {
  const double standard = knob_of(base, knob.name);
  const bool number = knob.kind == HLG_KNOB_NUMBER;
  for (const double value : number ? grid(knob, standard) : std::set<double>{standard}) {
    Setting setting{knob.name, knob_json_value(knob, value), base};
    hlg_params_set(&setting.params, knob.name, value);
    settings.push_back(setting);
  }
}

std::vector<Setting> all_settings() {
  std::vector<Setting> settings;
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob& knob = *hlg_knob_get(i);
    if (knob.kind == HLG_KNOB_SWITCH) continue;
    for (const hlg_params& base : bases()) add_knob(settings, knob, base);
  }
  for (const hlg_params& base : bases()) {
    for (const double temperature : kTemperatures) {
      settings.push_back({"temperature", temperature, base});
      settings.back().params.temperature = temperature;
    }
  }
  return settings;
}

// The different curves among the settings, by temperature, and which one a setting has.
struct Curves {
  explicit Curves(const std::vector<Setting>& settings);

  struct Curve {
    hlg::curve curve;
    hlg_params params;
  };
  std::map<double, std::vector<size_t>> by_temperature;
  std::vector<Curve> list;
  std::vector<size_t> of_setting;
};

Curves::Curves(const std::vector<Setting>& settings) {
  std::map<std::vector<double>, size_t> known;
  for (const Setting& setting : settings) {
    std::vector<double> key = {setting.params.temperature};
    for (int32_t i = 0; i < hlg_knob_count(); ++i) {
      key.push_back(knob_of(setting.params, hlg_knob_get(i)->name));
    }
    const auto [found, is_new] = known.emplace(key, list.size());
    of_setting.push_back(found->second);
    if (!is_new) continue;
    by_temperature[setting.params.temperature].push_back(list.size());
    list.push_back({hlg::curve(setting.params), setting.params});
  }
}

// ---- measuring --------------------------------------------------------------------------------

// Weights of a row's tokens, by group, and what follows from them.
class Distribution {
 public:
  // `heights` of each group over that of the top token, nats.
  Distribution(const RowGroups& row, std::vector<double> heights)
      : row_(row), log_p_(std::move(heights)) {
    double total = 0;
    for (size_t i = 0; i < log_p_.size(); ++i) total += row.count[i] * std::exp(log_p_[i]);
    for (double& l : log_p_) l -= std::log(total);
    for (const double l : log_p_) p_.push_back(l > kNoMass ? std::exp(l) : 0);
  }

  double p(size_t group) const { return p_[group]; }  // of one of its tokens
  double log_p(size_t group) const { return log_p_[group]; }
  double entropy() const {
    double moment = 0;
    for (size_t i = 0; i < p_.size(); ++i) {
      if (p_[i] > 0) moment += row_.count[i] * p_[i] * log_p_[i];
    }
    return -moment;
  }

 private:
  const RowGroups& row_;
  std::vector<double> log_p_, p_;
};

Metrics compare(const RowGroups& row, const Distribution& hlg, const Distribution& temp) {
  Metrics m{};
  for (size_t i = 0; i < row.size(); ++i) {
    const double q = hlg.p(i), p = temp.p(i), n = row.count[i], distance = row.distance[i];
    if (q > 0) m[kKlHlgTemp] += n * q * (hlg.log_p(i) - temp.log_p(i));
    if (p > 0) m[kKlTempHlg] += n * p * (temp.log_p(i) - hlg.log_p(i));
    m[kTotalVariation] += n * std::abs(q - p) / 2;
    const auto band = std::upper_bound(kBands.begin(), kBands.end(), distance) - kBands.begin() - 1;
    m[kBandMass + static_cast<size_t>(band)] += n * q;
    if (distance > kDeepTail) {
      m[kTailBefore] += n * p;
      m[kTailAfter] += n * q;
    }
  }
  m[kEntropyBefore] = temp.entropy();
  m[kEntropyAfter] = hlg.entropy();
  m[kEffectiveAfter] = std::exp(m[kEntropyAfter]);
  m[kTopBefore] = temp.p(0);
  m[kTopAfter] = hlg.p(0);
  return m;
}

// All curves on a row.
void measure(const Curves& curves, const RowGroups& row, Metrics* results) {
  for (const auto& [temperature, indices] : curves.by_temperature) {
    const hlg::params plain = hlg::params().temperature(temperature).set("width", "off");
    const Distribution temp(row, row.heights(hlg::curve(plain), resolved(plain)));
    for (const size_t i : indices) {
      const auto& [curve, params] = curves.list[i];
      results[i] = compare(row, Distribution(row, row.heights(curve, params)), temp);
    }
  }
}

// ---- the result -------------------------------------------------------------------------------

// The mean over the rows of a kind, in the order of the rows, and how many there are.
std::pair<Metrics, int64_t> mean(const RowSet& rows, const std::string& kind, size_t curve,
                                 size_t n_curves, const std::vector<Metrics>& results) {
  Metrics sum{};
  int64_t n = 0;
  for (int64_t row = 0; row < rows.n_rows(); ++row) {
    if (kind != "all" && rows.kind(row) != kind) continue;
    const Metrics& of_row = results[static_cast<size_t>(row) * n_curves + curve];
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += of_row[i];
    ++n;
  }
  for (double& value : sum) value /= static_cast<double>(n);
  return {sum, n};
}

Table tabulate(const RowSet& rows, const std::vector<Setting>& settings, const Curves& curves,
               const std::vector<Metrics>& results) {
  std::vector<std::string> columns = {"model",     "knob",        "value", "pivot",
                                      "toe_shape", "temperature", "kind",  "rows"};
  const std::vector<std::string> names = metric_names();
  columns.insert(columns.end(), names.begin(), names.end());
  Table table(columns);
  const std::vector<std::string> kinds = kinds_of(rows);
  for (size_t i = 0; i < settings.size(); ++i) {
    const Setting& s = settings[i];
    const auto choice = [&](const char* name) {
      return knob_json_value(*hlg_knob_find(name), knob_of(s.params, name));
    };
    for (const std::string& kind : kinds) {
      const auto [metrics, n] = mean(rows, kind, curves.of_setting[i], curves.list.size(), results);
      std::vector<common_json> cells = {
          rows.model(),         s.knob, s.value, choice("pivot"), choice("toe_shape"),
          s.params.temperature, kind,   n};
      cells.insert(cells.end(), metrics.begin(), metrics.end());
      table.add(cells);
    }
  }
  return table;
}

int run(const Options& o) {
  const RowSet rows(o.folder);
  const std::vector<Setting> settings = all_settings();
  const Curves curves(settings);
  std::vector<Metrics> results(static_cast<size_t>(rows.n_rows()) * curves.list.size());
  for_each_row(rows, o.results.n_threads, [&] {
    return [&, group = RowGrouper(kGroupWidth)](int64_t i, const std::vector<float>& row) mutable {
      measure(curves, group(row), &results[static_cast<size_t>(i) * curves.list.size()]);
    };
  });
  const Table table = tabulate(rows, settings, curves, results);
  ResultFlags where = o.results;
  if (where.csv.empty() && where.json.empty()) where.csv = "-";
  where.write(table, common_json::object({{"command", "kl"}, {"recording", rows.record()}}));
  return 0;
}

}  // namespace

int command_kl(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Measures, over rows that hlg record made, how each knob moves the distribution: each on a\n"
      "grid over its range, the others at their defaults, under each pivot and toe shape, beside\n"
      "plain temperature at the same T. Without drawing: sums over all tokens, in groups 1/256 "
      "nats\n"
      "wide. A line for each setting and kind of prompt, and one for all kinds; each number is "
      "the\n"
      "mean over their rows. Without --csv and --json the CSV goes to standard output.",
      "hlg kl");
  app.add_option("DIR", o.folder, "the recorded folder")->required();
  o.results.add_to(app);
  app.footer(
      "Columns: kl_hlg_temp and kl_temp_hlg are the Kullback-Leibler divergences, in nats; "
      "mass_4_6\n"
      "is the mass of tokens 4 to 6 nats below the top token; deep_tail that of tokens with less\n"
      "than 1e-4 of its probability, by the model; effective_after is exp(entropy).\n"
      "Exit status: 0 fine, 1 a file, 2 wrong usage, 3 a row without a live token.\n"
      "Example:\n"
      "  hlg kl recording --csv kl.csv");
  return run_command(app, argc, argv, [&] { return run(o); });
}
