// A member goes where the directory was, and the directory behind it. Its checksum comes last, when all ranks have
// written: it is the same four bytes in the member's own header and in the directory.

#include <string_view>

#include "file/posix_file.hpp"
#include "file/zip.hpp"

namespace kallima {
namespace {

constexpr std::uint64_t too_long = 0xffffffff;  // what does not fit is in a field of the extra part
constexpr Index checksum_in_header = 14, checksum_in_entry = 16;
constexpr std::uint64_t plain_version = 20, long_version = 45, first_of_1980 = 33, by_unix = 3 << 8;
constexpr std::uint64_t names_in_utf8 = 1 << 11;
constexpr std::uint64_t for_all_to_read = std::uint64_t{0100644} << 16;

// Numbers, the lowest byte first.
class ZipRecord {
 public:
  explicit ZipRecord(std::string_view signature) : text_(signature) {}
  ZipRecord& add(int bytes, std::uint64_t value) {
    for (int i = 0; i < bytes; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }
  ZipRecord& add(std::string_view text) {
    text_ += text;
    return *this;
  }
  std::string_view text() const { return text_; }

 private:
  std::string text_;
};

struct NewMember {
  std::string name;
  std::uint64_t header = 0, bytes = 0;
  bool is_long() const { return bytes >= too_long; }
  bool is_far() const { return header >= too_long; }
  std::uint64_t size_field() const { return is_long() ? too_long : bytes; }
  std::uint64_t version() const { return is_long() || is_far() ? long_version : plain_version; }
};

std::string long_fields(const NewMember& member, bool with_place) {
  ZipRecord fields("");
  if (member.is_long()) fields.add(8, member.bytes).add(8, member.bytes);
  if (with_place && member.is_far()) fields.add(8, member.header);
  const std::string_view text = fields.text();
  if (text.empty()) return {};
  return std::string(ZipRecord("").add(2, 1).add(2, text.size()).add(text).text());
}

// Version, flags, method, date and time, checksum, sizes, and the lengths of what follows.
ZipRecord& add_common(ZipRecord& record, const NewMember& member, std::string_view extra) {
  record.add(2, member.version()).add(2, names_in_utf8).add(2, 0).add(2, 0).add(2, first_of_1980).add(4, 0);
  record.add(4, member.size_field()).add(4, member.size_field());
  return record.add(2, member.name.size()).add(2, extra.size());
}

std::string header_of(const NewMember& member) {
  const std::string extra = long_fields(member, false);
  ZipRecord record("PK\3\4");
  return std::string(add_common(record, member, extra).add(member.name).add(extra).text());
}

std::string entry_of(const NewMember& member) {
  const std::string extra = long_fields(member, true);
  ZipRecord record("PK\1\2");
  record.add(2, by_unix | member.version());
  add_common(record, member, extra).add(2, 0).add(2, 0).add(2, 0).add(4, for_all_to_read);
  return std::string(record.add(4, member.is_far() ? too_long : member.header).add(member.name).add(extra).text());
}

// What stands behind the directory and says where it is.
std::string end_of(std::uint64_t count, std::uint64_t begin, std::uint64_t bytes) {
  ZipRecord far("");
  if (begin >= too_long || count >= 0xffff) {
    far.add("PK\6\6").add(8, 44).add(2, by_unix | long_version).add(2, long_version).add(4, 0).add(4, 0);
    far.add(8, count).add(8, count).add(8, bytes).add(8, begin);
    far.add("PK\6\7").add(4, 0).add(8, begin + bytes).add(4, 1);
  }
  ZipRecord end("PK\5\6");
  const std::uint64_t most = std::min<std::uint64_t>(count, 0xffff);
  end.add(2, 0).add(2, 0).add(2, most).add(2, most).add(4, bytes).add(4, std::min(begin, too_long)).add(2, 0);
  return std::string(far.text()) + std::string(end.text());
}

void write_text_at(const File& file, Index offset, std::string_view text) {
  file.write_at(offset, std::as_bytes(std::span(text)));
}

}  // namespace

Index zip_add(const std::string& path, const std::string& name, Index bytes) {
  const File file(path, O_RDWR | O_CREAT, "write");
  const bool there = file.size() > 0;
  const ZipDirectory old = there ? zip_directory(path) : ZipDirectory{};
  for (const ZipMember& member : old.members)
    require(member.name != name, "{} has an array '{}' already (it is not overwritten) choose another name", path,
            name);
  std::string directory(at(old.bytes), '\0');
  file.read_at(old.begin, std::as_writable_bytes(std::span(directory)));
  const NewMember added{name, static_cast<std::uint64_t>(old.begin), static_cast<std::uint64_t>(bytes)};
  const std::string header = header_of(added);
  const Index first = old.begin + std::ssize(header), end = first + bytes;
  directory += entry_of(added);
  const std::string tail =
      directory + end_of(old.members.size() + 1, static_cast<std::uint64_t>(end), directory.size());
  file.reserve(end + std::ssize(tail));
  write_text_at(file, old.begin, header);
  write_text_at(file, end, tail);
  return first;
}

void zip_seal(const std::string& path, const std::string& name, std::uint32_t checksum) {
  const ZipMember member = zip_member(path, name);
  const File file(path, O_WRONLY, "write");
  const std::string bytes(ZipRecord("").add(4, checksum).text());
  write_text_at(file, member.header + checksum_in_header, bytes);
  write_text_at(file, member.entry + checksum_in_entry, bytes);
}

}  // namespace kallima
