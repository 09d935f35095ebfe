// Bytes -> settings as the library reads them: a knob's text, a number, a whole hlg_params of a
// caller. What is accepted passes the check and reads back; what is refused changes nothing, and
// the check says why in one line that names the knob.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "check.h"

namespace hlg_fuzz {
namespace {

// So that == is the same bit for bit.
struct Params {
  hlg_params p;
  Params() { hlg_params_init(&p); }
  bool operator==(const Params& other) const { return std::memcmp(&p, &other.p, sizeof p) == 0; }
};

// The check's message, "" where all is allowed; the same at every size of the caller's buffer.
std::string complaint(const hlg_params* params, size_t room) {
  char whole[256] = "?";
  const int32_t status = hlg_params_check(params, whole, sizeof whole);
  if ((status == HLG_OK) != (*whole == '\0')) fail("status " + std::to_string(status) + whole);
  const std::unique_ptr<char[]> part(new char[room]);
  if (hlg_params_check(params, part.get(), room) != status) fail("another status");
  if (room > 0 && part.get() != std::string(whole).substr(0, room - 1)) fail("a message not cut");
  return whole;
}

// A value that was set: it is allowed, and its text sets it again.
void check_accepted(const Params& params, const Params& before, const hlg_knob& k) {
  if (const std::string line = complaint(&params.p, 0); !line.empty()) fail("accepted: " + line);
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob& other = *hlg_knob_get(i);
    if (&other != &k && get(params.p, other) != get(before.p, other)) {
      fail(std::string(k.name) + ": " + other.name + " has changed too");
    }
  }
  const double value = get(params.p, k);
  if (value == HLG_UNSET) return;
  const std::string text = knob_text(k, value);
  Params again = before;
  if (hlg_params_set_text(&again.p, k.name, text.c_str()) != HLG_OK || get(again.p, k) != value) {
    fail(std::string(k.name) + ": " + text + " does not read back");
  }
}

void check_set(const Params& before, const Params& after, const hlg_knob& k, int32_t status) {
  if (status == HLG_OK) {
    check_accepted(after, before, k);
  } else if (status != HLG_INVALID_ARGUMENT || !(after == before)) {
    fail(std::string(k.name) + ": refused with status " + std::to_string(status) +
         ", or not without a change");
  }
}

void set_text(Params& params, Bytes& in) {
  const hlg_knob& k = some_knob(in);
  const std::string text = in.ConsumeRandomLengthString();
  const Params before = params;
  check_set(before, params, k, hlg_params_set_text(&params.p, k.name, text.c_str()));
}

void set_number(Params& params, Bytes& in) {
  const hlg_knob& k = some_knob(in);
  double value = in.ConsumeIntegralInRange<int32_t>(-3, 44);
  if (in.ConsumeBool()) {
    const auto bits = in.ConsumeIntegral<uint64_t>();
    std::memcpy(&value, &bits, sizeof value);
  }
  const Params before = params;
  check_set(before, params, k, hlg_params_set(&params.p, k.name, value));
}

void set_unknown(Params& params, Bytes& in) {
  const std::string name = in.ConsumeRandomLengthString(), text = in.ConsumeRandomLengthString();
  const Params before = params;
  const int32_t status = hlg_params_set_text(&params.p, name.c_str(), text.c_str());
  if (const hlg_knob* k = hlg_knob_find(name.c_str())) {
    check_set(before, params, *k, status);
  } else if (status != HLG_INVALID_ARGUMENT || !(params == before)) {
    fail("unknown: " + name);
  }
}

// A struct as a caller has it: of a size of its own, with nothing behind it, and some bytes that
// are anything.
std::unique_ptr<char[]> some_struct(const Params& params, Bytes& in) {
  const auto size = in.ConsumeIntegralInRange<uint32_t>(0, sizeof(hlg_params) + 9);
  const size_t room = std::max<size_t>(size, sizeof size);
  std::unique_ptr<char[]> bytes(new char[room]());
  std::memcpy(bytes.get(), &params.p, std::min(room, sizeof(hlg_params)));
  const auto at = in.ConsumeIntegralInRange<size_t>(0, room - 1);
  in.ConsumeData(bytes.get() + at, in.ConsumeIntegralInRange<size_t>(0, room - at));
  std::memcpy(bytes.get(), &size, sizeof size);
  return bytes;
}

void check_names_a_field(const std::string& line) {
  check_line(line, ": ");
  const std::string name = line.substr(0, line.find(':'));
  if (name != "params" && name != "temperature" && !hlg_knob_find(name.c_str())) {
    fail("no field is named: " + line);
  }
}

void overlay(Params& params, Bytes& in) {
  const std::unique_ptr<char[]> bytes = some_struct(params, in);
  const auto* theirs = reinterpret_cast<const hlg_params*>(bytes.get());
  const std::string line = complaint(theirs, in.ConsumeIntegralInRange<size_t>(0, 100));
  if (!line.empty()) check_names_a_field(line);
  hlg_curve* curve = nullptr;
  const int32_t status = hlg_curve_new(theirs, &curve, nullptr, 0);
  if ((curve != nullptr) != line.empty() || (status == HLG_OK) != line.empty()) {
    fail("a curve of what is not allowed, or none: " + line);
  }
  hlg_curve_free(curve);
  Params above = params;
  const bool copied = hlg_params_overlay(&above.p, theirs) == HLG_OK;
  if (!copied && !(above == params)) fail("an overlay refused, but not without a change");
  if (!line.empty()) return;
  if (!copied || !complaint(&above.p, 0).empty()) fail("an overlay of what is allowed");
  params = above;
}

void run_one(Bytes& in) {
  Params params;
  while (in.remaining_bytes() > 0) {
    switch (in.ConsumeIntegralInRange<int>(0, 3)) {
      case 0: set_text(params, in); break;
      case 1: set_number(params, in); break;
      case 2: set_unknown(params, in); break;
      default: overlay(params, in);
    }
  }
  hlg_params_resolve(&params.p);
  if (const std::string line = complaint(&params.p, 0); !line.empty()) fail("resolved: " + line);
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    if (get(params.p, *hlg_knob_get(i)) == HLG_UNSET) fail("unset when resolved");
  }
}

}  // namespace
}  // namespace hlg_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hlg_fuzz::Bytes in(data, size);
  hlg_fuzz::run_one(in);
  return 0;
}
