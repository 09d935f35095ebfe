// Results as rows of named cells: CSV for plots, JSON for programs. Numbers have the digits that
// read back as the same double, and a decimal point, whatever the locale.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "json.h"

namespace CLI {
class App;
}

class Table {
 public:
  explicit Table(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  // One cell a column: a text, a number, or null for none.
  void add(const std::vector<common_json>& cells);

  std::string csv() const;
  common_json json() const;  // an array of objects

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<common_json>> rows_;
};

// Where a table goes, and with how many threads it is made.
struct ResultFlags {
  std::string csv, json;  // "": not written
  int32_t n_threads = 1;

  // Adds --csv, --json and --threads. Parsing throws Failure where a table could not go there.
  void add_to(CLI::App& app);
  bool on_stdout() const;
  // `header` leads the JSON: what was run on what.
  void write(const Table& table, common_json header) const;

 private:
  void check() const;
};
