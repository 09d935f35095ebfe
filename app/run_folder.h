// The folder that a long run fills. A JSON file in it, the header, says what the run was asked for;
// one that was interrupted goes on only when asked for the same. One run at a time writes there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "json.h"

class RunFolder {
 public:
  // Makes the folder and its header, or checks that what is there has the same. `data_name` is
  // a file that never stands there alone. Throws Failure.
  RunFolder(std::string folder, const char* header_name, common_json header, const char* data_name);

  std::string path(const char* name) const { return folder_ + "/" + name; }
  void append(const char* name, const void* bytes, size_t n) const;
  // A file that is no longer keeps its time.
  void truncate(const char* name, uintmax_t n_bytes) const;
  // Whether all data are there: the header says so.
  void set_complete(bool complete);

 private:
  // Held while it lives; it ends with the process, however that ends.
  class Lock {
   public:
    explicit Lock(const std::string& folder);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    int folder_ = -1;
  };

  void check_header() const;

  std::string folder_;
  const char* header_name_;
  std::unique_ptr<Lock> lock_;
  common_json header_;
};

// The name and the SHA-256 of a file, for a header.
common_json file_identity(const std::string& path);
