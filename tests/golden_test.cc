// The committed golden vectors (make_golden.cc tells their form) against the library, on every CPU
// target: the results of the reference as it was when they were made.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "rows.h"

namespace hlg_test {
namespace {

struct Record {
  std::string name;
  std::vector<float> logits;
  hlg_params params = bent();
  double pivot = 0;
  std::vector<double> logprobs;
  std::vector<std::pair<double, int32_t>> draws;
};

double number(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  EXPECT_EQ(*end, '\0') << word;
  return value;
}

void read_setting(const std::string& word, hlg_params& p) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
  if (name == "temperature") {
    p.temperature = number(value);
  } else if (value.compare(0, 2, "0x") == 0) {
    EXPECT_EQ(hlg_params_set(&p, name.c_str(), number(value)), HLG_OK) << word;
  } else {
    EXPECT_EQ(hlg_params_set_text(&p, name.c_str(), value.c_str()), HLG_OK) << word;
  }
}

std::vector<Record> read_records() {
  std::ifstream file(HLG_GOLDEN);
  std::vector<Record> records;
  for (std::string line, key, word; std::getline(file, line);) {
    std::istringstream words(line);
    words >> key;
    if (key == "row") {
      records.emplace_back();
      words >> records.back().name;
      while (words >> word) records.back().logits.push_back(static_cast<float>(number(word)));
    } else if (key == "settings") {
      while (words >> word) read_setting(word, records.back().params);
    } else if (key == "pivot") {
      words >> word;
      records.back().pivot = number(word);
    } else if (key == "logprobs") {
      while (words >> word) records.back().logprobs.push_back(number(word));
    } else if (key == "draws") {
      for (std::string token; words >> word >> token;) {
        records.back().draws.emplace_back(number(word), std::atoi(token.c_str()));
      }
    }
  }
  return records;
}

TEST(Golden, EveryTargetGivesThem) {
  const std::vector<Record> records = read_records();
  ASSERT_EQ(records.size(), 35U) << "in " << HLG_GOLDEN;
  for (int32_t t = 0; t < hlg_target_count(); ++t) {
    SCOPED_TRACE(hlg_target_name(t));
    ASSERT_EQ(hlg_target_force(hlg_target_name(t)), HLG_OK);
    for (const Record& r : records) {
      SCOPED_TRACE(r.name);
      const hlg::Curve curve = curve_of(r.params);
      const double lse = reference_max(r.logits) + std::log(mass_of(r.logits));
      EXPECT_NEAR(library_pivot(r.logits, r.params) - lse, r.pivot, 1e-5);
      const std::vector<float> seen = library_logprobs(r.logits, r.params);
      ASSERT_EQ(r.logprobs.size(), seen.size());
      for (size_t i = 0; i < seen.size(); ++i) {
        if (!hlg::is_live(r.logits[i])) {
          EXPECT_EQ(seen[i], -kInf);
          continue;
        }
        const double z = r.logits[i] - lse - r.pivot;
        EXPECT_NEAR(seen[i], r.logprobs[i], allowed_error(curve, z, r.logprobs[i])) << i;
      }
      for (const auto& [u, token] : r.draws) {
        hlg::Sampler sampler(1);
        EXPECT_EQ(sampler.sample(curve, {r.logits.data(), r.logits.size()}, u), token) << u;
      }
    }
  }
  hlg_target_force(nullptr);
}

// The reference has not moved either.
TEST(Golden, TheReferenceGivesThem) {
  for (const Record& r : read_records()) {
    SCOPED_TRACE(r.name);
    const hlg::Curve curve = curve_of(r.params);
    const double lse = reference_max(r.logits) + std::log(mass_of(r.logits));
    EXPECT_NEAR(reference_pivot(r.logits, curve.params) - lse, r.pivot, 1e-11);
    const std::vector<double> now = reference_logprobs(r.logits, curve);
    ASSERT_EQ(r.logprobs.size(), now.size());
    for (size_t i = 0; i < now.size(); ++i) {
      if (hlg::is_live(r.logits[i])) {
        EXPECT_NEAR(now[i], r.logprobs[i], 1e-11) << i;
      } else {
        EXPECT_EQ(now[i], -HUGE_VAL) << i;
        EXPECT_EQ(r.logprobs[i], -HUGE_VAL) << i;
      }
    }
  }
}

}  // namespace
}  // namespace hlg_test
