// The folder that a long run fills. A JSON file in it, the header, says what the run was asked for;
// one that was interrupted goes on only when asked for the same. One run at a time writes there.
#pragma once

#include <cstddef>
#include <string>

#include "json.h"

class RunFolder {
 public:
  // Makes the folder and its header, or checks that what is there has the same. `data` is a file
  // that never stands there alone. Throws Failure.
  RunFolder(std::string folder, const char* header_name, common_json header, const char* data);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  std::string path(const char* name) const { return folder_ + "/" + name; }
  void append(const char* name, const void* bytes, size_t n) const;
  // A file that is no longer keeps its time.
  void truncate(const char* name, uintmax_t n_bytes) const;
  // The run is complete, and the header says so.
  void finish() { write_header(true); }

 private:
  void lock();
  void write_header(bool complete);
  void check_header() const;

  std::string folder_;
  const char* header_name_;
  int lock_ = -1;  // the folder itself, open
  common_json header_;
};

// The name and the SHA-256 of a file, for a header.
common_json file_identity(const std::string& path);
