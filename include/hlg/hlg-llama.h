/* hlg-llama.h - the tone curve as a llama.cpp sampler.
 *
 * Add one to a chain in place of temp and dist: it draws the token itself.
 *
 *     hlg_params params;
 *     hlg_params_init(&params);
 *     params.temperature = 0.8;
 *     params.toe_shape = HLG_TOE_FADE;
 *     llama_sampler_chain_add(chain, hlg_llama_sampler_init(&params, seed));
 *
 * Samplers that edit logits (bias, penalties, DRY) go in front of it; samplers that cut the
 * distribution (top-k, top-p, min-p) are what it replaces.
 *
 * It is compiled against your llama.cpp, so it is not installed: add_subdirectory(hlg.cpp) in a
 * project that has the target llama, and link hlg::llama.
 */
#ifndef HLG_HLG_LLAMA_H
#define HLG_HLG_LLAMA_H

#include "hlg/hlg.h"
#include "llama.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sampler that draws. seed as for llama_sampler_init_dist (LLAMA_DEFAULT_SEED: a random one).
 * After apply, `selected` and every `p` are set. Neutral and greedy settings run llama.cpp's own
 * temp and dist. NULL when params do not pass hlg_params_check. Free with llama_sampler_free, or
 * give it to a chain. */
struct llama_sampler* hlg_llama_sampler_init(const hlg_params* params, uint32_t seed);

/* The same curve without the draw: replaces the logits by the log-probabilities of the drawn
 * distribution, for chains that draw elsewhere (put llama_sampler_init_dist behind it). A row
 * without a live token is left as it is. NULL as above. */
struct llama_sampler* hlg_llama_shaper_init(const hlg_params* params);

/* The functions below take such a sampler, or a chain: then they mean the one in the chain, and
 * do nothing (or return what is said here) where there is none. */

/* Draws from a contiguous row, as llama_get_logits_ith gives it, without an array of candidates:
 * the same token, at a fraction of the cost. A token, or a status. HLG_UNSUPPORTED where there is
 * no such sampler and for straight and greedy curves, which llama.cpp's own samplers draw: nothing
 * is drawn then. */
int32_t hlg_llama_sample_row(struct llama_sampler* sampler, const float* logits, int64_t n_vocab);

/* What apply leaves in the array besides `selected`. n below 0, as at first: every `p`. 0: no `p`,
 * which saves a pass over the row. Above 0: the array is cut to the n top candidates, sorted, with
 * the drawn one behind them where it is none of these; each `p` is its share of the whole. */
void hlg_llama_set_probs(struct llama_sampler* sampler, int32_t n);

/* Call right before a row is sampled a second time after a mask was laid over it (a grammar that
 * refused the first token): the second run then keeps the pivot of the first. */
void hlg_llama_keep_pivot(struct llama_sampler* sampler);

/* How the last apply ended: HLG_OK, or HLG_NO_LIVE_TOKEN where every candidate was masked (then
 * `selected` is 0 and means nothing). HLG_OK where there is no such sampler. */
int32_t hlg_llama_status(struct llama_sampler* sampler);

/* The seed in use; LLAMA_DEFAULT_SEED where there is no such sampler. */
uint32_t hlg_llama_seed(struct llama_sampler* sampler);

#ifdef __cplusplus
}
#endif

#endif /* HLG_HLG_LLAMA_H */
