// The texts of `hlg harm`: one prefix, a forced token from each band, and how it goes on.
#pragma once

#include <string>
#include <vector>

#include "bands.h"
#include "hlg/hlg.hpp"
#include "prompts.h"
#include "runner.h"

constexpr int32_t kSteps = 32;  // the forced token is one of so many first ones
constexpr int kControl = -1;    // in place of a band: the token that came naturally

// In tokens of the model.
int32_t longest_prompt(const hlg_run::Model& model, const std::vector<Prompt>& prompts);

// A generation at temperature 1, and one of its steps.
struct Prefix {
  int64_t number = 0;
  const Prompt* prompt = nullptr;
  hlg_run::Tokens prompt_tokens, natural;
  size_t step = 0;  // of the tokens of `natural`
};

// What became of a prefix with one token forced.
struct Branch {
  int band = kControl;
  Place place{};
  hlg_run::Token forced = 0;
  hlg_run::Tokens rest;
  bool ended = false;  // by itself, before all tokens
};

class HarmGenerator {
 public:
  struct Settings {
    int32_t n_lanes, n_tokens, n_threads;
    uint32_t seed;
  };
  // Throws std::runtime_error where a prompt and what follows do not fit into the model's context,
  // as all functions do where all tokens of a row are masked.
  HarmGenerator(const hlg_run::Model& model, const std::vector<Prompt>& prompts,
                const Settings& settings);

  // Prefixes first to last - 1, one a lane, so no more than there are lanes. The prompts take
  // turns.
  std::vector<Prefix> prefixes(int64_t first, int64_t last);
  // One branch for each band that has a token, the control last.
  std::vector<Branch> branches(const Prefix& prefix);

 private:
  struct Run;
  void begin(const std::vector<Prefix*>& prefixes, int stream);
  void draw(std::vector<Run>& runs);
  void go_on(const Prefix& prefix, std::vector<Branch>& branches);
  uint32_t seed(int64_t prefix, int stream) const;

  const hlg_run::Model& model_;
  const std::vector<Prompt>& prompts_;
  Settings settings_;
  std::vector<hlg_run::Tokens> prompt_tokens_;
  hlg_run::Lanes lanes_;
  hlg::curve plain_;
};

// A branch as text, cut between characters.
struct HarmText {
  std::string before;  // the prompt, where it is not a chat's, and what was generated
  std::string forced, rest;
};
HarmText text_of(const hlg_run::Model& model, const Prefix& prefix, const Branch& branch);
