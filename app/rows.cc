#include "rows.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "flags.h"

namespace {

std::vector<char> read_all(std::FILE* file) {
  std::vector<char> bytes;
  char chunk[1 << 16];
  while (const size_t n = std::fread(chunk, 1, sizeof chunk, file)) {
    bytes.insert(bytes.end(), chunk, chunk + n);
  }
  return bytes;
}

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

}  // namespace

RowFile::RowFile(const std::string& path, int64_t n_vocab) : n_vocab_(n_vocab) {
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin
                                                           : std::fopen(path.c_str(), "rb"));
  if (!file) throw Failure(kFailed, path + ": " + std::strerror(errno));
  const std::vector<char> bytes = read_all(file.get());
  if (std::ferror(file.get())) throw Failure(kFailed, path + ": " + std::strerror(errno));
  const size_t row_bytes = static_cast<size_t>(n_vocab) * sizeof(float);
  if (bytes.empty() || bytes.size() % row_bytes != 0) {
    throw Failure(kFailed, path + ": " + std::to_string(bytes.size()) +
                               " bytes are no whole number of rows of " + std::to_string(n_vocab) +
                               " float32");
  }
  values_.resize(bytes.size() / sizeof(float));
  std::memcpy(values_.data(), bytes.data(), bytes.size());
}
