#pragma once
// Claims about checkpoints that hold on every transport: each function is called by all ranks of a communicator.

#include "file_suite.hpp"
#include "kallima/array_file.hpp"
#include "kallima/checkpoint.hpp"

namespace kallima::suite {

// What a run has to remember: two numbers and two fields of which ranks hold parts, each element known by its place.
struct Memory {
  Memory(Layout where, int rank) : layout(std::move(where)) {
    for (auto& component : components) component.resize(at(layout.local_size(rank)));
  }
  void fill(int rank) {
    step = 41;
    time = 1.0 / 3;
    for (std::size_t c = 0; c < components.size(); ++c)
      for (std::size_t t = 0; t < components[c].size(); ++t) {
        const Index place = linear(layout.shape(), layout.global_index(rank, static_cast<Index>(t)));
        components[c][t] = {static_cast<double>(place) / 3, static_cast<double>(c)};
      }
  }
  Checkpoint checkpoint(const std::string& name = "field") {
    Checkpoint result;
    result.number("time", time).number("step", step);
    result.arrays<std::complex<double>>(name, layout, {components[0], components[1]});
    return result;
  }
  Layout layout;
  Index step = 0;
  double time = 0;
  std::array<std::vector<std::complex<double>>, 2> components;
};

inline void a_checkpoint_comes_back_in_any_layout(const Comm& comm) {
  const SharedPath path(comm.transport(), "checkpoint.npy");
  for (const Layout& from : layouts({6, 5, 4}, comm.size()))
    for (const Layout& to : {from, layouts({6, 5, 4}, comm.size()).back()}) {
      Memory kept(from, comm.rank()), found(to, comm.rank()), expected(to, comm.rank());
      kept.fill(comm.rank());
      expected.fill(comm.rank());
      kept.checkpoint().write(comm, path.text());
      found.checkpoint().read(comm, path.text());
      EXPECT_EQ(found.step, expected.step);
      EXPECT_EQ(found.time, expected.time);
      EXPECT_EQ(found.components, expected.components) << from.text() << " to " << to.text();
    }
}

// An array of numbers that know their place, written in one layout and read in another, by whatever a file is called.
inline void an_array_comes_back_from_every_format(const Comm& comm) {
  const Shape shape{6, 5, 4};
  for (const std::string extension : {".npy", ".raw", ".h5"}) {
    if (formats_text().find(extension) == std::string::npos) continue;
    const SharedPath path(comm.transport(), "array" + extension);
    const Layout last = layouts(shape, comm.size()).back();
    for (const Layout& from : layouts(shape, comm.size())) {
      Memory kept(from, comm.rank()), expected(last, comm.rank());
      kept.fill(comm.rank());
      expected.fill(comm.rank());
      comm.transport().barrier();
      if (comm.rank() == 0) std::remove(path.text().c_str());
      comm.transport().barrier();
      write_array(comm.transport(), array_name(path.text()), {.shape = shape}, from,
                  std::as_bytes(std::span(kept.components[0])));
      const ArrayName name = array_name(path.text() + (extension == ".raw" ? ":c16:6x5x4" : ""));
      ArrayHeader header;
      together(comm.transport(), [&] { header = read_array_header(name); });
      EXPECT_EQ(header.shape, shape);
      EXPECT_EQ(dtype_text(header), "<c16");
      std::vector<std::complex<double>> same(expected.components[0].size());
      std::vector<std::complex<float>> narrower(same.size());
      std::vector<double> reals(same.size());
      read_array(comm.transport(), name, header, last, std::span(same));
      read_array(comm.transport(), name, header, last, std::span(narrower));
      EXPECT_THROW(read_array(comm.transport(), name, header, last, std::span(reals)), Error);
      EXPECT_EQ(same, expected.components[0]) << extension << " " << from.text();
      for (std::size_t t = 0; t < same.size(); ++t) EXPECT_EQ(narrower[t], std::complex<float>(same[t]));
    }
  }
}

// A box in the middle of an array, read and written in any layout, and nothing around it.
inline void a_hyperslab_is_moved_alone(const Comm& comm) {
  const Shape whole{5, 7, 6}, extents{3, 4, 6}, narrow{2, 3, 2};
  const SharedPath path(comm.transport(), "slab.raw");
  const Layout all = Layout::slabs(whole, comm.size());
  std::vector<double> numbers;
  for (Index t = 0; t < all.local_size(comm.rank()); ++t)
    numbers.push_back(static_cast<double>(linear(whole, all.global_index(comm.rank(), t))));
  for (const auto& [shape, begin] :
       {std::pair{extents, Shape{1, 2, 0}}, {narrow, Shape{3, 4, 4}}, {whole, Shape{0, 0, 0}}})
    for (const Layout& layout : layouts(shape, comm.size())) {
      write_part(comm.transport(), path.text(), {}, all, 8, std::as_bytes(std::span(numbers)));
      std::vector<double> part(at(layout.local_size(comm.rank())));
      const Hyperslab slab{whole, begin};
      read_slab(comm.transport(), path.text(), 0, slab, layout, 8, std::as_writable_bytes(std::span(part)));
      for (std::size_t t = 0; t < part.size(); ++t) {
        Shape j = layout.global_index(comm.rank(), static_cast<Index>(t));
        for (std::size_t k = 0; k < j.size(); ++k) j[k] += begin[k];
        EXPECT_EQ(part[t], static_cast<double>(linear(whole, j))) << layout.text();
        part[t] = -part[t];
      }
      write_slab(comm.transport(), path.text(), 0, slab, layout, 8, std::as_bytes(std::span(part)));
      std::vector<double> changed(numbers.size());
      read_part(comm.transport(), path.text(), 0, all, 8, std::as_writable_bytes(std::span(changed)));
      for (std::size_t t = 0; t < changed.size(); ++t) {
        const Shape j = all.global_index(comm.rank(), static_cast<Index>(t));
        bool inside = true;
        for (std::size_t k = 0; k < j.size(); ++k) inside = inside && j[k] >= begin[k] && j[k] < begin[k] + shape[k];
        EXPECT_EQ(changed[t], inside ? -numbers[t] : numbers[t]);
      }
    }
  std::vector<double> part(at(Layout::slabs(extents, comm.size()).local_size(comm.rank())));
  EXPECT_THROW(read_slab(comm.transport(), path.text(), 0, {whole, {3, 0, 0}}, Layout::slabs(extents, comm.size()), 8,
                         std::as_writable_bytes(std::span(part))),
               Error);
}

// Another shape or name, a file that was cut off, none at all: every rank hears of it, and nothing has changed.
inline void a_checkpoint_of_something_else_is_refused(const Comm& comm) {
  const SharedPath path(comm.transport(), "other.npy");
  const auto slabs = [&](Index n) { return Layout::slabs({n, 3}, comm.size()); };
  Memory kept(slabs(7), comm.rank()), larger(slabs(8), comm.rank());
  kept.fill(comm.rank());
  kept.checkpoint().write(comm, path.text());
  EXPECT_THROW(larger.checkpoint().read(comm, path.text()), Error);
  EXPECT_THROW(kept.checkpoint("another").read(comm, path.text()), Error);
  EXPECT_THROW(kept.checkpoint().read(comm, path.text() + ".missing"), Error);
  EXPECT_THROW(kept.checkpoint().write(comm, path.text() + "/in/no/folder"), Error);
  comm.transport().barrier();
  EXPECT_TRUE(comm.rank() != 0 || ::truncate(path.text().c_str(), 400) == 0);
  comm.transport().barrier();
  Memory found(slabs(7), comm.rank());
  EXPECT_THROW(found.checkpoint().read(comm, path.text()), Error);
  EXPECT_EQ(found.step, 0);
  EXPECT_THROW(kept.checkpoint("time"), Error);  // a name that is taken
  EXPECT_THROW(kept.checkpoint("it's"), Error);
}

}  // namespace kallima::suite
