// The table of knobs and what is made from it.
#include "knobs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace hlg_test {
namespace {

// Section 5 of the contract, spelled out a second time on purpose.
TEST(Knobs, TheTable) {
  const struct {
    const char *name, *flag, *allowed, *default_text;
  } expected[] = {
      {"enabled", "hlg-sampling", "off or on", "off"},
      {"pivot", "hlg-pivot", "top, entropy or median", "top"},
      {"pivot_offset", "hlg-pivot-offset", "a number from 0 to 40",
       "6 for top, 0 for entropy and median"},
      {"width", "hlg-width", "a number from 0 to 40, or off", "4"},
      {"shoulder", "hlg-shoulder", "a number from 0.05 to 1000, or off", "4"},
      {"toe", "hlg-toe", "a number from 0.05 to 1000, or off", "6"},
      {"toe_shape", "hlg-toe-shape", "log or fade", "fade"},
  };
  ASSERT_EQ(hlg_knob_count(), static_cast<int32_t>(std::size(expected)));
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob* k = hlg_knob_get(i);
    char allowed[128];
    ASSERT_GT(hlg_knob_allowed(k, allowed, sizeof allowed), 0);
    EXPECT_STREQ(k->name, expected[i].name);
    EXPECT_STREQ(k->flag, expected[i].flag);
    EXPECT_STREQ(allowed, expected[i].allowed);
    EXPECT_STREQ(k->default_text, expected[i].default_text);
    EXPECT_EQ(hlg_knob_find(k->name), k);
  }
  EXPECT_EQ(hlg_knob_get(hlg_knob_count()), nullptr);
  EXPECT_EQ(hlg_knob_get(-1), nullptr);
  EXPECT_EQ(hlg_knob_find("widht"), nullptr);
  EXPECT_EQ(hlg_knob_find(nullptr), nullptr);
}

std::string text_of(const char* name, double value) {
  char text[64] = "untouched";
  hlg_knob_text(hlg_knob_find(name), value, text, sizeof text);
  return text;
}

TEST(Knobs, ValuesAsText) {
  EXPECT_EQ(text_of("pivot", HLG_PIVOT_MEDIAN), "median");
  EXPECT_EQ(text_of("pivot", 3), "3");
  EXPECT_EQ(text_of("pivot", 0.5), "0.5");
  EXPECT_EQ(text_of("pivot", -1), "-1");
  EXPECT_EQ(text_of("enabled", 1), "on");
  EXPECT_EQ(text_of("toe", HLG_OFF), "off");
  EXPECT_EQ(text_of("toe", HLG_UNSET), "unset");
  EXPECT_EQ(text_of("toe", 1000), "1000");
  EXPECT_EQ(text_of("toe", -NAN), "nan");
  EXPECT_EQ(text_of("nothing", 1), "untouched");
  EXPECT_EQ(hlg_knob_text(hlg_knob_find("toe"), 0.25, nullptr, 0), 4);
}

// The shortest text that reads back as the same double.
TEST(Knobs, NumbersReadBack) {
  EXPECT_EQ(text_of("width", 0.1), "0.1");
  EXPECT_EQ(text_of("width", 0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(text_of("width", 1e300), "1e+300");
  std::mt19937_64 rng(7);
  std::uniform_real_distribution<double> width(0, 40);
  for (int i = 0; i < 1000; ++i) {
    const double value = i % 2 ? width(rng) : std::round(width(rng) * 100) / 100;
    const std::string text = text_of("width", value);
    hlg_params p;
    hlg_params_init(&p);
    ASSERT_EQ(hlg_params_set_text(&p, "width", text.c_str()), HLG_OK) << text;
    ASSERT_EQ(p.width, value) << text;
    ASSERT_LE(text.size(), i % 2 ? 24U : 5U) << text;
  }
}

// The default in words is the default in numbers.
TEST(Knobs, DefaultsAgree) {
  hlg_params p;
  hlg_params_init(&p);
  hlg_params_resolve(&p);
  for (int32_t i = 0; i < hlg_knob_count(); ++i) {
    const hlg_knob* k = hlg_knob_get(i);
    if (k->value == HLG_UNSET) continue;
    hlg_params from_text;
    hlg_params_init(&from_text);
    ASSERT_EQ(hlg_params_set_text(&from_text, k->name, k->default_text), HLG_OK) << k->name;
    double a = 0, b = 0;
    hlg_params_get(&from_text, k->name, &a);
    hlg_params_get(&p, k->name, &b);
    EXPECT_EQ(a, b) << k->name;
  }
}

TEST(Params, UnsetResolvesLast) {
  hlg_params p;
  hlg_params_init(&p);
  EXPECT_EQ(p.enabled, HLG_UNSET_CHOICE);
  EXPECT_EQ(p.width, HLG_UNSET);
  p.pivot = HLG_PIVOT_MEDIAN;
  hlg_params_resolve(&p);
  EXPECT_EQ(p.enabled, 0);
  EXPECT_EQ(p.pivot_offset, 0);
  EXPECT_EQ(p.width, 4);
  EXPECT_EQ(p.shoulder, 4);
  EXPECT_EQ(p.toe, 6);
  hlg_params_init(&p);
  hlg_params_resolve(&p);
  EXPECT_EQ(p.pivot_offset, 6);
}

// For reports: resolved, the switch says off.
TEST(Params, ResolvedMakesAStraightLineUnlessSwitchedOn) {
  const auto is_neutral = [](const hlg_params& p) {
    hlg_curve* curve = nullptr;
    EXPECT_EQ(hlg_curve_new(&p, &curve, nullptr, 0), HLG_OK);
    const int32_t neutral = hlg_curve_is_neutral(curve);
    hlg_curve_free(curve);
    return neutral;
  };
  hlg_params p;
  hlg_params_init(&p);
  EXPECT_EQ(is_neutral(p), 0);
  hlg_params_resolve(&p);
  EXPECT_EQ(is_neutral(p), 1);
  hlg_params_init(&p);
  p.enabled = 1;
  hlg_params_resolve(&p);
  EXPECT_EQ(is_neutral(p), 0);
}

TEST(Params, OffsetOfOneLevelAppliesToThePivotOfAnother) {
  hlg_params base, above;
  hlg_params_init(&base);
  hlg_params_init(&above);
  base.pivot_offset = 2;
  base.width = 3;
  above.pivot = HLG_PIVOT_ENTROPY;
  above.width = HLG_OFF;
  hlg_params_overlay(&base, &above);
  hlg_params_resolve(&base);
  EXPECT_EQ(base.pivot, HLG_PIVOT_ENTROPY);
  EXPECT_EQ(base.pivot_offset, 2);
  EXPECT_EQ(base.width, HLG_OFF);
}

TEST(Params, AnOverlayKeepsWhatIsNotAllowedForTheCheck) {
  const auto after = [](auto change) {
    hlg_params base, above;
    hlg_params_init(&base);
    hlg_params_init(&above);
    base.width = 3;
    change(above);
    EXPECT_EQ(hlg_params_overlay(&base, &above), HLG_OK);
    char message[160];
    EXPECT_EQ(hlg_params_check(&base, message, sizeof message), HLG_INVALID_ARGUMENT);
    return std::string(message);
  };
  EXPECT_EQ(after([](hlg_params& above) { above.width = 50; }),
            "width: 50 is not allowed: give a number from 0 to 40, or off");
  EXPECT_EQ(after([](hlg_params& above) { above.pivot = 9; }),
            "pivot: 9 is not allowed: give top, entropy or median");
  EXPECT_EQ(after([](hlg_params& above) { above.toe = NAN; }),
            "toe: nan is not allowed: give a number from 0.05 to 1000, or off");
}

TEST(Params, Text) {
  hlg_params p;
  hlg_params_init(&p);
  EXPECT_EQ(hlg_params_set_text(&p, "width", "2.5"), HLG_OK);
  EXPECT_EQ(p.width, 2.5);
  EXPECT_EQ(hlg_params_set_text(&p, "width", "1e1"), HLG_OK);
  EXPECT_EQ(p.width, 10);
  EXPECT_EQ(hlg_params_set_text(&p, "width", "off"), HLG_OK);
  EXPECT_EQ(p.width, HLG_OFF);
  EXPECT_EQ(hlg_params_set_text(&p, "pivot", "median"), HLG_OK);
  EXPECT_EQ(p.pivot, HLG_PIVOT_MEDIAN);
  EXPECT_EQ(hlg_params_set_text(&p, "enabled", "on"), HLG_OK);
  EXPECT_EQ(p.enabled, 1);
}

TEST(Params, RefusedValuesChangeNothing) {
  const struct {
    const char *name, *text;
  } bad[] = {{"width", ""},     {"width", "nan"},        {"width", "inf"},   {"width", "-1"},
             {"width", "41"},   {"width", "4x"},         {"width", " 4"},    {"width", "0x4"},
             {"width", "Off"},  {"width", "null"},       {"width", "1e999"}, {"pivot", "Top"},
             {"pivot", ""},     {"pivot", "off"},        {"pivot", "0"},     {"enabled", "true"},
             {"enabled", "1"},  {"pivot_offset", "off"}, {"shoulder", "0"},  {"toe", "0.049"},
             {"toe", "1000.1"}, {"toe_shape", "linear"}, {"nothing", "1"}};
  for (const auto& b : bad) {
    hlg_params p;
    hlg_params_init(&p);
    p.width = 3;
    EXPECT_EQ(hlg_params_set_text(&p, b.name, b.text), HLG_INVALID_ARGUMENT) << b.name << b.text;
    EXPECT_EQ(p.width, 3);
    EXPECT_EQ(p.pivot, HLG_UNSET_CHOICE);
  }
  hlg_params p;
  hlg_params_init(&p);
  EXPECT_EQ(hlg_params_set(&p, "width", NAN), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_params_set(&p, "pivot", 0.5), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_params_set(&p, "pivot", 3), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_params_set(&p, "pivot", HLG_OFF), HLG_INVALID_ARGUMENT);
}

TEST(Params, CheckNamesFieldValueAndWhatIsAllowed) {
  char message[160];
  hlg_params p;
  hlg_params_init(&p);
  EXPECT_EQ(hlg_params_check(&p, message, sizeof message), HLG_OK);
  EXPECT_STREQ(message, "");
  p.toe = 0.01;
  EXPECT_EQ(hlg_params_check(&p, message, sizeof message), HLG_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "toe: 0.01 is not allowed: give a number from 0.05 to 1000, or off");
  hlg_params_init(&p);
  p.pivot = 7;
  EXPECT_EQ(hlg_params_check(&p, message, sizeof message), HLG_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "pivot: 7 is not allowed: give top, entropy or median");
  hlg_params_init(&p);
  for (const double t : {INFINITY, -INFINITY, NAN}) {
    p.temperature = t;
    EXPECT_EQ(hlg_params_check(&p, message, sizeof message), HLG_INVALID_ARGUMENT) << t;
    EXPECT_EQ(std::string(message).rfind("temperature: ", 0), 0U) << message;
  }
  EXPECT_EQ(hlg_params_check(nullptr, message, sizeof message), HLG_INVALID_ARGUMENT);
  hlg_curve* curve = nullptr;
  EXPECT_EQ(hlg_curve_new(&p, &curve, nullptr, 0), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(curve, nullptr);
}

}  // namespace
}  // namespace hlg_test
