// How the subcommands that are llama.cpp's own programs are run.
#pragma once

#include <cstdio>
#include <exception>

#include "seam.h"

// Checks our flags first. An exception that would end the program becomes one line and status 1.
inline int run_upstream(int (*program)(int argc, char** argv), int argc, char** argv) {
  hlg_seam::check_flags(argc, argv);
  try {
    return program(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hlg: %s\n", error.what());
    return 1;
  }
}
