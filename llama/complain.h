// One line about a bad setting: its name, its value, what is allowed.
#pragma once

#include <string>

#include "common.h"

namespace hlg_seam {

std::string allowed(const hlg_knob& k);

// A text that somebody gave, in quotes and on one line: control characters as \xNN.
std::string quoted(const std::string& text);

std::string complaint(const std::string& name, const std::string& value, const hlg_knob& k);

// The line for the one combination that cannot be, or "".
std::string conflict(const common_params_sampling& sampling);

// Bad settings at start-up, or a bad model file: one line, and the end. Threads may be running
// already, so nothing is unwound.
constexpr int kBadSettings = 2;
[[noreturn]] void refuse(const std::string& line, int status = kBadSettings);

}  // namespace hlg_seam
