// Bytes -> settings as llama.cpp hands them to us: JSON of a request, flags and environment, texts
// of a model file. What is accepted passes the check and is reported as what it is; what is refused
// gets one line that names it.
#include "seam.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "arg.h"
#include "check.h"
#include "complain.h"
#include "json.h"
#include "log.h"

namespace {

// What llama_model_meta_val_str finds.
std::map<std::string, std::string> model_texts;

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

// In the place of llama/refuse.cc, which ends the program.
void hlg_seam::refuse(const std::string& line, int /*status*/) { throw Refused(line); }

// In the place of llama.cpp's.
int32_t llama_model_meta_val_str(const llama_model* /*model*/, const char* key, char* text,
                                 size_t text_size) {
  const auto found = model_texts.find(key);
  return found == model_texts.end() ? -1
                                    : std::snprintf(text, text_size, "%s", found->second.c_str());
}
size_t llama_max_devices() { return 1; }
void ggml_abort(const char* file, int line, const char* /*format*/, ...) {
  hlg_fuzz::fail(std::string(file) + ":" + std::to_string(line));
}
common_arg& common_arg::set_env(const char* name) { return env = name, *this; }
common_arg& common_arg::set_sampling() { return *this; }
common_log* common_log_main() { return nullptr; }
int common_log_get_verbosity_thold() { return -1; }  // silent
void common_log_add(common_log* /*log*/, ggml_log_level /*level*/, const char* /*format*/, ...) {}

namespace hlg_fuzz {
namespace {

using hlg_seam::settings;

std::string report(const settings& hlg) { return hlg_seam::to_json(hlg).dump(); }

void check_allowed(const settings& hlg) {
  char line[256];
  if (hlg_params_check(&hlg, line, sizeof line) != HLG_OK) fail(line);
}

// The line that a request gets, "" where it is taken.
std::string answer(const common_json& object, settings& hlg) {
  try {
    hlg_seam::from_json(object, hlg);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

void json(Bytes& in) {
  const common_json object = common_json::parse_no_throw(in.ConsumeRemainingBytesAsString());
  if (object.is_discarded()) return;
  settings hlg;
  const std::string line = answer(object, hlg);
  check_allowed(hlg);
  if (!line.empty()) {
    check_line(line, "hlg");
    const std::string sent = common_json::make(line).dump_safe();  // replaces what is not UTF-8
    if (common_json::parse(sent).get<std::string>() != line) fail("not UTF-8: " + line);
    return;
  }
  settings echoed;
  if (!answer(hlg_seam::to_json(hlg), echoed).empty() || report(echoed) != report(hlg)) {
    fail(report(hlg) + " does not read back");
  }
}

// What llama.cpp's parser makes of a flag's text, once check_flags has passed.
settings parsed(const std::string& flag, const std::string& text) {
  common_params params;
  for (const common_arg& arg : hlg_seam::args()) {
    if (arg.args.front() == flag) arg.handler_string(params, text);
  }
  return params.sampling.hlg;
}

// A text that was taken: it is one that the library takes, for the same value.
void check_taken(const hlg_knob& k, const std::string& text, const settings& hlg) {
  settings same;
  check_allowed(hlg);
  if (hlg_params_set_text(&same, k.name, text.c_str()) != HLG_OK || get(same, k) != get(hlg, k)) {
    fail(std::string(k.name) + ": " + text + " is taken for " + knob_text(k, get(hlg, k)));
  }
}

void flags(Bytes& in) {
  const hlg_knob& k = some_knob(in);
  const std::string flag = "--" + std::string(k.flag), env = hlg_seam::env_name(k);
  const bool from_env = in.ConsumeBool();
  std::vector<std::string> args = {"hlg"};
  if (in.ConsumeBool()) args.push_back(in.ConsumeRandomLengthString());
  if (!from_env) args.push_back(flag);
  std::string text = in.ConsumeRemainingBytesAsString();
  text = text.c_str();  // as an argument has it
  if (from_env)
    setenv(env.c_str(), text.c_str(), 1);
  else
    args.push_back(text);
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  try {
    hlg_seam::check_flags(static_cast<int>(argv.size()), argv.data());
    check_taken(k, text, parsed(flag, text));
  } catch (const Refused& error) {
    const std::string line = error.what();
    check_line(line, line.rfind("--hlg-", 0) == 0 ? "--hlg-" : env);
  }
  unsetenv(env.c_str());
}

void model(Bytes& in) {
  std::map<std::string, std::string> texts;
  while (in.remaining_bytes() > 0 && texts.size() < 7) {
    texts[hlg_seam::model_key(some_knob(in))] = in.ConsumeRandomLengthString().c_str();
  }
  model_texts = texts;
  common_params_sampling sampling;
  try {
    hlg_seam::from_model(nullptr, sampling);
  } catch (const Refused& error) {
    check_line(error.what(), "general.sampling.hlg.");
    return;
  }
  for (const auto& [key, text] : texts) {
    const hlg_knob& k = *hlg_knob_find(key.substr(key.rfind('.') + 1).c_str());
    const bool is_bool = k.kind == HLG_KNOB_SWITCH && (text == "true" || text == "false");
    check_taken(k, !is_bool ? text : text == "true" ? "on" : "off", sampling.hlg);
  }
}

}  // namespace
}  // namespace hlg_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hlg_fuzz::Bytes in(data, size);
  switch (in.ConsumeIntegralInRange<int>(0, 2)) {
    case 0: hlg_fuzz::json(in); break;
    case 1: hlg_fuzz::flags(in); break;
    default: hlg_fuzz::model(in);
  }
  return 0;
}
