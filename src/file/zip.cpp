// From the end: the record that ends the file says where the directory is, and that where each member's own header is,
// whose length only that header knows. Every number is held against the file's size before it is used.

#include "file/zip.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "file/posix_file.hpp"

namespace kallima {
namespace {

constexpr Index end_bytes = 22, locator_bytes = 20, end64_bytes = 56, entry_bytes = 46, local_bytes = 30;
constexpr Index longest_comment = 0xffff;
constexpr std::uint64_t in_extra = 0xffffffff;  // the number is in a field of the entry's extra part

class ZipReader {
 public:
  explicit ZipReader(const std::string& path) : path_(path), file_(path, O_RDONLY, "read"), size_(file_.size()) {}

  ZipDirectory directory() const {
    const auto [count, begin] = place();
    ZipDirectory result{.begin = begin};
    Index at = begin;
    for (Index i = 0; i < count; ++i) {
      const std::string entry = read(at, entry_bytes);
      check(entry.starts_with("PK\1\2"), "its directory is not where it should be");
      const Index name = number(entry, 28, 2), extra = number(entry, 30, 2), comment = number(entry, 32, 2);
      const std::string rest = read(at + entry_bytes, name + extra);
      result.members.push_back(member(entry, rest.substr(0, kallima::at(name)), rest.substr(kallima::at(name))));
      result.members.back().entry = at;
      at += entry_bytes + name + extra + comment;
    }
    result.bytes = at - begin;
    return result;
  }

 private:
  void check(bool holds, const char* why) const { require(holds, "{} is no .npz file ({}) save it again", path_, why); }

  std::string read(Index offset, Index bytes) const {
    check(offset >= 0 && bytes >= 0 && offset <= size_ - bytes, "it is cut off, or its directory is damaged");
    std::string text(kallima::at(bytes), '\0');
    file_.read_at(offset, std::as_writable_bytes(std::span(text)));
    return text;
  }

  static Index number(const std::string& text, std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[at + i]);
    return static_cast<Index>(value);
  }

  std::pair<Index, Index> place() const {  // how many members, and where it begins
    const Index tail = std::min(size_, end_bytes + longest_comment);
    const std::string end = read(size_ - tail, tail);
    const std::size_t at = end.rfind("PK\5\6");
    check(at != end.npos && at + end_bytes <= end.size(), "it has no directory");
    const Index place = size_ - tail + static_cast<Index>(at);
    if (static_cast<std::uint64_t>(number(end, at + 16, 4)) != in_extra && number(end, at + 10, 2) != 0xffff)
      return {number(end, at + 10, 2), number(end, at + 16, 4)};
    const std::string locator = read(place - locator_bytes, locator_bytes);
    check(locator.starts_with("PK\6\7"), "its directory is not where it should be");
    const std::string end64 = read(number(locator, 8, 8), end64_bytes);
    check(end64.starts_with("PK\6\6"), "its directory is not where it should be");
    return {number(end64, 32, 8), number(end64, 48, 8)};
  }

  ZipMember member(const std::string& entry, std::string name, const std::string& extra) const {
    ZipMember result{.name = std::move(name), .offset = number(entry, 42, 4), .packed_bytes = number(entry, 20, 4)};
    result.bytes = number(entry, 24, 4);
    const Index method = number(entry, 10, 2);
    require(method == 0 || method == 8, "{} of {} is packed in a way that is not known ({}) use numpy.savez",
            result.name, path_, method);
    result.deflated = method == 8;
    for (std::size_t at = 0; at + 4 <= extra.size(); at += 4 + kallima::at(number(extra, at + 2, 2)))
      if (number(extra, at, 2) == 1) take_long_sizes(extra.substr(at + 4), result);
    result.header = result.offset;
    const std::string local = read(result.offset, local_bytes);
    check(local.starts_with("PK\3\4"), "a member is not where the directory says");
    result.offset += local_bytes + number(local, 26, 2) + number(local, 28, 2);
    check(result.packed_bytes >= 0 && result.offset <= size_ - result.packed_bytes, "a member is cut off");
    return result;
  }

  static void take_long_sizes(const std::string& extra, ZipMember& member) {  // those that did not fit, in this order
    std::size_t at = 0;
    for (Index* const field : {&member.bytes, &member.packed_bytes, &member.offset})
      if (static_cast<std::uint64_t>(*field) == in_extra && at + 8 <= extra.size()) {
        *field = number(extra, at, 8);
        at += 8;
      }
  }

  std::string path_;
  File file_;
  Index size_;
};

}  // namespace

ZipDirectory zip_directory(const std::string& path) { return ZipReader(path).directory(); }

ZipMember zip_member(const std::string& path, const std::string& name) {
  const std::vector<ZipMember> members = zip_directory(path).members;
  std::vector<std::string> names;
  for (const ZipMember& member : members) {
    if (member.name == name || member.name == name + ".npy") return member;
    names.push_back(member.name.ends_with(".npy") ? member.name.substr(0, member.name.size() - 4) : member.name);
  }
  if (name.empty() && members.size() == 1) return members[0];
  fail("{} has {} ({}) name one: {}:NAME", path, name.empty() ? "several arrays" : "no array '" + name + "'",
       fmt::join(names, ", "), path);
}

}  // namespace kallima
