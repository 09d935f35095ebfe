#include "recording.h"

#include <filesystem>
#include <utility>

#include "files.h"

namespace {

constexpr const char *kRows = "rows.f32", *kLines = "rows.jsonl";

// The bytes of the first n lines, or of all that are whole where there are fewer.
struct Lines {
  int64_t n = 0;
  size_t bytes = 0;
};
Lines first_lines(const std::string& text, int64_t n) {
  Lines lines;
  while (lines.n < n) {
    const size_t end = text.find('\n', lines.bytes);
    if (end == std::string::npos) break;
    lines = {lines.n + 1, end + 1};
  }
  return lines;
}

}  // namespace

Recording::Recording(std::string folder, common_json header, std::vector<int64_t> block_ends,
                     int64_t n_vocab)
    : folder_(std::move(folder), "record.json", std::move(header), kRows),
      block_ends_(std::move(block_ends)),
      n_vocab_(n_vocab) {
  for (const char* name : {kRows, kLines}) folder_.append(name, "", 0);
  drop_half_written();
  folder_.set_complete(n_done_ == block_ends_.size());
}

// Finds what is there already, whole blocks, and cuts off the rest.
void Recording::drop_half_written() {
  const auto row_bytes = static_cast<uintmax_t>(n_vocab_) * sizeof(float);
  const std::string text = read_text(folder_.path(kLines));
  const uintmax_t bytes = std::filesystem::file_size(folder_.path(kRows));
  const int64_t n_lines = first_lines(text, block_ends_.back()).n;
  while (n_done_ < block_ends_.size() && block_ends_[n_done_] <= n_lines &&
         static_cast<uintmax_t>(block_ends_[n_done_]) * row_bytes <= bytes) {
    ++n_done_;
  }
  folder_.truncate(kRows, static_cast<uintmax_t>(n_rows_done()) * row_bytes);
  folder_.truncate(kLines, first_lines(text, n_rows_done()).bytes);
}

void Recording::add_block(const std::vector<float>& rows, const std::string& lines) {
  folder_.append(kRows, rows.data(), rows.size() * sizeof(float));
  folder_.append(kLines, lines.data(), lines.size());
  ++n_done_;
}
