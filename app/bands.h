// The tokens of a row in bands of distance from the top token, and draws from one band.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// low <= z < high, z = logit - largest logit, nats. The first band is z = 0, the top token.
struct Band {
  double low, high;
};
constexpr std::array<Band, 16> kBands{{{0, 0},
                                       {-1, 0},
                                       {-2, -1},
                                       {-3, -2},
                                       {-4, -3},
                                       {-5, -4},
                                       {-6, -5},
                                       {-7, -6},
                                       {-8, -7},
                                       {-9, -8},
                                       {-10, -9},
                                       {-12, -10},
                                       {-14, -12},
                                       {-16, -14},
                                       {-20, -16},
                                       {-40, -20}}};

// Where a token stands in its row, nats.
struct Place {
  double z_top;      // from the top token
  double logprob;    // its surprisal, negative
  double z_entropy;  // logprob + entropy of the row
  int64_t rank;      // tokens that are likelier
};

// A row of logits, read once. Tokens that are not finite are masked.
class BandedRow {
 public:
  // Throws std::runtime_error where all is masked.
  BandedRow(const float* logits, size_t n);

  // A token of the band, each with its share of the band's probability; 0 <= u < 1. -1: the band
  // is empty.
  int32_t draw(const Band& band, double u) const;
  Place place(int32_t token) const;

 private:
  std::vector<double> z_;
  double log_sum_ = 0, entropy_ = 0;
};
