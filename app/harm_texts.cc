#include "harm_texts.h"

#include <algorithm>

using hlg_run::Token;
using hlg_run::Tokens;

namespace {

// Streams of random numbers of a prefix; band b has kForced + b and kContinued + b, try t at a text
// and a step of it kNatural and kStep + t * kTry.
constexpr int kNatural = 0, kStep = 1, kForced = 100, kContinued = 200, kTry = 1000;

// Temperature 1 without the exact scalar path of straight curves: the bends lie 80 nats below the
// top token, and above it.
hlg::curve plain_curve() {
  return hlg::curve(hlg::params().set("pivot_offset", 40).set("width", 40));
}

std::vector<Tokens> tokenized(const hlg_run::Model& model, const std::vector<Prompt>& prompts) {
  std::vector<Tokens> all;
  all.reserve(prompts.size());
  for (const Prompt& p : prompts) all.push_back(model.prompt(p.text, p.chat));
  return all;
}

int32_t longest(const std::vector<Tokens>& all) {
  size_t n = 0;
  for (const Tokens& tokens : all) n = std::max(n, tokens.size());
  return static_cast<int32_t>(n);
}

std::string pieces(const hlg_run::Model& model, Tokens::const_iterator from,
                   Tokens::const_iterator to) {
  std::string text;
  for (; from != to; ++from) text += model.piece(*from);
  return text;
}

// The first place at or after `at` where a UTF-8 character begins.
size_t character(const std::string& text, size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80) ++at;
  return at;
}

// The natural draw, and what came after it.
Branch control(const hlg_run::Model& model, const Prefix& prefix, size_t n_tokens) {
  Branch branch;
  const auto next = prefix.natural.begin() + static_cast<std::ptrdiff_t>(prefix.step);
  branch.forced = *next;
  branch.rest.assign(next + 1, prefix.natural.end());
  branch.rest.resize(std::min(branch.rest.size(), n_tokens));
  const Tokens& rest = branch.rest;
  branch.ended = model.is_end(rest.empty() ? branch.forced : rest.back());
  return branch;
}

}  // namespace

int32_t longest_prompt(const hlg_run::Model& model, const std::vector<Prompt>& prompts) {
  return longest(tokenized(model, prompts));
}

// A lane that is drawn from until it has n tokens more, or ends.
struct HarmGenerator::Run {
  Run(uint32_t seed, size_t n) : sampler(seed), n_tokens(n) {}
  bool done() const { return ended || tokens.size() >= n_tokens; }

  hlg::sampler sampler;
  size_t n_tokens;
  Tokens tokens;
  bool ended = false;
};

HarmGenerator::HarmGenerator(const hlg_run::Model& model, const std::vector<Prompt>& prompts,
                             const Settings& settings)
    : model_(model),
      prompts_(prompts),
      settings_(settings),
      prompt_tokens_(tokenized(model, prompts)),
      lanes_(model, settings.n_lanes, longest(prompt_tokens_) + kSteps + 1 + settings.n_tokens,
             settings.n_threads),
      plain_(plain_curve()) {}

uint32_t HarmGenerator::seed(int64_t prefix, int stream) const {
  return hlg_run::seed_of(settings_.seed, static_cast<uint32_t>(prefix),
                          static_cast<uint32_t>(stream));
}

// Run i draws from lane i, to which something was added.
void HarmGenerator::draw(std::vector<Run>& runs) {
  for (bool more = true; more;) {
    lanes_.step();
    more = false;
    for (size_t i = 0; i < runs.size(); ++i) {
      Run& run = runs[i];
      if (run.done()) continue;
      const auto lane = static_cast<int32_t>(i);
      const Token token =
          run.sampler.sample(plain_, lanes_.row(lane), static_cast<size_t>(model_.n_vocab()));
      if (token < 0) throw std::runtime_error(hlg_status_name(token));
      run.tokens.push_back(token);
      run.ended = model_.is_end(token);
      if (run.done()) continue;
      lanes_.add(lane, {token});
      more = true;
    }
  }
}

std::vector<Prefix> HarmGenerator::prefixes(int64_t first, int64_t last) {
  std::vector<Prefix> found(static_cast<size_t>(last - first));
  std::vector<Prefix*> open;
  for (Prefix& prefix : found) {
    prefix.number = first + static_cast<int64_t>(open.size());
    open.push_back(&prefix);
  }
  for (int stream = 0; !open.empty(); stream += kTry) {
    begin(open, stream);
    const auto is_begun = [](const Prefix* p) { return p->step < p->natural.size(); };
    open.erase(std::remove_if(open.begin(), open.end(), is_begun), open.end());
  }
  return found;
}

// A text and a step for each, one a lane. A text that ends before its step is no prefix: another
// step of it would be one that the ending chose.
void HarmGenerator::begin(const std::vector<Prefix*>& prefixes, int stream) {
  std::vector<Run> runs;
  lanes_.clear();
  for (Prefix* prefix : prefixes) {
    const size_t which = static_cast<size_t>(prefix->number) % prompts_.size();
    prefix->prompt = &prompts_[which];
    prefix->prompt_tokens = prompt_tokens_[which];
    prefix->step = seed(prefix->number, kStep + stream) % static_cast<uint32_t>(kSteps);
    lanes_.add(static_cast<int32_t>(runs.size()), prefix->prompt_tokens);
    runs.emplace_back(seed(prefix->number, kNatural + stream),
                      prefix->step + 1 + static_cast<size_t>(settings_.n_tokens));
  }
  draw(runs);
  for (size_t i = 0; i < runs.size(); ++i) prefixes[i]->natural = runs[i].tokens;
}

std::vector<Branch> HarmGenerator::branches(const Prefix& prefix) {
  const auto step = static_cast<std::ptrdiff_t>(prefix.step);
  lanes_.clear();
  lanes_.add(0, prefix.prompt_tokens);
  lanes_.add(0, Tokens(prefix.natural.begin(), prefix.natural.begin() + step));
  lanes_.step();
  const BandedRow row(lanes_.row(0), static_cast<size_t>(model_.n_vocab()));
  for (int32_t lane = 1; lane < lanes_.n_lanes(); ++lane) lanes_.copy(0, lane);

  std::vector<Branch> found;
  for (int band = 0; band < static_cast<int>(kBands.size()); ++band) {
    const double u = seed(prefix.number, kForced + band) / 0x1p31;
    const Token token = row.draw(kBands[static_cast<size_t>(band)], u);
    if (token >= 0) found.push_back({band, row.place(token), token, {}, model_.is_end(token)});
  }
  go_on(prefix, found);
  found.push_back(control(model_, prefix, static_cast<size_t>(settings_.n_tokens)));
  found.back().place = row.place(found.back().forced);
  return found;
}

// Continues each branch after its forced token, as many at once as there are lanes.
void HarmGenerator::go_on(const Prefix& prefix, std::vector<Branch>& branches) {
  const auto length = static_cast<int32_t>(prefix.prompt_tokens.size() + prefix.step);
  const auto n_lanes = static_cast<size_t>(lanes_.n_lanes());
  for (size_t begin = 0; begin < branches.size(); begin += n_lanes) {
    const size_t n = std::min(n_lanes, branches.size() - begin);
    std::vector<Run> runs;
    for (size_t i = 0; i < n; ++i) {
      const Branch& branch = branches[begin + i];
      const auto lane = static_cast<int32_t>(i);
      runs.emplace_back(seed(prefix.number, kContinued + branch.band),
                        static_cast<size_t>(settings_.n_tokens));
      runs.back().ended = branch.ended;
      lanes_.truncate(lane, length);
      lanes_.add(lane, {branch.forced});
    }
    draw(runs);
    for (size_t i = 0; i < n; ++i) {
      branches[begin + i].rest = runs[i].tokens;
      branches[begin + i].ended = runs[i].ended;
    }
  }
}

HarmText text_of(const hlg_run::Model& model, const Prefix& prefix, const Branch& branch) {
  const auto step = prefix.natural.begin() + static_cast<std::ptrdiff_t>(prefix.step);
  std::string text = prefix.prompt->chat ? "" : prefix.prompt->text;
  text += pieces(model, prefix.natural.begin(), step);
  const size_t begin = text.size();
  text += model.piece(branch.forced);
  const size_t end = text.size();
  text += pieces(model, branch.rest.begin(), branch.rest.end());
  const size_t from = character(text, begin), to = character(text, end);
  return {text.substr(0, from), text.substr(from, to - from), text.substr(to)};
}
