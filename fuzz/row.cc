// Bytes -> a row of logits, settings and a uniform number; then the draw and the log-probabilities
// of every CPU target of this machine, held to the double-precision reference of the tests.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "check.h"
#include "dtypes.h"

namespace hlg_fuzz {
namespace {

using namespace hlg_test;

constexpr size_t kLongest = 4096;
constexpr double kNearBoundary = 1e-5;  // hlg.h, "WHAT IS GUARANTEED"
constexpr double kBelowOne = 1 - 0x1p-53;

// A row as the library gets it, with nothing behind its end, and the same values for the reference.
class Logits {
 public:
  // type: null for float32.
  Logits(const NarrowType* type, size_t n, size_t shift)
      : type_(type), bytes_((shift + n) * size_of_one()), shift_(shift), values_(n) {}

  size_t size() const { return values_.size(); }
  size_t size_of_one() const { return type_ ? sizeof(uint16_t) : sizeof(float); }
  const std::vector<float>& values() const { return values_; }
  hlg_row row() const {
    return hlg_row_of(type_ ? type_->dtype : HLG_FLOAT32, bytes_.data() + shift_ * size_of_one(),
                      static_cast<int64_t>(size()));
  }

  void set(size_t i, float value) {
    if (!type_) return set_bytes(i, &value);
    const uint16_t bits = narrowed(*type_, value);
    set_bytes(i, &bits);
  }

  void set_bytes(size_t i, const void* from) {
    std::memcpy(&bytes_[(shift_ + i) * size_of_one()], from, size_of_one());
    uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    if (type_) {
      values_[i] = type_->value(bits);
    } else {
      std::memcpy(&values_[i], from, sizeof values_[i]);
    }
  }

 private:
  const NarrowType* type_;
  std::vector<unsigned char> bytes_;
  size_t shift_;
  std::vector<float> values_;
};

double unit(Bytes& in) { return in.ConsumeProbability<double>(); }

double log_uniform(Bytes& in, double low, double high) {
  return std::min(high, low * std::pow(high / low, unit(in)));
}

// Any legal value of a knob; the ends of its range and small numbers often.
double some_value(Bytes& in, const hlg_knob& k) {
  if (k.kind != HLG_KNOB_NUMBER) return in.ConsumeIntegralInRange<int32_t>(0, k.n_choices - 1);
  switch (in.ConsumeIntegralInRange<int>(0, 7)) {
    case 0: return HLG_UNSET;
    case 1: return k.can_be_off ? HLG_OFF : HLG_UNSET;
    case 2: return k.min;
    case 3: return k.max;
    case 4: return k.min + unit(in) * (k.max - k.min);
    default: return log_uniform(in, std::max(k.min, 1e-4), k.max);
  }
}

double some_temperature(Bytes& in) {
  switch (in.ConsumeIntegralInRange<int>(0, 7)) {
    case 0: return 0;
    case 1: {
      const auto any = std::abs(in.ConsumeFloatingPoint<float>());
      return std::isfinite(any) ? any : 1;
    }
    case 2: return log_uniform(in, 1e-5, 1e-2);
    case 3: return 1;
    default: return log_uniform(in, 0.01, 10);
  }
}

hlg_params some_params(Bytes& in) {
  hlg_params params;
  hlg_params_init(&params);
  params.temperature = some_temperature(in);
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob& k = *hlg_knob_get(i);
    // Straight lines come from `off` too: here once in eight.
    const bool unset = k.kind == HLG_KNOB_SWITCH && in.ConsumeIntegralInRange<int>(0, 7) != 0;
    const double value = unset ? HLG_UNSET : some_value(in, k);
    if (hlg_params_set(&params, k.name, value) != HLG_OK) fail(knob_text(k, value) + " is refused");
  }
  return params;
}

// What is left of the input, again from its start where the row is longer.
struct Cycle {
  const std::vector<unsigned char>& bytes;
  size_t next = 0;
  unsigned char take() { return bytes[next++ % bytes.size()]; }
};

void fill_with_bits(Logits& logits, Cycle data) {
  for (size_t i = 0; i < logits.size(); ++i) {
    unsigned char bytes[sizeof(float)] = {};
    for (size_t b = 0; b < logits.size_of_one(); ++b) bytes[b] = data.take();
    logits.set_bytes(i, bytes);
  }
}

// As of a model: a few likely tokens, then a tail that falls; some of it masked.
struct Shape {
  float top, spread, fall;
};

void fill_like_a_model(Logits& logits, const Shape& shape, Cycle data) {
  for (size_t i = 0; i < logits.size(); ++i) {
    const int number = data.take() << 8 | data.take();
    const float value = shape.top - shape.spread * static_cast<float>(number) / 65536 -
                        shape.fall * std::log1p(static_cast<float>(i));
    logits.set(i, number == 0xffff ? -kInf : number == 0xfffe ? kNan : value);
  }
}

Logits some_logits(Bytes& in) {
  const auto type = in.ConsumeIntegralInRange<size_t>(0, std::size(kNarrowTypes));
  const auto shift = in.ConsumeIntegralInRange<size_t>(0, 16);
  const bool bits = in.ConsumeIntegralInRange<int>(0, 3) == 0;
  const Shape shape = {in.ConsumeFloatingPointInRange<float>(-60, 60),
                       static_cast<float>(log_uniform(in, 1e-4, 1e4)),
                       in.ConsumeFloatingPointInRange<float>(0, 3)};
  const bool stretch = in.ConsumeIntegralInRange<int>(0, 7) == 0;
  const auto longest = in.ConsumeIntegralInRange<size_t>(1, kLongest);
  std::vector<unsigned char> bytes = in.ConsumeRemainingBytes<unsigned char>();
  if (bytes.empty()) bytes.push_back(0);
  const size_t n = stretch ? longest : std::min(longest, 1 + bytes.size() / 2);
  Logits logits(type ? &kNarrowTypes[type - 1] : nullptr, n, shift);
  if (bits) {
    fill_with_bits(logits, {bytes});
  } else {
    fill_like_a_model(logits, shape, {bytes});
  }
  return logits;
}

// The same row with only every `step`-th token alive, as under a grammar.
Logits masked(Logits logits, size_t step) {
  for (size_t i = 0; i < logits.size(); ++i) {
    if (i % step != 0) logits.set(i, -kInf);
  }
  return logits;
}

// What a row should give.
struct Expected {
  int32_t sure = HLG_OK;   // a status, or the token where u does not matter; then `drawn` is
  bool drawn = false;      // false
  bool any_token = false;  // of the live ones: an ambiguous median, or beyond what is held
  double tolerance = 0;    // of the cumulative distribution
  // Where drawn and not any_token. Token i has the part of the cumulative distribution from
  // edges[i] to edges[i + 1].
  std::vector<double> logprobs, edges;

  void set_law(std::vector<double> law) {
    logprobs = std::move(law);
    edges = {0};
    for (const double l : logprobs) edges.push_back(edges.back() + std::exp(l));
  }
};

// llama.cpp's arithmetic of a straight line: x/T and exp in float32. Tokens with a weight that
// counts lie within 30 of the top.
double straight_tolerance(float max, float temperature) {
  return 0x1p-23 * (2 * std::abs(double{max} / temperature) + 60);
}

// Where the float32 constants of a curve (src/from_top.h) run out of digits or of range: no law
// then, but a live token and no crash.
bool is_beyond(float max, const hlg::Curve& curve) {
  return std::abs(max) > 1e9F || curve.params.temperature > 1e15;
}

Expected expect(const std::vector<float>& logits, const hlg::Curve& curve) {
  Expected e;
  const auto max = static_cast<float>(reference_max(logits));
  if (max == -kInf) {
    e.sure = HLG_NO_LIVE_TOKEN;
  } else if (max == kInf || curve.takes_top(max)) {
    e.sure = static_cast<int32_t>(std::find(logits.begin(), logits.end(), max) - logits.begin());
  } else {
    e.drawn = true;
    e.any_token = is_beyond(max, curve) || median_is_ambiguous(logits, curve.params);
    e.tolerance =
        kNearBoundary + (curve.neutral ? straight_tolerance(max, curve.temperature()) : 0);
    if (!e.any_token) e.set_law(reference_logprobs(logits, curve));
  }
  return e;
}

// The law of the free row, restricted to what is left: the pivot is kept.
Expected restricted(const Expected& e, const std::vector<float>& left) {
  std::vector<double> law = e.logprobs;
  double top = -HUGE_VAL, total = 0;
  for (size_t i = 0; i < law.size(); ++i) {
    if (!hlg::is_live(left[i])) law[i] = -HUGE_VAL;
    top = std::max(top, law[i]);
  }
  for (const double l : law) total += std::exp(l - top);
  for (double& l : law) l = l - top - std::log(total);
  Expected kept = e;
  kept.set_law(std::move(law));
  return kept;
}

// One input, and the objects that are asked.
struct Run {
  Logits logits;
  hlg_params params;
  hlg::Curve curve;
  CurvePtr c;
  SamplerPtr s = make_sampler();

  [[noreturn]] void fail(const std::string& what) const {
    std::string row;
    for (size_t i = 0; i < std::min<size_t>(logits.size(), 16); ++i) {
      char text[32];
      std::snprintf(text, sizeof text, " %.9g", logits.values()[i]);
      row += text;
    }
    hlg_fuzz::fail(std::string(hlg_target_in_use()) + ": " + what + "\n" + params_text(params) +
                   "\n" + std::to_string(logits.size()) + " logits:" + row);
  }

  int32_t draw(const Logits& from, double u) const {
    const hlg_row row = from.row();
    return hlg_sample_u(s.get(), c.get(), &row, u);
  }
};

void check_token(const Run& run, const Logits& logits, const Expected& e, double u, int32_t token) {
  if (!e.drawn) {
    if (token != e.sure) {
      run.fail(std::to_string(token) + " in place of " + std::to_string(e.sure));
    }
    return;
  }
  const bool in_row = token >= 0 && static_cast<size_t>(token) < logits.size();
  if (!in_row || !hlg::is_live(logits.values()[static_cast<size_t>(token)])) {
    run.fail("token " + std::to_string(token) + " is masked, or no token");
  }
  if (e.any_token) return;
  const double* edge = &e.edges[static_cast<size_t>(token)];
  const double below = edge[0], above = edge[1];
  if (u < below - e.tolerance || u > above + e.tolerance) {
    char text[160];
    std::snprintf(text, sizeof text, "token %d, which has %.9f to %.9f, for u %.9f", token, below,
                  above, u);
    run.fail(text);
  }
}

// u itself, the ends of its range, and just outside of where the boundaries around u are blurred.
std::vector<double> some_uniforms(const Expected& e, double u) {
  std::vector<double> all = {u, 0, kBelowOne};
  for (size_t i = 0; i < e.logprobs.size(); ++i) {
    const double low = e.edges[i], high = e.edges[i + 1];
    if (high <= u || high - low < 2.01 * e.tolerance) continue;
    all.push_back(low + e.tolerance * 1.001);
    all.push_back(std::min(kBelowOne, high - e.tolerance * 1.001));
    break;
  }
  return all;
}

void check_draws(const Run& run, const Expected& e, double u) {
  for (const double each : some_uniforms(e, u)) {
    check_token(run, run.logits, e, each, run.draw(run.logits, each));
  }
}

void check_logprobs(const Run& run, const Expected& e) {
  const hlg_row row = run.logits.row();
  std::vector<float> seen(run.logits.size(), kNan);
  const int32_t status = hlg_apply(run.s.get(), run.c.get(), &row, seen.data());
  if (status != (e.drawn ? HLG_OK : std::min(e.sure, 0))) {
    run.fail("hlg_apply gives status " + std::to_string(status));
  }
  if (!e.drawn) {
    for (size_t i = 0; status == HLG_OK && i < seen.size(); ++i) {
      if (seen[i] != (static_cast<int32_t>(i) == e.sure ? 0 : -kInf)) run.fail("not one token");
    }
  } else if (!e.any_token) {
    const Worst w = worst_error(run.logits.values(), run.curve, e.logprobs, seen);
    if (!(w.part <= 1)) {
      char text[200];
      std::snprintf(text, sizeof text,
                    "log-probability %.9g in place of %.9g at token %zu, logit %.9g: %g times what "
                    "is allowed",
                    seen[w.token], e.logprobs[w.token], w.token, run.logits.values()[w.token],
                    w.part);
      run.fail(text);
    }
  }
}

// A draw from the free row, then one with its pivot from the masked row.
void check_kept_pivot(const Run& run, const Logits& left, const Expected& kept, double u) {
  run.draw(run.logits, u);
  hlg_sampler_keep_pivot(run.s.get());
  check_token(run, left, kept, u, run.draw(left, u));
}

void check_stats(const Run& run, const Expected& e) {
  const hlg_row row = run.logits.row();
  hlg_stats stats{};
  stats.struct_size = sizeof stats;
  const int32_t status = hlg_last_stats(run.s.get(), run.c.get(), &row, &stats);
  if (status != std::min(e.sure, 0)) run.fail("hlg_last_stats: status " + std::to_string(status));
  const double mass = stats.mass_toe + stats.mass_middle + stats.mass_shoulder;
  if (status == HLG_OK && !(std::abs(mass - 1) < 1e-9)) {
    run.fail("the masses add up to " + std::to_string(mass));
  }
}

void run_one(Bytes& in) {
  const hlg_params params = some_params(in);
  const double u = std::min(unit(in), kBelowOne);
  const auto step = in.ConsumeIntegralInRange<size_t>(1, 5);
  const Run run{some_logits(in), params, curve_of(params), make_curve(params)};
  const Expected e = expect(run.logits.values(), run.curve);
  const Logits left = masked(run.logits, step);
  const bool any_left = e.drawn && reference_max(left.values()) > -HUGE_VAL;
  const Expected kept = any_left ? restricted(e, left.values()) : Expected{};
  for (int32_t i = 0; i < hlg_target_count(); ++i) {
    hlg_target_force(hlg_target_name(i));
    check_draws(run, e, u);
    check_logprobs(run, e);
    check_stats(run, e);
    if (any_left) check_kept_pivot(run, left, kept, u);
  }
}

}  // namespace
}  // namespace hlg_fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hlg_fuzz::Bytes in(data, size);
  hlg_fuzz::run_one(in);
  return 0;
}
