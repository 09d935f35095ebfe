// hlg version: one line for us, one for llama.cpp.
#include <cstdio>

#include "commands.h"
#include "hlg/hlg.h"
#include "llama.h"

int command_version(int /*argc*/, char** /*argv*/) {
  std::printf("hlg %s\nllama.cpp %s\n", hlg_version(), llama_version());
  return 0;
}
