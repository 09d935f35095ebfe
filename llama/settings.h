// The HLG settings of one request or of the whole server, as llama.cpp carries them.
//
// llama.cpp's common.h includes this header through the seam (llama/seam/), so it stays light.
#pragma once

#include "hlg/hlg.h"

namespace hlg_seam {

// All unset, so off, until some level sets a field.
struct settings : hlg_params {
  settings() : hlg_params() { hlg_params_init(this); }
};

}  // namespace hlg_seam
