// Reading, transforming and writing, each rank its own part, with the times they take.

#include "app/transform_file.hpp"

#include <algorithm>
#include <optional>

#include "app/array_part.hpp"
#include "app/c_order.hpp"
#include "app/check.hpp"
#include "app/device.hpp"
#include "app/file_problem.hpp"
#include "app/large_transform.hpp"
#include "app/memory_check.hpp"
#include "app/orthonormal.hpp"
#include "bench/collect.hpp"
#include "bench/mirror.hpp"
#include "kallima/file.hpp"

namespace kallima::cli {

namespace {

// One end of the transform on this rank, and its memory as complex numbers, of which reals need half as many.
template <class T>
struct End {
  Layout layout;
  Data data = Data::complex_;
  int rank = 0;

  std::size_t count() const { return static_cast<std::size_t>(layout.local_size(rank)); }
  Index room() const { return static_cast<Index>(data == Data::real_ ? (count() + 1) / 2 : count()); }
  std::span<std::complex<T>> complex(std::complex<T>* memory) const { return {memory, count()}; }
  std::span<T> reals(std::complex<T>* memory) const { return {reinterpret_cast<T*>(memory), count()}; }
  std::span<const std::byte> bytes(std::complex<T>* memory) const {
    return data == Data::real_ ? std::as_bytes(reals(memory)) : std::as_bytes(complex(memory));
  }
};

// In place saves an array where input and output lie alike.
FftOptions placed(const Problem& problem, const ArrayHeader& header, const FileJob& job, int ranks, int rank) {
  FftOptions options = job.options;
  options.backend = device_backend(
      job.device, header.precision == Precision::single_ ? Precision::single_ : Precision::double_, rank);
  if (header.order == ArrayOrder::fortran) std::reverse(options.plan.grid.begin(), options.plan.grid.end());
  const std::unique_ptr<Plan> trial = plan(problem, ranks, options.plan);
  const bool alike = trial->layout_in() == trial->layout_out() && trial->data_in() == trial->data_out();
  if (alike) options.plan.placement = Placement::in_place;
  return options;
}

// What is needed at the very least: the arrays, and room for what is exchanged where something is.
template <class T>
void check_room(const Problem& problem, const FftOptions& options, const Comm& comm) {
  const std::unique_ptr<Plan> trial = plan(problem, comm.size(), options.plan);
  const Index in = trial->layout_in().local_size(comm.rank());
  const Index out = trial->layout_out().local_size(comm.rank());
  const bool two = options.plan.placement == Placement::out_of_place || trial->exchanges() > 0;
  check_memory(comm.transport(), static_cast<Index>(sizeof(std::complex<T>)) * (in + (two ? out : 0)));
}

template <class T>
class FileTransform {
 public:
  FileTransform(const FileJob& job, const ArrayHeader& header, const Comm& comm)
      : job_(job),
        header_(header),
        comm_(comm),
        problem_(file_problem(header, job, comm.size())),
        options_(placed(problem_, header, job, comm.size(), comm.rank())) {
    check_room<T>(problem_, options_, comm);
    report_.header = header;
    report_.result = result_header(header, problem_, job.direction);
    report_.ranks = comm.size();
    report_.transport = transport().name();
  }

  FileReport run(Progress& progress) {
    progress.step("planning");
    report_.plan_s = seconds_of(transport(), [&] { fft_.emplace(problem_, comm_, options_); });
    allocate();
    progress.step("reading " + job_.in);
    report_.read_s = seconds_of(transport(), [&] { read(); });
    progress.step("transforming " + text(problem_.shape));
    transform();
    progress.step("writing " + job_.out);
    report_.write_s = seconds_of(transport(), [&] { write(); });
    describe();
    return report_;
  }

 private:
  using Complex = std::complex<T>;

  Transport& transport() const { return comm_.transport(); }
  bool forward() const { return job_.direction == Direction::forward; }
  bool in_place() const { return options_.plan.placement == Placement::in_place; }
  const Mirror<Complex>& target() const { return in_place() ? in_ : out_; }

  void allocate() {
    const Plan& plan = fft_->plan();
    from_ = End<T>{plan.layout_in(), plan.data_in(), comm_.rank()};
    to_ = End<T>{plan.layout_out(), plan.data_out(), comm_.rank()};
    if (!forward()) std::swap(from_, to_);
    together(transport(), [&] {
      in_ = Mirror<Complex>(from_->room(), options_.backend);
      if (!in_place()) out_ = Mirror<Complex>(to_->room(), options_.backend);
    });
  }

  void read() {
    const ArrayName name = array_name(job_.in);
    if (from_->data == Data::complex_)
      return read_array(transport(), name, header_, from_->layout, from_->complex(in_.host().data()));
    read_array(transport(), name, header_, from_->layout, from_->reals(in_.host().data()));
  }

  void write() {
    const auto as = [&](const Layout& layout, std::span<const std::byte> bytes) {
      write_array_part(transport(), job_.out, report_.result, layout, bytes, job_.flush, job_.compress);
    };
    const auto turned = [&](auto items) {
      report_.result.order = ArrayOrder::c;
      const auto part = turned_around<std::remove_cvref_t<decltype(items[0])>>(comm_, to_->layout, items);
      as(part.layout, std::as_bytes(part.part.span()));
    };
    if (report_.result.order == ArrayOrder::c || keeps_order(array_name(job_.out)))
      return as(to_->layout, to_->bytes(target().host().data()));
    if (to_->data == Data::complex_) return turned(to_->complex(target().host().data()));
    turned(to_->reals(target().host().data()));
  }

  void run_forward() {
    const std::span<const Complex> complex = from_->complex(in_.data());
    const std::span<const T> reals = from_->reals(in_.data());
    if (from_->data == Data::complex_) return fft_->forward(complex, to_->complex(target().data()), job_.norm);
    if (to_->data == Data::complex_) return fft_->forward(reals, to_->complex(target().data()), job_.norm);
    fft_->forward(reals, to_->reals(target().data()), job_.norm);
  }

  void run_backward() {
    const std::span<const Complex> complex = from_->complex(in_.data());
    const std::span<const T> reals = from_->reals(in_.data());
    if (to_->data == Data::complex_) return fft_->backward(complex, to_->complex(target().data()), job_.norm);
    if (from_->data == Data::complex_) return fft_->backward(complex, to_->reals(target().data()), job_.norm);
    fft_->backward(reals, to_->reals(target().data()), job_.norm);
  }

  void scale(Edge edge, const End<T>& end, const Mirror<Complex>& memory) const {
    if (!job_.orthogonal) return;
    const Problem full = checked(problem_);
    if (end.data == Data::real_)
      scale_edges(full, job_.direction, edge, end.layout, end.rank, end.reals(memory.host().data()));
    else
      scale_edges(full, job_.direction, edge, end.layout, end.rank, end.complex(memory.host().data()));
  }

  void transform() {
    Trace trace;
    if (job_.traced) fft_->record(&trace);
    report_.transform_s = seconds_of(transport(), [&] {
      scale(Edge::before, *from_, in_);
      in_.upload();
      forward() ? run_forward() : run_backward();
      target().download();
      scale(Edge::after, *to_, target());
    });
    fft_->record(nullptr);
    if (job_.traced) report_.trace = gather(comm_, trace);
  }

  void describe() {
    const auto sent = static_cast<double>(fft_->plan().rank_schedule(comm_.rank(), job_.direction).words_sent());
    const std::size_t arrays = in_.bytes() + out_.bytes();
    const auto peak = static_cast<double>(arrays + fft_->workspace_bytes());
    report_.words_sent_per_rank = static_cast<Index>(largest(transport(), sent));
    report_.peak_bytes_per_rank = static_cast<Index>(largest(transport(), peak));
    report_.wire = fft_->wire_report();
    report_.route = fft_->plan().options().route;
    report_.explanation = fft_->plan().explanation();
    report_.exchanges = fft_->plan().exchanges();
  }

  const FileJob& job_;
  ArrayHeader header_;
  Comm comm_;
  Problem problem_;
  FftOptions options_;
  FileReport report_ = {};
  std::optional<Fft<T>> fft_ = {};
  std::optional<End<T>> from_ = {};
  std::optional<End<T>> to_ = {};
  Mirror<Complex> in_ = {};
  Mirror<Complex> out_ = {};
};

}  // namespace

FileReport transform_file(const FileJob& job, const Comm& comm, Progress& progress) {
  const ArrayHeader header = array_header(comm.transport(), job.in);
  together(comm.transport(), [&] {
    check_array_target(job.out, array_element_count(header) * (header.precision == Precision::single_ ? 8 : 16));
  });
  require(job.memory == 0 || job.device.empty(),
          "--memory is for what the processor transforms (a device has its own memory): leave out --device");
  if (job.memory > 0) return transform_large_file(job, header, comm, progress);
  if (header.precision == Precision::single_) return FileTransform<float>(job, header, comm).run(progress);
  return FileTransform<double>(job, header, comm).run(progress);
}

}  // namespace kallima::cli
