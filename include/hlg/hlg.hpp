// hlg.hpp - thin C++17 owners for hlg.h, which says what everything means.
//
//     hlg::curve curve(hlg::params().set("toe_shape", "fade").set("width", 3));
//     hlg::sampler sampler(42);
//     int32_t token = sampler.sample(curve, logits.data(), logits.size());
//
// Wrong settings throw std::invalid_argument with the library's own line; a row without a live
// token is no exception but a negative token (HLG_NO_LIVE_TOKEN).
#ifndef HLG_HLG_HPP
#define HLG_HLG_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "hlg/hlg.h"

namespace hlg {

// Settings by name; everything else is unset.
class params {
 public:
  params() { hlg_params_init(&p_); }

  params& temperature(double t) {
    p_.temperature = t;
    return *this;
  }
  params& set(const char* name, double value) {
    char text[40] = "";
    hlg_knob_text(hlg_knob_find(name), value, text, sizeof text);
    return done(hlg_params_set(&p_, name, value), name, text);
  }
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  params& set(const char* name, Integer value) {
    return set(name, static_cast<double>(value));
  }
  params& set(const char* name, const char* text) {
    return done(hlg_params_set_text(&p_, name, text), name, text);
  }

  const hlg_params& get() const { return p_; }

 private:
  params& done(int32_t status, const char* name, const char* value) {
    if (status == HLG_OK) return *this;
    if (status == HLG_INTERNAL) throw std::bad_alloc();
    const auto word = [](const char* text) { return std::string(text ? text : "(null)"); };
    if (const hlg_knob* knob = hlg_knob_find(name)) {
      char allowed[128] = "";
      hlg_knob_allowed(knob, allowed, sizeof allowed);
      throw std::invalid_argument(word(name) + ": " + word(value) + " is not allowed: give " +
                                  allowed);
    }
    std::string line = word(name) + ": unknown; the settings are ";
    for (int32_t i = 0; i < hlg_knob_count(); ++i) {
      line += (i ? ", " : "") + word(hlg_knob_get(i)->name);
    }
    throw std::invalid_argument(line);
  }

  hlg_params p_;
};

// An immutable curve. Moves, does not copy; share it by reference.
class curve {
 public:
  explicit curve(const hlg_params& params) {
    char message[160] = "";
    hlg_curve* made = nullptr;
    const int32_t status = hlg_curve_new(&params, &made, message, sizeof message);
    if (status == HLG_INTERNAL) throw std::bad_alloc();
    if (status != HLG_OK) throw std::invalid_argument(message);
    c_.reset(made);
  }
  explicit curve(const hlg::params& params) : curve(params.get()) {}

  double eval(double z) const { return hlg_curve_eval(c_.get(), z); }
  double slope(double z) const { return hlg_curve_slope(c_.get(), z); }
  const hlg_curve* get() const { return c_.get(); }

 private:
  struct free {
    void operator()(hlg_curve* c) const { hlg_curve_free(c); }
  };
  std::unique_ptr<hlg_curve, free> c_;
};

// The mutable half, one per sequence. A copy continues with the same random stream.
class sampler {
 public:
  explicit sampler(uint32_t seed) : s_(checked(hlg_sampler_new(seed))) {}
  sampler(const sampler& other) : s_(checked(hlg_sampler_clone(other.get()))) {}
  sampler(sampler&&) = default;
  sampler& operator=(sampler other) {
    s_ = std::move(other.s_);
    return *this;
  }

  // A token, or an hlg_status below 0.
  int32_t sample(const curve& c, const hlg_row& row) { return hlg_sample(s_.get(), c.get(), &row); }
  int32_t sample(const curve& c, const float* logits, size_t n) {
    return sample(c, hlg_row_f32(logits, static_cast<int64_t>(n)));
  }
  // ln of the probabilities drawn from, n floats. An hlg_status.
  int32_t apply(const curve& c, const hlg_row& row, float* logprobs) {
    return hlg_apply(s_.get(), c.get(), &row, logprobs);
  }
  int32_t apply(const curve& c, const float* logits, size_t n, float* logprobs) {
    return apply(c, hlg_row_f32(logits, static_cast<int64_t>(n)), logprobs);
  }
  void keep_pivot() { hlg_sampler_keep_pivot(s_.get()); }
  void reset(uint32_t seed) { hlg_sampler_reset(s_.get(), seed); }
  hlg_sampler* get() const { return s_.get(); }

 private:
  static hlg_sampler* checked(hlg_sampler* made) {
    if (!made) throw std::bad_alloc();
    return made;
  }
  struct free {
    void operator()(hlg_sampler* s) const { hlg_sampler_free(s); }
  };
  std::unique_ptr<hlg_sampler, free> s_;
};

}  // namespace hlg

#endif  // HLG_HLG_HPP
