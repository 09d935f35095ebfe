// hlg harm fit: the knobs of the curve that a measured harm asks for.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "commands.h"
#include "flags.h"
#include "harm_csv.h"
#include "json.h"
#include "parallel.h"
#include "tone_fit.h"

namespace {

struct Options {
  std::string file, model, kind = "any", coordinate = "z_top";
  uint32_t n_repeats = 100;
  int32_t n_threads = 1;
  bool json = false;
};

using Rows = std::vector<HarmRow>;

bool is_bent(const ToneFit& fit) { return fit.knobs.struct_size != 0; }

// The models of the file, in its order.
std::vector<std::string> models_of(const Rows& rows, const Options& o) {
  std::vector<std::string> names;
  for (const HarmRow& row : rows) {
    if (!o.model.empty() && row.model != o.model) continue;
    if (row.kind != o.kind || row.coordinate != o.coordinate) continue;
    if (std::find(names.begin(), names.end(), row.model) == names.end()) {
      names.push_back(row.model);
    }
  }
  if (!names.empty()) return names;
  throw Failure(kFailed, o.file + ": no row of kind " + o.kind + ", coordinate " + o.coordinate +
                             (o.model.empty() ? "" : ", model " + o.model));
}

// From the top down.
std::vector<HarmPoint> points_of(const Rows& rows, const Options& o, const std::string& model) {
  std::vector<HarmPoint> points;
  for (const HarmRow& row : rows) {
    if (row.model == model && row.kind == o.kind && row.coordinate == o.coordinate) {
      points.push_back({row.band, row.harm, row.se});
    }
  }
  if (points.size() < 3) throw Failure(kFailed, o.file + ": " + model + ": fewer than 3 bands");
  std::stable_sort(points.begin(), points.end(),
                   [](const HarmPoint& a, const HarmPoint& b) { return a.z > b.z; });
  return points;
}

// ---- how sure the knobs are --------------------------------------------------------------------

struct Interval {
  std::string name;
  double low, high;  // of 95 %
};

constexpr double kEqual = 1e-3;  // of chi2: closer than that two fits are as good

struct Certainty {
  uint32_t n_repeats = 0;
  double fade_better = 0, log_better = 0;        // shares of the repeats
  std::vector<std::vector<Interval>> intervals;  // of each fit
};

// The knobs, and the knots between which the curve is straight.
std::vector<std::pair<std::string, double>> numbers_of(const ToneFit& fit) {
  const hlg_params& k = fit.knobs;
  return {{"pivot_offset", k.pivot_offset},
          {"width", k.width},
          {"shoulder", k.shoulder},
          {"toe", k.toe},
          {"shoulder_knot", k.width - k.pivot_offset},
          {"toe_knot", -k.width - k.pivot_offset}};
}

// Fits the points with new errors, again and again.
Certainty certainty(const Options& o, const std::vector<HarmPoint>& points, hlg_pivot pivot) {
  std::vector<std::vector<ToneFit>> repeats(o.n_repeats);
  in_parallel("repeats", o.n_repeats, o.n_threads, [&] {
    return [&](int64_t i) {
      const auto number = static_cast<uint32_t>(i);
      repeats[number] = fit_harm(redrawn(points, number), pivot);
    };
  });
  Certainty found;
  found.n_repeats = o.n_repeats;
  if (repeats.empty()) return found;
  for (const auto& fits : repeats) {
    found.fade_better += fits[0].chi2 < fits[1].chi2 * (1 - kEqual);
    found.log_better += fits[1].chi2 < fits[0].chi2 * (1 - kEqual);
  }
  found.fade_better /= o.n_repeats;
  found.log_better /= o.n_repeats;
  for (size_t shape = 0; shape < repeats[0].size() && is_bent(repeats[0][shape]); ++shape) {
    std::vector<Interval> intervals;
    const auto names = numbers_of(repeats[0][shape]);
    for (size_t i = 0; i < names.size(); ++i) {
      std::vector<double> values;
      values.reserve(repeats.size());
      for (const auto& fits : repeats) values.push_back(numbers_of(fits[shape])[i].second);
      std::sort(values.begin(), values.end());
      const size_t outside = values.size() / 40;
      intervals.push_back({names[i].first, values[outside], values[values.size() - 1 - outside]});
    }
    found.intervals.push_back(intervals);
  }
  return found;
}

// ---- the result --------------------------------------------------------------------------------

// chi2/dof, or "-" where nothing is left to judge by.
std::string quality(const ToneFit& fit) {
  if (fit.dof < 1) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", fit.chi2 / fit.dof);
  return text;
}

void print_table(const std::vector<ToneFit>& fits) {
  std::printf("%-18s %7s %7s %9s %7s %9s %9s %8s %4s %9s\n", "shape", "offset", "width", "shoulder",
              "toe", "lambda", "residual", "chi^2", "dof", "chi^2/dof");
  for (const ToneFit& f : fits) {
    std::printf("%-18s ", f.shape.c_str());
    if (is_bent(f)) {
      std::printf("%7.2f %7.2f %9.2f %7.2f", f.knobs.pivot_offset, f.knobs.width, f.knobs.shoulder,
                  f.knobs.toe);
    } else {
      std::printf("%7s %7s %9s %7s", "-", "-", "-", "-");
    }
    std::printf(" %9.4g %9.5f %8.2f %4d %9s\n", f.lambda, f.residual, f.chi2, f.dof,
                quality(f).c_str());
  }
}

// Where the bands lie: a shape is put to the test only where some do.
std::string regions(const hlg_params& knobs, const std::vector<HarmPoint>& points) {
  const auto count = [&](auto inside) {
    return std::to_string(std::count_if(points.begin(), points.end(), [&](const HarmPoint& p) {
      return inside(p.z + knobs.pivot_offset);
    }));
  };
  return count([&](double z) { return z > knobs.width; }) + " bands on the shoulder, " +
         count([&](double z) { return std::abs(z) <= knobs.width; }) + " in the middle, " +
         count([&](double z) { return z < -knobs.width; }) + " in the toe";
}

// What cannot stand in a column of the table.
void print_notes(const std::vector<ToneFit>& fits, const std::vector<HarmPoint>& points,
                 const Certainty& certainty) {
  for (size_t i = 0; i < fits.size(); ++i) {
    const ToneFit& f = fits[i];
    if (is_bent(f)) {
      std::printf(
          "%s: %s\n  --hlg-pivot %s --hlg-pivot-offset %.2f --hlg-width %.2f "
          "--hlg-shoulder %.2f --hlg-toe %.2f --hlg-toe-shape %s\n",
          f.shape.c_str(), regions(f.knobs, points).c_str(),
          f.knobs.pivot == HLG_PIVOT_TOP ? "top" : "entropy", f.knobs.pivot_offset, f.knobs.width,
          f.knobs.shoulder, f.knobs.toe, f.shape.c_str());
      if (certainty.n_repeats == 0) continue;
      std::printf(" ");
      for (const Interval& one : certainty.intervals[i]) {
        std::printf(" %s %.2f to %.2f", one.name.c_str(), one.low, one.high);
      }
      std::printf("\n");
    } else if (f.shape == "line with cut-off") {
      std::printf("%s: at %.2f nats, one harm for all below\n", f.shape.c_str(), f.cut);
    }
  }
  if (certainty.n_repeats > 0) {
    std::printf("of %u repeats fade fits better in %.0f %%, log in %.0f %%\n", certainty.n_repeats,
                100 * certainty.fade_better, 100 * certainty.log_better);
  }
}

common_json intervals_json(const std::vector<Interval>& intervals) {
  common_json json = common_json::object();
  for (const Interval& one : intervals) json[one.name] = common_json::array({one.low, one.high});
  return json;
}

common_json fit_json(const ToneFit& f) {
  common_json json = common_json::object({{"shape", f.shape}});
  if (is_bent(f)) {
    json["pivot_offset"] = f.knobs.pivot_offset;
    json["width"] = f.knobs.width;
    json["shoulder"] = f.knobs.shoulder;
    json["toe"] = f.knobs.toe;
  } else if (f.shape == "line with cut-off") {
    json["cut"] = f.cut;
  }
  json["lambda"] = f.lambda;  // infinity becomes null
  json["constant"] = f.constant;
  json["residual"] = f.residual;
  json["chi2"] = f.chi2;
  json["dof"] = f.dof;
  json["harm"] = f.harm;
  return json;
}

common_json model_json(const std::string& model, const std::vector<HarmPoint>& points,
                       const std::vector<ToneFit>& fits, const Certainty& certainty) {
  common_json json = common_json::object(
      {{"model", model}, {"points", common_json::array()}, {"fits", common_json::array()}});
  for (const HarmPoint& p : points) {
    json["points"].push_back({{"z", p.z}, {"harm", p.harm}, {"se", p.se}});
  }
  for (size_t i = 0; i < fits.size(); ++i) {
    common_json fit = fit_json(fits[i]);
    if (i < certainty.intervals.size()) fit["intervals"] = intervals_json(certainty.intervals[i]);
    json["fits"].push_back(fit);
  }
  json["repeats"] = certainty.n_repeats;
  if (certainty.n_repeats > 0) {
    json["fade_better"] = certainty.fade_better;
    json["log_better"] = certainty.log_better;
  }
  return json;
}

int fit(const Options& o) {
  const Rows rows = read_harm_csv(o.file);
  const hlg_pivot pivot = o.coordinate == "z_top" ? HLG_PIVOT_TOP : HLG_PIVOT_ENTROPY;
  common_json all = common_json::array();
  for (const std::string& model : models_of(rows, o)) {
    const std::vector<HarmPoint> points = points_of(rows, o, model);
    const std::vector<ToneFit> fits = fit_harm(points, pivot);
    const Certainty sure = certainty(o, points, pivot);
    if (o.json) {
      all.push_back(model_json(model, points, fits, sure));
      continue;
    }
    std::printf("%s, %s, %s, %zu bands\n", model.c_str(), o.kind.c_str(), o.coordinate.c_str(),
                points.size());
    print_table(fits);
    print_notes(fits, points, sure);
    std::printf("\n");
  }
  if (o.json) std::printf("%s\n", all.dump().c_str());
  return 0;
}

}  // namespace

int command_harm_fit(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Fits the knobs of the curve to a measured harm, so that g(z) = -lambda harm(z) + constant:\n"
      "the sampler with the most entropy for its harm. Weights 1/se^2; a standard error of 0 "
      "counts\n"
      "as the smallest other one. The same for a straight line (temperature) and for a line with "
      "a\n"
      "cut-off, taken as a step: a line, then one harm for all below the cut.",
      "hlg harm fit");
  app.add_option("FILE", o.file, "harm.csv: columns model, kind, coordinate, band, harm, se")
      ->required();
  app.add_option("--model", o.model, "this model only (default: each of the file)")
      ->option_text("NAME");
  app.add_option("--kind", o.kind, "this kind of harm (default: any)")->option_text("KIND");
  app.add_option("--coordinate", o.coordinate,
                 "distance from the top token, or from the entropy (default: z_top)")
      ->option_text("z_top|z_entropy")
      ->check(CLI::IsMember({"z_top", "z_entropy"}));
  app.add_option("--repeats", o.n_repeats,
                 "fits to harms redrawn by their standard errors, for 95 % intervals of the knobs\n"
                 "(40 or more; default: 100; 0: no intervals)")
      ->option_text("N")
      ->check(CLI::Range(40U, 100000U) | CLI::IsMember({0U}));
  add_threads_option(app, o.n_threads, "how many work on it; the result is the same");
  app.add_flag("--json", o.json, "print [{model, points, fits: [{shape, knobs, ..., harm}], ...}]");
  app.footer(
      "Exit status: 0 fine, 1 a file, 2 wrong usage.\n"
      "Example:\n"
      "  hlg harm fit harm.csv --model smollm2");
  return run_command(app, argc, argv, [&] { return fit(o); });
}
