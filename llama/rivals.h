// llama.cpp's own samplers on a recorded row: what the sweep sets beside HLG. As in llama.cpp's
// default chain a cut comes first, then the temperature.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

struct llama_sampler;

namespace hlg_rivals {

enum class Cut { kNone, kTopP, kMinP, kTopNSigma };

// The tokens that can be drawn, and their logits.
struct Candidates {
  std::vector<int32_t> tokens;
  std::vector<float> logits;
};

class Rival {
 public:
  // The value of top_p, min_p or top_n_sigma.
  explicit Rival(Cut cut, double value = 0);

  // What the cut leaves of a row of n logits, at temperature 1.
  void cut(const float* logits, size_t n);
  // That, at another temperature. Valid until the next call.
  const Candidates& at(double temperature);

 private:
  struct Free {
    void operator()(llama_sampler* sampler) const;
  };
  using Sampler = std::unique_ptr<llama_sampler, Free>;

  Sampler sampler_;
  Candidates kept_, warmed_;
};

}  // namespace hlg_rivals
