// The C face: translate, call, catch. No logic lives here.
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "curve.h"
#include "hlg/hlg.h"
#include "knobs.h"
#include "sampler.h"

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

int32_t copy_text(const std::string& from, char* text, size_t text_size) {
  return std::snprintf(text, text_size, "%s", from.c_str());
}

int32_t check_struct(uint32_t struct_size, size_t known) {
  if (struct_size < known) return HLG_INVALID_ARGUMENT;
  return struct_size > known ? HLG_UNSUPPORTED : HLG_OK;
}

int32_t check_params(const hlg_params* params) {
  return params ? check_struct(params->struct_size, sizeof(hlg_params)) : HLG_INVALID_ARGUMENT;
}

int32_t check_row(const hlg_row* row) {
  if (!row) return HLG_INVALID_ARGUMENT;
  if (const int32_t status = check_struct(row->struct_size, sizeof(hlg_row))) return status;
  if (row->dtype != HLG_FLOAT32) return HLG_UNSUPPORTED;
  return row->data && row->n > 0 && row->n <= INT32_MAX ? HLG_OK : HLG_INVALID_ARGUMENT;
}

hlg::Row to_row(const hlg_row& row) {
  return {static_cast<const float*>(row.data), static_cast<size_t>(row.n)};
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

void hlg_params_init(hlg_params* params) {
  if (params) hlg::init_params(*params);
}

int32_t hlg_params_set(hlg_params* params, const char* name, double value) {
  const hlg_knob* k = hlg_knob_find(name);
  if (const int32_t status = check_params(params)) return status;
  return k && hlg::set_knob(*params, *k, value) ? HLG_OK : HLG_INVALID_ARGUMENT;
}

int32_t hlg_params_set_text(hlg_params* params, const char* name, const char* text) {
  const hlg_knob* k = hlg_knob_find(name);
  if (const int32_t status = check_params(params)) return status;
  return k && text && hlg::set_knob_text(*params, *k, text) ? HLG_OK : HLG_INVALID_ARGUMENT;
}

int32_t hlg_params_get(const hlg_params* params, const char* name, double* value) {
  const hlg_knob* k = hlg_knob_find(name);
  if (const int32_t status = check_params(params)) return status;
  if (!k || !value) return HLG_INVALID_ARGUMENT;
  *value = hlg::get_knob(*params, *k);
  return HLG_OK;
}

void hlg_params_overlay(hlg_params* params, const hlg_params* above) {
  if (check_params(params) == HLG_OK && check_params(above) == HLG_OK) {
    hlg::overlay(*params, *above);
  }
}

void hlg_params_resolve(hlg_params* params) {
  if (check_params(params) == HLG_OK) hlg::resolve(*params);
}

int32_t hlg_params_check(const hlg_params* params, char* message, size_t message_size) {
  if (const int32_t status = check_params(params)) return status;
  return guarded([&] {
    const std::string text = hlg::complaint(*params);
    copy_text(text, message, message_size);
    return text.empty() ? HLG_OK : HLG_INVALID_ARGUMENT;
  });
}

int32_t hlg_knob_count(void) { return hlg::knob_count(); }

const hlg_knob* hlg_knob_get(int32_t i) { return hlg::knob(i); }

const hlg_knob* hlg_knob_find(const char* name) { return name ? hlg::find_knob(name) : nullptr; }

int32_t hlg_knob_allowed(const hlg_knob* knob, char* text, size_t text_size) {
  if (!knob) return HLG_INVALID_ARGUMENT;
  return guarded([&] { return copy_text(hlg::allowed_values(*knob), text, text_size); });
}

int32_t hlg_curve_new(const hlg_params* params, hlg_curve** curve, char* message,
                      size_t message_size) {
  if (!curve) return HLG_INVALID_ARGUMENT;
  *curve = nullptr;
  if (const int32_t status = hlg_params_check(params, message, message_size)) return status;
  hlg_params resolved = *params;
  if (resolved.enabled == HLG_UNSET_CHOICE) resolved.enabled = 1;
  hlg::resolve(resolved);
  *curve = new (std::nothrow) hlg_curve{hlg::Curve(resolved)};
  return *curve ? HLG_OK : HLG_INTERNAL;
}

void hlg_curve_free(hlg_curve* curve) { delete curve; }

double hlg_curve_eval(const hlg_curve* curve, double z) { return curve->curve.eval(z); }

double hlg_curve_slope(const hlg_curve* curve, double z) { return curve->curve.slope(z); }

int32_t hlg_curve_params(const hlg_curve* curve, hlg_params* params) {
  if (const int32_t status = curve ? check_params(params) : HLG_INVALID_ARGUMENT) return status;
  *params = curve->curve.params;
  return HLG_OK;
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
  if (!sampler) return HLG_INVALID_ARGUMENT;
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
