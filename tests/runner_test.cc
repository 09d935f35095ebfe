// The runner of the lab commands, on a real model.
//
// usage: hlg_runner_tests MODEL.gguf
#include "runner.h"

#include <ggml.h>
#include <gguf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>

namespace hlg_run {
namespace {

const char* model_path = nullptr;

TEST(Files, Sha256) {
  const std::string path = testing::TempDir() + "/hlg-sha256";
  for (const auto& [text, digest] :
       {std::pair{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        std::pair{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}}) {
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(file_sha256(path), digest);
  }
  std::remove(path.c_str());
  EXPECT_THROW(file_sha256(path), std::runtime_error);
}

TEST(Seeds, DependOnEachNumber) {
  EXPECT_EQ(seed_of(1, 2, 3), seed_of(1, 2, 3));
  EXPECT_NE(seed_of(1, 2, 3), seed_of(2, 2, 3));
  EXPECT_NE(seed_of(1, 2, 3), seed_of(1, 3, 3));
  EXPECT_NE(seed_of(1, 2, 3), seed_of(1, 2, 4));
  EXPECT_NE(seed_of(1, 2, 3), seed_of(1, 3, 2));
}

TEST(Rows, LogProb) {
  const float row[] = {0, std::log(3.0F), -INFINITY, 1000};
  EXPECT_NEAR(log_prob(row, 3, 1), std::log(0.75), 1e-7);
  EXPECT_EQ(log_prob(row, 3, 2), -INFINITY);
  EXPECT_EQ(log_prob(row, 4, 3), 0);
}

TEST(Samplers, ByName) {
  const float row[] = {0, 2, 1, -1};
  Sampler sampler({{"top_k", 2}, {"temperature", 0.5}}, 1);
  int counts[4] = {};
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) ++counts[sampler.draw(row, 4)];
  EXPECT_EQ(counts[0] + counts[3], 0);
  EXPECT_NEAR(counts[1], kDraws / (1 + std::exp(-2.0)), 4 * std::sqrt(kDraws * 0.881 * 0.119));
  EXPECT_THROW(Sampler({{"top_x", 2}}, 1), std::runtime_error);
  const float masked[] = {-INFINITY, -INFINITY};
  EXPECT_THROW(sampler.draw(masked, 2), std::runtime_error);
}

TEST(Models, OneLineErrors) {
  const auto error = [](const std::string& path) -> std::string {
    try {
      const Model model(path);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(error("no-such.gguf"), "no-such.gguf: No such file or directory");
  const std::string path = testing::TempDir() + "/hlg-no-model";
  std::ofstream(path) << "hello";
  const std::string line = error(path);
  EXPECT_EQ(line.find(path + ": no model that llama.cpp can load: "), 0) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  std::remove(path.c_str());
}

class WithModel : public testing::Test {
 protected:
  static void SetUpTestSuite() { model_ = std::make_unique<Model>(model_path); }
  static void TearDownTestSuite() { model_.reset(); }

  static std::vector<float> row(const Lanes& lanes, int32_t lane) {
    const float* logits = lanes.row(lane);
    return logits ? std::vector<float>(logits, logits + model_->n_vocab()) : std::vector<float>();
  }
  static Lanes lanes(int32_t n) { return {*model_, n, 256, 1}; }

  static std::unique_ptr<Model> model_;
};
std::unique_ptr<Model> WithModel::model_;

TEST_F(WithModel, TextAndTokens) {
  const Tokens tokens = model_->tokenize("The sea is blue.");
  std::string text;
  for (const Token token : tokens) text += model_->piece(token);
  EXPECT_EQ(text, "The sea is blue.");
  EXPECT_FALSE(model_->is_end(tokens[0]));
  ASSERT_TRUE(model_->has_chat_template());
  EXPECT_GT(model_->prompt("Hello", true).size(), model_->prompt("Hello", false).size() + 4);
}

TEST_F(WithModel, LanesGoTheirOwnWay) {
  Lanes two = lanes(2), one = lanes(1);
  const Tokens a = model_->prompt("The capital of Italy is", false);
  const Tokens b = model_->prompt("12 + 30 =", false);
  two.add(0, a);
  two.add(1, b);
  two.step();
  one.add(0, b);
  one.step();
  EXPECT_EQ(two.length(1), static_cast<int32_t>(b.size()));
  const std::vector<float> beside = row(two, 1), alone = row(one, 0);
  for (size_t i = 0; i < alone.size(); ++i) ASSERT_NEAR(beside[i], alone[i], 0.05) << i;
  EXPECT_NE(row(two, 0), beside);
}

TEST_F(WithModel, CopyTruncateClear) {
  Lanes two = lanes(2);
  const Tokens prompt = model_->prompt("Things to pack: towels,", false);
  const Tokens more = model_->tokenize(" sun hats");
  two.add(0, prompt);
  two.step();
  two.copy(0, 1);
  const std::vector<float> first = row(two, 0);
  EXPECT_EQ(row(two, 1), first);
  const auto go_on = [&](int32_t lane) {
    two.add(lane, more);
    two.step();
    return row(two, lane);
  };
  const std::vector<float> original = go_on(0);
  EXPECT_EQ(go_on(1), original);
  two.truncate(1, static_cast<int32_t>(prompt.size()));
  EXPECT_EQ(two.row(1), nullptr);
  EXPECT_EQ(go_on(1), original);
  two.clear();
  EXPECT_EQ(two.length(0), 0);
  two.add(0, prompt);
  two.step();
  EXPECT_EQ(row(two, 0), first);
}

TEST_F(WithModel, ScoresAreLogProbsOfTheRows) {
  Lanes two = lanes(2);
  const Tokens prompt = model_->prompt("The capital of Italy is", false);
  const Tokens rest = model_->tokenize(" a city called Rome.");
  two.add(0, prompt);
  two.step();
  two.copy(0, 1);
  const auto scores = two.score({rest, {}});
  ASSERT_EQ(scores[0].size(), rest.size());
  EXPECT_TRUE(scores[1].empty());
  for (size_t i = 0; i < rest.size(); ++i) {
    EXPECT_NEAR(scores[0][i], log_prob(two.row(1), model_->n_vocab(), rest[i]), 0.02) << i;
    two.add(1, {rest[i]});
    two.step();
  }
  const std::vector<float> a = row(two, 0), b = row(two, 1);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 0.05) << i;
  two.clear();
  EXPECT_TRUE(std::isnan(two.score({rest})[0][0]));
}

Tokens words(const Model& model, size_t n) {
  Tokens text;
  while (text.size() < n) {
    for (const Token token : model.tokenize(" one two three four")) text.push_back(token);
  }
  text.resize(n);
  return text;
}

// More rows than are kept of one batch: as if the text came in pieces of 64 tokens.
TEST_F(WithModel, LongScores) {
  Lanes two = lanes(2);
  const Tokens text = words(*model_, 150);
  const auto scores = two.score({text});
  ASSERT_EQ(scores[0].size(), text.size());
  EXPECT_TRUE(std::isnan(scores[0][0]));
  for (auto from = text.begin(); from != text.end();) {
    const auto to = from + std::min<std::ptrdiff_t>(64, text.end() - from);
    two.add(1, {from, to});
    two.step();
    const auto next = static_cast<size_t>(to - text.begin());
    if (to != text.end()) {
      EXPECT_NEAR(scores[0][next], log_prob(two.row(1), model_->n_vocab(), *to), 1e-4) << next;
    }
    from = to;
  }
  const std::vector<float> a = row(two, 0), b = row(two, 1);
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-4) << i;
}

// More tokens than one batch takes.
TEST_F(WithModel, LongPrompts) {
  Lanes two = {*model_, 2, 600, 1};
  const Tokens text = words(*model_, 520);
  two.add(0, text);
  two.step();
  two.add(1, {text.begin(), text.begin() + 512});
  two.step();
  two.add(1, {text.begin() + 512, text.end()});
  two.step();
  EXPECT_EQ(row(two, 0), row(two, 1));
}

TEST_F(WithModel, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Lanes(*model_, 1, model_->n_context() + 1, 1), std::runtime_error);
  Lanes one = lanes(1);
  EXPECT_THROW(one.add(0, Tokens(257, 5)), std::runtime_error);
}

std::vector<std::pair<std::string, double>> steps(const Model& model) {
  std::vector<std::pair<std::string, double>> found;
  for (const RecipeStep& step : model.recipe()) found.emplace_back(step.name, step.value);
  return found;
}

// A copy of the model whose file recommends something.
void write_with_keys(const std::string& path) {
  ggml_context* tensors = nullptr;
  gguf_context* from = gguf_init_from_file(model_path, {false, &tensors});
  gguf_context* to = gguf_init_empty();
  gguf_set_kv(to, from);
  gguf_set_val_i32(to, "general.sampling.top_k", 7);
  gguf_set_val_f32(to, "general.sampling.temp", 0.25F);
  gguf_set_val_i32(to, "general.sampling.mirostat", 2);
  for (ggml_tensor* t = ggml_get_first_tensor(tensors); t; t = ggml_get_next_tensor(tensors, t)) {
    if (gguf_find_tensor(from, t->name) >= 0) gguf_add_tensor(to, t);
  }
  EXPECT_TRUE(gguf_write_to_file(to, path.c_str(), false));
  gguf_free(to);
  gguf_free(from);
  ggml_free(tensors);
}

TEST_F(WithModel, Recipe) {
  using Steps = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(steps(*model_),
            (Steps{{"top_k", 40}, {"top_p", 0.95}, {"min_p", 0.05}, {"temperature", 0.8}}));
  EXPECT_TRUE(model_->keys_left_out().empty());
  const std::string path = testing::TempDir() + "/hlg-recipe.gguf";
  write_with_keys(path);
  const Model model(path);
  EXPECT_EQ(steps(model),
            (Steps{{"top_k", 7}, {"top_p", 0.95}, {"min_p", 0.05}, {"temperature", 0.25}}));
  EXPECT_EQ(model.keys_left_out(), std::vector<std::string>{"general.sampling.mirostat"});
  std::remove(path.c_str());
}

}  // namespace
}  // namespace hlg_run

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return std::fprintf(stderr, "usage: hlg_runner_tests MODEL.gguf\n"), 2;
  hlg_run::model_path = argv[1];
  return RUN_ALL_TESTS();
}
