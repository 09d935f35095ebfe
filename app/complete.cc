// hlg complete: llama.cpp's text completion, with the HLG flags.
#include "commands.h"
#include "upstream.h"

int llama_completion(int argc, char** argv);

int command_complete(int argc, char** argv) { return run_upstream(llama_completion, argc, argv); }
