// How the subcommands that are llama.cpp's own programs are run.
#pragma once

#include <cstdio>
#include <cstring>
#include <exception>

#include "flags.h"
#include "seam.h"

// Prints `help` where the last argument asks for it; llama.cpp's program adds its flags. Checks our
// own flags. An exception that would end the program becomes one line and an exit status.
inline int run_upstream(int (*program)(int argc, char** argv), int argc, char** argv,
                        const char* help) {
  for (const char* word : {"-h", "--help", "--usage"}) {
    if (std::strcmp(argv[argc - 1], word) == 0) std::fputs(help, stdout);
  }
  hlg_seam::check_flags(argc, argv);
  try {
    return program(argc, argv);
  } catch (const hlg_seam::dead_row& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kNoLiveToken;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hlg: %s\n", error.what());
    return kFailed;
  }
}
