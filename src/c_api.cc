// The C face: translate, call, catch. No logic lives here.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "batch.h"
#include "curve.h"
#include "hlg/hlg.h"
#include "kernels.h"
#include "knobs.h"
#include "sampler.h"
#include "stats.h"

struct hlg_curve {
  hlg::Curve curve;
};

struct hlg_sampler {
  hlg::Sampler sampler;
};

namespace {

// Only memory can run out inside the library; whatever is thrown becomes a status.
template <class Call>
int32_t guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (...) {
    return HLG_INTERNAL;
  }
}

int32_t copy_text(char* text, size_t text_size, const char* from, const char* rest = "") {
  return std::snprintf(text, text ? text_size : 0, "%s%s", from, rest);
}

int32_t out_of_memory(char* message, size_t message_size) {
  copy_text(message, message_size, "out of memory");
  return HLG_INTERNAL;
}

// The bytes of a caller's struct that count: struct_size itself, then whole units of 8 bytes, so
// that a field is there or is not. hlg.h promises it of all structs that may be shorter.
constexpr size_t kUnit = 8;
static_assert(offsetof(hlg_params, pivot) == kUnit &&
              offsetof(hlg_params, temperature) == 2 * kUnit);
static_assert(offsetof(hlg_stats, pivot) == kUnit);

size_t whole_units(uint32_t struct_size) {
  return std::max(sizeof struct_size, struct_size / kUnit * kUnit);
}

// A caller's struct may be shorter than ours (an older caller): what is missing keeps the value it
// has in `into`.
template <class T>
int32_t read_struct(const T* from, T& into) {
  if (!from || from->struct_size < sizeof(uint32_t)) return HLG_INVALID_ARGUMENT;
  if (from->struct_size > sizeof(T)) return HLG_UNSUPPORTED;
  std::memcpy(&into, from, whole_units(from->struct_size));
  return HLG_OK;
}

// The other way: writes what the caller's struct has room for and keeps its struct_size.
template <class T>
int32_t write_struct(T from, T* to) {
  if (!to || to->struct_size < sizeof(uint32_t)) return HLG_INVALID_ARGUMENT;
  if (to->struct_size > sizeof(T)) return HLG_UNSUPPORTED;
  from.struct_size = to->struct_size;
  std::memcpy(to, &from, whole_units(to->struct_size));
  return HLG_OK;
}

int32_t read_params(const hlg_params* from, hlg_params& into) {
  hlg::init_params(into);
  return read_struct(from, into);
}

// Reads, changes and writes back. `change` returns whether it could; what it sets needs a field in
// the caller's struct.
template <class Change>
int32_t change_params(hlg_params* params, const Change& change) {
  hlg_params p;
  if (const int32_t status = read_params(params, p)) return status;
  return guarded([&] {
    if (!change(p)) return static_cast<int32_t>(HLG_INVALID_ARGUMENT);
    const bool fits = hlg::fits(p, whole_units(params->struct_size));
    return fits ? write_struct(p, params) : static_cast<int32_t>(HLG_UNSUPPORTED);
  });
}

int32_t check_row(const hlg_row* row) {
  if (!row || row->struct_size < sizeof(hlg_row)) return HLG_INVALID_ARGUMENT;
  if (row->struct_size > sizeof(hlg_row)) return HLG_UNSUPPORTED;
  if (row->dtype < HLG_FLOAT32 || row->dtype > HLG_BFLOAT16) return HLG_UNSUPPORTED;
  const size_t alignment = row->dtype == HLG_FLOAT32 ? alignof(float) : alignof(uint16_t);
  const bool aligned = reinterpret_cast<uintptr_t>(row->data) % alignment == 0;
  return row->data && aligned && row->n > 0 && row->n <= INT32_MAX ? HLG_OK : HLG_INVALID_ARGUMENT;
}

hlg::Row to_row(const hlg_row& row) {
  return {row.data, static_cast<size_t>(row.n), static_cast<hlg_dtype>(row.dtype)};
}

}  // namespace

const char* hlg_status_name(int32_t status) {
  switch (status) {
    case HLG_OK: return "ok";
    case HLG_NO_LIVE_TOKEN: return "no live token";
    case HLG_INVALID_ARGUMENT: return "invalid argument";
    case HLG_UNSUPPORTED: return "unsupported";
    case HLG_INTERNAL: return "internal error";
    default: return status > 0 ? "a token" : "unknown status";
  }
}

const char* hlg_version(void) { return HLG_VERSION; }

int32_t hlg_params_init_sized(hlg_params* params, size_t size) {
  if (!params || size < sizeof params->struct_size) return HLG_INVALID_ARGUMENT;
  hlg_params unset;
  hlg::init_params(unset);
  params->struct_size = static_cast<uint32_t>(std::min<size_t>(size, UINT32_MAX));
  return write_struct(unset, params);
}

int32_t hlg_params_set(hlg_params* params, const char* name, double value) {
  const hlg_knob* k = hlg_knob_find(name);
  return change_params(params, [&](hlg_params& p) { return k && hlg::set_knob(p, *k, value); });
}

int32_t hlg_params_set_text(hlg_params* params, const char* name, const char* text) {
  const hlg_knob* k = hlg_knob_find(name);
  return change_params(params,
                       [&](hlg_params& p) { return k && text && hlg::set_knob_text(p, *k, text); });
}

int32_t hlg_params_get(const hlg_params* params, const char* name, double* value) {
  const hlg_knob* k = hlg_knob_find(name);
  hlg_params p;
  if (const int32_t status = read_params(params, p)) return status;
  if (!k || !value) return HLG_INVALID_ARGUMENT;
  *value = hlg::get_knob(p, *k);
  return HLG_OK;
}

int32_t hlg_params_overlay(hlg_params* params, const hlg_params* above) {
  hlg_params a;
  if (const int32_t status = read_params(above, a)) return status;
  return change_params(params, [&](hlg_params& p) { return hlg::overlay(p, a), true; });
}

int32_t hlg_params_resolve(hlg_params* params) {
  hlg_params p;
  if (const int32_t status = read_params(params, p)) return status;
  hlg::resolve(p);
  return write_struct(p, params);
}

int32_t hlg_params_check(const hlg_params* params, char* message, size_t message_size) {
  hlg_params p;
  if (const int32_t status = read_params(params, p)) {
    copy_text(message, message_size, "params: ", hlg_status_name(status));
    return status;
  }
  const int32_t status = guarded([&] {
    const std::string text = hlg::complaint(p);
    copy_text(message, message_size, text.c_str());
    return text.empty() ? HLG_OK : HLG_INVALID_ARGUMENT;
  });
  return status == HLG_INTERNAL ? out_of_memory(message, message_size) : status;
}

int32_t hlg_knob_count(void) { return hlg::knob_count(); }

const hlg_knob* hlg_knob_get(int32_t i) { return hlg::knob(i); }

const hlg_knob* hlg_knob_find(const char* name) { return name ? hlg::find_knob(name) : nullptr; }

int32_t hlg_knob_allowed(const hlg_knob* knob, char* text, size_t text_size) {
  if (!knob) return HLG_INVALID_ARGUMENT;
  return guarded([&] { return copy_text(text, text_size, hlg::allowed_values(*knob).c_str()); });
}

int32_t hlg_knob_text(const hlg_knob* knob, double value, char* text, size_t text_size) {
  if (!knob) return HLG_INVALID_ARGUMENT;
  return guarded([&] { return copy_text(text, text_size, hlg::value_text(*knob, value).c_str()); });
}

int32_t hlg_curve_new(const hlg_params* params, hlg_curve** curve, char* message,
                      size_t message_size) {
  if (!curve) return HLG_INVALID_ARGUMENT;
  *curve = nullptr;
  if (const int32_t status = hlg_params_check(params, message, message_size)) return status;
  hlg_params resolved;
  read_params(params, resolved);
  if (resolved.enabled == HLG_UNSET_CHOICE) resolved.enabled = 1;
  hlg::resolve(resolved);
  *curve = new (std::nothrow) hlg_curve{hlg::Curve(resolved)};
  return *curve ? HLG_OK : out_of_memory(message, message_size);
}

void hlg_curve_free(hlg_curve* curve) { delete curve; }

double hlg_curve_eval(const hlg_curve* curve, double z) {
  return curve ? curve->curve.eval(z) : std::nan("");
}

double hlg_curve_slope(const hlg_curve* curve, double z) {
  return curve ? curve->curve.slope(z) : std::nan("");
}

int32_t hlg_curve_params(const hlg_curve* curve, hlg_params* params) {
  return curve ? write_struct(curve->curve.params, params) : HLG_INVALID_ARGUMENT;
}

int32_t hlg_curve_is_neutral(const hlg_curve* curve) { return curve && curve->curve.neutral; }

int32_t hlg_curve_is_greedy(const hlg_curve* curve) { return curve && curve->curve.greedy; }

hlg_sampler* hlg_sampler_new(uint32_t seed) {
  return new (std::nothrow) hlg_sampler{hlg::Sampler(seed)};
}

void hlg_sampler_free(hlg_sampler* sampler) { delete sampler; }

hlg_sampler* hlg_sampler_clone(const hlg_sampler* sampler) {
  hlg_sampler* clone = sampler ? hlg_sampler_new(0) : nullptr;
  if (clone) clone->sampler.copy_from(sampler->sampler);
  return clone;
}

int32_t hlg_sampler_copy(hlg_sampler* to, const hlg_sampler* from) {
  if (!to || !from) return HLG_INVALID_ARGUMENT;
  to->sampler.copy_from(from->sampler);
  return HLG_OK;
}

int32_t hlg_sampler_reset(hlg_sampler* sampler, uint32_t seed) {
  if (!sampler) return HLG_INVALID_ARGUMENT;
  sampler->sampler.copy_from(hlg::Sampler(seed));
  return HLG_OK;
}

int32_t hlg_sample(hlg_sampler* sampler, const hlg_curve* curve, const hlg_row* row) {
  if (!sampler || !curve) return HLG_INVALID_ARGUMENT;
  if (const int32_t status = check_row(row)) return status;  // before a uniform is taken
  return hlg_sample_u(sampler, curve, row, sampler->sampler.uniform());
}

int32_t hlg_sample_u(hlg_sampler* sampler, const hlg_curve* curve, const hlg_row* row, double u) {
  if (!sampler || !curve || !(u >= 0 && u < 1)) return HLG_INVALID_ARGUMENT;
  if (const int32_t status = check_row(row)) return status;
  return guarded([&] { return sampler->sampler.sample(curve->curve, to_row(*row), u); });
}

int32_t hlg_apply(hlg_sampler* sampler, const hlg_curve* curve, const hlg_row* row,
                  float* logprobs) {
  if (!sampler || !curve || !logprobs) return HLG_INVALID_ARGUMENT;
  if (const int32_t status = check_row(row)) return status;
  return guarded([&] { return sampler->sampler.apply(curve->curve, to_row(*row), logprobs); });
}

int32_t hlg_sampler_keep_pivot(hlg_sampler* sampler) {
  if (!sampler) return HLG_INVALID_ARGUMENT;
  sampler->sampler.keep_pivot();
  return HLG_OK;
}

int32_t hlg_sampler_reserve(hlg_sampler* sampler, const hlg_curve* curve, int64_t n) {
  if (!sampler || !curve || n < 1 || n > INT32_MAX) return HLG_INVALID_ARGUMENT;
  return guarded([&] {
    sampler->sampler.reserve(static_cast<size_t>(n), curve->curve);
    return HLG_OK;
  });
}

int32_t hlg_sample_batch(hlg_batch_item* items, int64_t n_items, int32_t n_threads) {
  if (!items || n_items < 0 || n_threads < 1) return HLG_INVALID_ARGUMENT;
  if (n_items == 0) return HLG_OK;
  const size_t stride = items->struct_size;
  const auto item = [=](int64_t i) {
    auto* bytes = reinterpret_cast<char*>(items) + static_cast<size_t>(i) * stride;
    return reinterpret_cast<hlg_batch_item*>(bytes);
  };
  const bool has_token = stride >= offsetof(hlg_batch_item, sampler);
  if (!has_token || stride % alignof(hlg_batch_item) != 0) return HLG_INVALID_ARGUMENT;
  if (stride > sizeof(hlg_batch_item)) return HLG_UNSUPPORTED;
  for (int64_t i = 0; i < n_items; ++i) {
    if (item(i)->struct_size != stride) return HLG_INVALID_ARGUMENT;
  }
  for (int64_t i = 0; i < n_items; ++i) item(i)->token = HLG_INTERNAL;  // until it is drawn
  return guarded([&] {
    hlg::for_each_index(n_items, n_threads, [&](int64_t i) {
      hlg_batch_item own{};  // what an older caller's item lacks is null
      std::memcpy(&own, item(i), stride);
      item(i)->token = hlg_sample(own.sampler, own.curve, own.row);
    });
    return HLG_OK;
  });
}

int32_t hlg_last_stats(const hlg_sampler* sampler, const hlg_curve* curve, const hlg_row* row,
                       hlg_stats* stats) {
  if (!sampler || !curve) return HLG_INVALID_ARGUMENT;
  if (const int32_t status = check_row(row)) return status;
  return guarded([&] {
    hlg_stats s{};
    const bool live = hlg::last_stats(sampler->sampler, curve->curve, to_row(*row), s);
    const int32_t status = write_struct(s, stats);
    return status == HLG_OK && !live ? HLG_NO_LIVE_TOKEN : status;
  });
}

int32_t hlg_target_count(void) { return static_cast<int32_t>(hlg::supported_kernels().n); }

const char* hlg_target_name(int32_t i) {
  if (i < 0 || i >= hlg_target_count()) return nullptr;
  return hlg::supported_kernels().list[i]->target;
}

const char* hlg_target_in_use(void) { return hlg::kernels().target; }

int32_t hlg_target_force(const char* name) {
  return hlg::force_target(name) ? HLG_OK : HLG_INVALID_ARGUMENT;
}
