#include "seam.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "arg.h"
#include "json.h"
#include "log.h"

namespace hlg_seam {
namespace {

std::string allowed(const hlg_knob& k) {
  char text[128];
  hlg_knob_allowed(&k, text, sizeof text);
  return text;
}

std::string complaint(const std::string& name, const std::string& value, const hlg_knob& k) {
  return name + ": " + value + " is not allowed: give " + allowed(k);
}

// Bad settings at start-up: one line, exit status 2. Threads may be running already, so nothing is
// unwound.
[[noreturn]] void refuse(const std::string& line) {
  common_log_flush(common_log_main());
  std::fprintf(stderr, "hlg: %s\n", line.c_str());
  std::fflush(nullptr);
  std::_Exit(2);
}

// ---- command line

constexpr size_t kKnobs = 7;

// Texts of one argument; llama.cpp keeps pointers to them.
struct ArgText {
  std::string flag, env, hint;
};

ArgText arg_text(const hlg_knob& k) {
  ArgText t{"--" + std::string(k.flag), "LLAMA_ARG_", ""};
  for (const char* c = k.flag; *c; ++c) {
    t.env += *c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  }
  for (int i = 0; i < k.n_choices; ++i) t.hint += (i ? "|" : "") + std::string(k.choices[i]);
  if (k.kind == HLG_KNOB_NUMBER) t.hint = k.can_be_off ? "N|off" : "N";
  return t;
}

const std::array<ArgText, kKnobs>& arg_texts() {
  static const std::array<ArgText, kKnobs> texts = [] {
    std::array<ArgText, kKnobs> t;
    GGML_ASSERT(static_cast<size_t>(hlg_knob_count()) == t.size());
    for (size_t i = 0; i < t.size(); ++i) t[i] = arg_text(*hlg_knob_get(static_cast<int32_t>(i)));
    return t;
  }();
  return texts;
}

void set_or_refuse(hlg_params& hlg, size_t i, const std::string& source, const char* value) {
  const hlg_knob& k = *hlg_knob_get(static_cast<int32_t>(i));
  if (hlg_params_set_text(&hlg, k.name, value) == HLG_OK) return;
  refuse(complaint(source, "'" + std::string(value) + "'", k));
}

// llama.cpp calls the same handler for a config file, the environment and the command line, in
// that order; the last two were checked by check_flags. Handlers are plain function pointers, hence
// one instance per knob.
template <size_t I>
void set_knob(common_params& params, const std::string& value) {
  const std::string key = arg_texts()[I].flag.substr(2);
  set_or_refuse(params.sampling.hlg, I, key + " (in a config or preset file)", value.c_str());
}

std::string arg_help(const hlg_knob& k) {
  const std::string unit = *k.unit ? std::string(", in ") + k.unit : "";
  return std::string("HLG: ") + k.help + unit + "\n(" + allowed(k) +
         "; default: " + k.default_text + ")";
}

template <size_t... I>
std::vector<common_arg> make_args(std::index_sequence<I...> /*knobs*/) {
  std::vector<common_arg> list;
  const auto add = [&](size_t i, void (*handler)(common_params&, const std::string&)) {
    const ArgText& t = arg_texts()[i];
    const hlg_knob& k = *hlg_knob_get(static_cast<int32_t>(i));
    common_arg arg({t.flag.c_str()}, t.hint.c_str(), arg_help(k), handler);
    list.push_back(arg.set_sampling().set_env(t.env.c_str()));
  };
  (add(I, &set_knob<I>), ...);
  return list;
}

// ---- request

void set_from_json(settings& hlg, const hlg_knob& k, const common_json& value) {
  bool ok = false;
  if (k.kind == HLG_KNOB_SWITCH) {
    ok = value.is_boolean() && hlg_params_set(&hlg, k.name, value.get<bool>()) == HLG_OK;
  } else if (k.kind == HLG_KNOB_NUMBER && value.is_number()) {
    const double number = value.get<double>();  // infinite where it does not fit: not "off"
    ok = std::isfinite(number) && hlg_params_set(&hlg, k.name, number) == HLG_OK;
  } else if (value.is_string()) {  // a word; digits in quotes are not a number
    const std::string word = value.get<std::string>();
    ok = (k.kind == HLG_KNOB_CHOICE || word == "off") &&
         hlg_params_set_text(&hlg, k.name, word.c_str()) == HLG_OK;
  }
  if (!ok) {
    const std::string wanted = k.kind == HLG_KNOB_SWITCH ? "true or false" : allowed(k);
    throw std::invalid_argument("hlg." + std::string(k.name) + ": " + value.dump_safe() +
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

// ---- samplers

bool names_hlg(const std::vector<common_sampler_type>& samplers) {
  return std::find(samplers.begin(), samplers.end(), COMMON_SAMPLER_TYPE_HLG) != samplers.end();
}

std::string mirostat_conflict(int32_t mirostat) {
  return "mirostat: " + std::to_string(mirostat) +
         " is not allowed with hlg: both replace the sampler, so turn one of them off";
}

}  // namespace

std::vector<common_arg> args() { return make_args(std::make_index_sequence<kKnobs>()); }

void check_flags(int argc, char** argv) {
  settings scratch;
  for (size_t i = 0; i < kKnobs; ++i) {
    const ArgText& t = arg_texts()[i];
    if (const char* value = std::getenv(t.env.c_str())) set_or_refuse(scratch, i, t.env, value);
    for (int a = 1; a < argc; ++a) {
      std::string arg = argv[a];
      std::replace(arg.begin(), arg.end(), '_', '-');  // as llama.cpp's parser reads it
      if (arg != t.flag) continue;
      if (a + 1 == argc)
        refuse(t.flag + ": needs a value: " + allowed(*hlg_knob_get(static_cast<int32_t>(i))));
      set_or_refuse(scratch, i, t.flag, argv[a + 1]);
    }
  }
}

void from_model(const llama_model* model, common_params_sampling& sampling) {
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob& k = *hlg_knob_get(i);
    double set = 0;
    hlg_params_get(&sampling.hlg, k.name, &set);
    if (set != HLG_UNSET) continue;
    const std::string key = std::string("general.sampling.hlg.") + k.name;
    char text[64];
    if (llama_model_meta_val_str(model, key.c_str(), text, sizeof text) < 0) continue;
    const bool is_switch = k.kind == HLG_KNOB_SWITCH;
    const char* word = is_switch && std::strcmp(text, "true") == 0    ? "on"
                       : is_switch && std::strcmp(text, "false") == 0 ? "off"
                                                                      : text;
    if (hlg_params_set_text(&sampling.hlg, k.name, word) != HLG_OK) {
      refuse(complaint(key + " (in the model file)", "'" + std::string(text) + "'", k));
    }
  }
  if (!is_on(sampling)) return;
  if (sampling.mirostat != 0) refuse(mirostat_conflict(sampling.mirostat));
  if (!std::isfinite(sampling.temp)) refuse("temperature: must be finite with hlg");
}

void from_json(const common_json& object, settings& hlg) {
  if (!object.is_object()) {
    throw std::invalid_argument("hlg: " + object.dump_safe() + " is not allowed: give an object");
  }
  for (const auto& entry : object.items()) {
    const hlg_knob* k = hlg_knob_find(entry.key().c_str());
    if (!k) {
      throw std::invalid_argument("hlg." + entry.key() + ": unknown; the keys of hlg are " +
                                  knob_names());
    }
    if (!entry.value().is_null()) set_from_json(hlg, *k, entry.value());
  }
}

void finish_request(const common_params_sampling& server, common_params_sampling& request) {
  if (is_on(request)) {
    if (request.mirostat != 0) throw std::invalid_argument(mirostat_conflict(request.mirostat));
    if (!std::isfinite(request.temp)) {
      throw std::invalid_argument("temperature: must be a finite number with hlg");
    }
  } else if (names_hlg(request.samplers)) {
    request.samplers = server.samplers;
  }
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

bool is_on(const common_params_sampling& sampling) { return sampling.hlg.enabled == 1; }

std::vector<common_sampler_type> effective_samplers(const common_params_sampling& sampling) {
  if (!is_on(sampling)) {
    return names_hlg(sampling.samplers) ? common_params_sampling().samplers : sampling.samplers;
  }
  std::vector<common_sampler_type> list;
  for (const common_sampler_type type : sampling.samplers) {
    if (type == COMMON_SAMPLER_TYPE_PENALTIES || type == COMMON_SAMPLER_TYPE_DRY) {
      list.push_back(type);
    }
  }
  list.push_back(COMMON_SAMPLER_TYPE_HLG);
  return list;
}

llama_sampler* make_sampler(const common_params_sampling& sampling) {
  hlg_params params = sampling.hlg;
  params.temperature = sampling.temp;
  llama_sampler* sampler = hlg_llama_sampler_init(&params, sampling.seed);
  if (sampler) return sampler;
  char message[160] = "out of memory";
  hlg_params_check(&params, message, sizeof message);
  throw std::invalid_argument(message);
}

void keep_pivot(llama_sampler* chain) { hlg_llama_keep_pivot(chain); }

uint32_t chain_seed(llama_sampler* chain) {
  const uint32_t seed = hlg_llama_seed(chain);
  return seed != LLAMA_DEFAULT_SEED ? seed : llama_sampler_get_seed(chain);
}

void check_row(llama_sampler* chain) {
  const int32_t status = hlg_llama_status(chain);
  if (status == HLG_OK) return;
  throw std::runtime_error(std::string("hlg: ") + hlg_status_name(status) +
                           ": every token of this row is masked");
}

}  // namespace hlg_seam
