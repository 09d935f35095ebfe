// One read of a row: the floor of the benchmark. Nothing exact can be faster than that.
#ifndef HLG_BENCH_READ_H
#define HLG_BENCH_READ_H

#include <cstddef>

// The largest of n floats, n >= 1, at the speed of memory.
float row_max(const float* x, size_t n);

#endif  // HLG_BENCH_READ_H
