// `hlg serve` with faults: where a request's seed is a Fault, every eighth row sampled for it is
// spoilt. The linker (--wrap) puts two functions in front of the ways in which rows reach a chain
// of samplers; everything else is the product. One such request at a time. For
// tests/server/test_faults.py.
#include <cmath>
#include <limits>
#include <vector>

#include "hlg/hlg-llama.h"

extern "C" void __real_llama_sampler_apply(llama_sampler* chain, llama_token_data_array* cur_p);
extern "C" int32_t __real_hlg_llama_sample_row(llama_sampler* chain, const float* logits,
                                               int64_t n_vocab);

namespace {

enum Fault : uint32_t { kMasked = 71000001, kNan, kSomeNan, kInfinite };
constexpr int64_t kFirstInfinite = 100;

int n_rows = 0;  // sampled for requests with a Fault

bool is_faulty(llama_sampler* chain) {
  const uint32_t seed = hlg_llama_seed(chain);
  return seed >= kMasked && seed <= kInfinite;
}

bool is_spoilt_next() { return n_rows % 8 == 7; }

float spoilt(float logit, int64_t token, uint32_t fault) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  if (fault == kMasked) return -kInf;
  if (fault == kInfinite) return token < kFirstInfinite ? logit : kInf;
  return fault == kNan || token % 3 != 1 ? NAN : logit;  // the first and the last one, too
}

}  // namespace

// The row as an array of candidates.
extern "C" void __wrap_llama_sampler_apply(llama_sampler* chain, llama_token_data_array* cur_p) {
  if (is_faulty(chain)) {
    for (size_t i = 0; is_spoilt_next() && i < cur_p->size; ++i) {
      llama_token_data& c = cur_p->data[i];
      c.logit = spoilt(c.logit, c.id, hlg_llama_seed(chain));
    }
    ++n_rows;
  }
  __real_llama_sampler_apply(chain, cur_p);
}

// The row itself; HLG_UNSUPPORTED where the array is needed.
extern "C" int32_t __wrap_hlg_llama_sample_row(llama_sampler* chain, const float* logits,
                                               int64_t n_vocab) {
  if (!is_faulty(chain)) return __real_hlg_llama_sample_row(chain, logits, n_vocab);
  std::vector<float> row(logits, logits + n_vocab);
  for (int64_t i = 0; is_spoilt_next() && i < n_vocab; ++i) {
    row[static_cast<size_t>(i)] = spoilt(logits[i], i, hlg_llama_seed(chain));
  }
  const int32_t token = __real_hlg_llama_sample_row(chain, row.data(), n_vocab);
  if (token != HLG_UNSUPPORTED) ++n_rows;
  return token;
}

int llama_server(int argc, char** argv);

int main(int argc, char** argv) { return llama_server(argc - 1, argv + 1); }  // after "serve"
