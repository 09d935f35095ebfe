// The sampler: a row of logits in, a token out. It holds what changes from draw to draw: the
// generator, the last pivot and scratch.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "blocks.h"
#include "curve.h"
#include "row.h"

namespace hlg {

class Sampler {
 public:
  explicit Sampler(uint32_t seed) : generator_(seed) {}

  // One uniform in [0, 1) from the generator, drawn as llama.cpp's dist draws it.
  double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(generator_); }

  // The token for the uniform number u, or an hlg_status below 0.
  int32_t sample(const Curve& curve, Row row, double u);

  // ln of the probabilities drawn from, row.n floats. Returns an hlg_status.
  int32_t apply(const Curve& curve, Row row, float* logprobs);

  // The next sample or apply reuses the pivot of the last one, once.
  void keep_pivot() { keep_ = true; }

  // As a logit, see pivot.h; none before the first draw, and where the last row needed none.
  std::optional<double> last_pivot() const { return last_pivot_; }

  // Makes room for rows of n logits, so that sampling does not allocate.
  void reserve(size_t n, const Curve& curve);

  // The state that matters, without the scratch.
  void copy_from(const Sampler& other);

 private:
  double pivot(const Curve& curve, Row row, float max);

  std::mt19937 generator_;
  std::optional<double> last_pivot_;
  bool keep_ = false;
  Blocks blocks_;
  std::vector<float> scratch_;
};

}  // namespace hlg
