#include "complain.h"

#include <cmath>
#include <cstdio>

#include "seam.h"

namespace hlg_seam {

std::string allowed(const hlg_knob& k) {
  char text[128];
  hlg_knob_allowed(&k, text, sizeof text);
  return text;
}

std::string quoted(const std::string& text) {
  std::string line = "'";
  for (const char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(c));
    line += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? escaped : std::string(1, c);
  }
  return line + "'";
}

std::string complaint(const std::string& name, const std::string& value, const hlg_knob& k) {
  return name + ": " + value + " is not allowed: give " + allowed(k);
}

std::string conflict(const common_params_sampling& sampling) {
  if (!is_on(sampling)) return "";
  if (sampling.mirostat != 0) {
    return "mirostat: " + std::to_string(sampling.mirostat) +
           " is not allowed with hlg: both replace the sampler, so turn one of them off";
  }
  if (std::isfinite(sampling.temp)) return "";
  return "temperature: " + std::to_string(sampling.temp) +
         " is not allowed with hlg: give a number that is finite in float32";
}

}  // namespace hlg_seam
