#include "rowset.h"

#include <cmath>
#include <filesystem>
#include <set>

#include "files.h"
#include "flags.h"
#include "members.h"

namespace {

namespace fs = std::filesystem;

std::ifstream opened(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path);
  return file;
}

common_json read_record(const std::string& path) {
  common_json record = parse_object(read_text(path), path);
  whole_number(record, "format", path, 1, 1);
  const common_json complete = member(record, "complete");
  if (!complete.is_boolean() || !complete.get<bool>()) {
    refuse(path + ": complete", complete, "true: the same hlg record goes on where it stopped");
  }
  return record;
}

// The kind of prompt of each row.
std::vector<std::string> read_kinds(const std::string& path, int64_t n_rows) {
  std::ifstream file = opened(path);
  std::vector<std::string> kinds;
  std::string line;
  while (std::getline(file, line)) {
    const auto row = static_cast<int64_t>(kinds.size());
    const std::string where = path + ": line " + std::to_string(row + 1);
    const common_json origin = parse_object(line, where);
    whole_number(origin, "row", where, row, row);
    kinds.push_back(nonempty_text(origin, "kind", where));
  }
  if (static_cast<int64_t>(kinds.size()) != n_rows) {
    throw Failure(kFailed, path + ": " + std::to_string(kinds.size()) + " lines, not the " +
                               std::to_string(n_rows) + " rows of record.json");
  }
  return kinds;
}

void check_size(const std::string& path, int64_t n_rows, int64_t n_vocab) {
  opened(path);
  const auto bytes = static_cast<int64_t>(fs::file_size(path));
  const int64_t expected = n_rows * n_vocab * static_cast<int64_t>(sizeof(float));
  if (bytes == expected) return;
  throw Failure(kFailed, path + ": " + std::to_string(bytes) + " bytes, not the " +
                             std::to_string(expected) + " of " + std::to_string(n_rows) +
                             " rows of " + std::to_string(n_vocab) + " float32");
}

}  // namespace

RowSet::RowSet(const std::string& folder) : rows_file_((fs::path(folder) / "rows.f32").string()) {
  const std::string path = (fs::path(folder) / "record.json").string();
  record_ = read_record(path);
  const common_json model = member(record_, "model");
  model_ = fs::path(nonempty_text(model, "file", path + ": model")).stem().string();
  n_vocab_ = whole_number(model, "n_vocab", path + ": model", 1, INT32_MAX);
  const int64_t n_rows = whole_number(record_, "rows", path, 1, INT32_MAX);
  kinds_ = read_kinds((fs::path(folder) / "rows.jsonl").string(), n_rows);
  check_size(rows_file_, n_rows, n_vocab_);
}

RowReader::RowReader(const RowSet& rows)
    : rows_(rows), file_(opened(rows.rows_file())), logits_(static_cast<size_t>(rows.n_vocab())) {}

const std::vector<float>& RowReader::read(int64_t row) {
  const size_t bytes = logits_.size() * sizeof(float);
  file_.seekg(row * static_cast<int64_t>(bytes));
  file_.read(reinterpret_cast<char*>(logits_.data()), static_cast<std::streamsize>(bytes));
  const std::string where = rows_.rows_file() + ": row " + std::to_string(row);
  if (!file_) throw Failure(kFailed, where + ": cannot be read");
  bool live = false;
  for (const float x : logits_) {
    if (std::isnan(x) || x == HUGE_VALF) {
      throw Failure(kFailed, where + ": a logit is NaN or inf: give numbers or -inf");
    }
    live |= x != -HUGE_VALF;
  }
  if (!live) throw Failure(kNoLiveToken, where + ": no live token");
  return logits_;
}

std::vector<std::string> kinds_of(const RowSet& rows) {
  std::set<std::string> sorted;
  for (int64_t row = 0; row < rows.n_rows(); ++row) sorted.insert(rows.kind(row));
  std::vector<std::string> kinds = {"all"};
  kinds.insert(kinds.end(), sorted.begin(), sorted.end());
  return kinds;
}
