// llama.cpp's sampler with a grammar and HLG, on a real model's row: the law of section 4 of the
// contract, which is the curve of the free row restricted to the allowed tokens.
//
// usage: hlg_grammar_tests MODEL.gguf
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "law.h"
#include "real_model.h"
#include "rows.h"
#include "sampling.h"

namespace hlg_test {
namespace {

const char* model_path = nullptr;

struct FreeSampler {
  void operator()(common_sampler* s) const { common_sampler_free(s); }
};

class Grammar : public testing::Test {
 protected:
  void SetUp() override {
    model_ = load_model(model_path);
    ASSERT_TRUE(model_);
    context_ = make_context(model_.get());
    const llama_vocab* vocab = llama_model_get_vocab(model_.get());
    std::vector<llama_token> prompt = tokenize(vocab, "Is the sky blue? Answer yes or no:");
    ASSERT_EQ(llama_decode(context_.get(),
                           llama_batch_get_one(prompt.data(), static_cast<int32_t>(prompt.size()))),
              0);
    const float* logits = llama_get_logits_ith(context_.get(), -1);
    row_.assign(logits, logits + llama_vocab_n_tokens(vocab));
  }

  llama_token draw(const hlg_params& params, const std::string& grammar, uint32_t seed) {
    common_params_sampling sampling;
    sampling.seed = seed;
    sampling.temp = static_cast<float>(params.temperature);
    static_cast<hlg_params&>(sampling.hlg) = params;
    sampling.grammar = {COMMON_GRAMMAR_TYPE_USER, grammar};
    const std::unique_ptr<common_sampler, FreeSampler> sampler(
        common_sampler_init(model_.get(), sampling));
    return common_sampler_sample(sampler.get(), context_.get(), -1);
  }

  // The row of the model with -inf where the grammar does not take the token as the first one.
  std::vector<float> masked_row(const std::string& grammar) {
    std::vector<llama_token_data> candidates(row_.size());
    for (size_t i = 0; i < row_.size(); ++i) {
      candidates[i] = {static_cast<llama_token>(i), row_[i], 0};
    }
    llama_token_data_array array = {candidates.data(), candidates.size(), -1, false};
    llama_sampler* parser =
        llama_sampler_init_grammar(llama_model_get_vocab(model_.get()), grammar.c_str(), "root");
    llama_sampler_apply(parser, &array);
    llama_sampler_free(parser);
    std::vector<float> masked(row_.size());
    for (const llama_token_data& c : candidates) masked[static_cast<size_t>(c.id)] = c.logit;
    return masked;
  }

  ModelPtr model_;
  ContextPtr context_;
  std::vector<float> row_;
};

// Case 26, the law: the first token follows exp(g(z)) over the allowed tokens, with the pivot of
// the free row. A pivot of the masked row would be another law, which the counts must refuse: the
// entropy pivot of " yes" and " no" is by chance that of the free row, the one of capitals is not.
TEST_F(Grammar, LawOverSeeds) {
  const std::string answer = "root ::= \" yes\" | \" no\"", capital = "root ::= [A-Z]";
  const std::tuple<int32_t, int32_t, std::string, int> plan[] = {
      {HLG_PIVOT_TOP, HLG_TOE_FADE, answer, 20000},
      {HLG_PIVOT_ENTROPY, HLG_TOE_LOG, capital, 3000},
      {HLG_PIVOT_MEDIAN, HLG_TOE_LOG, capital, 3000}};
  for (const auto& [pivot, toe_shape, grammar, n_draws] : plan) {
    hlg_params p = bent(1.2, toe_shape);
    p.pivot = pivot;
    p.pivot_offset = 1;
    p.width = 0.5;
    p.shoulder = 0.5;
    p.toe = 3;
    const std::vector<float> masked = masked_row(grammar);
    std::vector<double> law = distribution(row_, p);
    double allowed = 0;
    for (size_t i = 0; i < law.size(); ++i) {
      if (std::isinf(masked[i])) law[i] = 0;
      allowed += law[i];
    }
    for (double& x : law) x /= allowed;
    std::vector<int> counts(law.size());
    for (int i = 0; i < n_draws; ++i) {
      ++counts[static_cast<size_t>(draw(p, grammar, static_cast<uint32_t>(i)))];
    }
    for (size_t i = 0; i < law.size(); ++i) {
      if (law[i] == 0) ASSERT_EQ(counts[i], 0) << i;
    }
    expect_law(counts, law, n_draws);
    EXPECT_GT(misfit(counts, distribution(masked, p), n_draws), 1.5);
  }
}

}  // namespace
}  // namespace hlg_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return std::fprintf(stderr, "usage: hlg_grammar_tests MODEL.gguf\n"), 2;
  hlg_test::model_path = argv[1];
  return RUN_ALL_TESTS();
}
