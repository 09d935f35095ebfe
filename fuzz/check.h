// What every fuzz target needs: how to end a run with what is wrong, and settings as text.
//
// A target is a function of bytes that libFuzzer calls with what it makes up; a run that ends is a
// finding, and its bytes are kept. scripts/fuzz builds and runs the targets.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hlg/hlg.h"

namespace hlg_fuzz {

// Bytes are taken from the end for numbers, from the front for texts and rows: so a longer row
// leaves the settings as they are.
using Bytes = FuzzedDataProvider;

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "hlg: fuzz: %s\n", what.c_str());
  std::abort();
}

inline std::string knob_text(const hlg_knob& k, double value) {
  char text[64];
  hlg_knob_text(&k, value, text, sizeof text);
  return text;
}

inline const hlg_knob& some_knob(Bytes& in) {
  return *hlg_knob_get(in.ConsumeIntegralInRange<int32_t>(0, hlg_knob_count() - 1));
}

inline double get(const hlg_params& params, const hlg_knob& k) {
  double value = 0;
  if (hlg_params_get(&params, k.name, &value) != HLG_OK) fail("hlg_params_get refuses");
  return value;
}

inline std::string params_text(const hlg_params& params) {
  std::string text = "temperature " + std::to_string(params.temperature);
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob& k = *hlg_knob_get(i);
    text += std::string(", ") + k.name + " " + knob_text(k, get(params, k));
  }
  return text;
}

// A message of ours is one line of printable text, not empty.
inline void check_line(const std::string& line, const std::string& name) {
  if (line.find(name) == std::string::npos) fail("'" + line + "' does not name " + name);
  for (const char c : line) {
    if (static_cast<unsigned char>(c) < ' ') fail("not one plain line: " + line);
  }
}

}  // namespace hlg_fuzz
