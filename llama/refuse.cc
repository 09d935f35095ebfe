// The end of the program on bad settings. A file of its own: tests put theirs in its place.
#include <cstdio>
#include <cstdlib>

#include "complain.h"
#include "log.h"

namespace hlg_seam {

void refuse(const std::string& line, int status) {
  common_log_flush(common_log_main());
  std::fprintf(stderr, "hlg: %s\n", line.c_str());
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace hlg_seam
