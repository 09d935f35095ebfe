#include "rows.h"

#include <cstring>

#include "files.h"
#include "flags.h"

RowFile::RowFile(const std::string& path, int64_t n_vocab) : n_vocab_(n_vocab) {
  const std::string bytes = read_text(path);
  const size_t row_bytes = static_cast<size_t>(n_vocab) * sizeof(float);
  if (bytes.empty() || bytes.size() % row_bytes != 0) {
    throw Failure(kFailed, path + ": " + std::to_string(bytes.size()) +
                               " bytes are no whole number of rows of " + std::to_string(n_vocab) +
                               " float32");
  }
  values_.resize(bytes.size() / sizeof(float));
  std::memcpy(values_.data(), bytes.data(), bytes.size());
}
