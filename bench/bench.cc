// What one token costs: a read of the row, the tone curve, and llama.cpp's own samplers.
//
//     hlg_bench [--benchmark_...] ROWS.f32...
//
// A file holds 16 rows of logits, float32 in the byte order of the machine (hlg_record_rows makes
// them). An iteration is one round over them, so that a row has left the nearest caches when it
// comes back ("cached": they may stay in the last one); and again over so many copies that each row
// comes from memory. One thread, a new uniform for each token. The curve reads the row where it
// lies; llama.cpp's samplers need an array of candidates, filled anew for each token as its server
// does. bench/report.py divides by 16 and makes the tables.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hlg/hlg.h"
#include "llama.h"
#include "read.h"

namespace {

constexpr size_t kRows = 16;
constexpr size_t kMoreThanCaches = 256 << 20;  // bytes
constexpr size_t kAlign = 64;                  // of the logits in llama.cpp's output buffer
constexpr float kTemperature = 0.8F;
constexpr uint32_t kSeed = 1;

struct FreeMemory {
  void operator()(float* p) const { std::free(p); }
};

// The rows of one vocabulary.
struct Rows {
  std::unique_ptr<float, FreeMemory> data;
  std::vector<uint16_t> bfloats;  // the upper halves of data
  size_t n_vocab = 0, n_rows = kRows;
  const float* row(size_t i) const { return data.get() + i % n_rows * n_vocab; }
};

std::unique_ptr<float, FreeMemory> allocate(size_t bytes) {
  return std::unique_ptr<float, FreeMemory>(static_cast<float*>(std::aligned_alloc(kAlign, bytes)));
}

void add_bfloats(Rows& rows) {
  rows.bfloats.resize(rows.n_rows * rows.n_vocab);
  for (size_t i = 0; i < rows.bfloats.size(); ++i) {
    uint32_t bits;
    std::memcpy(&bits, rows.data.get() + i, sizeof bits);
    rows.bfloats[i] = static_cast<uint16_t>(bits >> 16);
  }
}

// The same rows again and again, until they are more than the caches hold.
Rows in_memory(const Rows& rows) {
  Rows copies;
  const size_t bytes = kRows * rows.n_vocab * sizeof(float), n = kMoreThanCaches / bytes + 1;
  copies.data = allocate(n * bytes);
  copies.n_vocab = rows.n_vocab;
  copies.n_rows = n * kRows;
  for (size_t i = 0; copies.data && i < n; ++i) {
    std::memcpy(copies.data.get() + i * kRows * rows.n_vocab, rows.data.get(), bytes);
  }
  if (copies.data) add_bfloats(copies);
  return copies;
}

// n_vocab is 0 where the file is no such file.
Rows load_rows(const char* path) {
  Rows rows;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  constexpr auto kUnit = static_cast<std::streamoff>(kRows * sizeof(float));
  static_assert(kUnit % kAlign == 0, "aligned_alloc wants a multiple");
  if (bytes <= 0 || bytes % kUnit != 0) return rows;
  const auto size = static_cast<size_t>(bytes);
  rows.data = allocate(size);
  file.seekg(0);
  if (!rows.data || !file.read(reinterpret_cast<char*>(rows.data.get()), bytes)) return rows;
  rows.n_vocab = size / sizeof(float) / kRows;
  add_bfloats(rows);
  return rows;
}

// Ends the run where a draw was refused: its time would be that of the refusal.
int32_t checked(int32_t token_or_status) {
  if (token_or_status >= 0) return token_or_status;
  std::fprintf(stderr, "hlg_bench: %s\n", hlg_status_name(token_or_status));
  std::abort();
}

// Runs once(row) for 16 rows, in turn.
template <class Once>
void rounds(benchmark::State& state, const Rows& rows, const Once& once) {
  size_t next = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < kRows; ++i) benchmark::DoNotOptimize(once(rows.row(next++)));
  }
  state.counters["rows"] = static_cast<double>(kRows);
  state.counters["vocab"] = static_cast<double>(rows.n_vocab);
}

void bench_read(benchmark::State& state, const Rows& rows) {
  rounds(state, rows, [&](const float* row) { return row_max(row, rows.n_vocab); });
}

// ---- the tone curve

struct Curve {
  const char* name;
  hlg_pivot pivot;
  hlg_toe_shape toe_shape;
};

constexpr Curve kCurves[] = {
    {"hlg-top-log", HLG_PIVOT_TOP, HLG_TOE_LOG},
    {"hlg-top-fade", HLG_PIVOT_TOP, HLG_TOE_FADE},
    {"hlg-entropy-fade", HLG_PIVOT_ENTROPY, HLG_TOE_FADE},
    {"hlg-median-fade", HLG_PIVOT_MEDIAN, HLG_TOE_FADE},
};

// A curve and a sampler of ours.
struct Hlg {
  explicit Hlg(const Curve& which) {
    hlg_params params;
    hlg_params_init(&params);
    params.temperature = static_cast<double>(kTemperature);
    params.pivot = which.pivot;
    params.toe_shape = which.toe_shape;
    if (hlg_curve_new(&params, &curve, nullptr, 0) != HLG_OK || !sampler) std::abort();
  }
  ~Hlg() {
    hlg_sampler_free(sampler);
    hlg_curve_free(curve);
  }
  Hlg(const Hlg&) = delete;
  Hlg& operator=(const Hlg&) = delete;

  hlg_curve* curve = nullptr;
  hlg_sampler* sampler = hlg_sampler_new(kSeed);
};

void bench_curve(benchmark::State& state, const Rows& rows, const Curve& which) {
  const Hlg hlg(which);
  double u = 0;
  rounds(state, rows, [&](const float* data) {
    u += 0.6180339887498949;  // the golden ratio spreads evenly over [0, 1)
    if (u >= 1) u -= 1;
    const hlg_row row = hlg_row_f32(data, static_cast<int64_t>(rows.n_vocab));
    return checked(hlg_sample_u(hlg.sampler, hlg.curve, &row, u));
  });
}

void bench_bfloat(benchmark::State& state, const Rows& rows, const Curve& which) {
  const Hlg hlg(which);
  rounds(state, rows, [&](const float* data) {
    const hlg_row row = hlg_row_of(HLG_BFLOAT16, rows.bfloats.data() + (data - rows.data.get()),
                                   static_cast<int64_t>(rows.n_vocab));
    return checked(hlg_sample(hlg.sampler, hlg.curve, &row));
  });
}

// 16 rows in one call, each with a sampler of its own, on one thread.
void bench_batch(benchmark::State& state, const Rows& rows, const Curve& which) {
  const Hlg hlg(which);
  std::vector<hlg_sampler*> samplers;
  std::vector<hlg_row> batch_rows(kRows);
  std::vector<hlg_batch_item> items(kRows);
  for (size_t i = 0; i < kRows; ++i) {
    samplers.push_back(hlg_sampler_new(static_cast<uint32_t>(i)));
    items[i] = {sizeof(hlg_batch_item), 0, samplers[i], hlg.curve, &batch_rows[i]};
  }
  size_t next = 0;
  for (auto _ : state) {
    for (hlg_row& row : batch_rows) {
      row = hlg_row_f32(rows.row(next++), static_cast<int64_t>(rows.n_vocab));
    }
    benchmark::DoNotOptimize(checked(hlg_sample_batch(items.data(), kRows, 1)));
    for (const hlg_batch_item& item : items) checked(item.token);
  }
  state.counters["rows"] = static_cast<double>(kRows);
  state.counters["vocab"] = static_cast<double>(rows.n_vocab);
  for (hlg_sampler* sampler : samplers) hlg_sampler_free(sampler);
}

// ---- llama.cpp's samplers

struct Chain {
  const char* name;
  std::vector<llama_sampler*> (*make)();
};

// `cut`, then the temperature and the draw.
std::vector<llama_sampler*> drawing(std::vector<llama_sampler*> cut) {
  cut.push_back(llama_sampler_init_temp(kTemperature));
  cut.push_back(llama_sampler_init_dist(kSeed));
  return cut;
}

// Settings as in llama.cpp's own defaults, min_keep 0 too.
const Chain kChains[] = {
    {"llama-fill-greedy", [] { return std::vector{llama_sampler_init_greedy()}; }},
    {"llama-default",
     [] {
       return drawing({llama_sampler_init_top_k(40), llama_sampler_init_top_p(0.95F, 0),
                       llama_sampler_init_min_p(0.05F, 0)});
     }},
    {"llama-temp-dist", [] { return drawing({}); }},
    {"llama-min-p", [] { return drawing({llama_sampler_init_min_p(0.05F, 0)}); }},
    {"llama-top-p", [] { return drawing({llama_sampler_init_top_p(0.95F, 0)}); }},
    {"llama-top-n-sigma", [] { return drawing({llama_sampler_init_top_n_sigma(1.0F)}); }},
    {"llama-typical", [] { return drawing({llama_sampler_init_typical(0.95F, 0)}); }},
};

// As set_logits in llama.cpp's common/sampling.cpp.
llama_token_data_array fill(std::vector<llama_token_data>& array, const float* row, size_t n) {
  array.resize(n);
  for (llama_token id = 0; id < static_cast<llama_token>(n); ++id) {
    array[static_cast<size_t>(id)] = llama_token_data{id, row[id], 0.0F};
  }
  return {array.data(), array.size(), -1, false};
}

void bench_chain(benchmark::State& state, const Rows& rows, const Chain& which) {
  llama_sampler* chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
  for (llama_sampler* sampler : which.make()) llama_sampler_chain_add(chain, sampler);
  std::vector<llama_token_data> array;
  rounds(state, rows, [&](const float* row) {
    llama_token_data_array candidates = fill(array, row, rows.n_vocab);
    llama_sampler_apply(chain, &candidates);
    return candidates.data[candidates.selected].id;
  });
  llama_sampler_free(chain);
}

// ---- all of them

// where: "cached" or "memory".
template <class Bench>
void add(const char* name, const Rows& rows, const char* where, const Bench& bench) {
  const std::string full = std::string(name) + "/" + std::to_string(rows.n_vocab) + "/" + where;
  benchmark::RegisterBenchmark(full.c_str(), [&rows, bench](benchmark::State& state) {
    bench(state, rows);
  })->Unit(benchmark::kMicrosecond);
}

void add_all(const Rows& rows, const char* where) {
  add("read", rows, where, bench_read);
  for (const Curve& curve : kCurves) {
    add(curve.name, rows, where, [&](auto& state, auto& r) { bench_curve(state, r, curve); });
  }
  const Curve& fade = kCurves[1];
  add("hlg-top-fade-bf16", rows, where,
      [&](auto& state, auto& r) { bench_bfloat(state, r, fade); });
  add("hlg-top-fade-batch", rows, where,
      [&](auto& state, auto& r) { bench_batch(state, r, fade); });
  for (const Chain& chain : kChains) {
    add(chain.name, rows, where, [&](auto& state, auto& r) { bench_chain(state, r, chain); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) return std::fprintf(stderr, "usage: hlg_bench [--benchmark_...] ROWS.f32...\n"), 2;
  std::vector<Rows> all;
  for (int i = 1; i < argc; ++i) {
    all.push_back(load_rows(argv[i]));
    if (all.back().n_vocab == 0) {
      return std::fprintf(stderr, "hlg_bench: %s does not hold 16 rows\n", argv[i]), 1;
    }
  }
  std::vector<Rows> copies;
  for (const Rows& rows : all) {
    copies.push_back(in_memory(rows));
    if (!copies.back().data) return std::fprintf(stderr, "hlg_bench: out of memory\n"), 1;
  }
  for (const Rows& rows : all) add_all(rows, "cached");
  for (const Rows& rows : copies) add_all(rows, "memory");
  benchmark::AddCustomContext("hlg_target", hlg_target_in_use());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
