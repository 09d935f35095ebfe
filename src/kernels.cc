// The only file that knows about CPU targets. Highway includes it again for each target it
// compiles (foreach_target.h), so that kernels-inl.h exists once per target, each in a namespace
// of its own; then, once, the code below chooses among them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "kernels-inl.h"

#if HWY_ONCE

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace hlg {
namespace {

#if (HWY_TARGETS & (HWY_TARGETS - 1)) != 0
HWY_EXPORT(Table);  // one function pointer per compiled target
#endif

Targets find_supported() {
  Targets found{};
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // one target: its table has no room for an index
  found.list[found.n++] = HWY_STATIC_DISPATCH(Table)();
#else
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    hwy::ChosenTarget chosen;     // our own, so that a host's use of Highway is not disturbed
    chosen.Update(left & -left);  // the lowest bit is the best target
    found.list[found.n++] = HWY_DISPATCH_TABLE(Table)[chosen.GetIndex()]();
  }
#endif
  return found;
}

const Kernels* find(const char* name) {
  const Targets& targets = supported_kernels();
  for (size_t i = 0; name && i < targets.n; ++i) {
    if (std::strcmp(targets.list[i]->target, name) == 0) return targets.list[i];
  }
  return nullptr;
}

const Kernels* default_kernels() {
  const Kernels* wanted = find(std::getenv("HLG_TARGET"));
  return wanted ? wanted : supported_kernels().list[0];
}

std::atomic<const Kernels*>& chosen_kernels() {
  static std::atomic<const Kernels*> chosen{default_kernels()};
  return chosen;
}

}  // namespace

const Targets& supported_kernels() {
  static const Targets targets = find_supported();
  return targets;
}

const Kernels& kernels() { return *chosen_kernels().load(std::memory_order_relaxed); }

bool force_target(const char* name) {
  const Kernels* wanted = name ? find(name) : default_kernels();
  if (wanted) chosen_kernels().store(wanted, std::memory_order_relaxed);
  return wanted != nullptr;
}

}  // namespace hlg

#endif  // HWY_ONCE
