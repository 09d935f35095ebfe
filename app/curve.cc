// hlg curve: the tone curve as a picture in the terminal, as SVG or as JSON.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "commands.h"
#include "files.h"
#include "flags.h"
#include "knobs.h"
#include "plot.h"
#include "rows.h"

namespace {

struct Options {
  std::string svg, logits;
  int64_t n_vocab = 0;
  bool json = false;
};

// "top -6 nats, width 4, ..." of the resolved settings.
std::string describe(const hlg::curve& curve) {
  hlg_params p;
  hlg_params_init(&p);
  hlg_curve_params(curve.get(), &p);
  char temperature[48];
  std::snprintf(temperature, sizeof temperature, "T %g", p.temperature);
  std::string text = temperature;
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob* k = hlg_knob_get(i);
    double value = 0;
    hlg_params_get(&p, k->name, &value);
    if (k->kind == HLG_KNOB_SWITCH) continue;
    text += std::string(", ") + k->name + " " + knob_value(*k, value);
  }
  return text;
}

void print_json(const hlg::curve& curve) {
  hlg_params p;
  hlg_params_init(&p);
  hlg_curve_params(curve.get(), &p);
  std::printf("{\"settings\":{\"temperature\":%.17g", p.temperature);
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob* k = hlg_knob_get(i);
    double value = 0;
    hlg_params_get(&p, k->name, &value);
    const bool number = k->kind == HLG_KNOB_NUMBER && value != HLG_OFF;
    const bool truth = k->kind == HLG_KNOB_SWITCH;
    const std::string text = truth ? (value != 0 ? "true" : "false") : knob_value(*k, value);
    std::printf(number || truth ? ",\"%s\":%s" : ",\"%s\":\"%s\"", k->name, text.c_str());
  }
  std::printf("},\"points\":[");
  for (const CurvePoint& point : curve_points(curve)) {
    std::printf("%s{\"z\":%.17g,\"g\":%.17g,\"slope\":%.17g}", point.z == kPlotLow ? "" : ",",
                point.z, point.g, point.slope);
  }
  std::printf("],\"knobs\":%s}\n", knob_table().dump().c_str());
}

// The likeliest tokens of a row, before and after.
void print_row(const hlg::curve& curve, const float* logits, int64_t n_vocab) {
  const auto n = static_cast<size_t>(n_vocab);
  std::vector<float> before(n), after(n);
  hlg::sampler sampler(0);
  const hlg::curve straight(hlg::params().set("width", "off"));
  int32_t status = sampler.apply(straight, logits, n, before.data());
  if (status == HLG_OK) status = sampler.apply(curve, logits, n, after.data());
  if (status != HLG_OK) {
    throw Failure(kNoLiveToken, std::string("row 0: ") + hlg_status_name(status));
  }
  std::vector<size_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = i;
  const size_t shown = std::min<size_t>(n, 12);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](size_t a, size_t b) { return before[a] > before[b]; });
  std::printf("\n%8s  %8s  %8s\n", "token", "T = 1", "drawn");
  double rest_before = 1, rest_after = 1;
  for (size_t i = 0; i < shown; ++i) {
    const double p = std::exp(double{before[order[i]]}), q = std::exp(double{after[order[i]]});
    rest_before -= p;
    rest_after -= q;
    std::printf("%8zu  %8.4f  %8.4f  %s\n", order[i], p, q, bar(q).c_str());
  }
  std::printf("%8s  %8.4f  %8.4f  %s\n", "others", std::max(0.0, rest_before),
              std::max(0.0, rest_after), bar(rest_after).c_str());
}

void check(const Options& o) {
  const auto refuse = [](const char* line) { throw Failure(kUsage, line); };
  const bool has_rows = !o.logits.empty();
  if (has_rows && o.n_vocab == 0) refuse("--vocab: is needed with --logits");
  if (!has_rows && o.n_vocab != 0) refuse("--vocab: is for --logits alone, which is not given");
  if (o.json && has_rows) refuse("--json and --logits: the JSON has no rows; give one of them");
  if (!is_stdout(o.svg)) return;
  if (o.json) refuse("--svg - and --json: give the picture a file");
  if (has_rows) refuse("--svg - and --logits: give the picture a file");
}

int run(const Options& o, const hlg_params& params) {
  check(o);
  const hlg::curve curve(params);
  std::unique_ptr<RowFile> rows;
  if (!o.logits.empty()) rows = std::make_unique<RowFile>(o.logits, o.n_vocab);
  if (!o.svg.empty()) write_svg(o.svg, curve, describe(curve));
  if (o.json) {
    print_json(curve);
  } else if (o.svg.empty() || rows) {
    std::printf("%s\n\n%s", describe(curve).c_str(), terminal_plot(curve).c_str());
  }
  if (rows) print_row(curve, rows->row(0), o.n_vocab);
  return 0;
}

}  // namespace

int command_curve(int argc, char** argv) {
  Options o;
  CLI::App app("Draws the tone curve g(z): z is the distance from the pivot, in nats.",
               "hlg curve");
  app.add_option("--svg", o.svg, "write an SVG picture to this file (- for stdout)")
      ->option_text("FILE");
  app.add_flag(
      "--json", o.json,
      "print {settings, points: [{z, g, slope}], knobs}: z from -30 to 10, and the table of "
      "knobs");
  app.add_option("--logits", o.logits,
                 "file of rows (raw float32): show the first row's distribution before and after")
      ->option_text("FILE");
  app.add_option("--vocab", o.n_vocab, "logits in a row of that file")
      ->option_text("N")
      ->check(CLI::Range(int64_t{1}, int64_t{INT32_MAX}));
  const CurveFlags curve(app);
  app.footer(
      "Exit status: 0 fine, 1 a file, 2 wrong usage, 3 a row without a live token.\n"
      "Examples:\n"
      "  hlg curve --hlg-toe-shape fade --hlg-width 2\n"
      "  hlg curve --json --temp 0.8 > curve.json");
  return run_command(app, argc, argv, [&] { return run(o, curve.params()); });
}
