#include "files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "flags.h"

namespace fs = std::filesystem;

namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

// Where the link at the end of a path leads to, if there is one, be it to nothing yet.
std::string followed(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return path;
  return fs::weakly_canonical(fs::path(path).parent_path() / fs::read_symlink(path)).string();
}

}  // namespace

void fail(const std::string& path) { throw Failure(kFailed, path + ": " + std::strerror(errno)); }

Output::Output(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  std::error_code ignored;
  const fs::file_type kind = fs::status(path, ignored).type();  // of what a link leads to
  const bool is_stdout = path == "-";
  if (!is_stdout && (kind == fs::file_type::regular || kind == fs::file_type::not_found)) {
    target_ = followed(path);
    beside_ = target_ + ".part";
  }
  file_ = is_stdout ? stdout : std::fopen((beside_.empty() ? path : beside_).c_str(), "wb");
  if (!file_) fail(name_);
}

Output::~Output() {
  if (file_ && file_ != stdout) std::fclose(file_);
  std::error_code ignored;
  if (!beside_.empty()) fs::remove(beside_, ignored);
}

void Output::write(const void* bytes, size_t n) {
  if (std::fwrite(bytes, 1, n, file_) != n) fail(name_);
}

void Output::finish() {
  if (std::fflush(file_) != 0) fail(name_);
  if (file_ == stdout) return;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(name_);
  if (beside_.empty()) return;
  std::error_code error;
  fs::rename(beside_, target_, error);
  if (error) throw Failure(kFailed, name_ + ": " + error.message());
  beside_.clear();
}

std::string read_text(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin
                                                           : std::fopen(path.c_str(), "rb"));
  if (!file) fail(path);
  std::string text;
  char part[1 << 16];
  while (const size_t n = std::fread(part, 1, sizeof part, file.get())) text.append(part, n);
  if (std::ferror(file.get())) fail(path);
  return text;
}

void write_text(const std::string& path, const std::string& text) {
  Output out(path);
  out.write(text.data(), text.size());
  out.finish();
}
