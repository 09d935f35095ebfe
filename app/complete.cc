// hlg complete: llama.cpp's text completion, with the HLG flags.
#include "commands.h"
#include "upstream.h"

int llama_completion(int argc, char** argv);

namespace {

constexpr char kHelp[] =
    "usage: hlg complete [FLAGS]\n\n"
    "llama.cpp's text completion with tone-curve sampling. All flags of llama-completion hold;\n"
    "those of the curve begin with --hlg.\n\n"
    "Exit status: 0 fine, 1 failed, 2 a wrong setting of the curve, 3 a row without a live token.\n"
    "Example:\n"
    "  hlg complete -m model.gguf -no-cnv -p 'The sea' -n 32 --hlg-sampling on\n\n";

}  // namespace

int command_complete(int argc, char** argv) {
  return run_upstream(llama_completion, argc, argv, kHelp);
}
