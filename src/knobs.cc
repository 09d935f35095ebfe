#include "knobs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <iterator>
#include <locale>
#include <sstream>

namespace hlg {
namespace {

constexpr double kDefaultTopOffset = 6;  // nats, the offset of the top pivot where none is set

const char* const kSwitch[] = {"off", "on"};
const char* const kPivots[] = {"top", "entropy", "median"};
const char* const kToeShapes[] = {"log", "fade"};

// A knob and the field of hlg_params that holds it: `choice` or `number`, the other is null.
struct Entry {
  hlg_knob knob;
  int32_t hlg_params::*choice;
  double hlg_params::*number;
};

// clang-format off
const Entry kTable[] = {
    {{"enabled", "hlg-sampling", HLG_KNOB_SWITCH, 0, 0, 1, 0, "off", "", kSwitch, 2,
      "",
      "draw through the tone curve in place of top-k, top-p, min-p and their kin",
      "off, to compare with the samplers that it replaces"},
     &hlg_params::enabled, nullptr},
    {{"pivot", "hlg-pivot", HLG_KNOB_CHOICE, 0, 0, 2, HLG_PIVOT_TOP, "top", "", kPivots, 3,
      "",
      "where the curve sits: below the top token, at the entropy, or at the median of the mass",
      "entropy or median, to let the curve move with the model's certainty; with fade, because log "
      "lifts too much of the tail there"},
     &hlg_params::pivot, nullptr},
    {{"pivot_offset", "hlg-pivot-offset", HLG_KNOB_NUMBER, 0, 0, 40, HLG_UNSET,
      "6 for top, 0 for entropy and median", "nats", nullptr, 0,
      "fade: up; log: not signed",
      "how far below that point the pivot lies",
      "up, to roll off more tokens and to begin the toe further down; down for the reverse"},
     nullptr, &hlg_params::pivot_offset},
    {{"width", "hlg-width", HLG_KNOB_NUMBER, 1, 0, 40, 4, "4", "nats", nullptr, 0,
      "log, or toe off: down; fade with shoulder off: up; else not signed",
      "half the length of the straight middle; off: plain temperature",
      "up, to leave more tokens to plain temperature; down, to bend closer to the pivot"},
     nullptr, &hlg_params::width},
    {{"shoulder", "hlg-shoulder", HLG_KNOB_NUMBER, 1, 0.05, 1000, 4, "4", "nats", nullptr, 0,
      "down",
      "how softly the likely tokens roll off; small bends hard, off does not bend",
      "down, where the favourite wins too often; up or off, where it should keep its lead"},
     nullptr, &hlg_params::shoulder},
    {{"toe", "hlg-toe", HLG_KNOB_NUMBER, 1, 0.05, 1000, 6, "6", "nats", nullptr, 0,
      "log: down; fade: up",
      "how softly the tail bends; small bends hard, off does not bend",
      "down with fade, up or off with log, where stray tokens appear"},
     nullptr, &hlg_params::toe},
    {{"toe_shape", "hlg-toe-shape", HLG_KNOB_CHOICE, 0, 0, 1, HLG_TOE_FADE, "fade", "", kToeShapes, 2,
      "",
      "which way the tail bends: log lifts it, fade presses it down",
      "fade keeps garbage out; log, the original formula, for the strangest words"},
     &hlg_params::toe_shape, nullptr},
};
// clang-format on

const Entry& entry(const hlg_knob& k) {
  const Entry* e = kTable;
  while (&e->knob != &k) ++e;  // every hlg_knob in use comes from the table
  return *e;
}

// Where the knob's field ends in hlg_params.
size_t field_end(const Entry& e) {
  const hlg_params p{};
  const void* end = e.number ? static_cast<const void*>(&(p.*e.number) + 1) : &(p.*e.choice) + 1;
  return static_cast<size_t>(static_cast<const char*>(end) - reinterpret_cast<const char*>(&p));
}

// Without a check.
void put(hlg_params& params, const Entry& e, double value) {
  if (e.number) {
    params.*e.number = value;
  } else {
    params.*e.choice = value == HLG_UNSET ? HLG_UNSET_CHOICE : static_cast<int32_t>(value);
  }
}

bool is_allowed(const hlg_knob& k, double value) {
  if (value == HLG_UNSET) return true;
  if (value == HLG_OFF) return k.can_be_off != 0;
  if (k.kind != HLG_KNOB_NUMBER && value != std::floor(value)) return false;
  return value >= k.min && value <= k.max;  // false for NaN
}

// A stream for numbers with a decimal point, whatever locale the host has chosen. (libc++ has
// std::from_chars for doubles only since LLVM 20.)
template <class Stream>
class Plain : public Stream {
 public:
  Plain() {
    this->imbue(std::locale::classic());
    this->exceptions(std::ios::badbit);  // out of memory
  }
};

// A whole decimal number; no words such as "inf" or "nan", no hexadecimal, no blanks.
bool parse_number(const std::string& text, double& value) {
  if (text.find_first_not_of("0123456789+-.eE") != std::string::npos) return false;
  Plain<std::istringstream> in;
  in.str(text);
  in >> value;
  return !in.fail() && in.eof();
}

// The shortest text that reads back as the same double.
std::string format(double value) {
  if (std::isnan(value)) return "nan";
  std::string text;
  double read = 0;
  for (int digits = 6; digits <= 17 && !(parse_number(text, read) && read == value); ++digits) {
    Plain<std::ostringstream> out;
    out << std::setprecision(digits) << value;
    text = out.str();
  }
  return text;
}

}  // namespace

int knob_count() { return static_cast<int>(std::size(kTable)); }

const hlg_knob* knob(int i) { return i >= 0 && i < knob_count() ? &kTable[i].knob : nullptr; }

const hlg_knob* find_knob(const char* name) {
  for (const Entry& e : kTable) {
    if (std::strcmp(e.knob.name, name) == 0) return &e.knob;
  }
  return nullptr;
}

std::string allowed_values(const hlg_knob& k) {
  if (k.kind == HLG_KNOB_NUMBER) {
    const std::string range = "a number from " + format(k.min) + " to " + format(k.max);
    return k.can_be_off ? range + ", or off" : range;
  }
  std::string words;
  for (int i = 0; i < k.n_choices; ++i) {
    if (i > 0) words += i + 1 < k.n_choices ? ", " : " or ";
    words += k.choices[i];
  }
  return words;
}

std::string value_text(const hlg_knob& k, double value) {
  if (value == HLG_UNSET) return "unset";
  if (value == HLG_OFF) return "off";
  for (int i = 0; i < k.n_choices; ++i) {
    if (value == i) return k.choices[i];
  }
  return format(value);
}

void init_params(hlg_params& params) {
  params.struct_size = sizeof(hlg_params);
  params.temperature = 1;
  for (const Entry& e : kTable) set_knob(params, e.knob, HLG_UNSET);
}

bool set_knob(hlg_params& params, const hlg_knob& k, double value) {
  if (!is_allowed(k, value)) return false;
  put(params, entry(k), value);
  return true;
}

bool set_knob_text(hlg_params& params, const hlg_knob& k, const char* text) {
  for (int i = 0; i < k.n_choices; ++i) {
    if (std::strcmp(text, k.choices[i]) == 0) return set_knob(params, k, i);
  }
  if (k.kind != HLG_KNOB_NUMBER) return false;
  if (std::strcmp(text, "off") == 0) return set_knob(params, k, HLG_OFF);
  double value = 0;
  return parse_number(text, value) && set_knob(params, k, value);
}

double get_knob(const hlg_params& params, const hlg_knob& k) {
  const Entry& e = entry(k);
  if (e.number) return params.*e.number;
  const int32_t choice = params.*e.choice;
  return choice == HLG_UNSET_CHOICE ? HLG_UNSET : choice;
}

void overlay(hlg_params& params, const hlg_params& above) {
  for (const Entry& e : kTable) {
    const double value = get_knob(above, e.knob);
    if (value != HLG_UNSET) put(params, e, value);
  }
}

bool fits(const hlg_params& params, size_t size) {
  return std::all_of(std::begin(kTable), std::end(kTable), [&](const Entry& e) {
    return field_end(e) <= size || get_knob(params, e.knob) == HLG_UNSET;
  });
}

void resolve(hlg_params& params) {
  for (const Entry& e : kTable) {
    if (get_knob(params, e.knob) == HLG_UNSET) set_knob(params, e.knob, e.knob.value);
  }
  if (params.pivot_offset == HLG_UNSET) {
    params.pivot_offset = params.pivot == HLG_PIVOT_TOP ? kDefaultTopOffset : 0;
  }
}

std::string complaint(const hlg_params& params) {
  for (const Entry& e : kTable) {
    const double value = get_knob(params, e.knob);
    if (is_allowed(e.knob, value)) continue;
    return std::string(e.knob.name) + ": " + value_text(e.knob, value) + " is not allowed: give " +
           allowed_values(e.knob);
  }
  if (std::isfinite(static_cast<float>(params.temperature))) return "";
  return "temperature: " + format(params.temperature) +
         " is not allowed: give a number that is finite in float32";
}

}  // namespace hlg
