#include "knobs.h"

#include "seam.h"

namespace {

const char* kind_name(const hlg_knob& k) {
  return k.kind == HLG_KNOB_SWITCH ? "switch" : k.kind == HLG_KNOB_CHOICE ? "choice" : "number";
}

common_json knob_json(const hlg_knob& k) {
  char allowed[128];
  hlg_knob_allowed(&k, allowed, sizeof allowed);
  common_json json = common_json::object({{"key", k.name},
                                          {"flag", "--" + std::string(k.flag)},
                                          {"env", hlg_seam::env_name(k)},
                                          {"config", k.flag},
                                          {"gguf", hlg_seam::model_key(k)},
                                          {"kind", kind_name(k)},
                                          {"allowed", allowed},
                                          {"default", k.default_text},
                                          {"unit", k.unit},
                                          {"entropy", k.direction},
                                          {"help", k.help},
                                          {"when", k.when}});
  if (k.kind == HLG_KNOB_NUMBER) {
    json["min"] = k.min;
    json["max"] = k.max;
    json["can_be_off"] = k.can_be_off != 0;
  } else {
    json["choices"] = std::vector<std::string>(k.choices, k.choices + k.n_choices);
  }
  return json;
}

}  // namespace

common_json knob_table() {
  common_json table = common_json::array();
  for (int32_t i = 0; i < hlg_knob_count(); ++i) table.push_back(knob_json(*hlg_knob_get(i)));
  return table;
}

double knob_of(const hlg_params& params, const char* name) {
  double value = 0;
  hlg_params_get(&params, name, &value);
  return value;
}

common_json knob_json_value(const hlg_knob& knob, double value) {
  if (knob.kind == HLG_KNOB_NUMBER && value != HLG_OFF) return value;
  char text[40];
  hlg_knob_text(&knob, value, text, sizeof text);
  return text;
}
