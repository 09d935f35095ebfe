// What a CPU target provides: the passes over a row of logits. Pure functions; they allocate
// nothing and keep no state. kernels.cc compiles them once per target and chooses.
//
// A row is walked in blocks of kBlock. x need not be aligned beyond its type; NaN and -inf are
// masked everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "from_top.h"
#include "row.h"

namespace hlg {

constexpr size_t kBlock = 64;  // logits
constexpr size_t kGroup = 64;  // blocks

// Arrays with an entry per block are filled up to whole groups.
inline size_t n_groups(size_t n) { return (n + kBlock * kGroup - 1) / (kBlock * kGroup); }
inline size_t n_blocks(size_t n) { return n_groups(n) * kGroup; }

// What select writes past the last value it keeps; room for the longest vector there is.
constexpr size_t kSelectSlack = 128;

// The passes over logits of one type.
struct Passes {
  // The largest logit of each block, -inf where all are masked and behind the row. Returns the
  // largest of the row.
  float (*block_max)(const void* x, size_t n, float* max);

  // mass[b] = sum of 2^h over block b, for the n_list blocks of list.
  void (*block_mass)(const void* x, size_t n, const FromTop& h, const uint32_t* list, size_t n_list,
                     float* mass);

  // w[i] = 2^h of x[i]; 0 for masked tokens.
  void (*weights)(const void* x, size_t n, const FromTop& h, float* w);

  // out[i] = ln 2 * (h(x[i]) - log2_total); -inf for masked tokens. out may be x, of float32.
  void (*logprobs)(const void* x, size_t n, const FromTop& h, double log2_total, float* out);

  // The T = 1 distribution relative to max: sum of e^t, and of e^t * t, t = x - max.
  void (*moments)(const void* x, size_t n, float max, double* mass, double* moment);

  // The same in double: twice the time, and exact to 1e-13.
  void (*moments_double)(const void* x, size_t n, float max, double* mass, double* moment);

  // The values with low < x <= high, in order, to out (which may be x, of float32); returns how
  // many. Writes up to kSelectSlack floats behind them.
  size_t (*select)(const void* x, size_t n, float low, float high, float* out);

  // The sum of e^(x - max) over the values above low.
  double (*mass_above)(const void* x, size_t n, float max, float low);

  // The logits as float32.
  void (*widen)(const void* x, size_t n, float* out);
};

struct Kernels {
  const char* target;
  Passes passes[3];  // by hlg_dtype

  // The smallest and the largest of n > 0 finite values.
  void (*range)(const float* x, size_t n, float* low, float* high);

  // The indices i < n with x[i] > limit, in order; returns how many. n is a multiple of kGroup, and
  // so much is written.
  size_t (*above)(const float* x, size_t n, float limit, uint32_t* list);

  // The sum of min(x[i] + y[i], cap); n is a multiple of kGroup.
  double (*capped_sum)(const float* x, const float* y, size_t n, float cap);

  // sum[g] = the sum of the g-th kGroup values of x.
  void (*group_sums)(const float* x, size_t n_groups, double* sum);
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

inline const Passes& passes(hlg_dtype dtype) { return kernels().passes[dtype]; }

// nullptr: back to the default. False when this machine has no target of that name.
bool force_target(const char* name);

}  // namespace hlg
