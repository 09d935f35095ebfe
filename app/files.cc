#include "files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "flags.h"

Output::Output(const std::string& path) : path_(path), beside_(path + ".part") {
  file_ = path == "-" ? stdout : std::fopen(beside_.c_str(), "wb");
  if (!file_) throw Failure(kFailed, path_ + ": " + std::strerror(errno));
}

Output::~Output() {
  if (file_ == stdout || !file_) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(beside_, ignored);
}

void Output::write(const void* bytes, size_t n) {
  if (std::fwrite(bytes, 1, n, file_) != n) fail();
}

void Output::finish() {
  if (std::fflush(file_) != 0) fail();
  if (file_ == stdout) return;
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  std::filesystem::rename(beside_, path_);
}

void Output::fail() const { throw Failure(kFailed, path_ + ": " + std::strerror(errno)); }

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char part[4096]; file.read(part, sizeof part) || file.gcount() > 0;) {
    text.append(part, static_cast<size_t>(file.gcount()));
  }
  if (!file.eof()) throw Failure(kFailed, path + ": " + std::strerror(errno));
  return text;
}

void write_text(const std::string& path, const std::string& text) {
  Output out(path);
  out.write(text.data(), text.size());
  out.finish();
}
