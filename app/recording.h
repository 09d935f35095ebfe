// The folder that `hlg record` writes.
//
//   record.json   the model, the prompts, the settings
//   rows.f32      the rows: float32, n_vocab each
//   rows.jsonl    a line a row: where it came from, the token drawn from it
//
// Rows come in blocks. An interrupted recording goes on after its last whole block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json.h"
#include "run_folder.h"

class Recording {
 public:
  // block_ends: rows up to the end of each block. A recording that is already in the folder must
  // have the same header. Throws Failure.
  Recording(std::string folder, common_json header, std::vector<int64_t> block_ends,
            int64_t n_vocab);

  size_t n_blocks_done() const { return n_done_; }
  int64_t n_rows_done() const { return n_done_ == 0 ? 0 : block_ends_[n_done_ - 1]; }
  // The next block: its rows one after the other, and their lines.
  void add_block(const std::vector<float>& rows, const std::string& lines);
  // After the last block: the recording is complete.
  void finish() { folder_.set_complete(true); }

 private:
  void drop_half_written();

  RunFolder folder_;
  std::vector<int64_t> block_ends_;
  int64_t n_vocab_;
  size_t n_done_ = 0;
};
