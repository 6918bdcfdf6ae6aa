// The tables of `kallima theory`: columns line up and fit, and agreement is computed from the numbers.

#include <gtest/gtest.h>

#include <sstream>

#include "app/theory.hpp"

using namespace kallima;
using namespace kallima::cli;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(TheoryTable, columns_line_up) {
  const auto lines = lines_of(table_text({{"name"}, {"value", Align::right}}, {{{"a", "1"}}, {{"long one", "22.5"}}}));
  EXPECT_EQ(lines, (std::vector<std::string>{"name      value", "a             1", "long one   22.5"}));
}

TEST(TheoryTable, the_first_column_and_notes_wrap_where_space_ends) {
  std::string subject;
  for (int i = 0; i < 30; ++i) subject += "word ";
  const std::string text = table_text({{"subject"}, {"x"}}, {{{subject, "1"}, "note " + subject}}, 60);
  for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 60u) << line;
  EXPECT_NE(text.find("\n    note word"), std::string::npos);
}

TEST(TheoryTable, agreement_follows_from_the_numbers) {
  using theory::Comparison;
  EXPECT_EQ(agreement({.subject = "s", .parameters = "p", .printed = 3, .corrected = 4}), "not simulated");
  EXPECT_EQ(agreement({.subject = "s", .parameters = "p", .printed = 3, .corrected = 4, .simulated = 4}),
            "as corrected");
  EXPECT_EQ(agreement({.subject = "s", .parameters = "p", .printed = 4, .corrected = 4, .simulated = 4}), "as printed");
  EXPECT_EQ(agreement({.subject = "s", .parameters = "p", .printed = 4, .corrected = 3, .simulated = 4}),
            "as printed only");
  EXPECT_EQ(agreement({.subject = "s", .parameters = "p", .corrected = 4, .simulated = 4}), "agrees");
  EXPECT_EQ(agreement({.subject = "s", .parameters = "p", .printed = 3, .corrected = 4, .simulated = 5}), "differs");
  EXPECT_EQ(agreement({.subject = "s", .parameters = "p", .corrected = 11, .simulated = 10, .exact = false}),
            "estimate +10.0 %");
}

TEST(TheoryTable, comparisons_have_all_columns_and_say_what_is_missing) {
  const std::vector<theory::Comparison> rows{{.subject = "broadcast", .parameters = "P=8", .printed = 12.5}};
  const auto lines = lines_of(comparison_table(rows));
  ASSERT_EQ(lines.size(), 2u);
  for (const char* title : {"subject", "parameters", "printed", "corrected", "simulated", "agreement"})
    EXPECT_NE(lines[0].find(title), std::string::npos) << title;
  EXPECT_NE(lines[1].find("12.5"), std::string::npos);
  EXPECT_NE(lines[1].find("not simulated"), std::string::npos);
  EXPECT_NE(comparison_json(rows).find("\"corrected\": null"), std::string::npos);
}

}  // namespace
