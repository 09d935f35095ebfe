// A file that appears under its name only when everything has been written.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

// "-" is standard output. Throws Failure where something cannot be written; a file that is not
// finished is removed.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(const void* bytes, size_t n);
  void finish();

 private:
  [[noreturn]] void fail() const;

  std::string path_, beside_;
  std::FILE* file_;
};

// The whole text at once.
void write_text(const std::string& path, const std::string& text);
