#include "complain.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "log.h"
#include "seam.h"

namespace hlg_seam {

std::string allowed(const hlg_knob& k) {
  char text[128];
  hlg_knob_allowed(&k, text, sizeof text);
  return text;
}

std::string complaint(const std::string& name, const std::string& value, const hlg_knob& k) {
  return name + ": " + value + " is not allowed: give " + allowed(k);
}

void refuse(const std::string& line, int status) {
  common_log_flush(common_log_main());
  std::fprintf(stderr, "hlg: %s\n", line.c_str());
  std::fflush(nullptr);
  std::_Exit(status);
}

std::string conflict(const common_params_sampling& sampling) {
  if (!is_on(sampling)) return "";
  if (sampling.mirostat != 0) {
    return "mirostat: " + std::to_string(sampling.mirostat) +
           " is not allowed with hlg: both replace the sampler, so turn one of them off";
  }
  return std::isfinite(sampling.temp) ? "" : "temperature: must be a finite number with hlg";
}

}  // namespace hlg_seam
