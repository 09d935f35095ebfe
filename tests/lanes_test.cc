// The lanes gate, on rows of a real model that decodes several sequences in one batch: the rows
// are recorded, then replayed through chains in every order. What a lane draws depends on its own
// settings and seed alone, and neutral settings are upstream's temp and dist, bit for bit.
//
// usage: hlg_lanes_tests MODEL.gguf
#include <gtest/gtest.h>

#include <memory>

#include "candidates.h"
#include "real_model.h"
#include "rows.h"

namespace hlg_test {
namespace {

constexpr int kLanes = 4;
constexpr int kSteps = 12;
const char* model_path = nullptr;

// rows[step][lane]: the logits that lane saw at that step.
using Rows = std::vector<std::vector<std::vector<float>>>;

void add_token(llama_batch& batch, llama_token token, int32_t position, int32_t lane, bool wanted) {
  const int32_t i = batch.n_tokens++;
  batch.token[i] = token;
  batch.pos[i] = position;
  batch.n_seq_id[i] = 1;
  batch.seq_id[i][0] = lane;
  batch.logits[i] = wanted ? 1 : 0;
}

// Decodes kLanes prompts together; each lane goes on with its own draws at T = 1.
Rows record(llama_model* model) {
  if (!model) return {};
  const ContextPtr context = make_context(model, kLanes);
  const llama_vocab* vocab = llama_model_get_vocab(model);
  const auto n_vocab = static_cast<size_t>(llama_vocab_n_tokens(vocab));
  const char* prompts[kLanes] = {"Once upon a time", "The three largest cities are",
                                 "def add(a, b):", "Dear Sir or Madam,"};
  llama_batch batch = llama_batch_init(256, 0, 1);
  std::vector<int32_t> length(kLanes), output(kLanes);
  std::vector<Sampler> draws;
  for (int32_t lane = 0; lane < kLanes; ++lane) {
    const std::vector<llama_token> tokens = tokenize(vocab, prompts[lane]);
    for (size_t i = 0; i < tokens.size(); ++i) {
      add_token(batch, tokens[i], length[lane]++, lane, i + 1 == tokens.size());
    }
    output[lane] = batch.n_tokens - 1;
    draws.push_back(chain_of({llama_sampler_init_dist(static_cast<uint32_t>(lane))}));
  }
  Rows rows;
  for (int step = 0; step < kSteps; ++step) {
    if (llama_decode(context.get(), batch) != 0) break;
    rows.emplace_back();
    batch.n_tokens = 0;
    for (int32_t lane = 0; lane < kLanes; ++lane) {
      const float* logits = llama_get_logits_ith(context.get(), output[lane]);
      rows.back().emplace_back(logits, logits + n_vocab);
      const llama_token token =
          llama_sampler_sample(draws[static_cast<size_t>(lane)].get(), context.get(), output[lane]);
      output[lane] = lane;
      add_token(batch, token, length[lane]++, lane, true);
    }
  }
  llama_batch_free(batch);
  return rows;
}

class Lanes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = load_model(model_path);
    rows_ = record(model_.get());
  }
  static void TearDownTestSuite() { model_.reset(); }
  void SetUp() override { ASSERT_EQ(rows_.size(), static_cast<size_t>(kSteps)); }

  static ModelPtr model_;
  static Rows rows_;
};
ModelPtr Lanes::model_;
Rows Lanes::rows_;

llama_token draw(const Sampler& chain, const std::vector<float>& row) {
  Candidates c(row);
  llama_sampler_apply(chain.get(), &c.array);
  const llama_token token = c.data[static_cast<size_t>(c.array.selected)].id;
  llama_sampler_accept(chain.get(), token);
  return token;
}

hlg_params neutral(double temperature, bool by_width) {
  hlg_params p = bent(temperature);
  if (by_width) {
    p.width = HLG_OFF;
  } else {
    p.shoulder = p.toe = HLG_OFF;
  }
  return p;
}

// Section 3 of the contract, batched lane.
TEST_F(Lanes, NeutralIsUpstreamBitForBit) {
  for (const float t : {1.0F, 0.8F, 1.4F}) {
    std::vector<Sampler> ours, theirs;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const hlg_params p = neutral(static_cast<double>(t), lane % 2 == 0);
      ours.push_back(chain_of({hlg_llama_sampler_init(&p, lane)}));
      theirs.push_back(chain_of({llama_sampler_init_temp(t), llama_sampler_init_dist(lane)}));
    }
    for (const auto& step : rows_) {
      for (size_t lane = 0; lane < kLanes; ++lane) {
        Candidates a(step[lane]), b(step[lane]);
        llama_sampler_apply(ours[lane].get(), &a.array);
        llama_sampler_apply(theirs[lane].get(), &b.array);
        ASSERT_EQ(a.array.selected, b.array.selected);
        for (size_t i = 0; i < a.data.size(); ++i) ASSERT_EQ(a.data[i].p, b.data[i].p);
      }
    }
  }
}

// Cases 13 and 14: lane 0 is seeded; its neighbours cycle through every kind of chain, seeded and
// not. Lane 0 draws what it draws alone.
TEST_F(Lanes, NeighboursDoNotMatter) {
  const hlg_params p = bent(1.1);
  std::vector<llama_token> alone;
  const Sampler solo = chain_of({hlg_llama_sampler_init(&p, 5)});
  for (const auto& step : rows_) alone.push_back(draw(solo, step[0]));
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Sampler a = chain_of({hlg_llama_sampler_init(&p, 5)});
    hlg_params other = bent(0.5 + repeat, HLG_TOE_LOG);
    other.pivot = repeat % 3;
    std::vector<Sampler> neighbours;
    neighbours.push_back(chain_of({llama_sampler_init_dist(LLAMA_DEFAULT_SEED)}));
    neighbours.push_back(chain_of({llama_sampler_init_top_k(5), llama_sampler_init_dist(1)}));
    neighbours.push_back(chain_of({hlg_llama_sampler_init(&other, LLAMA_DEFAULT_SEED)}));
    neighbours.push_back(chain_of({llama_sampler_init_grammar(llama_model_get_vocab(model_.get()),
                                                              "root ::= [a-z ]*", "root"),
                                   hlg_llama_sampler_init(&other, 2)}));
    for (size_t step = 0; step < rows_.size(); ++step) {
      for (size_t n = 0; n < neighbours.size(); ++n) draw(neighbours[n], rows_[step][n % 3 + 1]);
      ASSERT_EQ(draw(a, rows_[step][0]), alone[step]) << repeat << " " << step;
      if (step % 3 == 0) draw(neighbours[step % neighbours.size()], rows_[step][0]);
    }
  }
}

// Case 17: in one batch, the row without a knob equals its solo result, for every knob. A leak
// would show: with the knob, the same draws give other tokens.
TEST_F(Lanes, SetAndUnsetSideBySide) {
  const std::pair<const char*, double> knobs[] = {
      {"pivot", 2}, {"pivot_offset", 1},        {"width", 0.5}, {"shoulder", 0.5},
      {"toe", 0.5}, {"toe_shape", HLG_TOE_LOG}, {"enabled", 0}};
  const hlg_params unset = bent(1.5);
  const CurvePtr curve_unset = make_curve(unset);
  for (const auto& [name, value] : knobs) {
    hlg_params set = unset;
    ASSERT_EQ(hlg_params_set(&set, name, value), HLG_OK) << name;
    const CurvePtr curve_set = make_curve(set);
    const SamplerPtr a = make_sampler(1), b = make_sampler(2), solo = make_sampler(2);
    const SamplerPtr leaky = make_sampler(2);
    int differences = 0;
    for (size_t i = 0; i < 50 * rows_.size(); ++i) {
      const auto& step = rows_[i % rows_.size()];
      const auto n = static_cast<int64_t>(step[0].size());
      const hlg_row first = hlg_row_f32(step[0].data(), n), second = hlg_row_f32(step[1].data(), n);
      hlg_batch_item items[] = {{sizeof(hlg_batch_item), 0, a.get(), curve_set.get(), &first},
                                {sizeof(hlg_batch_item), 0, b.get(), curve_unset.get(), &second}};
      ASSERT_EQ(hlg_sample_batch(items, 2, 2), HLG_OK);
      ASSERT_EQ(items[1].token, hlg_sample(solo.get(), curve_unset.get(), &second)) << name;
      differences += items[1].token != hlg_sample(leaky.get(), curve_set.get(), &second) ? 1 : 0;
    }
    EXPECT_GT(differences, 0) << name;
  }
}

// The kernels on real rows: log-probabilities of every pivot and toe against the reference.
TEST_F(Lanes, RealRowsWithinTheContract) {
  for (int32_t i = 0; i < hlg_target_count(); ++i) {
    ASSERT_EQ(hlg_target_force(hlg_target_name(i)), HLG_OK);
    for (int32_t mode = 0; mode < 6; ++mode) {
      hlg_params p = bent(1.1);
      p.pivot = mode % 3;
      p.toe_shape = mode / 3;
      const std::vector<float>& row = rows_[static_cast<size_t>(mode)][1];
      if (median_is_ambiguous(row, p)) continue;
      const hlg::Curve curve = curve_of(p);
      const double mu = reference_pivot(row, curve.params);
      const std::vector<double> expected = reference_logprobs(row, curve);
      const std::vector<float> seen = library_logprobs(row, p);
      for (size_t j = 0; j < row.size(); ++j) {
        ASSERT_NEAR(seen[j], expected[j], allowed_error(curve, row[j] - mu, expected[j])) << j;
      }
    }
  }
  hlg_target_force(nullptr);
}

}  // namespace
}  // namespace hlg_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return std::fprintf(stderr, "usage: hlg_lanes_tests MODEL.gguf\n"), 2;
  hlg_test::model_path = argv[1];
  return RUN_ALL_TESTS();
}
