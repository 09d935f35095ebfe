#include "recording.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "flags.h"
#include "output.h"

namespace {

namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(kFailed, path + ": " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(file), {}};
}

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

[[noreturn]] void refuse_other(const std::string& path, const std::string& key,
                               const std::string& found, const std::string& wanted) {
  throw Failure(kFailed,
                path + " is of another recording: " + key + " is " + found + ", not " + wanted);
}

}  // namespace

Recording::Recording(std::string folder, common_json header, std::vector<int64_t> block_ends,
                     int64_t n_vocab)
    : folder_(std::move(folder)),
      header_(std::move(header)),
      block_ends_(std::move(block_ends)),
      n_vocab_(n_vocab) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw Failure(kFailed, folder_ + ": " + error.message());
  if (fs::exists(path("record.json"))) {
    check_header();
  } else if (fs::exists(path("rows.f32"))) {
    throw Failure(kFailed, path("rows.f32") + " is there without record.json: give another folder");
  } else {
    write_header(false);
  }
  for (const char* name : {"rows.f32", "rows.jsonl"}) append(name, "", 0);
  drop_half_written();
}

void Recording::write_header(bool complete) {
  header_["complete"] = complete;
  write_text(path("record.json"), header_.dump(2) + "\n");
}

// What is in the folder is this recording, begun before.
void Recording::check_header() const {
  const common_json there = common_json::parse_no_throw(read_text(path("record.json")));
  if (there.is_discarded() || !there.is_object()) {
    throw Failure(kFailed, path("record.json") + ": this is not an object in JSON");
  }
  for (const auto& [key, value] : header_.items()) {
    const std::string found = there.contains(key) ? there.at(key).dump() : "missing";
    if (found != value.dump()) refuse_other(path("record.json"), key, found, value.dump());
  }
}

// Finds what is there already, whole blocks, and cuts off the rest.
void Recording::drop_half_written() {
  const auto row_bytes = static_cast<uintmax_t>(n_vocab_) * sizeof(float);
  const std::string text = read_text(path("rows.jsonl"));
  const uintmax_t bytes = fs::file_size(path("rows.f32"));
  const int64_t n_lines = first_lines(text, block_ends_.back()).n;
  while (n_done_ < block_ends_.size() && block_ends_[n_done_] <= n_lines &&
         static_cast<uintmax_t>(block_ends_[n_done_]) * row_bytes <= bytes) {
    ++n_done_;
  }
  fs::resize_file(path("rows.f32"), static_cast<uintmax_t>(n_rows_done()) * row_bytes);
  fs::resize_file(path("rows.jsonl"), first_lines(text, n_rows_done()).bytes);
}

void Recording::append(const char* name, const void* bytes, size_t n) const {
  std::FILE* file = std::fopen(path(name).c_str(), "ab");
  bool written = file && std::fwrite(bytes, 1, n, file) == n;
  if (file) written = std::fclose(file) == 0 && written;
  if (!written) throw Failure(kFailed, path(name) + ": " + std::strerror(errno));
}

void Recording::add_block(const std::vector<float>& rows, const std::string& lines) {
  append("rows.f32", rows.data(), rows.size() * sizeof(float));
  append("rows.jsonl", lines.data(), lines.size());
  ++n_done_;
}

void Recording::finish() { write_header(true); }
