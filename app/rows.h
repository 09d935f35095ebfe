// Rows of logits from a file: raw little-endian float32, row after row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// All rows of a file, "-" being standard input. Throws Failure when it cannot be read or does not
// hold a whole number of rows.
class RowFile {
 public:
  RowFile(const std::string& path, int64_t n_vocab);

  int64_t n_rows() const { return static_cast<int64_t>(values_.size()) / n_vocab_; }
  int64_t n_vocab() const { return n_vocab_; }
  const float* row(int64_t i) const { return values_.data() + i * n_vocab_; }

 private:
  int64_t n_vocab_;
  std::vector<float> values_;
};
