#include "progress.h"

#include <cstdio>
#include <utility>

#include "terminal.h"

Progress::Progress(std::string what, int64_t n_steps)
    : what_(std::move(what)), n_steps_(n_steps), shown_(is_terminal(stderr)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::step() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++done_;
  if (!shown_) return;
  std::fprintf(stderr, "\r%s: %lld of %lld", what_.c_str(), static_cast<long long>(done_),
               static_cast<long long>(n_steps_));
}
