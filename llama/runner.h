// Runs models for the lab commands of the program: their only way to llama.cpp.
//
// Errors are std::runtime_error with one line. llama.cpp's own log is not printed. Given the same
// calls, the same number of lanes and of threads, every row is the same again, bit for bit. A batch
// of other tokens rounds otherwise: SmolLM2 (Q4_1), its prompt cut into batches of 64 or of 16
// instead of one, gave logits that differed by 0.1 to 0.5 in the mean and by up to 1.1.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct llama_context;
struct llama_model;
struct llama_vocab;

namespace hlg_run {

using Token = int32_t;
using Tokens = std::vector<Token>;

// 64 hexadecimal digits.
std::string file_sha256(const std::string& path);

// A seed for the `repeat`th generation of an item, neither of them related to its neighbours'.
uint32_t seed_of(uint32_t seed, uint32_t item, uint32_t repeat);

// Natural log of the token's probability at temperature 1.
double log_prob(const float* row, int32_t n_vocab, Token token);

// llama.cpp's samplers by name: top_k, top_p, min_p, temperature.
struct RecipeStep {
  std::string name;
  double value;
};
using Recipe = std::vector<RecipeStep>;

struct FreeLlama {
  void operator()(llama_model* model) const;
  void operator()(llama_context* context) const;
};

class Model {
 public:
  explicit Model(const std::string& path);

  const std::string& path() const { return path_; }
  int32_t n_vocab() const { return n_vocab_; }
  // The context it was trained for, in tokens.
  int32_t n_context() const;

  // Whether llama.cpp knows how to apply its chat template.
  bool has_chat_template() const;
  // The tokens of a prompt, with those that the model wants at the start. `chat`: the text is a
  // user's message and an answer follows, where the model has a chat template.
  Tokens prompt(const std::string& text, bool chat) const;
  // Those of a text alone, nothing in front.
  Tokens tokenize(const std::string& text) const;
  // A token's bytes, "" for control tokens. They need not be whole UTF-8 characters.
  std::string piece(Token token) const;
  // Whether a generation ends with this token.
  bool is_end(Token token) const;

  // What the model file recommends, and llama.cpp's defaults for what it does not name.
  Recipe recipe() const;
  // Keys of the model file that recommend what recipe() cannot say.
  std::vector<std::string> keys_left_out() const;

  llama_model* get() const { return model_.get(); }

 private:
  const llama_vocab* vocab() const;

  std::string path_;
  std::unique_ptr<llama_model, FreeLlama> model_;
  int32_t n_vocab_ = 0;
};

// Draws tokens from rows. For one thread at a time.
class Sampler {
 public:
  Sampler(const Recipe& recipe, uint32_t seed);
  Sampler(Sampler&& other) noexcept;
  Sampler& operator=(Sampler&& other) noexcept;
  ~Sampler();

  // Throws where all tokens of the row are masked.
  Token draw(const float* row, int32_t n_vocab);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Sequences of tokens that are evaluated together. add() to as many as there is something for, then
// step(). Lanes cannot be truncated or copied between the two.
class Lanes {
 public:
  // n_tokens: room for each lane. Throws where the model's context is shorter.
  Lanes(const Model& model, int32_t n_lanes, int32_t n_tokens, int32_t n_threads);

  int32_t n_lanes() const { return static_cast<int32_t>(lanes_.size()); }
  int32_t length(int32_t lane) const { return at(lane).length; }

  void add(int32_t lane, const Tokens& tokens);
  void step();
  // The logits after the lane's last token, valid until the lane changes. nullptr where it has
  // none: empty, or just truncated.
  const float* row(int32_t lane) const;

  // Adds tokens[lane] to each lane, evaluates them, and gives the log_prob of each, given all
  // before it. NaN for a first token that has no row before it.
  std::vector<std::vector<double>> score(const std::vector<Tokens>& tokens);

  // Keeps the first n tokens.
  void truncate(int32_t lane, int32_t n);
  void copy(int32_t from, int32_t to);
  // Empties all lanes; what follows does not depend on what was there.
  void clear();

 private:
  struct Lane {
    int32_t length = 0;
    std::vector<float> row;
  };
  struct Pending {
    Token token;
    int32_t lane, position;
    bool wants_row;
  };
  Lane& at(int32_t lane) { return lanes_.at(static_cast<size_t>(lane)); }
  const Lane& at(int32_t lane) const { return lanes_.at(static_cast<size_t>(lane)); }
  void push(int32_t lane, Token token, bool wants_row);
  size_t decode(size_t begin);
  template <class Take>
  void evaluate(Take take);

  std::unique_ptr<llama_context, FreeLlama> context_;
  int32_t n_vocab_, n_room_, max_rows_;
  std::vector<Lane> lanes_;
  std::vector<Pending> pending_;
};

}  // namespace hlg_run
