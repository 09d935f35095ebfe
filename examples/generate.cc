// Generates text with the tone curve in a program of your own: plain llama.h plus one sampler.
//
//     generate MODEL.gguf "Once upon a time" [SEED]
//
// Link hlg::llama. The only lines that are not llama.cpp's are marked with (*).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "hlg/hlg-llama.h"  // (*)

namespace {

void only_errors(ggml_log_level level, const char* text, void* /*user*/) {
  if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

std::vector<llama_token> tokenize(const llama_vocab* vocab, const char* text) {
  const auto length = static_cast<int32_t>(std::strlen(text));
  std::vector<llama_token> tokens(static_cast<size_t>(length) + 2);
  const int32_t n = llama_tokenize(vocab, text, length, tokens.data(),
                                   static_cast<int32_t>(tokens.size()), true, true);
  tokens.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return tokens;
}

// Asked without room, llama_token_to_piece gives the length it needs, below 0.
std::string text_of(const llama_vocab* vocab, llama_token token) {
  const int32_t length = -llama_token_to_piece(vocab, token, nullptr, 0, 0, false);
  std::string text(static_cast<size_t>(length), ' ');
  llama_token_to_piece(vocab, token, text.data(), length, 0, false);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: generate MODEL.gguf PROMPT [SEED]\n"), 2;
  llama_log_set(only_errors, nullptr);
  llama_model* model = llama_model_load_from_file(argv[1], llama_model_default_params());
  if (!model) return std::fprintf(stderr, "generate: cannot load %s\n", argv[1]), 1;
  const llama_vocab* vocab = llama_model_get_vocab(model);
  llama_context* context = llama_init_from_model(model, llama_context_default_params());
  std::vector<llama_token> tokens = tokenize(vocab, argv[2]);
  if (!context || tokens.empty()) return std::fprintf(stderr, "generate: no tokens\n"), 1;

  hlg_params params;                // (*)
  hlg_params_init(&params);         // (*)
  params.temperature = 0.8;         // (*)
  params.toe_shape = HLG_TOE_FADE;  // (*)
  const auto seed = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : LLAMA_DEFAULT_SEED;
  llama_sampler* sampler = hlg_llama_sampler_init(&params, static_cast<uint32_t>(seed));  // (*)

  for (int i = 0; i < 48; ++i) {
    const auto n_tokens = static_cast<int32_t>(tokens.size());
    if (tokens.size() > llama_n_batch(context) ||
        llama_decode(context, llama_batch_get_one(tokens.data(), n_tokens)) != 0) {
      std::fprintf(stderr, "\ngenerate: the context has no room for %d more tokens\n", n_tokens);
      return 1;
    }
    const llama_token token = llama_sampler_sample(sampler, context, -1);
    if (llama_vocab_is_eog(vocab, token)) break;
    const std::string text = text_of(vocab, token);
    std::fwrite(text.data(), 1, text.size(), stdout);
    tokens = {token};
  }
  std::printf("\n");
  llama_sampler_free(sampler);
  llama_free(context);
  llama_model_free(model);
}
