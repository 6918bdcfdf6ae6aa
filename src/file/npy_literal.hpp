#pragma once
// A reader of as much of Python's literals as .npy headers use: strings, True and False, whole numbers. It knows no
// more of Python than that, so there is nothing to evaluate and nothing to exploit.

#include <string>
#include <string_view>

#include "kallima/types.hpp"

namespace kallima {

// Bytes of a hostile file may be anything: here they are without control characters, and not at length.
std::string shown(std::string_view text);

class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool take(char c);  // true, and past it, if c comes next; space before it does not count
  void need(char c);  // throws if it does not
  std::string string();
  bool boolean();
  Index number();
  void end();  // throws if anything but space is left
  bool next_is(char c);

 private:
  std::string_view rest() const { return text_.substr(at_); }
  void skip_space();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace kallima
