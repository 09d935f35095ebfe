#include "rivals.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "llama.h"

namespace hlg_rivals {
namespace {

struct Free {
  void operator()(llama_sampler* sampler) const { llama_sampler_free(sampler); }
};

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

}  // namespace

Row::Row(std::vector<float> logits) : falling_(std::move(logits)) {
  std::sort(falling_.begin(), falling_.end(), std::greater<>());
}

int32_t Row::n_kept(Cut cut, double value) const {
  std::vector<llama_token_data> data(falling_.size());
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = {static_cast<llama_token>(i), falling_[i], 0};
  }
  llama_token_data_array array = {data.data(), data.size(), -1, true};
  const std::unique_ptr<llama_sampler, Free> sampler(new_sampler(cut, value));
  if (sampler) llama_sampler_apply(sampler.get(), &array);
  const auto is_live = [](const llama_token_data& token) { return token.logit > -HUGE_VALF; };
  return static_cast<int32_t>(std::count_if(array.data, array.data + array.size, is_live));
}

}  // namespace hlg_rivals
