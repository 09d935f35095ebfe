// Numbers in texts and messages have a decimal point, whatever locale the host has chosen.
#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>

#include "hlg/hlg.hpp"

namespace hlg_test {
namespace {

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

bool has_decimal_comma() { return *std::localeconv()->decimal_point == ','; }

// Chooses a C locale with a decimal comma: one of the system's, or one made here by localedef.
void choose_c_locale() {
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR"}) {
    if (std::setlocale(LC_NUMERIC, name) && has_decimal_comma()) return;
  }
  std::string folder = testing::TempDir() + "hlg-locale-XXXXXX";
  if (!mkdtemp(folder.data())) return;
  std::ofstream(folder + "/source") << "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
                                       "grouping 3;3\nEND LC_NUMERIC\n";
  std::ofstream(folder + "/charmap") << "<code_set_name> ASCII\nCHARMAP\n"
                                        "<U0020>..<U007E> /x20 all\nEND CHARMAP\n";
  const std::string make = "cd '" + folder + "' && localedef -c -i source -f ./charmap ./comma";
  (void)!std::system((make + " >log 2>&1").c_str());  // it warns of all other categories
  setenv("LOCPATH", folder.c_str(), 1);
  std::setlocale(LC_NUMERIC, "comma");
  unsetenv("LOCPATH");
  std::filesystem::remove_all(folder);
}

class Locale : public testing::Test {
 protected:
  void SetUp() override {
    cpp_ = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
    choose_c_locale();
    if (!has_decimal_comma()) GTEST_SKIP() << "no locale with a decimal comma, and none was made";
  }
  void TearDown() override {
    std::locale::global(cpp_);
    std::setlocale(LC_NUMERIC, "C");
  }

 private:
  std::locale cpp_;
};

TEST_F(Locale, TextIsReadWithAPoint) {
  hlg_params p;
  hlg_params_init(&p);
  EXPECT_EQ(hlg_params_set_text(&p, "toe", "0.5"), HLG_OK);
  EXPECT_EQ(p.toe, 0.5);
  EXPECT_EQ(hlg_params_set_text(&p, "toe", "0,5"), HLG_INVALID_ARGUMENT);
  EXPECT_EQ(hlg_params_set_text(&p, "toe", "1.000"), HLG_OK);
  EXPECT_EQ(p.toe, 1) << "no thousands";
}

TEST_F(Locale, MessagesHaveAPoint) {
  hlg_params p;
  hlg_params_init(&p);
  p.toe = 1234.5;
  char message[160];
  EXPECT_EQ(hlg_params_check(&p, message, sizeof message), HLG_INVALID_ARGUMENT);
  EXPECT_STREQ(message, "toe: 1234.5 is not allowed: give a number from 0.05 to 1000, or off");
}

}  // namespace
}  // namespace hlg_test
