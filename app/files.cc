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

// Whether a path stands for a file that is open already: no other may be put in its place.
bool is_open_file(const std::string& path) {
  const auto begins = [&](const char* with) { return path.rfind(with, 0) == 0; };
  return begins("/dev/fd/") || begins("/dev/std") || begins("/proc/");
}

// Where the links at the end of a path lead, be it to nothing yet, or to an open file.
std::string followed(std::string path) {
  constexpr int kMost = 40;  // as Linux has it: these may lead round in a circle
  std::error_code ignored;
  for (int i = 0; i < kMost && !is_open_file(path) && fs::is_symlink(path, ignored); ++i) {
    path = (fs::path(path).parent_path() / fs::read_symlink(path)).string();
  }
  return path;
}

}  // namespace

bool is_stdout(const std::string& path) {
  const std::string target = followed(path);
  return target == "-" || target == "/dev/stdout" || target == "/dev/fd/1" ||
         target == "/proc/self/fd/1";
}

void fail(const std::string& path) { throw Failure(kFailed, path + ": " + std::strerror(errno)); }

Output::Output(const std::string& path)
    : name_(is_stdout(path) ? "standard output" : path), target_(followed(path)) {
  std::error_code ignored;
  const fs::file_type kind = fs::status(path, ignored).type();
  const bool is_file = kind == fs::file_type::regular || kind == fs::file_type::not_found;
  if (is_stdout(path)) {
    file_ = stdout;
  } else if (is_open_file(target_)) {
    file_ = std::fopen(path.c_str(), "ab");  // keeps what is in it
  } else {
    if (is_file) beside_ = target_ + ".part";
    file_ = std::fopen((is_file ? beside_ : path).c_str(), "wb");
  }
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
