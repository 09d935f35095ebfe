#include "table.h"

#include <filesystem>
#include <stdexcept>

#include "files.h"
#include "flags.h"

namespace {

std::string csv_cell(const common_json& cell) {
  if (cell.is_null()) return "";
  if (!cell.is_string()) return cell.dump();
  auto text = cell.get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void Table::add(const std::vector<common_json>& cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a table row of another length");
  rows_.push_back(cells);
}

std::string Table::csv() const {
  std::string text;
  for (const std::string& column : columns_) text += (text.empty() ? "" : ",") + csv_cell(column);
  text += "\n";
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + csv_cell(row[i]);
    text += "\n";
  }
  return text;
}

common_json Table::json() const {
  common_json rows = common_json::array();
  for (const auto& cells : rows_) {
    common_json row = common_json::object();
    for (size_t i = 0; i < cells.size(); ++i) row[columns_[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

void ResultFlags::add_to(CLI::App& app) {
  app.add_option("--csv", csv, "where the table goes as CSV; - is standard output")
      ->option_text("FILE");
  app.add_option("--json", json, "where it goes as JSON, with what it was made from")
      ->option_text("FILE");
  add_threads_option(app, n_threads, "how many work on it; the result is the same");
  app.parse_complete_callback([this] { check(); });
}

void ResultFlags::check() const {
  if (is_stdout(csv) && is_stdout(json)) {
    throw Failure(kUsage, "--csv - and --json -: give one of them a file");
  }
  for (const std::string& path : {csv, json}) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
      throw Failure(kFailed, path + ": no folder " + folder.string());
    }
    if (std::filesystem::is_directory(path)) throw Failure(kFailed, path + ": Is a directory");
  }
}

bool ResultFlags::on_stdout() const { return is_stdout(csv) || is_stdout(json); }

void ResultFlags::write(const Table& table, common_json header) const {
  if (!csv.empty()) write_text(csv, table.csv());
  if (json.empty()) return;
  header["program"] = hlg_version();
  header["results"] = table.json();
  write_text(json, header.dump(1) + "\n");
}
