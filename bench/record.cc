// Records 16 rows of logits from a model, for the benchmark.
//
//     hlg_record_rows MODEL.gguf ROWS.f32
//
// One row per prompt: the one after a dozen tokens of the model's own answer (or where it ends),
// drawn at temperature 1 with a fixed seed. Float32 in the byte order of the machine, row after
// row, natural logits without any edit. The file appears under its name when it is complete.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "llama.h"

namespace {

constexpr int kTokens = 12;
constexpr uint32_t kSeed = 16;

// Two of each kind: story, plain fact, code, JSON, list, chat, maths, and other.
constexpr const char* kPrompts[] = {
    "The lighthouse keeper had not spoken to anyone for a month. One evening, a small boat",
    "Grandmother kept a red box on the highest shelf. When she was out, the children",
    "The capital of Italy is",
    "Water boils at a lower temperature on a mountain because",
    "def count_words(text):\n    \"\"\"Returns how often each word occurs.\"\"\"\n",
    "#include <stdio.h>\n\nint main(void) {\n    for (int i = 0; i < 10; i++) {\n",
    "{\"name\": \"Ada\", \"age\": 36, \"languages\": [\"English\", \"French\"], \"city\": ",
    "[\n  {\"id\": 1, \"colour\": \"red\", \"price\": 4.5},\n  {\"id\": 2,",
    "Things to pack for a week at the sea:\n- towels\n- sun hats\n-",
    "1. Wash the potatoes.\n2. Cut them into thin slices.\n3.",
    "User: My bicycle squeaks when I brake. What can I do?\nAssistant:",
    "User: Write a short poem about rain.\nAssistant:",
    "12 + 30 = 42. 25 + 17 = 42. 19 + 23 =",
    "Let n be an even number. Then n = 2k for some whole number k, so n squared is",
    "Dear Mr Hansen,\n\nthank you for your letter of last week. Unfortunately",
    "Le petit chat dort sur la chaise. Il fait chaud et",
};
static_assert(sizeof kPrompts / sizeof *kPrompts == 16, "what the benchmark expects");

template <auto free_object>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    free_object(object);
  }
};
using Model = std::unique_ptr<llama_model, Deleter<llama_model_free>>;
using Context = std::unique_ptr<llama_context, Deleter<llama_free>>;
using Sampler = std::unique_ptr<llama_sampler, Deleter<llama_sampler_free>>;

void only_errors(ggml_log_level level, const char* text, void* /*user*/) {
  if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

Context new_context(llama_model* model) {
  llama_context_params params = llama_context_default_params();
  params.n_ctx = 256;
  params.n_threads = params.n_threads_batch = 1;  // sums in one order: the same rows again
  return Context(llama_init_from_model(model, params));
}

std::vector<llama_token> tokenize(const llama_vocab* vocab, const char* text) {
  const auto length = static_cast<int32_t>(std::strlen(text));
  std::vector<llama_token> tokens(static_cast<size_t>(length) + 2);
  const int32_t n = llama_tokenize(vocab, text, length, tokens.data(),
                                   static_cast<int32_t>(tokens.size()), true, true);
  tokens.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return tokens;
}

// Evaluates the prompt and up to kTokens drawn after it. False where the model fails.
bool answer(llama_context* context, const llama_vocab* vocab, llama_sampler* dist,
            const char* prompt) {
  llama_memory_clear(llama_get_memory(context), true);
  std::vector<llama_token> tokens = tokenize(vocab, prompt);
  if (tokens.empty()) return false;
  for (int i = 0;; ++i) {
    const auto n_tokens = static_cast<int32_t>(tokens.size());
    if (llama_decode(context, llama_batch_get_one(tokens.data(), n_tokens)) != 0) return false;
    if (i == kTokens) return true;
    const llama_token token = llama_sampler_sample(dist, context, -1);
    if (llama_vocab_is_eog(vocab, token)) return true;
    tokens = {token};
  }
}

// The rows of all prompts, one after the other; empty where the model fails.
std::vector<float> record(llama_model* model) {
  const llama_vocab* vocab = llama_model_get_vocab(model);
  const auto n_vocab = static_cast<size_t>(llama_vocab_n_tokens(vocab));
  const Context context = new_context(model);
  const Sampler dist(llama_sampler_init_dist(kSeed));
  std::vector<float> rows;
  if (!context) return rows;
  for (const char* prompt : kPrompts) {
    if (!answer(context.get(), vocab, dist.get(), prompt)) return {};
    const float* row = llama_get_logits_ith(context.get(), -1);
    rows.insert(rows.end(), row, row + n_vocab);
  }
  return rows;
}

// Writes beside `path` and renames.
bool write(const std::vector<float>& rows, const std::string& path) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(rows.data()),
             static_cast<std::streamsize>(rows.size() * sizeof(float)));
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(part, path, error);
  return file && !error;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: hlg_record_rows MODEL.gguf ROWS.f32\n"), 2;
  llama_log_set(only_errors, nullptr);
  const Model model(llama_model_load_from_file(argv[1], llama_model_default_params()));
  if (!model) return std::fprintf(stderr, "hlg_record_rows: cannot load %s\n", argv[1]), 1;
  const std::vector<float> rows = record(model.get());
  if (rows.empty()) return std::fprintf(stderr, "hlg_record_rows: the model failed\n"), 1;
  if (write(rows, argv[2])) return 0;
  return std::fprintf(stderr, "hlg_record_rows: cannot write %s\n", argv[2]), 1;
}
