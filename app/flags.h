// What the subcommands that work on rows share: HLG flags made from the knob table, one-line
// errors, exit statuses.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

#include "hlg/hlg.hpp"

// Exit statuses: 0 fine, 1 failed (a file, memory), 2 wrong usage, 3 a row without a live token.
constexpr int kFailed = 1, kUsage = 2, kNoLiveToken = 3;

// Ends a subcommand with a line and an exit status.
struct Failure : std::runtime_error {
  Failure(int exit_status, const std::string& line)
      : std::runtime_error(line), status(exit_status) {}
  int status;
};

// Adds --logits and --vocab, both required.
void add_row_options(CLI::App& app, std::string& logits, int64_t& n_vocab);

// Adds --threads, as many as the machine runs at once unless given. `help` says what they do.
void add_threads_option(CLI::App& app, int32_t& n_threads, const std::string& help);

// Adds --temp and --hlg-... to a subcommand. HLG is on unless --hlg-sampling off; environment and
// config files are not read.
class CurveFlags {
 public:
  explicit CurveFlags(CLI::App& app);
  const hlg_params& params() const { return params_; }

 private:
  hlg_params params_;
};

// Parses the arguments, then runs `run`. Whatever goes wrong becomes one line on stderr.
int run_command(CLI::App& app, int argc, char** argv, const std::function<int()>& run);
