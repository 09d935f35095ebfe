// hlg sweep: many settings of HLG and as many of each rival, over recorded rows, exactly.
#include <algorithm>
#include <cstdio>
#include <set>

#include "commands.h"
#include "distribution.h"
#include "flags.h"
#include "objectives.h"
#include "rowset.h"
#include "sweep_plan.h"
#include "table.h"

namespace {

struct Options {
  std::vector<std::string> folders;
  std::string harm, harm_kind = "any";
  ResultFlags results;
};

// ---- measuring --------------------------------------------------------------------------------

struct Results {
  std::string model, harm_model;  // the latter: whose harm curve
  int64_t n_rows = 0, n_near_greedy = 0;
  std::vector<Objectives> mean;  // over the rows, one a setting
};

// One thread's work: all settings on a row.
class Worker {
 public:
  Worker(const SweepPlan& plan, const HarmCurve& harm, std::vector<Objectives>& results,
         std::vector<uint8_t>& near_greedy)
      : plan_(plan), harm_(harm), results_(results), near_greedy_(near_greedy) {}

  void operator()(int64_t row, const std::vector<float>& logits) {
    const RowCosts costs(logits, harm_);
    const auto at = static_cast<size_t>(row);
    near_greedy_[at] = costs.is_near_greedy();
    Objectives* out = &results_[at * plan_.size()];
    for (const hlg::curve& curve : plan_.curves) {
      apply_curve(sampler_, curve, logits, logprobs_);
      *out++ = costs.weigh(nullptr, logprobs_);
    }
    for (const Grid& grid : plan_.grids) {
      for (const double value : grid.values) {
        hlg_rivals::Rival rival(grid.cut, value);
        rival.cut(logits.data(), logits.size());
        for (const double temperature : grid.temperatures) {
          const hlg_rivals::Candidates& left = rival.at(temperature);
          *out++ = costs.weigh(left.tokens.data(), left.logits);
        }
      }
    }
  }

 private:
  const SweepPlan& plan_;
  const HarmCurve& harm_;
  std::vector<Objectives>& results_;
  std::vector<uint8_t>& near_greedy_;
  std::vector<float> logprobs_;
  hlg::sampler sampler_{0};
};

// `sum` becomes the mean over n rows, m of them near greedy.
void divide(Objectives& sum, int64_t n, int64_t m) {
  for (double* value : {&sum.entropy_gain, &sum.top_lowered, &sum.deep_tail, &sum.harm}) {
    *value /= static_cast<double>(n);
  }
  if (m > 0) sum.near_greedy_loss /= static_cast<double>(m);
}

void add(Objectives& sum, const Objectives& one) {
  sum.entropy_gain += one.entropy_gain;
  sum.top_lowered += one.top_lowered;
  sum.deep_tail += one.deep_tail;
  sum.near_greedy_loss += one.near_greedy_loss;
  sum.harm += one.harm;
}

Results measure(const RowSet& rows, const SweepPlan& plan, const HarmCurve& harm, int n_threads) {
  std::vector<Objectives> all(static_cast<size_t>(rows.n_rows()) * plan.size());
  std::vector<uint8_t> near_greedy(static_cast<size_t>(rows.n_rows()));
  for_each_row(rows, n_threads, [&] { return Worker(plan, harm, all, near_greedy); });
  Results found;
  found.model = rows.model();
  found.n_rows = rows.n_rows();
  found.n_near_greedy = std::count(near_greedy.begin(), near_greedy.end(), 1);
  found.mean.resize(plan.size());
  for (size_t i = 0; i < all.size(); ++i) add(found.mean[i % plan.size()], all[i]);
  for (Objectives& sum : found.mean) divide(sum, found.n_rows, found.n_near_greedy);
  return found;
}

// The mean over models, each counting the same.
Results over_models(const std::vector<Results>& models) {
  Results all;
  all.model = "all";
  all.mean.resize(models.front().mean.size());
  int64_t n_with_near_greedy = 0;
  for (const Results& one : models) {
    all.n_rows += one.n_rows;
    all.n_near_greedy += one.n_near_greedy;
    n_with_near_greedy += one.n_near_greedy > 0;
    for (size_t i = 0; i < all.mean.size(); ++i) add(all.mean[i], one.mean[i]);
  }
  for (Objectives& sum : all.mean) {
    divide(sum, static_cast<int64_t>(models.size()), n_with_near_greedy);
  }
  return all;
}

// ---- the result -------------------------------------------------------------------------------

std::vector<std::string> columns() {
  std::vector<std::string> names = {"model"};
  names.insert(names.end(), SweepPlan::kColumns.begin(), SweepPlan::kColumns.end());
  names.insert(names.end(), {"rows", "near_greedy_rows", "entropy_gain", "top_lowered", "deep_tail",
                             "near_greedy_loss", "harm", "harm_model", "pareto"});
  return names;
}

void tabulate(const SweepPlan& plan, const Results& results, const std::vector<bool>& optimal,
              Table& table) {
  const auto settings = plan.cells();
  for (size_t i = 0; i < settings.size(); ++i) {
    const Objectives& o = results.mean[i];
    std::vector<common_json> cells = {results.model};
    cells.insert(cells.end(), settings[i].begin(), settings[i].end());
    const bool has_harm = !results.harm_model.empty();
    cells.insert(cells.end(), {results.n_rows, results.n_near_greedy, o.entropy_gain, o.top_lowered,
                               o.deep_tail});
    cells.push_back(results.n_near_greedy > 0 ? common_json(o.near_greedy_loss) : common_json());
    cells.push_back(has_harm ? common_json(o.harm) : common_json());
    cells.push_back(has_harm ? common_json(results.harm_model) : common_json());
    cells.emplace_back(optimal[i] ? 1 : 0);
    table.add(cells);
  }
}

std::string short_text(const common_json& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_string()) return cell.get<std::string>();
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", cell.get<double>());
  return text;
}

// The first of the sampler's settings with the least harm (deep tail, where harm is not known) of
// those that gain enough; the number of settings where none does.
size_t best(const SweepPlan& plan, const Results& results, size_t sampler, double gain) {
  const bool has_harm = !results.harm_model.empty();
  const auto cost = [&](size_t i) {
    return has_harm ? results.mean[i].harm : results.mean[i].deep_tail;
  };
  size_t found = plan.size();
  for (size_t i = sampler * plan.n_each(); i < (sampler + 1) * plan.n_each(); ++i) {
    if (results.mean[i].entropy_gain < gain) continue;
    if (found == plan.size() || cost(i) < cost(found)) found = i;
  }
  return found;
}

void print_line(double gain, const std::vector<common_json>& setting, const Objectives& o,
                bool has_harm) {
  std::printf("%6.2f  ", gain);
  for (const common_json& cell : setting) std::printf("%-12s ", short_text(cell).c_str());
  std::printf("%12.4f %11.4f %10.2e %16.2e %s\n", o.entropy_gain, o.top_lowered, o.deep_tail,
              o.near_greedy_loss,
              short_text(has_harm ? common_json(o.harm) : common_json()).c_str());
}

// The best of each sampler at some gains of entropy.
void print_best(const SweepPlan& plan, const Results& results, const std::vector<bool>& optimal) {
  const auto settings = plan.cells();
  const bool has_harm = !results.harm_model.empty();
  std::printf("model %s, %lld rows, %zu settings of each sampler; not beaten:",
              results.model.c_str(), static_cast<long long>(results.n_rows), plan.n_each());
  for (size_t sampler = 0; sampler < plan.n_samplers(); ++sampler) {
    const auto begin = optimal.begin() + static_cast<std::ptrdiff_t>(sampler * plan.n_each());
    const auto n = std::count(begin, begin + static_cast<std::ptrdiff_t>(plan.n_each()), true);
    std::printf(" %s %lld", settings[sampler * plan.n_each()][0].get<std::string>().c_str(),
                static_cast<long long>(n));
  }
  std::printf("\n\n%6s  ", "gain");
  for (const std::string& column : SweepPlan::kColumns) std::printf("%-12s ", column.c_str());
  std::printf("entropy_gain top_lowered  deep_tail near_greedy_loss harm\n");
  for (const double gain : {0.1, 0.2, 0.3, 0.5, 0.75, 1.0}) {
    for (size_t sampler = 0; sampler < plan.n_samplers(); ++sampler) {
      const size_t i = best(plan, results, sampler, gain);
      if (i < plan.size()) print_line(gain, settings[i], results.mean[i], has_harm);
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
  common_json recordings = common_json::array();
  for (const RowSet& rows : sets) {
    std::string whose;
    const HarmCurve curve = harm_curve(o, harm, rows.model(), whose);
    results.push_back(measure(rows, plan, curve, o.results.n_threads));
    results.back().harm_model = whose;
    recordings.push_back(rows.record());
  }
  if (results.size() > 1) {
    results.push_back(over_models(results));
    if (!o.harm.empty()) results.back().harm_model = "all";
  }
  Table table(columns());
  std::vector<bool> optimal;
  for (const Results& one : results) {
    optimal = pareto(one.mean);
    tabulate(plan, one, optimal, table);
  }
  print_best(plan, results.back(), optimal);
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
      "Tries a grid of settings of HLG, and as many of temperature, top-p, min-p and top-n-sigma\n"
      "(llama.cpp's own, each but the first with temperatures), on rows that hlg record made.\n"
      "Exact, without drawing. Prints, for some gains of entropy over T = 1, the setting of each\n"
      "sampler that gains as much and does the least harm (without --harm: has the least deep\n"
      "tail), in the mean over the models; all settings are in the table.",
      "hlg sweep");
  app.add_option("DIR", o.folders, "recorded folders, one a model")->required();
  app.add_option(
         "--harm", o.harm,
         "measured harm: columns model, kind, coordinate, band, harm, se, n; a model without "
         "rows takes smollm2's, see harm_model")
      ->option_text("FILE");
  app.add_option("--harm-kind", o.harm_kind, "rows of this kind (default: any)")
      ->option_text("KIND");
  o.results.add_to(app);
  app.footer(
      "Columns: entropy_gain, in nats; top_lowered is what the top token loses of its share at\n"
      "T = 1; near_greedy_loss the same over rows where that share is 0.99 or more; deep_tail the\n"
      "mass of tokens with less than 1e-4 of the top token's probability; harm the expected one,\n"
      "straight between the measured bands and level beyond them; pareto 1 where no other setting\n"
      "is at least as good in each of entropy_gain, deep_tail, near_greedy_loss and harm, and\n"
      "better in one.\n"
      "Exit status: 0 fine, 1 a file, 2 wrong usage, 3 a row without a live token.\n"
      "Example:\n"
      "  hlg sweep recording --harm harm.csv --csv sweep.csv");
  return run_command(app, argc, argv, [&] { return run(o); });
}
