// The chain of samplers: ours in it, and the short way around the array.
#include <stdexcept>
#include <string>

#include "seam.h"

namespace hlg_seam {

llama_sampler* make_sampler(const common_params_sampling& sampling) {
  hlg_params params = sampling.hlg;
  params.temperature = sampling.temp;
  llama_sampler* sampler = hlg_llama_sampler_init(&params, sampling.seed);
  if (sampler) {
    hlg_llama_set_probs(sampler, sampling.n_probs);
    return sampler;
  }
  char message[160] = "out of memory";
  hlg_params_check(&params, message, sizeof message);
  throw std::invalid_argument(message);
}

// Whether hlg is all that the chain does. llama.cpp marks a sampler without effect by a "?".
static bool draws_alone(llama_sampler* chain) {
  for (int32_t i = 0; i + 1 < llama_sampler_chain_n(chain); ++i) {
    if (*llama_sampler_name(llama_sampler_chain_get(chain, i)) != '?') return false;
  }
  return true;
}

bool sample_direct(const common_params_sampling& sampling, llama_sampler* chain,
                   llama_context* context, int32_t index, std::vector<llama_token_data>& cur,
                   llama_token_data_array& cur_p) {
  if (!is_on(sampling) || sampling.n_probs > 0 || !draws_alone(chain)) return false;
  const float* logits = llama_get_logits_ith(context, index);
  const llama_vocab* vocab = llama_model_get_vocab(llama_get_model(context));
  const int32_t token = hlg_llama_sample_row(chain, logits, llama_vocab_n_tokens(vocab));
  if (token == HLG_UNSUPPORTED) return false;
  check_row(sampling, chain);
  cur.assign(1, {token, logits[token], 1.0F});
  cur_p = {cur.data(), 1, 0, true};
  return true;
}

void keep_pivot(llama_sampler* chain) { hlg_llama_keep_pivot(chain); }

uint32_t chain_seed(llama_sampler* chain) {
  const uint32_t seed = hlg_llama_seed(chain);
  return seed != LLAMA_DEFAULT_SEED ? seed : llama_sampler_get_seed(chain);
}

void check_row(const common_params_sampling& sampling, llama_sampler* chain) {
  const int32_t status = hlg_llama_status(chain);
  if (is_on(sampling)) count_draw(status);
  if (status == HLG_OK) return;
  const std::string line = std::string("hlg: ") + hlg_status_name(status);
  if (status == HLG_NO_LIVE_TOKEN) throw dead_row(line + ": every token is masked");
  throw std::runtime_error(line);
}

}  // namespace hlg_seam
