// hlg serve: llama.cpp's server. The HLG flags are arguments of its own parser (llama/args.cc), so
// configuration files, environment, router and presets know them too.
#include <cstdlib>

#include "commands.h"
#include "upstream.h"

int llama_server(int argc, char** argv);

namespace {

constexpr char kHelp[] =
    "usage: hlg serve [FLAGS]\n\n"
    "llama.cpp's HTTP server with tone-curve sampling. All flags of llama-server hold;\n"
    "those of the curve begin with --hlg.\n\n"
    "Exit status: 0 fine, 1 failed, 2 a wrong setting of the curve.\n"
    "Example:\n"
    "  hlg serve -m model.gguf --hlg-sampling on --hlg-toe-shape fade\n\n";

}  // namespace

int command_serve(int argc, char** argv) {
  // In router mode the server starts this program again for each model and puts the subcommand in
  // front of the flags, if it knows its name.
#ifdef _WIN32
  _putenv_s("LLAMA_APP_CMD", "serve");
#else
  setenv("LLAMA_APP_CMD", "serve", 1);
#endif
  return run_upstream(llama_server, argc, argv, kHelp);
}
