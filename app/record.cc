// hlg record: rows of logits of a model's own generations.
//
// A generation draws from one prompt with one recipe; every --every tokens the row that the token
// was drawn from is kept. A text that ends begins again with the next seed, so each generation has
// the rows that it should have. --lanes generations run side by side from an empty context: a
// block, which comes out the same whatever was before it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "commands.h"
#include "flags.h"
#include "progress.h"
#include "prompts.h"
#include "recording.h"
#include "runner.h"

namespace {

constexpr int64_t kLongest = 16;  // rows of one generation, so that a block fits into memory

struct Options {
  std::string model, prompts, out;
  int64_t n_rows = 512;
  int32_t n_lanes = 8, every = 8, n_threads = 1;
  uint32_t seed = 1;
};

struct NamedRecipe {
  std::string name;
  hlg_run::Recipe steps;
};

struct Generation {
  const Prompt* prompt;
  const NamedRecipe* recipe;
  uint32_t number;
  int64_t n_rows;
};

// What a recording runs with.
struct Run {
  const Options& options;
  const hlg_run::Model& model;
  hlg_run::Lanes& lanes;
};

// One generation in its lane.
class Writer {
 public:
  Writer(const Run& run, int32_t lane, const Generation& generation, int64_t first_row)
      : run_(run), lane_(lane), generation_(generation), row_(first_row) {
    begin();
  }

  bool is_done() const { return n_kept_ == generation_.n_rows; }

  // After a step of the lanes: draws, keeps, and adds what the next step needs.
  void draw() {
    const float* logits = run_.lanes.row(lane_);
    const int32_t n_vocab = run_.model.n_vocab();
    const hlg_run::Token token = sampler_->draw(logits, n_vocab);
    if (++n_drawn_ % run_.options.every == 0) {
      rows.insert(rows.end(), logits, logits + n_vocab);
      lines += line(token);
      ++n_kept_;
    }
    ++step_;
    if (is_done()) return;
    if (run_.model.is_end(token)) {
      begin();
    } else {
      run_.lanes.add(lane_, {token});
    }
  }

  std::vector<float> rows;
  std::string lines;

 private:
  // A text, from the prompt on.
  void begin() {
    seed_ = hlg_run::seed_of(run_.options.seed, generation_.number, n_texts_++);
    sampler_.emplace(generation_.recipe->steps, seed_);
    step_ = 0;
    run_.lanes.truncate(lane_, 0);
    run_.lanes.add(lane_, run_.model.prompt(generation_.prompt->text, generation_.prompt->chat));
  }

  std::string line(hlg_run::Token token) const {
    const common_json json = {{"row", row_ + n_kept_},
                              {"prompt", generation_.prompt->id},
                              {"kind", generation_.prompt->kind},
                              {"recipe", generation_.recipe->name},
                              {"seed", seed_},
                              {"step", step_},
                              {"token", token}};
    return json.dump() + "\n";
  }

  const Run& run_;
  int32_t lane_;
  Generation generation_;
  int64_t row_, n_kept_ = 0, n_drawn_ = 0;
  uint32_t seed_ = 0, n_texts_ = 0;
  int32_t step_ = 0;
  std::optional<hlg_run::Sampler> sampler_;
};

// Every prompt with every recipe, n_rows spread evenly over them; again and again where that is
// more than one generation takes.
std::vector<Generation> plan(const std::vector<Prompt>& prompts,
                             const std::vector<NamedRecipe>& recipes, int64_t n_rows) {
  const auto n_items = static_cast<int64_t>(prompts.size() * recipes.size());
  std::vector<Generation> generations;
  for (int64_t taken = 0; taken * n_items < n_rows; taken += kLongest) {
    for (int64_t item = 0; item < n_items; ++item) {
      const int64_t share = n_rows / n_items + (item < n_rows % n_items ? 1 : 0);
      if (share <= taken) continue;
      const auto i = static_cast<size_t>(item);
      generations.push_back({&prompts[i / recipes.size()], &recipes[i % recipes.size()],
                             static_cast<uint32_t>(generations.size()),
                             std::min(kLongest, share - taken)});
    }
  }
  return generations;
}

// Rows up to the end of each block of n_lanes generations.
std::vector<int64_t> block_ends(const std::vector<Generation>& generations, int32_t n_lanes) {
  std::vector<int64_t> ends;
  int64_t n_rows = 0;
  for (size_t i = 0; i < generations.size(); ++i) {
    n_rows += generations[i].n_rows;
    const bool is_last = i + 1 == generations.size();
    if (is_last || (i + 1) % static_cast<size_t>(n_lanes) == 0) ends.push_back(n_rows);
  }
  return ends;
}

void run_block(const Run& run, const Generation* begin, const Generation* end, Recording& out) {
  run.lanes.clear();
  std::vector<Writer> writers;
  int64_t row = out.n_rows_done();
  for (const Generation* g = begin; g != end; ++g) {
    writers.emplace_back(run, static_cast<int32_t>(g - begin), *g, row);
    row += g->n_rows;
  }
  const auto is_done = [](const Writer& w) { return w.is_done(); };
  while (!std::all_of(writers.begin(), writers.end(), is_done)) {
    run.lanes.step();
    for (Writer& w : writers) {
      if (!w.is_done()) w.draw();
    }
  }
  std::vector<float> rows;
  std::string lines;
  for (const Writer& w : writers) {
    rows.insert(rows.end(), w.rows.begin(), w.rows.end());
    lines += w.lines;
  }
  out.add_block(rows, lines);
}

common_json to_json(const std::vector<NamedRecipe>& recipes) {
  common_json all = common_json::object();
  for (const NamedRecipe& recipe : recipes) {
    common_json steps = common_json::object();
    for (const hlg_run::RecipeStep& step : recipe.steps) steps[step.name] = step.value;
    all[recipe.name] = steps;
  }
  return all;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// The settings that decide about every byte of the recording.
common_json header(const Options& o, const hlg_run::Model& model,
                   const std::vector<NamedRecipe>& recipes) {
  common_json model_identity = file_identity(o.model);
  model_identity["n_vocab"] = model.n_vocab();
  model_identity["chat_template"] = model.has_chat_template();
  return {{"format", 1},
          {"program", hlg_version()},
          {"model", model_identity},
          {"prompts", file_identity(o.prompts)},
          {"recipes", to_json(recipes)},
          {"seed", o.seed},
          {"lanes", o.n_lanes},
          {"threads", o.n_threads},
          {"every", o.every},
          {"rows", o.n_rows}};
}

// Tokens of the longest generation.
int32_t room(const Options& o, const hlg_run::Model& model,
             const std::vector<Generation>& generations) {
  size_t n_prompt = 0;
  for (const Generation& g : generations) {
    n_prompt = std::max(n_prompt, model.prompt(g.prompt->text, g.prompt->chat).size());
  }
  return static_cast<int32_t>(n_prompt) + static_cast<int32_t>(kLongest) * o.every;
}

int record(const Options& o) {
  const std::vector<Prompt> prompts = read_prompts(o.prompts);
  const hlg_run::Model model(o.model);
  const std::vector<NamedRecipe> recipes = {{"t1", {{"temperature", 1}}},
                                            {"model", model.recipe()}};
  for (const std::string& key : model.keys_left_out()) {
    std::fprintf(stderr, "hlg record: %s of the model file is left out of its recipe\n",
                 key.c_str());
  }
  const std::vector<Generation> generations = plan(prompts, recipes, o.n_rows);
  const std::vector<int64_t> ends = block_ends(generations, o.n_lanes);
  hlg_run::Lanes lanes(model, o.n_lanes, room(o, model, generations), o.n_threads);
  Recording out(o.out, header(o, model, recipes), ends, model.n_vocab());
  const Run run = {o, model, lanes};
  Progress progress(file_name(o.model), static_cast<int64_t>(ends.size()));
  for (size_t block = 0; block < ends.size(); ++block) {
    if (block >= out.n_blocks_done()) {
      const size_t begin = block * static_cast<size_t>(o.n_lanes);
      const size_t end = std::min(begin + static_cast<size_t>(o.n_lanes), generations.size());
      run_block(run, generations.data() + begin, generations.data() + end, out);
    }
    progress.step();
  }
  out.finish();
  return 0;
}

}  // namespace

int command_record(int argc, char** argv) {
  Options o;
  CLI::App app(
      "Records rows of logits from a model's own generations: at temperature 1, and with the\n"
      "model's recipe (the sampling keys of its file, else llama.cpp's defaults). An interrupted\n"
      "recording goes on where it stopped, with the same result.",
      "hlg record");
  app.add_option("-m,--model", o.model, "GGUF file")->option_text("FILE")->required();
  app.add_option("--prompts", o.prompts, "JSON lines: id, kind, text, chat (true or false)")
      ->option_text("FILE")
      ->required();
  app.add_option("--out", o.out, "folder for record.json, rows.jsonl and rows.f32")
      ->option_text("DIR")
      ->required();
  app.add_option("--rows", o.n_rows, "rows in all, spread evenly (default: 512)")
      ->option_text("N")
      ->check(CLI::Range(int64_t{1}, int64_t{10'000'000}));
  app.add_option("--every", o.every, "keep a row of every N tokens drawn (default: 8)")
      ->option_text("N")
      ->check(CLI::Range(1, 1000));
  app.add_option("--lanes", o.n_lanes, "generations side by side (default: 8)")
      ->option_text("N")
      ->check(CLI::Range(1, 64));
  app.add_option("--seed", o.seed, "of all draws (default: 1)")->option_text("N");
  add_threads_option(app, o.n_threads, "of llama.cpp");
  app.footer(
      "The same arguments give the same bytes; other numbers of lanes or threads may not.\n"
      "Exit status: 0 fine, 1 a file or the model, 2 wrong usage.\n"
      "Example:\n"
      "  hlg record -m model.gguf --prompts lab/prompts.jsonl --out rows --rows 64");
  return run_command(app, argc, argv, [&] { return record(o); });
}
