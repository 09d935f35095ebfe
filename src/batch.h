// A loop whose turns do not depend on each other, over threads.
#pragma once

#include <cstdint>
#include <functional>

namespace hlg {

// Calls turn(i) once for each i in [0, n), from at most n_threads threads, the caller's included.
// Fewer where no more can be started. turn must not throw.
void for_each_index(int64_t n, int32_t n_threads, const std::function<void(int64_t)>& turn);

}  // namespace hlg
