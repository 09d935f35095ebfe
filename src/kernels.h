// What a CPU target provides: the passes over a row of float32 logits. Pure functions; they
// allocate nothing and keep no state. kernels.cc compiles them once per target and chooses.
//
// A row is walked in blocks of kBlock. x need not be aligned; NaN and -inf are masked everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "from_top.h"

namespace hlg {

constexpr size_t kBlock = 512;  // 2 KiB of logits; one sum a block is 1/1024 of a row of doubles

inline size_t n_blocks(size_t n) { return (n + kBlock - 1) / kBlock; }

// What select writes past the last value it keeps; room for the longest vector there is.
constexpr size_t kSelectSlack = 128;

struct BlockRange {
  float max, min;
};

struct Kernels {
  const char* target;

  // The largest and the smallest logit of each block: max is -inf where all tokens are masked, min
  // where any is. Returns the largest of the row.
  float (*block_range)(const float* x, size_t n, BlockRange* range);

  // mass[b] = sum of 2^h(x - max) over block b. range: as the pass above left it.
  void (*block_mass)(const float* x, size_t n, const FromTop& h, const BlockRange* range,
                     double* mass);

  // w[i] = 2^h(x[i] - max); 0 for masked tokens.
  void (*weights)(const float* x, size_t n, const FromTop& h, float* w);

  // out[i] = ln 2 * (h(x[i] - max) - log2_total); -inf for masked tokens.
  void (*logprobs)(const float* x, size_t n, const FromTop& h, double log2_total, float* out);

  // The T = 1 distribution relative to max: sum of e^t, and of e^t * t, t = x - max.
  void (*moments)(const float* x, size_t n, float max, double* mass, double* moment);

  // The same in double: twice the time, and exact to 1e-13.
  void (*moments_double)(const float* x, size_t n, float max, double* mass, double* moment);

  // The values with low < x <= high, in order, to out (which may be x); returns how many. Writes
  // up to kSelectSlack floats behind them.
  size_t (*select)(const float* x, size_t n, float low, float high, float* out);

  // The sum of e^(x - max) over the values above low.
  double (*mass_above)(const float* x, size_t n, float max, float low);

  // The smallest and the largest of n > 0 finite values.
  void (*range)(const float* x, size_t n, float* low, float* high);
};

// The targets of this machine, best first. No vector: a first call must not fail for want of
// memory.
struct Targets {
  const Kernels* list[64];  // Highway has a bit for each
  size_t n;
};
const Targets& supported_kernels();

// The one in use: the best, the one that HLG_TARGET names, or the one set below.
const Kernels& kernels();

// nullptr: back to the default. False when this machine has no target of that name.
bool force_target(const char* name);

}  // namespace hlg
