// The model file: settings under general.sampling.hlg.*, and what can be checked once they are
// read.
#include <cstring>
#include <string>

#include "complain.h"
#include "json.h"
#include "log.h"
#include "seam.h"

namespace hlg_seam {
namespace {

// The text of a key of the model file as a knob understands it; a GGUF bool reads "true", "false".
const char* knob_word(const hlg_knob& k, const char* text) {
  if (k.kind != HLG_KNOB_SWITCH) return text;
  return std::strcmp(text, "true") == 0 ? "on" : std::strcmp(text, "false") == 0 ? "off" : text;
}

void set_from_model(const llama_model* model, const hlg_knob& k, settings& hlg) {
  const std::string key = model_key(k);
  char text[64];
  const int32_t length = llama_model_meta_val_str(model, key.c_str(), text, sizeof text);
  if (length < 0) return;
  const bool is_whole = static_cast<size_t>(length) < sizeof text;
  if (!is_whole || hlg_params_set_text(&hlg, k.name, knob_word(k, text)) != HLG_OK) {
    const std::string shown = quoted(text) + (is_whole ? "" : "...");
    refuse(complaint(key + " (in the model file)", shown, k));
  }
}

// Said once, when all levels but the request are known.
void announce(const common_params_sampling& sampling) {
  if (is_on(sampling)) {
    LOG_INF("hlg: on %s\n", to_json(sampling.hlg).dump().c_str());
    return;
  }
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    double value = 0;
    hlg_params_get(&sampling.hlg, hlg_knob_get(i)->name, &value);
    if (hlg_knob_get(i)->kind == HLG_KNOB_SWITCH || value == HLG_UNSET) continue;
    LOG_WRN("hlg: off; settings are given but have no effect without --hlg-sampling on\n");
    return;
  }
  LOG_INF("hlg: off\n");
}

}  // namespace

std::string model_key(const hlg_knob& k) { return std::string("general.sampling.hlg.") + k.name; }

void from_model(const llama_model* model, common_params_sampling& sampling) {
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob& k = *hlg_knob_get(i);
    double value = 0;
    hlg_params_get(&sampling.hlg, k.name, &value);
    if (value == HLG_UNSET) set_from_model(model, k, sampling.hlg);
  }
  const std::string line = conflict(sampling);
  if (!line.empty()) refuse(line);
  announce(sampling);
}

}  // namespace hlg_seam
