#include "run_folder.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#endif

#include "files.h"
#include "flags.h"
#include "members.h"
#include "runner.h"

namespace fs = std::filesystem;

RunFolder::RunFolder(std::string folder, const char* header_name, common_json header,
                     const char* data_name)
    : folder_(std::move(folder)), header_name_(header_name), header_(std::move(header)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw Failure(kFailed, folder_ + ": " + error.message());
  lock_ = std::make_unique<Lock>(folder_);
  if (fs::exists(path(header_name))) {
    check_header();
  } else if (fs::exists(path(data_name))) {
    throw Failure(kFailed,
                  path(data_name) + " is there without " + header_name + ": give another folder");
  } else {
    set_complete(false);
  }
}

#ifdef _WIN32
RunFolder::Lock::Lock(const std::string& /*folder*/) {}
RunFolder::Lock::~Lock() = default;
#else
// A file system without locks does without.
RunFolder::Lock::Lock(const std::string& folder)
    : folder_(open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (folder_ < 0) fail(folder);
  if (flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(folder_);
  throw Failure(kFailed, folder + ": another run is writing there");
}

RunFolder::Lock::~Lock() { close(folder_); }
#endif

void RunFolder::set_complete(bool complete) {
  header_["complete"] = complete;
  write_text(path(header_name_), header_.dump(2) + "\n");
}

void RunFolder::check_header() const {
  const std::string file = path(header_name_);
  const common_json there = parse_object(read_text(file), file);
  for (const auto& [key, value] : header_.items()) {
    const std::string found = member(there, key).dump(), wanted = value.dump();
    if (found == wanted) continue;
    std::string line = file;
    line.append(" is of another run: ").append(key).append(" is ").append(found);
    line.append(", not ").append(wanted).append(": give another folder, or the same settings");
    throw Failure(kFailed, line);
  }
}

void RunFolder::append(const char* name, const void* bytes, size_t n) const {
  std::FILE* file = std::fopen(path(name).c_str(), "ab");
  bool written = file && std::fwrite(bytes, 1, n, file) == n;
  if (file) written = std::fclose(file) == 0 && written;
  if (!written) fail(path(name));
}

void RunFolder::truncate(const char* name, uintmax_t n_bytes) const {
  std::error_code error;
  if (fs::file_size(path(name), error) == n_bytes) return;
  fs::resize_file(path(name), n_bytes, error);
  if (error) throw Failure(kFailed, path(name) + ": " + error.message());
}

common_json file_identity(const std::string& path) {
  return {{"file", fs::path(path).filename().string()}, {"sha256", hlg_run::file_sha256(path)}};
}
