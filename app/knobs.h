// The knob table and values of knobs as JSON, for programs that draw sliders or write
// documentation.
#pragma once

#include "hlg/hlg.h"
#include "json.h"

// One object a knob: its names, what it allows, what it does.
common_json knob_table();

// hlg_params_get, of a knob that the table has.
double knob_of(const hlg_params& params, const char* name);

// A number, or a text: "off", "fade".
common_json knob_json_value(const hlg_knob& knob, double value);
