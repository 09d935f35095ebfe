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

std::vector<const Kernels*> find_supported() {
  std::vector<const Kernels*> list;
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // one target: its table has no room for an index
  list.push_back(HWY_STATIC_DISPATCH(Table)());
#else
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::ChosenTarget chosen;  // our own, so that a host's use of Highway is not disturbed
    chosen.Update(target);
    list.push_back(HWY_DISPATCH_TABLE(Table)[chosen.GetIndex()]());
  }
#endif
  return list;
}

const Kernels* find(const char* name) {
  for (const Kernels* k : supported_kernels()) {
    if (name && std::strcmp(k->target, name) == 0) return k;
  }
  return nullptr;
}

const Kernels* default_kernels() {
  const Kernels* wanted = find(std::getenv("HLG_TARGET"));
  return wanted ? wanted : supported_kernels().front();
}

std::atomic<const Kernels*>& chosen_kernels() {
  static std::atomic<const Kernels*> chosen{default_kernels()};
  return chosen;
}

}  // namespace

const std::vector<const Kernels*>& supported_kernels() {
  static const std::vector<const Kernels*> list = find_supported();
  return list;
}

const Kernels& kernels() { return *chosen_kernels().load(std::memory_order_relaxed); }

bool force_target(const char* name) {
  const Kernels* wanted = name ? find(name) : default_kernels();
  if (wanted) chosen_kernels().store(wanted, std::memory_order_relaxed);
  return wanted != nullptr;
}

}  // namespace hlg

#endif  // HWY_ONCE
