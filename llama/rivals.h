// llama.cpp's own cut-offs on a recorded row: what the sweep sets beside HLG.
#pragma once

#include <cstdint>
#include <vector>

namespace hlg_rivals {

enum class Cut { kNone, kTopP, kMinP, kTopNSigma };

// A row of logits, sorted once: llama.cpp sorts what is not, again in every call.
class Row {
 public:
  explicit Row(std::vector<float> logits);

  // How many tokens are left after a cut-off, given its top_p, min_p or top_n_sigma; masked ones
  // are not. All of these keep the likeliest. As in llama.cpp's default chain the cut comes before
  // the temperature, so it is the same at any.
  int32_t n_kept(Cut cut, double value) const;

 private:
  std::vector<float> falling_;
};

}  // namespace hlg_rivals
