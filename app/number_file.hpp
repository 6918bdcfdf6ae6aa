#pragma once
// Natural numbers in files, of which every rank reads and writes the words that it has: decimal or hexadecimal digits,
// highest first, or bytes, lowest first.

#include <span>
#include <string>

#include "kallima/integer.hpp"

namespace kallima::cli {

enum class NumberFormat { decimal, hex, raw };
NumberFormat number_format_named(const std::string& name);
WordBase base_of(NumberFormat format);

struct NumberFile {
  std::string path;
  NumberFormat format = NumberFormat::decimal;
  Index begin = 0;   // of the digits, in bytes
  Index digits = 0;  // or bytes, where they are raw
  Index words() const;
};

// Throws Error where there is no number, naming the file.
NumberFile open_number(const std::string& path, NumberFormat format);

// The words from number `first` on; beyond the number they are zero. Collective.
void read_number(Transport& transport, const NumberFile& file, Index first, std::span<std::uint64_t> words);

// All ranks' words, without zeros in front; how many digits that was, or bytes. The file is replaced when all has gone
// well. Collective.
Index write_number(Transport& transport, const std::string& path, NumberFormat format, Index first,
                   std::span<const std::uint64_t> words);

}  // namespace kallima::cli
