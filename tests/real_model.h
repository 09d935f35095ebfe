// A test model, loaded, and the rows of logits that it gives.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "llama.h"

namespace hlg_test {

struct FreeLlama {
  void operator()(llama_model* m) const { llama_model_free(m); }
  void operator()(llama_context* c) const { llama_free(c); }
};
using ModelPtr = std::unique_ptr<llama_model, FreeLlama>;
using ContextPtr = std::unique_ptr<llama_context, FreeLlama>;

inline ModelPtr load_model(const char* path) {
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  return ModelPtr(llama_model_load_from_file(path, llama_model_default_params()));
}

// On one thread.
inline ContextPtr make_context(llama_model* model, uint32_t n_lanes = 1) {
  llama_context_params settings = llama_context_default_params();
  settings.n_seq_max = n_lanes;
  settings.n_ctx = 1024;
  settings.n_threads = settings.n_threads_batch = 1;
  return ContextPtr(llama_init_from_model(model, settings));
}

inline std::vector<llama_token> tokenize(const llama_vocab* vocab, const std::string& text) {
  std::vector<llama_token> tokens(text.size() + 8);
  const int32_t n = llama_tokenize(vocab, text.data(), static_cast<int32_t>(text.size()),
                                   tokens.data(), static_cast<int32_t>(tokens.size()), true, true);
  tokens.resize(static_cast<size_t>(n));
  return tokens;
}

}  // namespace hlg_test
