// hlg apply: rows of logits in, log-probabilities of the drawn distribution out.
#include <cstdio>
#include <string>
#include <vector>

#include "commands.h"
#include "files.h"
#include "flags.h"
#include "rows.h"
#include "terminal.h"

namespace {

struct Options {
  std::string logits, out = "-";
  int64_t n_vocab = 0;
  bool stats = false;
};

void print_stats(std::FILE* out, int64_t row, const hlg_stats& s) {
  std::fprintf(out,
               "{\"row\":%lld,\"pivot\":%.9g,\"entropy_before\":%.9g,\"entropy_after\":%.9g,"
               "\"mass_toe\":%.9g,\"mass_middle\":%.9g,\"mass_shoulder\":%.9g,\"live\":%lld,"
               "\"nan\":%lld}\n",
               static_cast<long long>(row), s.pivot, s.entropy_before, s.entropy_after, s.mass_toe,
               s.mass_middle, s.mass_shoulder, static_cast<long long>(s.n_live),
               static_cast<long long>(s.n_nan));
}

int apply(const Options& o, const hlg_params& params) {
  if (is_stdout(o.out) && is_terminal(stdout)) {
    throw Failure(kUsage, "--out: binary data do not go to a terminal: give a file, or a pipe");
  }
  const hlg::curve curve(params);
  const RowFile rows(o.logits, o.n_vocab);
  hlg::sampler sampler(0);
  Output out(o.out);
  std::vector<float> logprobs(static_cast<size_t>(o.n_vocab));
  for (int64_t i = 0; i < rows.n_rows(); ++i) {
    const int32_t status = sampler.apply(curve, rows.row(i), logprobs.size(), logprobs.data());
    if (status != HLG_OK) {
      throw Failure(kNoLiveToken, "row " + std::to_string(i) + ": " + hlg_status_name(status));
    }
    out.write(logprobs.data(), logprobs.size() * sizeof(float));
    if (!o.stats) continue;
    const hlg_row row = hlg_row_f32(rows.row(i), o.n_vocab);
    hlg_stats stats{};
    stats.struct_size = sizeof stats;
    hlg_last_stats(sampler.get(), curve.get(), &row, &stats);
    print_stats(is_stdout(o.out) ? stderr : stdout, i, stats);
  }
  out.finish();
  return 0;
}

}  // namespace

int command_apply(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Turns rows of logits (raw little-endian float32) into natural log-probabilities\n"
      "of the distribution that HLG draws from.",
      "hlg apply");
  add_row_options(app, o.logits, o.n_vocab);
  app.add_option("--out", o.out, "where the float32 go; - is standard output, the default")
      ->option_text("FILE");
  app.add_flag("--stats", o.stats,
               "one JSON object a row, on standard output, or on standard error when the data go "
               "there");
  const CurveFlags curve(app);
  app.footer(
      "Exit status: 0 fine, 1 a file, 2 wrong usage, 3 a row without a live token.\n"
      "Example:\n"
      "  hlg apply --logits rows.f32 --vocab 49152 --hlg-toe-shape fade --out p.f32 --stats");
  return run_command(app, argc, argv, [&] { return apply(o, curve.params()); });
}
