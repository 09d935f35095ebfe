#include "harm_judge.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

using hlg_run::Tokens;

namespace {

constexpr int32_t kFiner = 8;  // tokens of the judge for one of the model's, at most
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The tokens that all texts begin with, one less than the shortest has: so each has one to score.
size_t common_start(const std::vector<Tokens>& texts) {
  size_t n = texts.front().size();
  for (const Tokens& tokens : texts) {
    const auto end =
        std::mismatch(tokens.begin(), tokens.end(), texts.front().begin(), texts.front().end());
    n = std::min({n, static_cast<size_t>(end.first - tokens.begin()), tokens.size() - 1});
  }
  return n;
}

// Tokens of a prompt and a text. More than the judge's context where a prompt alone fills that.
int32_t room(const hlg_run::Model& judge, const std::vector<Prompt>& prompts, int32_t n_tokens) {
  const int32_t prompt = longest_prompt(judge, prompts);
  return std::min(prompt + kFiner * (kSteps + 1 + n_tokens),
                  std::max(prompt + 1, judge.n_context()));
}

// scores: of the last tokens of the text.
Verdict verdict(const hlg_run::Model& model, const HarmText& text, const Tokens& tokens,
                const std::vector<double>& scores) {
  Verdict found{kNone, kNone};
  double forced = 0, rest = 0;
  int n_rest = 0;
  size_t end = 0;  // bytes from the end of the text: what stands in front may not be text at all
  for (size_t i = 1; i <= scores.size() && end < text.rest.size() + text.forced.size(); ++i) {
    const size_t begin = end + model.piece(tokens[tokens.size() - i]).size();
    const double nll = -scores[scores.size() - i];
    if (begin <= text.rest.size()) {
      rest += nll;
      ++n_rest;
    } else {
      forced += nll;
      found.forced = forced;
    }
    end = begin;
  }
  if (n_rest > 0) found.rest = rest / n_rest;
  return found;
}

}  // namespace

HarmJudge::HarmJudge(const std::string& path, const std::vector<Prompt>& prompts, int32_t n_tokens,
                     int32_t n_threads)
    : model_(path),
      n_room_(room(model_, prompts, n_tokens)),
      lanes_(model_, static_cast<int32_t>(kBands.size()) + 1, n_room_, n_threads) {}

std::vector<Verdict> HarmJudge::judge(const Prompt& prompt, const std::vector<HarmText>& texts) {
  std::vector<Tokens> tokens;
  for (const HarmText& text : texts) {
    const std::string whole = text.before + text.forced + text.rest;
    if (!prompt.chat) {
      tokens.push_back(model_.prompt(whole, false));
      continue;
    }
    tokens.push_back(model_.prompt(prompt.text, true));
    const Tokens answer = model_.tokenize(whole);
    tokens.back().insert(tokens.back().end(), answer.begin(), answer.end());
  }
  for (const Tokens& text : tokens) {
    if (text.size() <= static_cast<size_t>(n_room_)) continue;
    throw std::runtime_error(model_.path() + ": a text of prompt " + prompt.id + " has " +
                             std::to_string(text.size()) + " tokens, and there is room for " +
                             std::to_string(n_room_) + ": give fewer --tokens");
  }
  const auto start = static_cast<std::ptrdiff_t>(common_start(tokens));
  lanes_.clear();
  lanes_.add(0, Tokens(tokens[0].begin(), tokens[0].begin() + start));
  lanes_.step();
  std::vector<Tokens> endings;
  for (size_t i = 0; i < tokens.size(); ++i) {
    lanes_.copy(0, static_cast<int32_t>(i));
    endings.emplace_back(tokens[i].begin() + start, tokens[i].end());
  }
  const std::vector<std::vector<double>> scores = lanes_.score(endings);
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < texts.size(); ++i) {
    verdicts.push_back(verdict(model_, texts[i], tokens[i], scores[i]));
  }
  return verdicts;
}
