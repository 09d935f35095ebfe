// Which samplers run: ours, or those of llama.cpp.
#include <algorithm>
#include <vector>

#include "seam.h"

namespace hlg_seam {

bool is_on(const common_params_sampling& sampling) { return sampling.hlg.enabled == 1; }

bool names_hlg(const std::vector<common_sampler_type>& samplers) {
  return std::find(samplers.begin(), samplers.end(), COMMON_SAMPLER_TYPE_HLG) != samplers.end();
}

std::vector<common_sampler_type> effective_samplers(const common_params_sampling& sampling) {
  if (!is_on(sampling)) {
    return names_hlg(sampling.samplers) ? common_params_sampling().samplers : sampling.samplers;
  }
  std::vector<common_sampler_type> list;
  for (const common_sampler_type type : sampling.samplers) {
    if (type == COMMON_SAMPLER_TYPE_PENALTIES || type == COMMON_SAMPLER_TYPE_DRY) {
      list.push_back(type);
    }
  }
  list.push_back(COMMON_SAMPLER_TYPE_HLG);
  return list;
}

}  // namespace hlg_seam
