#include "harm_csv.h"

#include <algorithm>
#include <locale>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "files.h"
#include "flags.h"
#include "members.h"

namespace {

// Cells end at commas; those that begin with a quotation mark may hold commas, and "" for ".
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && (quoted || found.back().empty())) {
      const bool twice = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (twice) found.back() += line[++i];
      if (!twice) quoted = !quoted;
    } else if (c == ',' && !quoted) {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

// The cells of one line, by column name.
class Line {
 public:
  Line(const std::vector<std::string>& names, const std::string& text, std::string where)
      : names_(names), cells_(cells(text)), where_(std::move(where)) {
    if (cells_.size() == names_.size()) return;
    throw Failure(kFailed, where_ + ": " + std::to_string(cells_.size()) + " cells, not the " +
                               std::to_string(names_.size()) + " of the first line");
  }

  const std::string& text(const std::string& name) const {
    return cells_[static_cast<size_t>(std::find(names_.begin(), names_.end(), name) -
                                      names_.begin())];
  }

  double number(const std::string& name, double low, double high) const {
    std::istringstream in(text(name));
    in.imbue(std::locale::classic());
    double value = 0;
    if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof()) {
      refuse(name, "a number");
    }
    if (value < low) refuse(name, "no less than " + std::to_string(static_cast<int>(low)));
    if (value > high) refuse(name, "no more than " + std::to_string(static_cast<int>(high)));
    return value;
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& allowed) const {
    ::refuse(where_ + ": " + name, text(name), allowed);
  }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::string> cells_;
  std::string where_;
};

constexpr double kLargest = 1e6, kLeastError = 1e-9;  // squares and their inverses stay numbers

HarmRow row_of(const Line& line) {
  const std::string& coordinate = line.text("coordinate");
  HarmRow row = {line.text("model"),
                 line.text("kind"),
                 coordinate,
                 line.number("band", -kLargest, coordinate == "z_top" ? 0 : kLargest),
                 line.number("harm", -kLargest, kLargest),
                 line.number("se", 0, kLargest)};
  if (row.se > 0 && row.se < kLeastError) line.refuse("se", "0, or no less than 1e-9");
  return row;
}

// A line without its end; false after the last one. Blank lines are passed over.
bool next_line(std::istream& in, std::string& line, int64_t& number) {
  while (std::getline(in, line)) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) return true;
  }
  return false;
}

}  // namespace

std::vector<HarmRow> read_harm_csv(const std::string& path) {
  std::istringstream file(read_text(path));
  std::string text;
  int64_t number = 0;
  next_line(file, text, number);
  const std::vector<std::string> names = cells(text);
  for (const char* name : {"model", "kind", "coordinate", "band", "harm", "se"}) {
    if (std::count(names.begin(), names.end(), name) == 1) continue;
    throw Failure(kFailed, path + ":1: not one column " + name);
  }
  std::vector<HarmRow> rows;
  std::set<std::tuple<std::string, std::string, double>> known;
  while (next_line(file, text, number)) {
    const Line line(names, text, path + ":" + std::to_string(number));
    const HarmRow row = row_of(line);
    if (row.coordinate == "z_top" && !known.insert({row.model, row.kind, row.band}).second) {
      line.refuse("band", "each band once");
    }
    rows.push_back(row);
  }
  return rows;
}
