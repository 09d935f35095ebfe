// The knob table as JSON, for programs that draw sliders or write documentation.
#pragma once

#include "json.h"

// One object a knob: its names, what it allows, what it does.
common_json knob_table();
