// hlg harm: what happens to a text after one token from a given band.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "commands.h"
#include "flags.h"
#include "harm_judge.h"
#include "harm_texts.h"
#include "json.h"
#include "members.h"
#include "progress.h"
#include "run_folder.h"

namespace {

namespace fs = std::filesystem;

constexpr const char* kTexts = "texts.jsonl";

struct Options {
  std::string model, judge, prompts, out;
  int64_t n_prefixes = 300;
  int32_t n_tokens = 24, n_lanes = 16, n_threads = 1;
  uint32_t seed = 1;
};

// ---- the folder: harm.json says what was asked for, texts.jsonl holds a line a text -------------

common_json settings(const Options& o) {
  return common_json::object({{"format", 2},
                              {"program", hlg_version()},
                              {"model", file_identity(o.model)},
                              {"judge", o.judge.empty() ? common_json() : file_identity(o.judge)},
                              {"prompts", file_identity(o.prompts)},
                              {"prefixes", o.n_prefixes},
                              {"tokens", o.n_tokens},
                              {"lanes", o.n_lanes},
                              {"threads", o.n_threads},
                              {"seed", o.seed}});
}

bool is_of(const common_json& line, int64_t prefix) {
  const common_json number = member(line, "prefix");
  return number.is_number_integer() && number.get<int64_t>() == prefix;
}

// Cuts the texts after their last whole prefix. The result: how many are there.
int64_t whole_prefixes(const RunFolder& folder) {
  folder.append(kTexts, "", 0);
  std::ifstream in(folder.path(kTexts), std::ios::binary);
  int64_t n = 0;
  std::streamoff end = 0;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    const common_json text = common_json::parse_no_throw(line);
    if (!is_of(text, n)) break;
    if (member(text, "band") != kControl) continue;
    ++n;
    end = in.tellg();
  }
  in.close();
  folder.truncate(kTexts, static_cast<uintmax_t>(end));
  return n;
}

// ---- lines --------------------------------------------------------------------------------------

// Six decimals; NaN becomes null.
double rounded(double nats) { return std::round(nats * 1e6) / 1e6; }

common_json line_of(const Prefix& prefix, const Branch& branch, const HarmText& text) {
  const bool forced = branch.band != kControl;
  const Band& band = kBands[static_cast<size_t>(forced ? branch.band : 0)];
  return common_json::object({{"prefix", prefix.number},
                              {"prompt", prefix.prompt->id},
                              {"kind", prefix.prompt->kind},
                              {"step", prefix.step},
                              {"band", branch.band},
                              {"low", forced ? common_json::make(band.low) : common_json()},
                              {"high", forced ? common_json::make(band.high) : common_json()},
                              {"z_top", rounded(branch.place.z_top)},
                              {"logprob", rounded(branch.place.logprob)},
                              {"z_entropy", rounded(branch.place.z_entropy)},
                              {"rank", branch.place.rank},
                              {"forced", branch.forced},
                              {"forced_text", text.forced},
                              {"before", text.before},
                              {"text", text.rest},
                              {"ended", branch.ended}});
}

// The lines of one prefix.
std::string lines_of(const hlg_run::Model& model, HarmJudge* judge, const Prefix& prefix,
                     const std::vector<Branch>& branches) {
  std::vector<HarmText> texts;
  texts.reserve(branches.size());
  for (const Branch& b : branches) texts.push_back(text_of(model, prefix, b));
  std::vector<Verdict> verdicts;
  if (judge) verdicts = judge->judge(*prefix.prompt, texts);
  std::string lines;
  for (size_t i = 0; i < branches.size(); ++i) {
    common_json line = line_of(prefix, branches[i], texts[i]);
    if (judge) {
      line["judge_nll_forced"] = rounded(verdicts[i].forced);
      line["judge_nll_rest"] = rounded(verdicts[i].rest);
    }
    lines += line.dump_safe() + "\n";
  }
  return lines;
}

// ---- the run ------------------------------------------------------------------------------------

int harm(const Options& o) {
  const std::vector<Prompt> prompts = read_prompts(o.prompts);
  const hlg_run::Model model(o.model);
  std::optional<HarmJudge> judge;
  if (!o.judge.empty()) {
    judge.emplace(o.judge, prompts, o.n_tokens, o.n_threads);
  }
  HarmGenerator generator(model, prompts, {o.n_lanes, o.n_tokens, o.n_threads, o.seed});
  RunFolder folder(o.out, "harm.json", settings(o), kTexts);
  const int64_t n_done = whole_prefixes(folder);
  folder.set_complete(n_done >= o.n_prefixes);
  Progress progress(fs::path(o.model).stem().string(), o.n_prefixes);
  for (int64_t i = 0; i < n_done; ++i) progress.step();
  // Prefixes are grown in blocks of one a lane: the blocks are the same after a restart.
  int64_t first = n_done < o.n_prefixes ? n_done - n_done % o.n_lanes : o.n_prefixes;
  for (; first < o.n_prefixes; first += o.n_lanes) {
    const int64_t last = std::min(first + o.n_lanes, o.n_prefixes);
    for (const Prefix& prefix : generator.prefixes(first, last)) {
      if (prefix.number < n_done) continue;
      const std::string lines =
          lines_of(model, judge ? &*judge : nullptr, prefix, generator.branches(prefix));
      folder.append(kTexts, lines.data(), lines.size());
      progress.step();
    }
  }
  folder.set_complete(true);
  return 0;
}

int command_harm_run(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Measures what one unlikely token does to a text. A generation at temperature 1 is cut at\n"
      "one of its first 32 steps; there a token is forced from each of 16 bands of distance from\n"
      "the top token, and the text goes on at temperature 1. The control is the token that came\n"
      "naturally. `hlg harm fit` fits the curve to what the lab makes of the texts.",
      "hlg harm");
  app.add_option("-m,--model", o.model, "model file, GGUF")->option_text("FILE")->required();
  app.add_option("--judge", o.judge,
                 "a second model, that says how likely the texts are (default: none)")
      ->option_text("FILE");
  app.add_option("--prompts", o.prompts, "JSON lines: id, kind, text, chat (true or false)")
      ->option_text("FILE")
      ->required();
  app.add_option("--out", o.out,
                 "folder for texts.jsonl and harm.json; a run that was stopped there goes on")
      ->option_text("DIR")
      ->required();
  app.add_option("--prefixes", o.n_prefixes,
                 "texts that are cut; prompts take turns (default: 300)")
      ->option_text("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 31));
  app.add_option("--tokens", o.n_tokens, "tokens after the forced one (default: 24)")
      ->option_text("N")
      ->check(CLI::Range(1, 4096));
  app.add_option("--lanes", o.n_lanes, "sequences that are evaluated together (default: 16)")
      ->option_text("N")
      ->check(CLI::Range(1, 64));
  app.add_option("--seed", o.seed, "seed of all draws (default: 1)")->option_text("N");
  add_threads_option(app, o.n_threads, "of llama.cpp");
  app.footer(
      "The same arguments and threads give the same files, byte for byte.\n"
      "Exit status: 0 fine, 1 a file or a model, 2 wrong usage.\n"
      "Example:\n"
      "  hlg harm -m model.gguf --prompts lab/prompts.jsonl --out harm --prefixes 2 --tokens 8");
  return run_command(app, argc, argv, [&] { return harm(o); });
}

}  // namespace

int command_harm(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "fit") == 0) return command_harm_fit(argc - 1, argv + 1);
  return command_harm_run(argc, argv);
}
