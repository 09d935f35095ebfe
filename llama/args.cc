// The command line, the environment and config files: our flags as arguments of llama.cpp's parser.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>

#include "arg.h"
#include "complain.h"
#include "seam.h"

namespace hlg_seam {
namespace {

constexpr size_t kKnobs = 7;

// Texts of one argument; llama.cpp keeps pointers to them.
struct ArgText {
  std::string flag, env, hint;
};

ArgText arg_text(const hlg_knob& k) {
  ArgText t{"--" + std::string(k.flag), env_name(k), ""};
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
  refuse(complaint(source, quoted(value), k));
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
  const std::string unit = *k.unit ? std::string("in ") + k.unit + ", " : "";
  return std::string("HLG: ") + k.help + "\n(" + unit + allowed(k) +
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

}  // namespace

std::string env_name(const hlg_knob& k) {
  std::string name = "LLAMA_ARG_";
  for (const char* c = k.flag; *c; ++c) {
    name += *c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  }
  return name;
}

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

}  // namespace hlg_seam
