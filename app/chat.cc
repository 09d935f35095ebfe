// hlg chat: llama.cpp's chat in the terminal, with the HLG flags.
#include "commands.h"
#include "upstream.h"

int llama_cli(int argc, char** argv);

int command_chat(int argc, char** argv) { return run_upstream(llama_cli, argc, argv); }
