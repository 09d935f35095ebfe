// hlg version: one line for us, one for llama.cpp.
#include <cstdio>

#include "commands.h"
#include "flags.h"
#include "llama.h"

namespace {

int print_versions() {
  std::printf("hlg %s\nllama.cpp %s\n", hlg_version(), llama_version());
  return 0;
}

}  // namespace

int command_version(int argc, char** argv) {
  CLI::App app("Prints the versions of hlg and of llama.cpp.", "hlg version");
  app.footer(
      "Exit status: 0 fine, 1 standard output, 2 wrong usage.\n"
      "Example:\n"
      "  hlg version");
  return run_command(app, argc, argv, print_versions);
}
