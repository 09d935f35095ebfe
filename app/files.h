// Files in and out. Whatever is wrong with one is a Failure that names it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

// A file that appears under its name only when everything has been written: one that is not
// finished is removed. It writes at once into standard output, "-", into a file that is open
// already, as /dev/fd/3, and into what is no regular file, a FIFO or a device.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(const void* bytes, size_t n);
  void finish();

 private:
  std::string name_, target_, beside_;  // in errors, where the path leads to, what becomes that
  std::FILE* file_;
};

// "-", and what else stands for it: /dev/stdout, /dev/fd/1.
bool is_stdout(const std::string& path);

// The error of the last call on a file.
[[noreturn]] void fail(const std::string& path);

// The whole at once; "-" is standard input and output.
std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);
