// llama.cpp's own cut-offs on a recorded row: what the sweep sets beside HLG.
#pragma once

#include <cstdint>
#include <vector>

namespace hlg_rivals {

enum class Cut { kNone, kTopP, kMinP, kTopNSigma };

// How many tokens are left of a row after a cut-off, given its top_p, min_p or top_n_sigma; masked
// ones are not. All of these keep the likeliest. As in llama.cpp's default chain the cut comes
// before the temperature, so it is the same at any.
int32_t n_kept(Cut cut, double value, const std::vector<float>& logits);

}  // namespace hlg_rivals
