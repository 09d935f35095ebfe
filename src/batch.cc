#include "batch.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace hlg {

void for_each_index(int64_t n, int32_t n_threads, const std::function<void(int64_t)>& turn) {
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (int64_t i = next++; i < n; i = next++) turn(i);
  };
  std::vector<std::thread> helpers;
  const int64_t n_helpers = std::min<int64_t>(n_threads, n) - 1;
  try {
    if (n_helpers > 0) helpers.reserve(static_cast<size_t>(n_helpers));
    for (int64_t t = 0; t < n_helpers; ++t) helpers.emplace_back(work);
  } catch (...) {
    // no more threads, or no memory for them: the ones there are do all the work
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace hlg
