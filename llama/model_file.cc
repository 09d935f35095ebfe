// What is wrong with a model file, said in one line before llama.cpp tries it: its own loader
// answers with five lines, or with none.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "complain.h"
#include "gguf.h"
#include "seam.h"

namespace hlg_seam {
namespace {

struct Close {
  void operator()(FILE* file) const { std::fclose(file); }
  void operator()(gguf_context* gguf) const { gguf_free(gguf); }
};

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  constexpr int kFailed = 1;
  refuse("model file " + path + ": " + why, kFailed);
}

// Bytes that the file must have: up to the end of its last tensor.
size_t wanted_size(const gguf_context* gguf) {
  size_t end = 0;
  for (int64_t i = 0; i < gguf_get_n_tensors(gguf); ++i) {
    end = std::max(end, gguf_get_tensor_offset(gguf, i) + gguf_get_tensor_size(gguf, i));
  }
  return gguf_get_data_offset(gguf) + end;
}

}  // namespace

void check_model_file(const std::string& path) {
  const std::unique_ptr<FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse_file(path, std::strerror(errno));
  struct stat info {};
  if (fstat(fileno(file.get()), &info) == 0 && S_ISDIR(info.st_mode)) {
    refuse_file(path, "is a directory");
  }
  char magic[4] = {};
  if (std::fread(magic, 1, sizeof magic, file.get()) != sizeof magic ||
      std::memcmp(magic, GGUF_MAGIC, sizeof magic) != 0) {
    refuse_file(path, "is not a GGUF file");
  }
  const std::unique_ptr<gguf_context, Close> gguf(
      gguf_init_from_file(path.c_str(), {/*no_alloc=*/true, /*ctx=*/nullptr}));
  if (!gguf) refuse_file(path, "its header is damaged or cut off");
  const size_t wanted = wanted_size(gguf.get());
  const auto size = static_cast<size_t>(info.st_size);
  if (S_ISREG(info.st_mode) && size < wanted) {
    refuse_file(path, "is cut off: has " + std::to_string(size) + " of " + std::to_string(wanted) +
                          " bytes");
  }
}

}  // namespace hlg_seam
