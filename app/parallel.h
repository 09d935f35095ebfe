// Many pieces of work on a few threads, with a line that says how far they are.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <string>
#include <vector>

#include "progress.h"

// Calls work(i) for i from 0 to n - 1 in any order, each thread with a `work` of its own from
// make_work(). An exception ends all; one of them is thrown again.
template <class MakeWork>
void in_parallel(const std::string& what, int64_t n, int n_threads, const MakeWork& make_work) {
  std::atomic<int64_t> next{0};
  Progress progress(what, n);
  const auto run = [&] {
    try {
      auto work = make_work();
      for (int64_t i = next++; i < n; i = next++) {
        work(i);
        progress.step();
      }
    } catch (...) {
      next = n;  // the others stop too
      throw;
    }
  };
  std::vector<std::future<void>> others;
  for (int i = 1; i < n_threads; ++i) others.push_back(std::async(std::launch::async, run));
  run();
  for (std::future<void>& other : others) other.get();
}
