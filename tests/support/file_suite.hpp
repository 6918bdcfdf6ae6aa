#pragma once
// What is promised about files on every transport: each rank's part ends up where the layout says, read or written, and
// when something is wrong with the file every rank hears of it.

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "kallima/file.hpp"
#include "transport_suite.hpp"

namespace kallima::suite {

// The same on all ranks, and no other run's; removed at the end by rank 0.
class SharedPath {
 public:
  SharedPath(Transport& t, const std::string& name) : transport_(t) {
    const auto mine = static_cast<std::int64_t>(::getpid());
    std::vector<std::int64_t> all(static_cast<std::size_t>(t.size()));
    t.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    path_ = testing::TempDir() + "kallima_" + std::to_string(all[0]) + "_" + name;
  }
  ~SharedPath() {
    if (transport_.rank() == 0) std::remove(path_.c_str());
  }
  const std::string& text() const { return path_; }

 private:
  Transport& transport_;
  std::string path_;
};

inline std::vector<Layout> layouts(const Shape& shape, int ranks) {
  std::vector<Layout> out;
  for (std::size_t cut = 0; cut < shape.size(); ++cut)
    for (Index cycle = 1; cycle <= ranks; ++cycle) {
      if (ranks % cycle != 0) continue;
      std::vector<Distribution> dims;
      for (std::size_t d = 0; d < shape.size(); ++d)
        dims.push_back(d == cut ? Distribution::group_cyclic(shape[d], ranks, cycle)
                                : Distribution::block(shape[d], 1));
      out.emplace_back(dims, ranks);
    }
  if (shape.size() < 2 || ranks < 4) return out;
  std::vector<Distribution> grid = {Distribution::cyclic(shape[0], 2), Distribution::cyclic(shape[1], ranks / 2)};
  for (std::size_t d = 2; d < shape.size(); ++d) grid.push_back(Distribution::block(shape[d], 1));
  out.emplace_back(grid, ranks);  // leaves a rank without anything where their number is odd
  grid[1] = Distribution::block(shape[1], ranks / 2);
  out.emplace_back(grid, ranks);
  grid[0] = Distribution::block(shape[0], 2);
  out.emplace_back(grid, ranks);
  return out;
}

inline Index linear(const Shape& shape, const Shape& j) {
  Index at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + j[d];
  return at;
}

inline std::byte value_at(Index item, Index byte) {
  return static_cast<std::byte>((item * 7 + byte * 3 + item / 251) & 255);
}

inline void append_item(Bytes& out, Index item, Index item_bytes) {
  for (Index b = 0; b < item_bytes; ++b) out.push_back(value_at(item, b));
}

inline Bytes part_of(const Layout& layout, int rank, Index item_bytes) {
  Bytes part;
  const Shape shape = layout.shape();
  for (Index t = 0; t < layout.local_size(rank); ++t)
    append_item(part, linear(shape, layout.global_index(rank, t)), item_bytes);
  return part;
}

inline Bytes content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  Bytes out(static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg())));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  return out;
}

inline Bytes file_of(const Bytes& header, Index items, Index item_bytes) {
  Bytes out = header;
  for (Index i = 0; i < items; ++i) append_item(out, i, item_bytes);
  return out;
}

inline void check_layout(Transport& t, const std::string& path, const Layout& layout, Index item_bytes) {
  const Bytes part = part_of(layout, t.rank(), item_bytes);
  const Bytes header = pattern(static_cast<std::size_t>(10 * item_bytes + 7), 1);
  write_part(t, path, header, layout, item_bytes, part);
  Index items = 1;
  for (const Index n : layout.shape()) items *= n;
  EXPECT_TRUE(t.rank() > 0 || content_of(path) == file_of(header, items, item_bytes))
      << layout.text() << " items of " << item_bytes;
  t.barrier();
  Bytes back(part.size());
  read_part(t, path, static_cast<Index>(header.size()), layout, item_bytes, back);
  EXPECT_TRUE(back == part) << layout.text() << " items of " << item_bytes;
  t.barrier();
}

inline void every_layout_comes_back_from_its_file(Comm comm) {
  Transport& t = comm.transport();
  const SharedPath path(t, "layouts");
  Index item_bytes = 4;
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{1000}, Shape{12, 10}, Shape{6, 1, 4}, Shape{6, 8, 4}})
    for (const Layout& layout : layouts(shape, t.size())) {
      check_layout(t, path.text(), layout, item_bytes);
      item_bytes = 20 - item_bytes;
    }
}

inline void a_file_of_many_stretches_comes_back(Comm comm) {
  Transport& t = comm.transport();
  const SharedPath path(t, "stretches");
  for (const Layout& layout : {layouts({300001}, t.size()).front(), layouts({300001}, t.size()).back()})
    check_layout(t, path.text(), layout, 16);
}

inline void a_written_file_loses_what_it_had_before(Comm comm) {
  Transport& t = comm.transport();
  const SharedPath path(t, "shrink");
  check_layout(t, path.text(), layouts({500}, t.size())[0], 16);
  check_layout(t, path.text(), layouts({20}, t.size())[0], 4);
}

// On every rank an Error with the path in it.
inline void expect_file_error(Transport& t, const std::string& path, const std::string& also,
                              const std::function<void()>& action) {
  const auto text = text_of(action);
  EXPECT_NE(text.find(path), std::string::npos) << "rank " << t.rank() << " said '" << text << "'";
  EXPECT_NE(text.find(also), std::string::npos) << "rank " << t.rank() << " said '" << text << "'";
  t.barrier();
}

inline void bad_files_are_everybodys_error(Comm comm) {
  Transport& t = comm.transport();
  const SharedPath path(t, "bad");
  const Layout layout = layouts({100}, t.size())[0];
  Bytes part(static_cast<std::size_t>(layout.local_size(t.rank()) * 16));
  const auto read = [&](Index offset) { return [&, offset] { read_part(t, path.text(), offset, layout, 16, part); }; };
  expect_file_error(t, path.text(), "", read(0));
  write_part(t, path.text(), {}, layout, 16, part);
  EXPECT_EQ(text_of(read(0)), "");
  expect_file_error(t, path.text(), "1601", read(1));
  EXPECT_EQ(t.rank() == 0 ? ::truncate(path.text().c_str(), 1599) : 0, 0);
  t.barrier();
  expect_file_error(t, path.text(), "1599", read(0));
  const std::string nowhere = path.text() + "/no/such/folder";
  expect_file_error(t, nowhere, "", [&] { write_part(t, nowhere, {}, layout, 16, part); });
}

inline void a_part_of_the_wrong_size_is_everybodys_error(Comm comm) {
  Transport& t = comm.transport();
  const SharedPath path(t, "wrong_part");
  const Layout layout = layouts({100}, t.size())[0];
  const auto bytes = static_cast<std::size_t>(layout.local_size(t.rank()) * 16);
  const Bytes part(t.rank() == t.size() - 1 ? bytes + 16 : bytes);
  EXPECT_NE(text_of([&] { write_part(t, path.text(), {}, layout, 16, part); }), "");
  t.barrier();
}

inline const std::vector<Claim>& file_claims() {
  static const std::vector<Claim> claims = {
      {"every_layout_comes_back_from_its_file", every_layout_comes_back_from_its_file},
      {"a_file_of_many_stretches_comes_back", a_file_of_many_stretches_comes_back},
      {"a_written_file_loses_what_it_had_before", a_written_file_loses_what_it_had_before},
      {"bad_files_are_everybodys_error", bad_files_are_everybodys_error},
      {"a_part_of_the_wrong_size_is_everybodys_error", a_part_of_the_wrong_size_is_everybodys_error},
  };
  return claims;
}

}  // namespace kallima::suite
