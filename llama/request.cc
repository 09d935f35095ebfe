// Requests and reports: the hlg object in JSON.
#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>

#include "complain.h"
#include "json.h"
#include "seam.h"

namespace hlg_seam {
namespace {

constexpr size_t kLongest = 40;  // what is shown of a text

// A value of a request in an error message: short, whatever was sent.
std::string shown(const common_json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (!value.is_string()) return value.dump_safe();
  const auto text = value.get<std::string>();
  if (text.size() <= kLongest) return value.dump_safe();
  size_t end = kLongest;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // not in the middle of a character
  return common_json::make(text.substr(0, end)).dump_safe() + "...";
}

// Whether hlg.h, which takes C strings, sees all of this text.
bool is_plain(const std::string& text) { return std::strlen(text.c_str()) == text.size(); }

// A key that hlg does not have. Quoted where it is no word, or too long to be a slip.
std::string shown_key(const std::string& key) {
  const bool is_word = key.size() <= kLongest && std::all_of(key.begin(), key.end(), [](char c) {
                         return c > ' ' && c <= '~';
                       });
  return is_word ? key : shown(common_json::make(key));
}

void set_from_json(settings& hlg, const hlg_knob& k, const common_json& value) {
  bool ok = false;
  if (k.kind == HLG_KNOB_SWITCH) {
    ok = value.is_boolean() && hlg_params_set(&hlg, k.name, value.get<bool>()) == HLG_OK;
  } else if (k.kind == HLG_KNOB_NUMBER && value.is_number()) {
    ok = hlg_params_set(&hlg, k.name, value.get<double>()) == HLG_OK;
  } else if (value.is_string()) {  // a word; digits in quotes are not a number
    const auto word = value.get<std::string>();
    ok = (k.kind == HLG_KNOB_CHOICE || word == "off") && is_plain(word) &&
         hlg_params_set_text(&hlg, k.name, word.c_str()) == HLG_OK;
  }
  if (!ok) {
    const std::string wanted = k.kind == HLG_KNOB_SWITCH ? "true or false" : allowed(k);
    throw std::invalid_argument("hlg." + std::string(k.name) + ": " + shown(value) +
                                " is not allowed: give " + wanted);
  }
}

std::string knob_names() {
  std::string names;
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    names += (i ? ", " : "") + std::string(hlg_knob_get(i)->name);
  }
  return names;
}

}  // namespace

void from_json(const common_json& object, settings& hlg) {
  if (!object.is_object()) {
    throw std::invalid_argument("hlg: " + shown(object) + " is not allowed: give an object");
  }
  for (const auto& entry : object.items()) {
    const std::string& key = entry.key();
    const hlg_knob* k = is_plain(key) ? hlg_knob_find(key.c_str()) : nullptr;
    if (!k) {
      throw std::invalid_argument("hlg." + shown_key(key) + ": unknown; the keys of hlg are " +
                                  knob_names());
    }
    if (!entry.value().is_null()) set_from_json(hlg, *k, entry.value());
  }
}

void finish_request(const common_params_sampling& server, common_params_sampling& request) {
  const std::string line = conflict(request);
  if (!line.empty()) throw std::invalid_argument(line);
  if (is_on(request)) count_request();
  if (!is_on(request) && names_hlg(request.samplers)) request.samplers = server.samplers;
}

void pass_through(const common_json& anthropic, common_json& openai) {
  static const std::set<std::string> read = {"system",      "messages",       "tools",
                                             "tool_choice", "stop_sequences", "max_tokens",
                                             "thinking",    "metadata"};
  for (const auto& entry : anthropic.items()) {
    if (read.count(entry.key()) == 0 && !openai.contains(entry.key())) {
      openai[entry.key()] = entry.value();
    }
  }
}

common_json to_json(const settings& hlg) {
  hlg_params resolved = hlg;
  hlg_params_resolve(&resolved);
  common_json report = common_json::object();
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob& k = *hlg_knob_get(i);
    double value = 0;
    hlg_params_get(&resolved, k.name, &value);
    if (k.kind == HLG_KNOB_SWITCH) {
      report[k.name] = value != 0;
    } else if (k.kind == HLG_KNOB_CHOICE) {
      report[k.name] = k.choices[static_cast<int>(value)];
    } else if (value == HLG_OFF) {
      report[k.name] = "off";
    } else {
      report[k.name] = value;
    }
  }
  return report;
}

}  // namespace hlg_seam
