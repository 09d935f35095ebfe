#include "prompts.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "flags.h"
#include "json.h"

namespace {

Prompt parse(const common_json& line) {
  Prompt prompt = {line.at("id").get<std::string>(), line.at("kind").get<std::string>(),
                   line.at("text").get<std::string>(), line.value("chat", false)};
  if (prompt.id.empty() || prompt.kind.empty() || prompt.text.empty()) {
    throw common_json_error("id, kind and text must not be empty");
  }
  if (prompt.kind == "all")
    throw common_json_error("kind: all is not allowed: tables mean all by it");
  return prompt;
}

}  // namespace

std::vector<Prompt> read_prompts(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Failure(kFailed, path + ": " + std::strerror(errno));
  std::vector<Prompt> prompts;
  std::set<std::string> ids;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    try {
      prompts.push_back(parse(common_json::parse(line)));
      if (!ids.insert(prompts.back().id).second) throw common_json_error("the id is taken");
    } catch (const common_json_error& error) {
      throw Failure(kFailed, path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (prompts.empty()) throw Failure(kFailed, path + ": no prompts");
  return prompts;
}
