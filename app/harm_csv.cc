#include "harm_csv.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <locale>
#include <sstream>
#include <utility>

#include "flags.h"

namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) {
    if (!cell.empty() && cell.back() == '\r') cell.pop_back();
    found.push_back(cell);
  }
  return found;
}

// The cells of one line, by column name.
class Line {
 public:
  Line(const std::vector<std::string>& names, const std::string& text, std::string where)
      : names_(names), cells_(cells(text)), where_(std::move(where)) {}

  std::string text(const std::string& name) const {
    const auto at = std::find(names_.begin(), names_.end(), name) - names_.begin();
    if (static_cast<size_t>(at) < std::min(names_.size(), cells_.size())) {
      return cells_[static_cast<size_t>(at)];
    }
    throw Failure(kFailed, where_ + ": no column " + name);
  }

  double number(const std::string& name) const {
    std::istringstream in(text(name));
    in.imbue(std::locale::classic());
    double value = 0;
    if (in >> value && in.peek() == std::istringstream::traits_type::eof()) return value;
    throw Failure(kFailed, where_ + ": " + name + ": '" + text(name) + "' is no number");
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::string> cells_;
  std::string where_;
};

}  // namespace

std::vector<HarmRow> read_harm_csv(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Failure(kFailed, path + ": " + std::strerror(errno));
  std::string text;
  std::getline(file, text);
  const std::vector<std::string> names = cells(text);
  std::vector<HarmRow> rows;
  for (int64_t number = 2; std::getline(file, text); ++number) {
    if (text.empty()) continue;
    const Line line(names, text, path + ":" + std::to_string(number));
    rows.push_back({line.text("model"), line.text("kind"), line.text("coordinate"),
                    line.number("band"), line.number("harm"), line.number("se"),
                    static_cast<int64_t>(line.number("n"))});
  }
  return rows;
}
