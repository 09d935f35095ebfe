// The one table of settings, and what is made from it: reading, writing, checking and resolving
// hlg_params. Flags, environment names, JSON and model-file keys, --help and the docs use the same
// table through hlg.h; no range or default is written anywhere else.
#pragma once

#include <cstddef>
#include <string>

#include "hlg/hlg.h"

namespace hlg {

int knob_count();
const hlg_knob* knob(int i);                              // nullptr out of range
const hlg_knob* find_knob(const char* name);              // nullptr if there is none
std::string allowed_values(const hlg_knob& k);            // "a number from 0 to 40, or off"
std::string value_text(const hlg_knob& k, double value);  // "2.5", "off", "fade", "unset"

void init_params(hlg_params& params);
bool set_knob(hlg_params& params, const hlg_knob& k, double value);           // false: not allowed
bool set_knob_text(hlg_params& params, const hlg_knob& k, const char* text);  // false: not allowed
double get_knob(const hlg_params& params, const hlg_knob& k);  // HLG_UNSET where unset
void overlay(hlg_params& params, const hlg_params& above);     // whether allowed or not
void resolve(hlg_params& params);

// Whether a struct of that size, cut from hlg_params, holds all that is set.
bool fits(const hlg_params& params, size_t size);

// The first thing wrong with params in one line, or "".
std::string complaint(const hlg_params& params);

}  // namespace hlg
