// Where a word's digits stand follows from how many digits there are in all, so that ranks need not look at what others
// read: only that, and where each rank's words begin, is told to all.

#include "app/number_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include "app/check.hpp"
#include "app/files.hpp"
#include "app/options.hpp"
#include "kallima/file.hpp"

namespace kallima::cli {
namespace {

Index digits_per_word(NumberFormat format) {
  if (format == NumberFormat::raw) return 8;
  return format == NumberFormat::hex ? 16 : 18;
}

struct WordRange {
  Index first = 0, count = 0;
};

// The characters of a file of so many digits that belong to these words.
Box characters_of(const WordRange& words, NumberFormat format, Index digits) {
  const Index per = digits_per_word(format);
  const Index low = std::min(digits, per * words.first), high = std::min(digits, per * (words.first + words.count));
  if (format == NumberFormat::raw) return {{low}, {high}};
  return {{digits - high}, {digits - low}};
}

int value_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

// Words of digits, whose last one is the lowest of the first word.
void parse(const NumberFile& file, std::span<const char> text, Index place, std::span<std::uint64_t> words) {
  const auto per = static_cast<std::size_t>(digits_per_word(file.format));
  const int base = file.format == NumberFormat::hex ? 16 : 10;
  std::size_t end = text.size();
  for (std::uint64_t& word : words) {
    const std::size_t begin = end > per ? end - per : 0;
    word = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const int digit = value_of(text[i]);
      require(digit < base, "{} has a character that is no {} digit (number {}: '{}'): check --format", file.path,
              base == 16 ? "hexadecimal" : "decimal", place + static_cast<Index>(i) + 1, text[i]);
      word = word * static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(digit);
    }
    end = begin;
  }
}

void print(NumberFormat format, std::span<const std::uint64_t> words, std::span<char> text) {
  const auto per = static_cast<std::size_t>(digits_per_word(format));
  const std::uint64_t base = format == NumberFormat::hex ? 16 : 10;
  std::size_t end = text.size();
  for (std::uint64_t word : words) {
    const std::size_t begin = end > per ? end - per : 0;
    for (; end > begin; word /= base) text[--end] = "0123456789abcdef"[word % base];
  }
}

Index digits_of(std::uint64_t word, NumberFormat format) {
  const std::uint64_t base = format == NumberFormat::raw ? 256 : format == NumberFormat::hex ? 16 : 10;
  Index count = 0;
  for (; word > 0; word /= base) ++count;
  return count;
}

// Of all ranks' words.
Index digits_of_all(Transport& transport, NumberFormat format, Index first, std::span<const std::uint64_t> words) {
  const auto top = std::find_if(words.rbegin(), words.rend(), [](std::uint64_t word) { return word != 0; });
  const Index above = first + (words.rend() - top) - 1;  // words below the highest
  const Index mine = top == words.rend() ? 0 : digits_per_word(format) * above + digits_of(*top, format);
  return std::max<Index>(1, std::ranges::max(gathered(transport, mine)));  // zero has one, too
}

std::vector<Box> boxes_of(Transport& transport, NumberFormat format, Index digits, const WordRange& mine) {
  std::vector<Box> boxes;
  for (const WordRange& words : gathered(transport, mine)) boxes.push_back(characters_of(words, format, digits));
  return boxes;
}

std::string characters(std::ifstream& file, Index at, Index count) {
  std::string text(static_cast<std::size_t>(count), '\0');
  file.seekg(at);
  file.read(text.data(), count);
  return text;
}

}  // namespace

NumberFormat number_format_named(const std::string& name) {
  constexpr std::array names{"decimal", "hex", "raw"};
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw UsageError(fmt::format("--format {} is unknown: decimal, hex or raw", name));
  return static_cast<NumberFormat>(found - names.begin());
}

WordBase base_of(NumberFormat format) { return format == NumberFormat::decimal ? WordBase::decimal : WordBase::binary; }

Index NumberFile::words() const { return (digits + digits_per_word(format) - 1) / digits_per_word(format); }

NumberFile open_number(const std::string& path, NumberFormat format) {
  NumberFile number{.path = path, .format = format};
  std::error_code error;
  const auto size = static_cast<Index>(std::filesystem::file_size(path, error));
  require(!error, "cannot read {} ({}) check the path", path, error.message());
  number.digits = size;
  if (format != NumberFormat::raw) {
    std::ifstream file(path, std::ios::binary);
    constexpr Index spaces = 4;  // behind a number: the end of its line, or of a file from elsewhere
    const std::string end = characters(file, std::max<Index>(0, size - spaces), std::min(size, spaces));
    const std::size_t last = end.find_last_not_of(" \t\r\n");
    number.digits -= static_cast<Index>(last == std::string::npos ? end.size() : end.size() - 1 - last);
    const std::string start = characters(file, 0, std::min<Index>(size, 2));
    if (format == NumberFormat::hex && (start == "0x" || start == "0X")) number.begin = 2;
    number.digits -= number.begin;
  }
  require(number.digits > 0, "{} holds no number (it is empty)", path);
  return number;
}

void read_number(Transport& transport, const NumberFile& file, Index first, std::span<std::uint64_t> words) {
  const WordRange mine{first, static_cast<Index>(words.size())};
  const std::vector<Box> boxes = boxes_of(transport, file.format, file.digits, mine);
  const Layout layout = Layout::boxes({file.digits}, boxes);
  std::ranges::fill(words, std::uint64_t{0});
  if (file.format == NumberFormat::raw) {
    const auto bytes =
        std::as_writable_bytes(words).first(static_cast<std::size_t>(layout.local_size(transport.rank())));
    return read_part(transport, file.path, file.begin, layout, 1, bytes);
  }
  std::vector<char> text;
  together(transport, [&] { text.resize(static_cast<std::size_t>(layout.local_size(transport.rank()))); });
  read_part(transport, file.path, file.begin, layout, 1, std::as_writable_bytes(std::span(text)));
  together(transport, [&] { parse(file, text, boxes[at(transport.rank())].begin[0], words); });
}

Index write_number(Transport& transport, const std::string& path, NumberFormat format, Index first,
                   std::span<const std::uint64_t> words) {
  const Index digits = digits_of_all(transport, format, first, words);
  std::vector<Box> boxes = boxes_of(transport, format, digits, {first, static_cast<Index>(words.size())});
  const bool raw = format == NumberFormat::raw;
  if (!raw) ++boxes[0].end[0];  // the end of the line goes behind the lowest words, which rank 0 has
  const Layout layout = Layout::boxes({digits + (raw ? 0 : 1)}, boxes);
  const auto count = static_cast<std::size_t>(layout.local_size(transport.rank()));
  std::vector<char> text;
  together(transport, [&] {
    text.resize(raw ? 0 : count);
    const bool ends = !raw && transport.rank() == 0;
    if (ends) text.back() = '\n';
    if (!raw) print(format, words, std::span(text).first(count - (ends ? 1 : 0)));
  });
  const auto token = gathered(transport, random_token())[0];
  const std::string temporary = temporary_name(path, token);
  std::optional<Replacement> replacement;
  together(transport, [&] {
    if (transport.rank() == 0) replacement.emplace(temporary, path);
  });
  write_part(transport, temporary, {}, layout, 1,
             raw ? std::as_bytes(words).first(count) : std::as_bytes(std::span(text)));
  together(transport, [&] {
    if (replacement) replacement->commit();
  });
  return digits;
}

}  // namespace kallima::cli
