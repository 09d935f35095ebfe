// Writes the golden vectors: build/bin/hlg_make_golden > tests/golden/rows.txt
//
// One row, its settings and the reference's results per record, as lines of words; numbers are
// hexadecimal floats, so nothing is lost and any language can read them:
//
//     row NAME        float32 logits
//     settings        name=value, as on the command line, and temperature=T
//     pivot           mu, a log-probability
//     logprobs        ln of the distribution drawn from, doubles
//     draws           u token u token ...; u lies in the middle of the token's interval
#include <cstdio>
#include <string>

#include "rows.h"

namespace {

using hlg_test::kInf;
using hlg_test::kNan;

void print_row(const char* name, const std::vector<float>& logits) {
  std::printf("row %s", name);
  for (const float x : logits) std::printf(" %a", static_cast<double>(x));
  std::printf("\n");
}

void print_settings(const hlg_params& p) {
  std::printf("settings temperature=%a", p.temperature);
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob* k = hlg_knob_get(i);
    double value = 0;
    hlg_params_get(&p, k->name, &value);
    if (k->kind != HLG_KNOB_NUMBER) {
      std::printf(" %s=%s", k->name, k->choices[static_cast<int>(value)]);
    } else if (value == HLG_OFF) {
      std::printf(" %s=off", k->name);
    } else {
      std::printf(" %s=%a", k->name, value);
    }
  }
  std::printf("\n");
}

void print_results(const std::vector<float>& logits, const hlg_params& p) {
  const hlg::Curve curve(p);
  const double lse = hlg_test::reference_max(logits) + std::log(hlg_test::mass_of(logits));
  std::printf("pivot %a\nlogprobs", hlg_test::reference_pivot(logits, p) - lse);
  const std::vector<double> logprobs = hlg_test::reference_logprobs(logits, curve);
  for (const double l : logprobs) std::printf(" %a", l);
  std::printf("\ndraws");
  double below = 0;
  for (size_t i = 0; i < logprobs.size(); ++i) {
    const double mass = std::exp(logprobs[i]);
    if (mass > 1e-3) std::printf(" %a %zu", below + mass / 2, i);
    below += mass;
  }
  std::printf("\n");
}

hlg_params settings(int32_t pivot, int32_t shape, double t, double c, double w, double b_h,
                    double b_t) {
  hlg_params p = hlg_test::bent(t);
  p.pivot = pivot;
  p.toe_shape = shape;
  p.pivot_offset = c;
  p.width = w;
  p.shoulder = b_h;
  p.toe = b_t;
  return p;
}

}  // namespace

int main() {
  std::mt19937 rng(60);
  std::vector<float> holes = hlg_test::model_like_row(90, 1, rng);
  holes[3] = -kInf;
  holes[40] = kNan;
  const std::pair<const char*, std::vector<float>> rows[] = {
      {"model-like", hlg_test::model_like_row(120, 2, rng)},
      {"peaked", hlg_test::model_like_row(80, 12, rng)},
      {"flat", std::vector<float>(50, -2.5F)},
      {"holes", holes},
      {"by-hand", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -20, -40}}};
  const hlg_params all[] = {settings(HLG_PIVOT_TOP, HLG_TOE_LOG, 1, 6, 4, 4, 6),
                            settings(HLG_PIVOT_TOP, HLG_TOE_FADE, 0.8, 6, 4, 4, 6),
                            settings(HLG_PIVOT_TOP, HLG_TOE_FADE, 1.2, 3, 1, 0.5, 1),
                            settings(HLG_PIVOT_ENTROPY, HLG_TOE_LOG, 1.5, 0, 2, 1, 3),
                            settings(HLG_PIVOT_ENTROPY, HLG_TOE_FADE, 1, 1, 0, HLG_OFF, 0.5),
                            settings(HLG_PIVOT_MEDIAN, HLG_TOE_LOG, 0.5, 2, 1, 1000, 0.05),
                            settings(HLG_PIVOT_MEDIAN, HLG_TOE_FADE, 2, 0, 3, 0.05, HLG_OFF)};
  std::printf(
      "# made by hlg_make_golden from the double-precision reference; see make_golden.cc\n");
  for (const auto& [name, logits] : rows) {
    for (const hlg_params& p : all) {
      print_row(name, logits);
      print_settings(p);
      print_results(logits, p);
    }
  }
}
