// A folder that `hlg record` made: rows of a model's own logits, and where each came from.
//
//   record.json   the model, the prompts, the settings of the recording
//   rows.jsonl    a line a row: prompt, kind, recipe, seed, step, token
//   rows.f32      the rows, float32, n_vocab each
//
// The folder is checked at once; the rows are read one by one, for they may be larger than memory.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "json.h"
#include "parallel.h"

class RowSet {
 public:
  // Throws Failure with a line that names the file, the value and what is allowed.
  explicit RowSet(const std::string& folder);

  const std::string& model() const { return model_; }  // the model's file without .gguf
  int64_t n_vocab() const { return n_vocab_; }
  int64_t n_rows() const { return static_cast<int64_t>(kinds_.size()); }
  const std::string& kind(int64_t row) const { return kinds_[static_cast<size_t>(row)]; }
  const common_json& record() const { return record_; }  // record.json
  const std::string& rows_file() const { return rows_file_; }

 private:
  std::string rows_file_, model_;
  common_json record_;
  int64_t n_vocab_;
  std::vector<std::string> kinds_;
};

// Reads rows of a set; one in each thread.
class RowReader {
 public:
  explicit RowReader(const RowSet& rows);
  // The logits of a row, until the next call. Throws Failure where a logit is NaN or +inf, or all
  // are masked: no model gives such a row.
  const std::vector<float>& read(int64_t row);

 private:
  const RowSet& rows_;
  std::ifstream file_;
  std::vector<float> logits_;
};

// The kinds of prompt that occur, sorted, after "all".
std::vector<std::string> kinds_of(const RowSet& rows);

// Calls work(row, logits) for every row, each thread with a `work` of its own from make_work(). The
// rows come in any order: put results where the number of the row says.
template <class MakeWork>
void for_each_row(const RowSet& rows, int n_threads, const MakeWork& make_work) {
  in_parallel(rows.model(), rows.n_rows(), n_threads, [&] {
    return [reader = RowReader(rows), work = make_work()](int64_t row) mutable {
      work(row, reader.read(row));
    };
  });
}
