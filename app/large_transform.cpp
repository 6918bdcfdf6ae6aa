// Forward, the pass with the axis that real data have halved comes first, since all others then are of complex numbers;
// backward everything goes the other way round. What lies between the passes has its place in the result's file where
// it has its size, and a file of its own otherwise.

#include "app/large_transform.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include "app/array_part.hpp"
#include "app/check.hpp"
#include "app/file_problem.hpp"
#include "app/orthonormal.hpp"
#include "bench/collect.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {
namespace {

constexpr Index arrays_at_once = 4;  // of a piece's size: input, output, workspace, and what reading and writing take

// One pass, in the sense of the forward transform: of an array of `from`, along some axes, into one of `to`. `cut` is
// the dimension along which pieces are cut.
struct LargePass {
  Problem problem;
  std::size_t cut;
  Shape to() const { return spectrum_shape(problem); }
  Data data_to() const { return spectrum_data(problem); }
};

Index product(const Shape& shape, std::size_t from) {
  return std::accumulate(shape.begin() + static_cast<Shape::difference_type>(from), shape.end(), Index{1},
                         std::multiplies<>());
}

// The transform of some axes of an array as it is now. Of the first axis alone: the others are one dimension.
LargePass pass_along(const Problem& full, const Shape& shape, Data data, bool first_axis) {
  const Shape seen = first_axis ? Shape{shape[0], product(shape, 1)} : shape;
  LargePass pass{{.shape = seen, .precision = full.precision, .output = Output::any, .data = data},
                 first_axis ? 1u : 0u};
  for (std::size_t i = 0; i < full.axes.size(); ++i)
    if ((full.axes[i] == 0) == first_axis) {
      pass.problem.axes.push_back(full.axes[i]);
      pass.problem.kinds.push_back(full.kinds[i]);
    }
  if (!pass.problem.axes.empty()) pass.problem = checked(pass.problem);
  return pass;
}

std::vector<LargePass> forward_passes(const Problem& full) {
  std::vector<LargePass> passes;
  const bool first_leads = halved_axis(full) == 0;
  Shape shape = full.shape;
  Data data = full.data;
  for (const bool first_axis : {first_leads, !first_leads}) {
    const LargePass pass = pass_along(full, shape, data, first_axis);
    if (pass.problem.axes.empty()) continue;
    passes.push_back(pass);
    data = pass.data_to();
    if (first_axis)
      shape[0] = pass.to()[0];
    else
      shape = pass.to();
  }
  return passes;
}

// Where an array is, and as what.
struct LargeArray {
  ArrayName name;
  ArrayHeader header;  // with the place of its first byte
  Shape shape;         // in the order of the file's bytes
};

template <class T>
class LargeTransform {
 public:
  LargeTransform(const FileJob& job, const ArrayHeader& header, const Comm& comm, Progress& progress)
      : job_(job),
        comm_(comm),
        progress_(progress),
        full_(checked(file_problem(header, job, comm.size()))),
        passes_(forward_passes(full_)) {
    report_.header = header;
    report_.result = result_header(header, full_, job.direction);
    report_.ranks = comm.size();
    report_.transport = comm.transport().name();
    report_.route = "passes over the file";
    together(transport(), [&] {
      require(header.data_offset >= 0,
              "{} is packed, and --memory reads it piece by piece: save it without compression", job.in);
      require(header.order == ArrayOrder::c || keeps_order(array_name(job.out)),
              "{} cannot hold {}, which is in Fortran's order, piece by piece (.npy and .npz can) write one of these",
              job.out, job.in);
      require(full_.shape.size() > 1, "--memory is for arrays of two dimensions and more ({} has one)", job.in);
    });
    if (job.direction == Direction::backward) std::ranges::reverse(passes_);
  }

  FileReport run() {
    ArrayTarget target(transport(), job_.out);
    const LargeArray in{array_name(job_.in), report_.header, forward() ? full_.shape : spectrum_shape(full_)};
    LargeArray out{target.file(), report_.result, forward() ? spectrum_shape(full_) : full_.shape};
    out.header.data_offset = create_array(transport(), out.name, out.header);
    LargeArray now = in;
    std::shared_ptr<LargeArray> between;  // goes with its file
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      LargeArray next = out;
      if (i + 1 < passes_.size() && !same_room(passes_[i], out)) next = *(between = make_between(passes_[i]));
      run_pass(passes_[i], now, next, fmt::format("pass {} of {}", i + 1, passes_.size()));
      now = next;
    }
    report_.write_s += seconds_of(transport(), [&] {
      finish_array(transport(), out.name);
      target.commit(job_.flush);
    });
    report_.explanation =
        fmt::format("{} passes over the file in pieces of at most {} elements", passes_.size(), piece_elements());
    return report_;
  }

 private:
  using Complex = std::complex<T>;
  Transport& transport() const { return comm_.transport(); }
  bool forward() const { return job_.direction == Direction::forward; }
  Index piece_elements() const { return std::max<Index>(1, job_.memory / (arrays_at_once * Index{sizeof(Complex)})); }
  Shape after(const LargePass& pass) const { return forward() ? pass.to() : pass.problem.shape; }
  Data data_after(const LargePass& pass) const { return forward() ? pass.data_to() : pass.problem.data; }
  Data data_before(const LargePass& pass) const { return forward() ? pass.problem.data : pass.data_to(); }

  bool same_room(const LargePass& pass, const LargeArray& out) const {
    return product(after(pass), 0) == product(out.shape, 0) && data_after(pass) == out.header.data;
  }

  std::shared_ptr<LargeArray> make_between(const LargePass& pass) const {
    const double token = gathered(transport(), static_cast<double>(random_token()))[0];
    const std::string path = temporary_name(array_name(job_.out).path, static_cast<std::uint64_t>(token));
    ArrayHeader header = report_.result;
    header.shape = after(pass);
    header.data = data_after(pass);
    header.order = ArrayOrder::c;  // of its bytes, whatever the result's is
    const ArrayName name{ArrayFormat::raw, path};
    const auto with_its_file = [first = comm_.rank() == 0](LargeArray* array) {
      std::error_code error;
      if (first) std::filesystem::remove(array->name.path, error);
      delete array;
    };
    const std::shared_ptr<LargeArray> result(new LargeArray{name, header, header.shape}, with_its_file);
    result->header.data_offset = create_array(transport(), name, header);
    return result;
  }

  void run_pass(const LargePass& pass, const LargeArray& from, const LargeArray& to, const std::string& title) {
    const Index extent = pass.problem.shape[pass.cut];
    const Index one = std::max(product(pass.problem.shape, 0), product(pass.to(), 0)) / extent;  // of it, in elements
    const Index width = std::clamp<Index>(piece_elements() / one, 1, extent);
    std::optional<AnyFft> fft;
    for (Index begin = 0; begin < extent; begin += width) {
      Problem piece = pass.problem;
      piece.shape[pass.cut] = std::min(width, extent - begin);
      progress_.step(fmt::format("{}, {} %", title, 100 * begin / extent));
      if (!fft || fft->plan().problem().shape != piece.shape) {
        fft.reset();
        report_.plan_s += seconds_of(transport(), [&] { fft.emplace(piece, comm_, job_.options); });
      }
      run_piece(pass, *fft, begin, from, to);
    }
  }

  // The piece within the whole array, which has the pass's dimensions.
  static Hyperslab slab_of(Shape whole, std::size_t cut, Index extent, Index begin) {
    whole[cut] = extent;
    Hyperslab slab{whole, Shape(whole.size(), 0)};
    slab.begin[cut] = begin;
    return slab;
  }

  void run_piece(const LargePass& pass, AnyFft& fft, Index begin, const LargeArray& from, const LargeArray& to) {
    const Layout in = forward() ? fft.layout_in() : fft.layout_out();
    const Layout out = forward() ? fft.layout_out() : fft.layout_in();
    const Index extent = pass.problem.shape[pass.cut];
    const auto bytes = [&](const Layout& layout, Data data) {
      return layout.local_size(comm_.rank()) * static_cast<Index>(data == Data::real_ ? sizeof(T) : sizeof(Complex));
    };
    Array<std::byte> x, y;
    together(transport(), [&] {
      x = Array<std::byte>(bytes(in, data_before(pass)));
      y = Array<std::byte>(bytes(out, data_after(pass)));
    });
    report_.read_s += seconds_of(transport(), [&] {
      const Hyperslab slab = slab_of(in.shape(), pass.cut, extent, begin);
      with_items(data_before(pass), x, [&](auto items) {
        read_array_slab(transport(), from.name, from.header, slab, in, items);
        scale(pass, fft, Edge::before, in, items);
      });
    });
    report_.transform_s += seconds_of(transport(), [&] {
      if (forward())
        fft.forward(std::span<const std::byte>(x.span()), y.span(), job_.norm);
      else
        fft.backward(std::span<const std::byte>(x.span()), y.span(), job_.norm);
    });
    report_.write_s += seconds_of(transport(), [&] {
      with_items(data_after(pass), y, [&](auto items) { scale(pass, fft, Edge::after, out, items); });
      const Index item = data_after(pass) == Data::real_ ? sizeof(T) : sizeof(Complex);
      write_slab(transport(), to.name.path, to.header.data_offset, slab_of(out.shape(), pass.cut, extent, begin), out,
                 item, y.span());
    });
    const auto held = static_cast<Index>(at(x.size() + y.size()) + fft.workspace_bytes());
    report_.peak_bytes_per_rank = std::max(report_.peak_bytes_per_rank, held);
  }

  static void with_items(Data data, const Array<std::byte>& memory, const auto& use) {
    if (data == Data::real_)
      use(std::span(reinterpret_cast<T*>(memory.data()), at(memory.size()) / sizeof(T)));
    else
      use(std::span(reinterpret_cast<Complex*>(memory.data()), at(memory.size()) / sizeof(Complex)));
  }

  template <class Item>
  void scale(const LargePass& pass, const AnyFft& fft, Edge edge, const Layout& layout, std::span<Item> items) const {
    if (!job_.orthogonal) return;
    Problem piece = pass.problem;
    piece.shape = fft.plan().problem().shape;
    scale_edges(piece, job_.direction, edge, layout, comm_.rank(), items);
  }

  const FileJob& job_;
  Comm comm_;
  Progress& progress_;
  Problem full_;
  std::vector<LargePass> passes_;
  FileReport report_ = {};
};

}  // namespace

FileReport transform_large_file(const FileJob& job, const ArrayHeader& header, const Comm& comm, Progress& progress) {
  if (header.precision == Precision::single_) return LargeTransform<float>(job, header, comm, progress).run();
  return LargeTransform<double>(job, header, comm, progress).run();
}

}  // namespace kallima::cli
