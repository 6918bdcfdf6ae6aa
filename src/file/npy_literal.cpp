// Plain recursive descent, one token at a time; every complaint shows what stands where it stopped.

#include "file/npy_literal.hpp"

#include "base/check.hpp"
#include "file/npy.hpp"

namespace kallima {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, 40)) result += (c >= ' ' && c <= '~') ? c : '?';
  return text.size() > 40 ? result + "..." : result;
}

void Literal::skip_space() {
  while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
}

bool Literal::next_is(char c) {
  skip_space();
  return at_ < text_.size() && text_[at_] == c;
}

bool Literal::take(char c) {
  if (!next_is(c)) return false;
  ++at_;
  return true;
}

void Literal::need(char c) {
  require(take(c),
          "this .npy header is damaged (expected '{}' before \"{}\", byte {} of the dictionary) save the array again",
          c, shown(rest()), at_);
}

std::string Literal::string() {
  const char quote = next_is('"') ? '"' : '\'';
  need(quote);
  const std::size_t end = text_.find(quote, at_);
  require(end != text_.npos, "this .npy header is damaged (a string without its end at \"{}\") save the array again",
          shown(rest()));
  const std::string result(text_.substr(at_, end - at_));
  at_ = end + 1;
  return result;
}

bool Literal::boolean() {
  skip_space();
  for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
    if (!rest().starts_with(word)) continue;
    at_ += std::string_view(word).size();
    return value;
  }
  fail("this .npy header is damaged (expected True or False, found \"{}\") save the array again", shown(rest()));
}

Index Literal::number() {
  skip_space();
  require(at_ < text_.size() && is_digit(text_[at_]),
          "this .npy header has a bad shape (expected a number, found \"{}\") extents are whole and not negative",
          shown(rest()));
  Index value = 0;
  for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
    value = 10 * value + (text_[at_] - '0');
    require(value <= array_element_limit, "this .npy header has an extent above 2^58 (at \"{}\") no array is that long",
            shown(rest()));
  }
  if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote its long integers so
  return value;
}

void Literal::end() {
  skip_space();
  require(at_ == text_.size(), "this .npy header is damaged (\"{}\" follows the dictionary) save the array again",
          shown(rest()));
}

}  // namespace kallima
