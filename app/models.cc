// hlg models: what scripts/fetch-model can fetch, and what is in the cache already.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "commands.h"
#include "flags.h"
#include "json.h"
#include "models-json.h"  // scripts/models.json as a string, made by CMake

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// As scripts/fetch-model has it: ${HLG_CACHE:-${XDG_CACHE_HOME:-~/.cache}/hlg}.
fs::path cache_folder() {
  if (!environment("HLG_CACHE").empty()) return environment("HLG_CACHE");
  if (!environment("XDG_CACHE_HOME").empty())
    return fs::path(environment("XDG_CACHE_HOME")) / "hlg";
  return fs::path(environment("HOME")) / ".cache" / "hlg";
}

int list() {
  const fs::path cache = cache_folder();
  const common_json table = common_json::parse(kModelsJson);
  std::printf("%-19s  %4s  %7s  %-6s  %-38s  %s\n", "name", "MB", "vocab", "cached", "license",
              "model");
  for (const auto& model : table.at("models").items()) {
    const common_json& m = model.value();
    std::error_code ignored;
    const bool cached = fs::exists(cache / (model.key() + ".gguf"), ignored);
    std::printf("%-19s  %4lld  %7lld  %-6s  %-38s  %s\n", model.key().c_str(),
                static_cast<long long>(m.at("bytes").get<int64_t>() / 1000000),
                static_cast<long long>(m.at("vocab").get<int64_t>()), cached ? "yes" : "no",
                m.at("license").get<std::string>().c_str(),
                m.at("title").get<std::string>().c_str());
  }
  std::printf("\ncache: %s\n", cache.string().c_str());
  return 0;
}

}  // namespace

int command_models(int argc, char** argv) {
  CLI::App app("Lists the models that `make serve MODEL=name` and scripts/fetch-model know.",
               "hlg models");
  app.footer(
      "Any other GGUF file is given by its path: hlg serve -m path/to/model.gguf\n"
      "Exit status: 0 fine, 1 standard output, 2 wrong usage.\n"
      "Example:\n"
      "  hlg models");
  return run_command(app, argc, argv, list);
}
