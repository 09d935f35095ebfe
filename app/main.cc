// The hlg program: finds the subcommand and calls it.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "commands.h"

namespace {

struct Command {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* help;
};

constexpr Command kCommands[] = {
    {"serve", command_serve,
     "HTTP server (OpenAI and Anthropic protocols), all flags of llama-server"},
    {"chat", command_chat, "chat in the terminal, all flags of llama-cli"},
    {"complete", command_complete, "complete a prompt, all flags of llama-completion"},
    {"apply", command_apply, "rows of logits in, log-probabilities out"},
    {"draw", command_draw, "draw token ids from rows of logits"},
    {"curve", command_curve, "draw the tone curve: terminal, SVG, JSON"},
    {"record", command_record, "rows of logits from a model's own generations"},
    {"kl", command_kl, "what each knob does to recorded rows, beside plain temperature"},
    {"harm", command_harm, "what one unlikely token does to a text"},
    {"harm fit", command_harm_fit, "the curve that a measured harm asks for"},
    {"sweep", command_sweep, "many settings and rival samplers on recorded rows, weighed"},
    {"models", command_models, "the models that the set-up can fetch, and the cache"},
    {"version", command_version, "version of hlg and of llama.cpp"},
};

const Command* find_command(const std::string& name) {
  for (const Command& c : kCommands) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

void print_usage(std::FILE* out) {
  std::fprintf(out,
               "hlg - tone-curve sampling for local language models\n\nusage: hlg COMMAND ...\n\n");
  for (const Command& c : kCommands) std::fprintf(out, "  %-10s %s\n", c.name, c.help);
  std::fprintf(out,
               "\nhlg COMMAND --help says more, and so does hlg help COMMAND.\n\n"
               "Exit status: 0 fine, 1 failed, 2 wrong usage, else as the command's --help says.\n"
               "Example:\n"
               "  hlg serve -m model.gguf --hlg-sampling on --hlg-toe-shape fade\n");
}

int unknown_command(const std::string& name) {
  std::fprintf(stderr, "hlg: unknown command '%s'; hlg --help lists them\n", name.c_str());
  return 2;
}

// hlg help [COMMAND]
int command_help(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    print_usage(stdout);
    return 0;
  }
  std::string name = argv[1];
  for (int i = 2; i < argc; ++i) name += std::string(" ") + argv[i];
  const Command* command = find_command(name);
  if (!command) return unknown_command(name);
  char flag[] = "--help";
  char* help[] = {name.data(), flag, nullptr};
  return command->run(2, help);
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name.empty()) {
    print_usage(stderr);
    return 2;
  }
  if (name == "help") return command_help(argc - 1, argv + 1);
  if (name == "--help" || name == "-h") return command_help(1, argv);
  const Command* command = find_command(name == "--version" ? "version" : name);
  return command ? command->run(argc - 1, argv + 1) : unknown_command(name);
}

}  // namespace

int main(int argc, char** argv) {
  const int status = run(argc, argv);
  if (status != 0 || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return status;
  std::fprintf(stderr, "hlg: standard output: %s\n", std::strerror(errno));
  return 1;
}
