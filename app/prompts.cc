#include "prompts.h"

#include <set>
#include <sstream>

#include "files.h"
#include "flags.h"
#include "members.h"

namespace {

Prompt parse(const std::string& line, const std::string& where) {
  const common_json object = parse_object(line, where);
  Prompt prompt = {nonempty_text(object, "id", where), nonempty_text(object, "kind", where),
                   nonempty_text(object, "text", where), boolean(object, "chat", where)};
  if (prompt.kind == "all") refuse(where + ": kind", "all", "another: tables mean all kinds by it");
  return prompt;
}

}  // namespace

std::vector<Prompt> read_prompts(const std::string& path) {
  const std::string text = read_text(path);
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) {
    throw Failure(kFailed, path + ":1: begins with a byte order mark (BOM), which is not allowed");
  }
  std::istringstream file(text);
  std::vector<Prompt> prompts;
  std::set<std::string> ids;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = path + ":" + std::to_string(number);
    prompts.push_back(parse(line, where));
    if (!ids.insert(prompts.back().id).second) refuse(where + ": id", prompts.back().id, "another");
  }
  if (prompts.empty()) throw Failure(kFailed, path + ": no prompts");
  return prompts;
}
