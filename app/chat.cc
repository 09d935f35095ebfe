// hlg chat: llama.cpp's chat in the terminal, with the HLG flags.
#include "commands.h"
#include "upstream.h"

int llama_cli(int argc, char** argv);

namespace {

constexpr char kHelp[] =
    "usage: hlg chat [FLAGS]\n\n"
    "llama.cpp's chat in the terminal with tone-curve sampling. All flags of llama-cli hold;\n"
    "those of the curve begin with --hlg.\n\n"
    "Exit status: 0 fine, 1 failed, 2 a wrong setting of the curve.\n"
    "Example:\n"
    "  hlg chat -m model.gguf --hlg-sampling on --hlg-toe-shape fade\n\n";

}  // namespace

int command_chat(int argc, char** argv) { return run_upstream(llama_cli, argc, argv, kHelp); }
