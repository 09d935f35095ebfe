// A second model that reads the texts of `hlg harm`.
#pragma once

#include <vector>

#include "harm_texts.h"

// Negative log-likelihood, nats; NaN where there was no token to judge.
struct Verdict {
  double forced;  // of the forced token's bytes: the sum over the tokens that touch them
  double rest;    // a token of what follows, the mean
};

class HarmJudge {
 public:
  // n_texts: at most so many in one call. Throws std::runtime_error where the model cannot be
  // loaded, or a prompt and a text do not fit into its context.
  HarmJudge(const std::string& path, const std::vector<Prompt>& prompts, int32_t n_texts,
            int32_t n_threads);

  // The texts of one prefix, in the judge's own tokens.
  std::vector<Verdict> judge(const Prompt& prompt, const std::vector<HarmText>& texts);

 private:
  hlg_run::Model model_;
  hlg_run::Lanes lanes_;
};
