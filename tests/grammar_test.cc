// llama.cpp's sampler with a grammar and HLG, on a real model's row: the law of section 4 of the
// contract, which is the curve of the free row restricted to the allowed tokens.
//
// usage: hlg_grammar_tests MODEL.gguf
#include <gtest/gtest.h>

#include <tuple>

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

  // Whether the grammar takes the token as the first one.
  bool allows(llama_sampler* grammar, llama_token token) {
    llama_token_data one = {token, 1, 0};
    llama_token_data_array array = {&one, 1, -1, false};
    llama_sampler_apply(grammar, &array);
    return one.logit > -HUGE_VALF;
  }

  ModelPtr model_;
  ContextPtr context_;
  std::vector<float> row_;
};

// Case 26, the law: over 20,000 seeds the first token follows exp(g(z)) over the allowed tokens,
// with the pivot of the free row.
TEST_F(Grammar, LawOverSeeds) {
  const std::string grammar = "root ::= \" yes\" | \" no\"";
  const std::tuple<int32_t, int32_t, int> plan[] = {{HLG_PIVOT_TOP, HLG_TOE_FADE, 3000},
                                                    {HLG_PIVOT_ENTROPY, HLG_TOE_LOG, 20000},
                                                    {HLG_PIVOT_MEDIAN, HLG_TOE_LOG, 3000}};
  for (const auto& [pivot, toe_shape, n_draws] : plan) {
    hlg_params p = bent(1.2, toe_shape);
    p.pivot = pivot;
    p.pivot_offset = 1;
    p.width = 0.5;
    p.shoulder = 0.5;
    p.toe = 3;
    const llama_vocab* vocab = llama_model_get_vocab(model_.get());
    llama_sampler* parser = llama_sampler_init_grammar(vocab, grammar.c_str(), "root");
    std::vector<double> law = distribution(row_, p);
    double allowed = 0;
    for (size_t i = 0; i < law.size(); ++i) {
      if (!allows(parser, static_cast<llama_token>(i))) law[i] = 0;
      allowed += law[i];
    }
    llama_sampler_free(parser);
    for (double& x : law) x /= allowed;
    std::vector<int> counts(law.size());
    for (int i = 0; i < n_draws; ++i) {
      ++counts[static_cast<size_t>(draw(p, grammar, static_cast<uint32_t>(i)))];
    }
    for (size_t i = 0; i < law.size(); ++i) {
      if (law[i] == 0) ASSERT_EQ(counts[i], 0) << i;
    }
    expect_law(counts, law, n_draws);
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
