// harm.csv: measured harm by band, as `python -m hlg_lab score` writes it.
#pragma once

#include <string>
#include <vector>

struct HarmRow {
  std::string model, kind, coordinate;
  double band = 0;  // mean coordinate of the band's tokens
  double harm = 0, se = 0;
};

// The rows, in the order of the file. Columns are found by their names in the first line; others
// than model, kind, coordinate, band, harm and se are ignored. Throws Failure with file and line.
std::vector<HarmRow> read_harm_csv(const std::string& path);
