#include "runner.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>

#include "llama.h"

extern "C" {
#include "hash/sha256/sha256.h"
}

namespace hlg_run {
namespace {

constexpr int32_t kBatch = 512;  // tokens in one call of llama_decode
constexpr int32_t kRows = 64;    // rows kept of one call, at least one a lane

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File open_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw std::runtime_error(path + ": " + std::strerror(errno));
  return file;
}

// Keeps the first error, the one that names the cause.
void keep_error(ggml_log_level level, const char* text, void* user) {
  auto& error = *static_cast<std::string*>(user);
  if (level != GGML_LOG_LEVEL_ERROR || !error.empty()) return;
  error = text;
  error.erase(error.find_last_not_of(" \n") + 1);
}

void ignore_log(ggml_log_level /*level*/, const char* /*text*/, void* /*user*/) {}

std::string meta(const llama_model* model, llama_model_meta_key key) {
  char text[64];
  const int32_t n =
      llama_model_meta_val_str(model, llama_model_meta_key_str(key), text, sizeof text);
  return n < 0 ? "" : text;
}

llama_sampler* make_sampler(const RecipeStep& step) {
  const auto value = static_cast<float>(step.value);
  if (step.name == "top_k") return llama_sampler_init_top_k(static_cast<int32_t>(step.value));
  if (step.name == "top_p") return llama_sampler_init_top_p(value, 0);
  if (step.name == "min_p") return llama_sampler_init_min_p(value, 0);
  if (step.name == "temperature") return llama_sampler_init_temp(value);
  throw std::runtime_error("no sampler is called '" + step.name + "'");
}

Tokens tokenize_text(const llama_vocab* vocab, const std::string& text, bool add_special,
                     bool parse_special) {
  const auto size = static_cast<int32_t>(text.size());
  Tokens tokens(text.size() + 8);
  const int32_t n = llama_tokenize(vocab, text.data(), size, tokens.data(),
                                   static_cast<int32_t>(tokens.size()), add_special, parse_special);
  if (n < 0) throw std::runtime_error("the model cannot turn this text into tokens: " + text);
  tokens.resize(static_cast<size_t>(n));
  return tokens;
}

// As a user's message, the answer about to begin; "" where the template is not known.
std::string chat_text(const llama_model* model, const std::string& message) {
  const char* model_template = llama_model_chat_template(model, nullptr);
  if (!model_template) return "";
  const llama_chat_message chat[] = {{"user", message.c_str()}};
  std::string text(2 * message.size() + 1024, '\0');
  for (;;) {
    const int32_t n = llama_chat_apply_template(model_template, chat, 1, true, text.data(),
                                                static_cast<int32_t>(text.size()));
    if (n < 0) return "";
    const bool fits = static_cast<size_t>(n) <= text.size();
    text.resize(static_cast<size_t>(n));
    if (fits) return text;
  }
}

}  // namespace

std::string file_sha256(const std::string& path) {
  const File file = open_file(path);
  sha256_t state;
  sha256_init(&state);
  std::vector<unsigned char> chunk(1 << 20);
  while (const size_t n = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    sha256_update(&state, chunk.data(), n);
  }
  if (std::ferror(file.get())) throw std::runtime_error(path + ": " + std::strerror(errno));
  unsigned char digest[SHA256_DIGEST_SIZE];
  sha256_final(&state, digest);
  std::string text;
  for (const unsigned char byte : digest) {
    char hex[3];
    std::snprintf(hex, sizeof hex, "%02x", byte);
    text += hex;
  }
  return text;
}

uint32_t seed_of(uint32_t seed, uint32_t item, uint32_t repeat) {
  std::seed_seq mixed{seed, item, repeat};
  uint32_t value = 0;
  mixed.generate(&value, &value + 1);
  return value & 0x7fffffffU;  // never LLAMA_DEFAULT_SEED, which asks for a random one
}

double log_prob(const float* row, int32_t n_vocab, Token token) {
  const auto max = static_cast<double>(*std::max_element(row, row + n_vocab));
  double sum = 0;
  for (int32_t i = 0; i < n_vocab; ++i) sum += std::exp(static_cast<double>(row[i]) - max);
  return static_cast<double>(row[token]) - max - std::log(sum);
}

// ---- model

void FreeLlama::operator()(llama_model* model) const { llama_model_free(model); }
void FreeLlama::operator()(llama_context* context) const { llama_free(context); }

Model::Model(const std::string& path) : path_(path) {
  open_file(path);
  std::string error;
  llama_log_set(keep_error, &error);
  model_.reset(llama_model_load_from_file(path.c_str(), llama_model_default_params()));
  llama_log_set(ignore_log, nullptr);
  if (!model_) throw std::runtime_error(path + ": no model that llama.cpp can load: " + error);
  n_vocab_ = llama_vocab_n_tokens(vocab());
}

const llama_vocab* Model::vocab() const { return llama_model_get_vocab(model_.get()); }

int32_t Model::n_context() const { return llama_model_n_ctx_train(model_.get()); }

bool Model::has_chat_template() const { return !chat_text(model_.get(), "Hello").empty(); }

Tokens Model::prompt(const std::string& text, bool chat) const {
  const std::string message = chat ? chat_text(model_.get(), text) : "";
  return tokenize_text(vocab(), message.empty() ? text : message, true, !message.empty());
}

Tokens Model::tokenize(const std::string& text) const {
  return tokenize_text(vocab(), text, false, false);
}

std::string Model::piece(Token token) const {
  std::string text(64, '\0');
  for (;;) {
    const int32_t n = llama_token_to_piece(vocab(), token, text.data(),
                                           static_cast<int32_t>(text.size()), 0, false);
    text.resize(static_cast<size_t>(std::abs(n)));
    if (n >= 0) return text;
  }
}

bool Model::is_end(Token token) const { return llama_vocab_is_eog(vocab(), token); }

Recipe Model::recipe() const {
  const struct {
    const char* name;
    llama_model_meta_key key;
    double fallback;
  } table[] = {{"top_k", LLAMA_MODEL_META_KEY_SAMPLING_TOP_K, 40},
               {"top_p", LLAMA_MODEL_META_KEY_SAMPLING_TOP_P, 0.95},
               {"min_p", LLAMA_MODEL_META_KEY_SAMPLING_MIN_P, 0.05},
               {"temperature", LLAMA_MODEL_META_KEY_SAMPLING_TEMP, 0.8}};
  Recipe recipe;
  for (const auto& [name, key, fallback] : table) {
    const std::string text = meta(model_.get(), key);
    recipe.push_back({name, text.empty() ? fallback : std::strtod(text.c_str(), nullptr)});
  }
  return recipe;
}

std::vector<std::string> Model::keys_left_out() const {
  std::vector<std::string> keys;
  for (const llama_model_meta_key key :
       {LLAMA_MODEL_META_KEY_SAMPLING_SEQUENCE, LLAMA_MODEL_META_KEY_SAMPLING_XTC_PROBABILITY,
        LLAMA_MODEL_META_KEY_SAMPLING_XTC_THRESHOLD, LLAMA_MODEL_META_KEY_SAMPLING_PENALTY_LAST_N,
        LLAMA_MODEL_META_KEY_SAMPLING_PENALTY_REPEAT, LLAMA_MODEL_META_KEY_SAMPLING_MIROSTAT,
        LLAMA_MODEL_META_KEY_SAMPLING_MIROSTAT_TAU, LLAMA_MODEL_META_KEY_SAMPLING_MIROSTAT_ETA}) {
    if (!meta(model_.get(), key).empty()) keys.emplace_back(llama_model_meta_key_str(key));
  }
  return keys;
}

// ---- sampler

struct Sampler::State {
  struct Free {
    void operator()(llama_sampler* s) const { llama_sampler_free(s); }
  };
  std::unique_ptr<llama_sampler, Free> chain{
      llama_sampler_chain_init(llama_sampler_chain_default_params())};
  std::vector<llama_token_data> candidates;
};

Sampler::Sampler(const Recipe& recipe, uint32_t seed) : state_(std::make_unique<State>()) {
  for (const RecipeStep& step : recipe) {
    llama_sampler_chain_add(state_->chain.get(), make_sampler(step));
  }
  llama_sampler_chain_add(state_->chain.get(), llama_sampler_init_dist(seed));
}

Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

Token Sampler::draw(const float* row, int32_t n_vocab) {
  std::vector<llama_token_data>& candidates = state_->candidates;
  candidates.resize(static_cast<size_t>(n_vocab));
  for (int32_t i = 0; i < n_vocab; ++i) candidates[static_cast<size_t>(i)] = {i, row[i], 0};
  llama_token_data_array array = {candidates.data(), candidates.size(), -1, false};
  llama_sampler_apply(state_->chain.get(), &array);
  if (array.selected < 0 || !(array.data[array.selected].p > 0)) {
    throw std::runtime_error("a row without a live token");
  }
  const Token token = array.data[array.selected].id;
  llama_sampler_accept(state_->chain.get(), token);
  return token;
}

// ---- lanes

Lanes::Lanes(const Model& model, int32_t n_lanes, int32_t n_tokens, int32_t n_threads)
    : n_vocab_(model.n_vocab()),
      n_room_(n_tokens),
      max_rows_(std::max(n_lanes, kRows)),
      lanes_(static_cast<size_t>(n_lanes)) {
  if (n_tokens > model.n_context()) {
    throw std::runtime_error(model.path() + ": the longest prompt and text have " +
                             std::to_string(n_tokens) + " tokens: the model holds " +
                             std::to_string(model.n_context()));
  }
  llama_context_params params = llama_context_default_params();
  params.n_seq_max = static_cast<uint32_t>(n_lanes);
  params.n_ctx = static_cast<uint32_t>(n_lanes * ((n_tokens + 255) / 256 * 256));
  params.n_batch = params.n_ubatch = kBatch;
  params.n_outputs_max = static_cast<uint32_t>(max_rows_);
  params.n_threads = params.n_threads_batch = n_threads;
  context_.reset(llama_init_from_model(model.get(), params));
  if (!context_) throw std::runtime_error("llama.cpp has no memory for these lanes");
}

void Lanes::push(int32_t lane, Token token, bool wants_row) {
  if (at(lane).length == n_room_) {
    throw std::runtime_error("a lane is full: " + std::to_string(n_room_) + " tokens");
  }
  pending_.push_back({token, lane, at(lane).length++, wants_row});
}

void Lanes::add(int32_t lane, const Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) push(lane, tokens[i], i + 1 == tokens.size());
}

// Decodes pending tokens from `begin` on, as many as fit. The result is how many.
size_t Lanes::decode(size_t begin) {
  std::vector<llama_token> tokens;
  std::vector<llama_pos> positions;
  std::vector<llama_seq_id> lanes;
  std::vector<int8_t> wanted;
  int32_t n_rows = 0;
  for (size_t i = begin; i < pending_.size() && tokens.size() < kBatch && n_rows < max_rows_; ++i) {
    const Pending& p = pending_[i];
    tokens.push_back(p.token);
    positions.push_back(p.position);
    lanes.push_back(p.lane);
    wanted.push_back(p.wants_row ? 1 : 0);
    n_rows += p.wants_row ? 1 : 0;
  }
  std::vector<int32_t> ones(tokens.size(), 1);
  std::vector<llama_seq_id*> lane_of;
  lane_of.reserve(lanes.size());
  for (llama_seq_id& lane : lanes) lane_of.push_back(&lane);
  const llama_batch batch = {static_cast<int32_t>(tokens.size()),
                             tokens.data(),
                             nullptr,
                             positions.data(),
                             ones.data(),
                             lane_of.data(),
                             wanted.data()};
  const int32_t status = llama_decode(context_.get(), batch);
  if (status != 0) {
    throw std::runtime_error("llama.cpp could not evaluate a batch: status " +
                             std::to_string(status));
  }
  return tokens.size();
}

// Decodes all that is pending and hands over each row that is wanted.
template <class Take>
void Lanes::evaluate(Take take) {
  for (size_t begin = 0; begin < pending_.size();) {
    const size_t n = decode(begin);
    for (size_t i = 0; i < n; ++i) {
      const Pending& p = pending_[begin + i];
      if (p.wants_row) take(p, llama_get_logits_ith(context_.get(), static_cast<int32_t>(i)));
    }
    begin += n;
  }
  pending_.clear();
}

void Lanes::step() {
  evaluate([&](const Pending& p, const float* row) { at(p.lane).row.assign(row, row + n_vocab_); });
}

const float* Lanes::row(int32_t lane) const {
  return at(lane).row.empty() ? nullptr : at(lane).row.data();
}

std::vector<std::vector<double>> Lanes::score(const std::vector<Tokens>& tokens) {
  if (!pending_.empty()) step();
  std::vector<std::vector<double>> scores(tokens.size());
  std::vector<int32_t> start;
  for (int32_t lane = 0; lane < static_cast<int32_t>(tokens.size()); ++lane) {
    const Tokens& added = tokens[static_cast<size_t>(lane)];
    start.push_back(length(lane));
    for (const Token token : added) push(lane, token, true);
    if (added.empty()) continue;
    auto& score = scores[static_cast<size_t>(lane)];
    score.resize(added.size());
    score[0] = row(lane) ? log_prob(row(lane), n_vocab_, added[0])
                         : std::numeric_limits<double>::quiet_NaN();
  }
  evaluate([&](const Pending& p, const float* row) {
    const auto lane = static_cast<size_t>(p.lane);
    const auto next = static_cast<size_t>(p.position - start[lane]) + 1;
    if (next < tokens[lane].size()) {
      scores[lane][next] = log_prob(row, n_vocab_, tokens[lane][next]);
    } else {
      at(p.lane).row.assign(row, row + n_vocab_);
    }
  });
  return scores;
}

void Lanes::truncate(int32_t lane, int32_t n) {
  if (n >= length(lane)) return;
  if (!llama_memory_seq_rm(llama_get_memory(context_.get()), lane, n, -1)) {
    throw std::runtime_error("this kind of model cannot go back to an earlier token");
  }
  at(lane) = {n, {}};
}

void Lanes::copy(int32_t from, int32_t to) {
  if (from == to) return;
  llama_memory_t memory = llama_get_memory(context_.get());
  llama_memory_seq_rm(memory, to, -1, -1);
  llama_memory_seq_cp(memory, from, to, -1, -1);
  at(to) = at(from);
}

void Lanes::clear() {
  llama_memory_clear(llama_get_memory(context_.get()), true);
  for (Lane& lane : lanes_) lane = {};
  pending_.clear();
}

}  // namespace hlg_run
