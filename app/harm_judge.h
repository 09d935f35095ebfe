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
  // n_tokens: of each text after the forced one. Throws std::runtime_error where the model cannot
  // be loaded, or a prompt does not fit into its context.
  HarmJudge(const std::string& path, const std::vector<Prompt>& prompts, int32_t n_tokens,
            int32_t n_threads);

  // The texts of one prefix, in the judge's own tokens. Throws std::runtime_error where one of them
  // has more than fit.
  std::vector<Verdict> judge(const Prompt& prompt, const std::vector<HarmText>& texts);

 private:
  hlg_run::Model model_;
  int32_t n_room_;  // tokens of a prompt and a text
  hlg_run::Lanes lanes_;
};
