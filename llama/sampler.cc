// The tone curve as llama.cpp samplers: one that draws, one that shapes. See hlg/hlg-llama.h.
//
// A curve that bends runs on libhlg. A straight or greedy one runs llama.cpp's own temp and dist
// samplers, so that neutral settings are its results bit for bit; a guard in front of them takes
// the rows for which they have no answer (NaN, +inf, nothing alive).
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "hlg/hlg-llama.h"

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

template <auto free_object>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    free_object(object);
  }
};
using CurvePtr = std::unique_ptr<hlg_curve, Deleter<hlg_curve_free>>;
using SamplerPtr = std::unique_ptr<hlg_sampler, Deleter<hlg_sampler_free>>;
using LlamaPtr = std::unique_ptr<llama_sampler, Deleter<llama_sampler_free>>;

struct State {
  hlg_params params;
  uint32_t seed;      // as given
  uint32_t seed_cur;  // in use, where a random one was asked for
  CurvePtr curve;
  SamplerPtr sampler;
  LlamaPtr temp, dist;  // straight and greedy curves only, and not in a shaper
  bool shaper = false;
  int32_t n_probs = -1;  // as of hlg_llama_set_probs
  int32_t status = HLG_OK;
  std::vector<float> row, logprobs;   // scratch
  std::vector<llama_token_data> top;  // scratch
};

State& state(llama_sampler* smpl) { return *static_cast<State*>(smpl->ctx); }
const State& state(const llama_sampler* smpl) { return *static_cast<const State*>(smpl->ctx); }

// All of the mass on one candidate.
void select_only(llama_token_data_array* cur_p, size_t index) {
  for (size_t i = 0; i < cur_p->size; ++i) cur_p->data[i].p = i == index ? 1.0F : 0.0F;
  cur_p->selected = static_cast<int64_t>(index);
}

// Cuts the candidates down to the likeliest n_probs, sorted, and the drawn one behind them where it
// is none of these. They get p_of(i), a probability or its logarithm, and are sorted by it; by
// logit where it is the same. llama.cpp's top_k goes by the logit alone, which for several +inf is
// not the order of p, and above 128 in ints, which huge logits overflow.
template <class ProbOf>
void keep_top(State& s, llama_token_data_array* cur_p, const ProbOf& p_of) {
  const auto likelier = [](const auto& a, const auto& b) {
    return a.p != b.p ? a.p > b.p : a.logit > b.logit;
  };
  const auto candidate = [&](size_t i) {
    const llama_token_data& c = cur_p->data[i];
    return llama_token_data{c.id, std::isnan(c.logit) ? kMasked : c.logit, p_of(i)};
  };
  const size_t n = std::min(static_cast<size_t>(s.n_probs), cur_p->size);
  std::vector<llama_token_data>& top = s.top;  // a heap, its least likely one in front
  top.clear();
  for (size_t i = 0; i < n; ++i) top.push_back(candidate(i));
  std::make_heap(top.begin(), top.end(), likelier);
  for (size_t i = n; i < cur_p->size; ++i) {
    if (p_of(i) < top.front().p) continue;  // nearly always
    const llama_token_data c = candidate(i);
    if (!likelier(c, top.front())) continue;
    top.push_back(c);
    std::push_heap(top.begin(), top.end(), likelier);
    std::pop_heap(top.begin(), top.end(), likelier);
    top.pop_back();
  }
  std::sort_heap(top.begin(), top.end(), likelier);
  const llama_token_data drawn = candidate(static_cast<size_t>(cur_p->selected));
  const auto at =
      std::find_if(top.begin(), top.end(), [&](const auto& c) { return c.id == drawn.id; });
  const int64_t selected = at - top.begin();
  if (at == top.end()) top.push_back(drawn);
  std::copy(top.begin(), top.end(), cur_p->data);
  *cur_p = {cur_p->data, top.size(), selected, true};
}

// Where llama.cpp's own samplers have no answer: the candidate that wins (the first +inf, or the
// top one where a tiny T makes x/T overflow), or none. NaN becomes masked on the way.
struct Guard {
  bool any_live = false;
  int64_t winner = -1;
};

Guard guard_row(llama_token_data_array* cur_p, float temperature) {
  Guard g;
  int64_t top = -1;
  for (size_t i = 0; i < cur_p->size; ++i) {
    float& x = cur_p->data[i].logit;
    if (std::isnan(x)) x = kMasked;
    if (x == kMasked) continue;
    if (top < 0 || x > cur_p->data[top].logit) top = static_cast<int64_t>(i);
  }
  g.any_live = top >= 0;
  const float max = g.any_live ? cur_p->data[top].logit : 0;
  if (std::isinf(max) || (temperature > 0 && std::isinf(max / temperature))) g.winner = top;
  return g;
}

void apply_straight(State& s, llama_token_data_array* cur_p) {
  const Guard g = guard_row(cur_p, static_cast<float>(s.params.temperature));
  if (g.any_live && g.winner < 0) {
    llama_sampler_apply(s.temp.get(), cur_p);
    llama_sampler_apply(s.dist.get(), cur_p);
  } else {
    llama_token_data one = cur_p->data[0];
    llama_token_data_array row = {&one, 1, -1, false};
    llama_sampler_apply(s.dist.get(), &row);  // the uniform of this draw
    s.status = g.any_live ? HLG_OK : HLG_NO_LIVE_TOKEN;
    select_only(cur_p, g.any_live ? static_cast<size_t>(g.winner) : 0);
  }
  if (s.n_probs > 0) keep_top(s, cur_p, [&](size_t i) { return cur_p->data[i].p; });
}

// The logits of the candidates, side by side.
hlg_row gather(State& s, const llama_token_data_array* cur_p) {
  s.row.resize(cur_p->size);
  for (size_t i = 0; i < cur_p->size; ++i) s.row[i] = cur_p->data[i].logit;
  return hlg_row_f32(s.row.data(), static_cast<int64_t>(s.row.size()));
}

void apply_curve(State& s, llama_token_data_array* cur_p) {
  const hlg_row row = gather(s, cur_p);
  const int32_t index = hlg_sample(s.sampler.get(), s.curve.get(), &row);
  if (index < 0) {
    s.status = index;
    select_only(cur_p, 0);
    return;
  }
  cur_p->selected = index;
  if (s.n_probs == 0) return;
  s.logprobs.resize(cur_p->size);
  hlg_sampler_keep_pivot(s.sampler.get());
  s.status = hlg_apply(s.sampler.get(), s.curve.get(), &row, s.logprobs.data());
  if (s.n_probs > 0) {
    keep_top(s, cur_p, [&](size_t i) { return s.logprobs[i]; });
    for (size_t i = 0; i < cur_p->size; ++i) cur_p->data[i].p = std::exp(cur_p->data[i].p);
    return;
  }
  for (size_t i = 0; i < cur_p->size; ++i) {
    cur_p->data[i].p = std::exp(s.logprobs[i]);
    if (std::isnan(cur_p->data[i].logit)) cur_p->data[i].logit = kMasked;  // NaN cannot be sorted
  }
}

void shape(State& s, llama_token_data_array* cur_p) {
  const hlg_row row = gather(s, cur_p);
  s.logprobs.resize(cur_p->size);
  s.status = hlg_apply(s.sampler.get(), s.curve.get(), &row, s.logprobs.data());
  if (s.status != HLG_OK) return;
  for (size_t i = 0; i < cur_p->size; ++i) cur_p->data[i].logit = s.logprobs[i];
}

// ---- llama_sampler_i, in the order of its fields

const char* hlg_name(const llama_sampler* /*smpl*/) { return "hlg"; }

void hlg_apply_row(llama_sampler* smpl, llama_token_data_array* cur_p) {
  State& s = state(smpl);
  s.status = HLG_OK;
  if (cur_p->size == 0) {
    cur_p->selected = -1;
    s.status = HLG_NO_LIVE_TOKEN;
  } else if (s.shaper) {
    shape(s, cur_p);
  } else if (s.dist) {
    apply_straight(s, cur_p);
  } else {
    apply_curve(s, cur_p);
  }
}

// The seed that dist would use for `seed`, asked of dist itself.
uint32_t effective_seed(uint32_t seed) {
  const LlamaPtr dist(llama_sampler_init_dist(seed));
  return llama_sampler_get_seed(dist.get());
}

void hlg_reset(llama_sampler* smpl) {
  State& s = state(smpl);
  s.seed_cur = effective_seed(s.seed);
  s.status = HLG_OK;
  hlg_sampler_reset(s.sampler.get(), s.seed_cur);
  if (s.dist) s.dist.reset(llama_sampler_init_dist(s.seed_cur));
}

void hlg_copy_state(const llama_sampler* src, llama_sampler* dst) {
  const State& from = state(src);
  State& to = state(dst);
  to.seed_cur = from.seed_cur;
  to.status = from.status;
  to.n_probs = from.n_probs;
  hlg_sampler_copy(to.sampler.get(), from.sampler.get());
  llama_sampler_copy(from.dist.get(), to.dist.get());
}

llama_sampler* hlg_clone(const llama_sampler* smpl) {
  const State& s = state(smpl);
  llama_sampler* clone =
      s.shaper ? hlg_llama_shaper_init(&s.params) : hlg_llama_sampler_init(&s.params, s.seed);
  if (clone) hlg_copy_state(smpl, clone);
  return clone;
}

void hlg_free(llama_sampler* smpl) { delete &state(smpl); }

llama_sampler_i* hlg_interface() {
  static llama_sampler_i iface = [] {
    llama_sampler_i i{};
    i.name = hlg_name;
    i.apply = hlg_apply_row;
    i.reset = hlg_reset;
    i.clone = hlg_clone;
    i.free = hlg_free;
    i.copy_state = hlg_copy_state;
    return i;
  }();
  return &iface;
}

// The hlg sampler that is `sampler` or is in the chain `sampler`, or null.
State* find_state(llama_sampler* sampler) {
  if (!sampler) return nullptr;
  if (sampler->iface == hlg_interface()) return &state(sampler);
  if (llama_sampler_chain_get(sampler, -1) != sampler) return nullptr;
  for (int32_t i = llama_sampler_chain_n(sampler) - 1; i >= 0; --i) {
    if (State* found = find_state(llama_sampler_chain_get(sampler, i))) return found;
  }
  return nullptr;
}

// The state that both samplers need, or null.
std::unique_ptr<State> make_state(const hlg_params* params, uint32_t seed) {
  hlg_curve* made = nullptr;
  if (hlg_curve_new(params, &made, nullptr, 0) != HLG_OK) return nullptr;
  CurvePtr curve(made);
  std::unique_ptr<State> s(new (std::nothrow) State());
  if (!s) return nullptr;
  hlg_params_init(&s->params);
  hlg_params_overlay(&s->params, params);
  s->params.temperature = params->temperature;
  s->seed = seed;
  s->seed_cur = effective_seed(seed);
  s->curve = std::move(curve);
  s->sampler.reset(hlg_sampler_new(s->seed_cur));
  if (!s->sampler) return nullptr;
  return s;
}

}  // namespace

llama_sampler* hlg_llama_sampler_init(const hlg_params* params, uint32_t seed) {
  std::unique_ptr<State> s = make_state(params, seed);
  if (!s) return nullptr;
  const bool greedy = hlg_curve_is_greedy(s->curve.get()) != 0;
  if (greedy || hlg_curve_is_neutral(s->curve.get())) {
    s->temp.reset(llama_sampler_init_temp(greedy ? 0 : static_cast<float>(params->temperature)));
    s->dist.reset(llama_sampler_init_dist(s->seed_cur));
  }
  return llama_sampler_init(hlg_interface(), s.release());
}

llama_sampler* hlg_llama_shaper_init(const hlg_params* params) {
  std::unique_ptr<State> s = make_state(params, 0);  // draws nothing: the seed does not matter
  if (!s) return nullptr;
  s->shaper = true;
  return llama_sampler_init(hlg_interface(), s.release());
}

int32_t hlg_llama_sample_row(llama_sampler* sampler, const float* logits, int64_t n_vocab) {
  State* s = find_state(sampler);
  if (!s || s->dist || s->shaper) return HLG_UNSUPPORTED;
  const hlg_row row = hlg_row_f32(logits, n_vocab);
  const int32_t token = hlg_sample(s->sampler.get(), s->curve.get(), &row);
  s->status = token < 0 ? token : HLG_OK;
  return token;
}

void hlg_llama_set_probs(llama_sampler* sampler, int32_t n) {
  if (State* s = find_state(sampler)) s->n_probs = n;
}

void hlg_llama_keep_pivot(llama_sampler* sampler) {
  if (const State* s = find_state(sampler)) hlg_sampler_keep_pivot(s->sampler.get());
}

int32_t hlg_llama_status(llama_sampler* sampler) {
  const State* s = find_state(sampler);
  return s ? s->status : HLG_OK;
}

uint32_t hlg_llama_seed(llama_sampler* sampler) {
  const State* s = find_state(sampler);
  return s ? s->seed_cur : LLAMA_DEFAULT_SEED;
}
