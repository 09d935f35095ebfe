// Rows and chains in llama.cpp's form.
#pragma once

#include <initializer_list>
#include <memory>
#include <vector>

#include "hlg/hlg-llama.h"

namespace hlg_test {

struct FreeSampler {
  void operator()(llama_sampler* s) const { llama_sampler_free(s); }
};
using Sampler = std::unique_ptr<llama_sampler, FreeSampler>;

inline Sampler chain_of(std::initializer_list<llama_sampler*> samplers) {
  Sampler chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
  for (llama_sampler* s : samplers) llama_sampler_chain_add(chain.get(), s);
  return chain;
}

// One row as llama.cpp hands it to samplers.
struct Candidates {
  explicit Candidates(const std::vector<float>& logits) : data(logits.size()) {
    for (size_t i = 0; i < logits.size(); ++i) {
      data[i] = {static_cast<llama_token>(i), logits[i], 0};
    }
    array = {data.data(), data.size(), -1, false};
  }
  std::vector<llama_token_data> data;
  llama_token_data_array array;
};

}  // namespace hlg_test
