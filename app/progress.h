// A line on standard error that says how far a long run is, where that is a terminal.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

class Progress {
 public:
  Progress(std::string what, int64_t n_steps);
  ~Progress();  // takes the line away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();  // from any thread

 private:
  std::string what_;
  int64_t done_ = 0, n_steps_;
  bool shown_;
  std::mutex mutex_;
};
