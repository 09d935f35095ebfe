// hlg draw: token ids drawn from rows of logits.
#include <cstdio>

#include "commands.h"
#include "flags.h"
#include "rows.h"

namespace {

struct Options {
  std::string logits;
  int64_t n_vocab = 0, n_draws = 1;
  uint32_t seed = 0;
};

int draw(const Options& o, const hlg_params& params) {
  const hlg::curve curve(params);
  const RowFile rows(o.logits, o.n_vocab);
  hlg::sampler sampler(o.seed);
  for (int64_t i = 0; i < rows.n_rows(); ++i) {
    for (int64_t k = 0; k < o.n_draws; ++k) {
      const int32_t token = sampler.sample(curve, rows.row(i), static_cast<size_t>(o.n_vocab));
      if (token < 0) {
        throw Failure(kNoLiveToken, "row " + std::to_string(i) + ": " + hlg_status_name(token));
      }
      std::printf("%d\n", token);
    }
  }
  return 0;
}

}  // namespace

int command_draw(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Draws token ids from rows of logits (raw little-endian float32), row by row, one a\n"
      "line. One generator for all rows; its stream is that of llama.cpp's dist.",
      "hlg draw");
  add_row_options(app, o.logits, o.n_vocab);
  app.add_option("--seed", o.seed, "seed of the generator")->option_text("N")->required();
  app.add_option("--n", o.n_draws, "draws a row (default: 1)")
      ->option_text("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  const CurveFlags curve(app);
  app.footer(
      "Exit status: 0 fine, 1 a file, 2 wrong usage, 3 a row without a live token.\n"
      "Example:\n"
      "  hlg draw --logits rows.f32 --vocab 49152 --seed 1 --n 1000 | sort -n | uniq -c");
  return run_command(app, argc, argv, [&] { return draw(o, curve.params()); });
}
