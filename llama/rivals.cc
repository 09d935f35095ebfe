#include "rivals.h"

#include <cmath>
#include <stdexcept>

#include "llama.h"

namespace hlg_rivals {
namespace {

llama_sampler* new_sampler(Cut cut, double value) {
  const auto v = static_cast<float>(value);
  switch (cut) {
    case Cut::kTopP: return llama_sampler_init_top_p(v, 1);
    case Cut::kMinP: return llama_sampler_init_min_p(v, 1);
    case Cut::kTopNSigma: return llama_sampler_init_top_n_sigma(v);
    case Cut::kNone: return nullptr;
  }
  throw std::logic_error("no such cut");
}

// Runs a sampler over candidates and keeps what it has not masked.
void apply(llama_sampler* sampler, std::vector<llama_token_data>& data, Candidates& out) {
  llama_token_data_array array = {data.data(), data.size(), -1, false};
  if (sampler) llama_sampler_apply(sampler, &array);
  out.tokens.clear();
  out.logits.clear();
  for (size_t i = 0; i < array.size; ++i) {
    if (array.data[i].logit == -HUGE_VALF) continue;
    out.tokens.push_back(array.data[i].id);
    out.logits.push_back(array.data[i].logit);
  }
}

}  // namespace

void Rival::Free::operator()(llama_sampler* sampler) const { llama_sampler_free(sampler); }

Rival::Rival(Cut cut, double value) : sampler_(new_sampler(cut, value)) {}

void Rival::cut(const float* logits, size_t n) {
  std::vector<llama_token_data> data(n);
  for (size_t i = 0; i < n; ++i) data[i] = {static_cast<llama_token>(i), logits[i], 0};
  apply(sampler_.get(), data, kept_);
}

const Candidates& Rival::at(double temperature) {
  std::vector<llama_token_data> data(kept_.tokens.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = {kept_.tokens[i], kept_.logits[i], 0};
  const Sampler temp(llama_sampler_init_temp(static_cast<float>(temperature)));
  apply(temp.get(), data, warmed_);
  return warmed_;
}

}  // namespace hlg_rivals
