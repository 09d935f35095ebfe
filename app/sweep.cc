// hlg sweep: many settings of HLG and as many of each rival, over recorded rows, at equal entropy.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "commands.h"
#include "flags.h"
#include "objectives.h"
#include "parallel.h"
#include "rowset.h"
#include "sweep_plan.h"
#include "sweep_setting.h"
#include "table.h"

namespace {

struct Options {
  std::vector<std::string> folders;
  std::string harm, harm_kind = "any";
  ResultFlags results;
};

// ---- measuring --------------------------------------------------------------------------------

struct Measured {
  double temperature;  // NaN: the setting cannot have that entropy
  Objectives objectives;
  bool is_reached() const { return !std::isnan(temperature); }
};

struct Results {
  std::string model, harm_model;  // the latter: whose harm curve
  int64_t n_rows = 0, n_near_greedy = 0;
  std::vector<Measured> found;  // by setting, then by share of the entropy

  const Measured& at(size_t setting, size_t share) const {
    return found[setting * std::size(kEntropyShares) + share];
  }
};

SettingOnRows on_rows(const SweepPlan& plan, size_t setting, const std::vector<SweepRow>& rows) {
  return plan.is_hlg(setting) ? SettingOnRows(rows, plan.hlg[setting])
                              : SettingOnRows(rows, setting - plan.hlg.size());
}

Results measure(const RowSet& set, const SweepPlan& plan, const HarmCurve& harm, int n_threads) {
  const std::vector<SweepRow> rows = sweep_rows(set, plan.cuts, n_threads);
  const SettingOnRows plain = on_rows(plan, plan.hlg.size(), rows);
  const double plain_entropy = plain.entropy(1);
  if (!(plain_entropy > 0)) {
    throw Failure(kFailed, set.rows_file() + ": no entropy: every row has one token alone");
  }
  std::vector<double> wanted;
  for (const double share : kEntropyShares) wanted.push_back(share * plain_entropy);
  const std::vector<double> plain_shares = plain.top_shares(1);
  constexpr size_t kShares = std::size(kEntropyShares);

  Results results;
  results.model = set.model();
  results.n_rows = set.n_rows();
  results.n_near_greedy = std::count_if(plain_shares.begin(), plain_shares.end(), is_near_greedy);
  results.found.resize(plan.size() * kShares);
  in_parallel(set.model() + ", settings", static_cast<int64_t>(plan.size()), n_threads, [&] {
    return [&](int64_t i) {
      const auto setting = static_cast<size_t>(i);
      const SettingOnRows sampler = on_rows(plan, setting, rows);
      const std::vector<double> temperatures = sampler.temperatures_of(wanted);
      for (size_t share = 0; share < kShares; ++share) {
        Measured& m = results.found[setting * kShares + share];
        m.temperature = temperatures[share];
        if (m.is_reached()) m.objectives = sampler.weigh(m.temperature, plain_shares, harm);
      }
    };
  });
  return results;
}

// The mean over models, each counting the same; NaN as temperature where one does not get there.
Measured mean(const std::vector<Results>& models, size_t i) {
  Measured sum{0, {}};
  double n_with_near_greedy = 0;
  for (const Results& one : models) {
    const auto& [temperature, o] = one.found[i];
    sum.temperature += temperature;
    sum.objectives.entropy += o.entropy;
    sum.objectives.top_lowered += o.top_lowered;
    sum.objectives.deep_tail += o.deep_tail;
    sum.objectives.near_greedy_loss += o.near_greedy_loss;
    sum.objectives.harm += o.harm;
    n_with_near_greedy += one.n_near_greedy > 0;
  }
  const auto n = static_cast<double>(models.size());
  Objectives& o = sum.objectives;
  for (double* value : {&sum.temperature, &o.entropy, &o.top_lowered, &o.deep_tail, &o.harm}) {
    *value /= n;
  }
  if (n_with_near_greedy > 0) o.near_greedy_loss /= n_with_near_greedy;
  return sum;
}

Results over_models(const std::vector<Results>& models) {
  Results all;
  all.model = "all";
  for (const Results& one : models) {
    all.n_rows += one.n_rows;
    all.n_near_greedy += one.n_near_greedy;
  }
  for (size_t i = 0; i < models.front().found.size(); ++i) all.found.push_back(mean(models, i));
  return all;
}

// ---- the result -------------------------------------------------------------------------------

std::vector<std::string> columns(size_t n_bands) {
  std::vector<std::string> names = {"model", "sampler", "entropy_share", "entropy", "temperature"};
  names.insert(names.end(), SweepPlan::kColumns.begin(), SweepPlan::kColumns.end());
  names.insert(names.end(), {"rows", "near_greedy_rows", "top_lowered", "deep_tail",
                             "near_greedy_loss", "harm", "harm_model", "pareto"});
  for (size_t i = 0; i < n_bands; ++i) names.push_back("band_" + std::to_string(i));
  return names;
}

// Which settings no other one beats at the same entropy.
std::vector<bool> not_beaten(const Results& results, size_t share, size_t n_settings) {
  std::vector<size_t> reached;
  std::vector<Objectives> objectives;
  for (size_t setting = 0; setting < n_settings; ++setting) {
    const Measured& m = results.at(setting, share);
    if (!m.is_reached()) continue;
    reached.push_back(setting);
    objectives.push_back(m.objectives);
  }
  const std::vector<bool> optimal = pareto(objectives);
  std::vector<bool> found(n_settings);
  for (size_t i = 0; i < reached.size(); ++i) found[reached[i]] = optimal[i];
  return found;
}

std::vector<common_json> cells(const SweepPlan& plan, const Results& results, size_t setting,
                               size_t share, bool optimal, size_t n_bands) {
  const auto& [temperature, o] = results.at(setting, share);
  const bool has_harm = !results.harm_model.empty();
  std::vector<common_json> line = {results.model, plan.sampler(setting), kEntropyShares[share],
                                   o.entropy, temperature};
  const std::vector<common_json> knobs = plan.cells(setting);
  line.insert(line.end(), knobs.begin(), knobs.end());
  line.insert(line.end(), {results.n_rows, results.n_near_greedy, o.top_lowered, o.deep_tail});
  line.push_back(results.n_near_greedy > 0 ? common_json(o.near_greedy_loss) : common_json());
  line.push_back(has_harm ? common_json(o.harm) : common_json());
  line.push_back(has_harm ? common_json(results.harm_model) : common_json());
  line.emplace_back(optimal ? 1 : 0);
  for (size_t i = 0; i < n_bands; ++i) {
    line.push_back(i < o.bands.size() ? common_json(o.bands[i]) : common_json());
  }
  return line;
}

void tabulate(const SweepPlan& plan, const Results& results, size_t n_bands, Table& table) {
  for (size_t share = 0; share < std::size(kEntropyShares); ++share) {
    const std::vector<bool> optimal = not_beaten(results, share, plan.size());
    for (size_t setting = 0; setting < plan.size(); ++setting) {
      if (!results.at(setting, share).is_reached()) continue;
      table.add(cells(plan, results, setting, share, optimal[setting], n_bands));
    }
  }
}

std::string short_text(const common_json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", cell.get<double>());
  return text;
}

// The first setting of each arm with the least harm (deep tail, where harm is not known), by name
// of the arm in the order of the plan.
std::vector<std::pair<std::string, size_t>> best(const SweepPlan& plan, const Results& results,
                                                 size_t share) {
  const auto cost = [&](size_t setting) {
    const Objectives& o = results.at(setting, share).objectives;
    return results.harm_model.empty() ? o.deep_tail : o.harm;
  };
  std::vector<std::pair<std::string, size_t>> list;
  for (size_t setting = 0; setting < plan.size(); ++setting) {
    if (!results.at(setting, share).is_reached()) continue;
    const std::string arm = plan.arm(setting);
    const auto known =
        std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.first == arm; });
    if (known == list.end()) {
      list.emplace_back(arm, setting);
    } else if (cost(setting) < cost(known->second)) {
      known->second = setting;
    }
  }
  return list;
}

void print_line(const SweepPlan& plan, const Results& results, size_t share, const std::string& arm,
                size_t setting) {
  const auto& [temperature, o] = results.at(setting, share);
  std::printf("%5.2f  %-12s %11.4g ", kEntropyShares[share], arm.c_str(), temperature);
  for (const common_json& cell : plan.cells(setting)) {
    std::printf("%-12s ", short_text(cell).c_str());
  }
  std::printf(
      "%11.4f %10.2e %16s %s\n", o.top_lowered, o.deep_tail,
      short_text(results.n_near_greedy > 0 ? common_json(o.near_greedy_loss) : common_json())
          .c_str(),
      short_text(results.harm_model.empty() ? common_json() : common_json(o.harm)).c_str());
}

// The best of each arm at each entropy.
void print_best(const SweepPlan& plan, const Results& results) {
  std::printf("model %s, %lld rows, %zu settings of each sampler\n\n%5s  %-12s %11s ",
              results.model.c_str(), static_cast<long long>(results.n_rows), plan.hlg.size(),
              "share", "arm", "temperature");
  for (const std::string& column : SweepPlan::kColumns) std::printf("%-12s ", column.c_str());
  std::printf("top_lowered  deep_tail near_greedy_loss harm\n");
  for (size_t share = 0; share < std::size(kEntropyShares); ++share) {
    for (const auto& [arm, setting] : best(plan, results, share)) {
      print_line(plan, results, share, arm, setting);
    }
  }
}

// The harm curve of a model, or SmolLM2's where it has none. `whose` says which.
HarmCurve harm_curve(const Options& o, const std::vector<HarmRow>& rows, const std::string& model,
                     std::string& whose) {
  if (o.harm.empty()) return {};
  for (const std::string& name : {model, std::string("smollm2")}) {
    HarmCurve curve(rows, name, o.harm_kind);
    whose = name;
    if (!curve.empty()) return curve;
  }
  throw Failure(kFailed, o.harm + ": no row of kind " + o.harm_kind + ", coordinate z_top, for " +
                             model + " or smollm2");
}

std::vector<RowSet> open_all(const std::vector<std::string>& folders) {
  std::vector<RowSet> sets;
  std::set<std::string> models;
  for (const std::string& folder : folders) {
    sets.emplace_back(folder);
    if (models.insert(sets.back().model()).second) continue;
    throw Failure(kUsage,
                  folder + ": model " + sets.back().model() + " again: give each model one folder");
  }
  return sets;
}

int run(const Options& o) {
  const std::vector<RowSet> sets = open_all(o.folders);
  const std::vector<HarmRow> harm = o.harm.empty() ? std::vector<HarmRow>() : read_harm_csv(o.harm);
  const SweepPlan plan;
  std::vector<Results> results;
  size_t n_bands = 0;
  common_json recordings = common_json::array();
  for (const RowSet& rows : sets) {
    std::string whose;
    const HarmCurve curve = harm_curve(o, harm, rows.model(), whose);
    results.push_back(measure(rows, plan, curve, o.results.n_threads));
    results.back().harm_model = whose;
    n_bands = std::max(n_bands, curve.n_bands());
    recordings.push_back(rows.record());
  }
  if (results.size() > 1) {
    results.push_back(over_models(results));
    if (!o.harm.empty()) results.back().harm_model = "all";
  }
  Table table(columns(n_bands));
  for (const Results& one : results) tabulate(plan, one, n_bands, table);
  if (!o.results.on_stdout()) print_best(plan, results.back());
  common_json header = common_json::object({{"command", "sweep"}, {"recordings", recordings}});
  if (!o.harm.empty())
    header["harm"] = common_json::object({{"file", o.harm}, {"kind", o.harm_kind}});
  o.results.write(table, header);
  return 0;
}

}  // namespace

int command_sweep(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Sets a grid of settings of HLG beside as many of top-p, min-p and top-n-sigma (llama.cpp's\n"
      "own), and temperature, on rows that hlg record made. All are compared at equal entropy: "
      "for\n"
      "each setting the temperature is solved for at which the mean entropy is a share of the\n"
      "model's own at T = 1. Without drawing. Prints, for each share, the setting of each sampler\n"
      "(of HLG, of each toe shape) with the least harm (without --harm: with the least deep "
      "tail),\n"
      "unless the table itself, which has all settings, goes to standard output.",
      "hlg sweep");
  app.add_option("DIR", o.folders, "recorded folders, one a model")->required();
  app.add_option("--harm", o.harm,
                 "measured harm: columns model, kind, coordinate, band, harm, se; a model without "
                 "rows takes smollm2's, see harm_model")
      ->option_text("FILE");
  app.add_option("--harm-kind", o.harm_kind, "rows of this kind (default: any)")
      ->option_text("KIND");
  o.results.add_to(app);
  app.footer(
      "Columns: entropy_share is the share, entropy what it comes to, in nats; a setting that\n"
      "cannot have that entropy has no line. top_lowered is what the top token loses of its share\n"
      "at T = 1; near_greedy_loss the same over rows where that share is 0.99 or more; deep_tail\n"
      "the mass of tokens with less than 1e-4 of the top token's probability; harm the expected\n"
      "one, straight between the measured bands and level beyond them: the sum of band_i times\n"
      "the harm of the i-th band from the top; pareto 1 where no other setting at this entropy is\n"
      "at least as good in each of deep_tail, near_greedy_loss and harm, and better in one. Under\n"
      "the model \"all\" stand the means over the models.\n"
      "Exit status: 0 fine, 1 a file, 2 wrong usage, 3 a row without a live token.\n"
      "Example:\n"
      "  hlg sweep recording --harm harm.csv --csv sweep.csv");
  return run_command(app, argc, argv, [&] { return run(o); });
}
