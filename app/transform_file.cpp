// An array in Fortran order is one in C order with its dimensions reversed, so only the shape and the axes turn around.
// Real input is read into the upper half of its complex array and spread out from the front, in place: the writing
// never overtakes the reading.

#include "app/transform_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <optional>

#include "app/files.hpp"
#include "app/memory_check.hpp"
#include "base/check.hpp"
#include "bench/collect.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {

namespace {

bool reversed(const NpyHeader& header) { return header.order == ArrayOrder::fortran; }

// An axis that does not exist keeps its number, as the planner will name it in its error.
int turned(int axis, int dimensions) {
  const int counted = axis < 0 ? axis + dimensions : axis;
  return counted < 0 || counted >= dimensions ? axis : dimensions - 1 - counted;
}

Problem problem_of(const NpyHeader& header, const FileJob& job) {
  require(!header.shape.empty() || job.axes.empty(),
          "axis {} does not exist (the array has 0 dimensions) leave out --axes", job.axes.empty() ? 0 : job.axes[0]);
  Problem problem{.shape = header.shape.empty() ? Shape{1} : header.shape,
                  .axes = job.axes,
                  .precision = header.precision,
                  .output = Output::any};
  if (!reversed(header)) return problem;
  std::reverse(problem.shape.begin(), problem.shape.end());
  for (int& axis : problem.axes) axis = turned(axis, static_cast<int>(problem.shape.size()));
  return problem;
}

template <class T>
void swap_bytes(std::span<T> values) {
  for (T& value : values) {
    auto* const bytes = reinterpret_cast<std::byte*>(&value);
    std::reverse(bytes, bytes + sizeof(T));
  }
}

template <class T>
void read_array(const FileJob& job, const NpyHeader& header, const Layout& layout, Transport& transport,
                std::span<std::complex<T>> data) {
  static_assert(std::endian::native == std::endian::little);
  const bool real = header.kind == NpyKind::real;
  const std::span<T> all(reinterpret_cast<T*>(data.data()), 2 * data.size());
  const std::span<T> read = real ? all.subspan(data.size()) : all;
  transport.read_part(job.in, header.data_offset, layout, item_bytes(header), std::as_writable_bytes(read));
  if (header.bytes == ByteOrder::big) swap_bytes(read);
  if (!real) return;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const T value = read[i];
    data[i] = {value, 0};
  }
}

template <class T>
void write_array(const FileJob& job, const NpyHeader& header, const Layout& layout, Transport& transport,
                 std::span<const std::complex<T>> data) {
  NpyHeader result = header;
  result.kind = NpyKind::complex;
  result.bytes = ByteOrder::little;
  const std::string head = npy_header(result);
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const auto unique =
      static_cast<double>((static_cast<std::uint64_t>(now) << 20 ^ static_cast<std::uint64_t>(getpid())) >> 12);
  const std::string temporary =
      temporary_name(job.out, static_cast<std::uint64_t>(gather_values(transport, unique)[0]));
  std::optional<Replacement> replacement;
  if (transport.rank() == 0) replacement.emplace(temporary, job.out);
  transport.write_part(temporary, std::as_bytes(std::span(head)), layout, sizeof(std::complex<T>), std::as_bytes(data));
  together(transport, [&] {
    if (replacement) replacement->commit();
  });
}

// In place saves an array where input and output lie alike.
FftOptions placed(const Problem& problem, const NpyHeader& header, const FileJob& job, int ranks) {
  FftOptions options = job.options;
  if (reversed(header)) std::reverse(options.plan.grid.begin(), options.plan.grid.end());
  const std::unique_ptr<Plan> trial = plan(problem, ranks, options.plan);
  if (trial->layout_in() == trial->layout_out()) options.plan.placement = Placement::in_place;
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
  FileTransform(const FileJob& job, const NpyHeader& header, const Comm& comm)
      : job_(job),
        header_(header),
        comm_(comm),
        problem_(problem_of(header, job)),
        options_(placed(problem_, header, job, comm.size())) {
    check_room<T>(problem_, options_, comm);
    report_.header = header;
    report_.ranks = comm.size();
    report_.transport = transport().name();
  }

  FileReport run(Progress& progress) {
    progress.step("planning");
    report_.plan_s = seconds_of(transport(), [&] { fft_.emplace(problem_, comm_, options_); });
    allocate();
    progress.step("reading " + job_.in);
    report_.read_s =
        seconds_of(transport(), [&] { read_array<T>(job_, header_, layout_in(), transport(), in_.span()); });
    progress.step("transforming " + text(problem_.shape));
    transform();
    progress.step("writing " + job_.out);
    report_.write_s = seconds_of(transport(), [&] { write_array<T>(job_, header_, layout_out(), transport(), out()); });
    describe();
    return report_;
  }

 private:
  using Complex = std::complex<T>;

  Transport& transport() const { return comm_.transport(); }
  bool forward() const { return job_.direction == Direction::forward; }
  bool in_place() const { return options_.plan.placement == Placement::in_place; }
  Layout layout_in() const { return forward() ? fft_->layout_in() : fft_->layout_out(); }
  Layout layout_out() const { return forward() ? fft_->layout_out() : fft_->layout_in(); }
  std::span<Complex> out() const { return in_place() ? in_.span() : out_.span(); }

  void allocate() {
    together(transport(), [&] {
      in_ = Array<Complex>(layout_in().local_size(comm_.rank()));
      if (!in_place()) out_ = Array<Complex>(layout_out().local_size(comm_.rank()));
    });
  }

  void transform() {
    Trace trace;
    if (job_.traced) fft_->record(&trace);
    report_.transform_s = seconds_of(transport(), [&] {
      if (forward()) return fft_->forward(in_.span(), out(), job_.norm);
      fft_->backward(in_.span(), out(), job_.norm);
    });
    fft_->record(nullptr);
    if (job_.traced) report_.trace = gather(comm_, trace);
  }

  void describe() {
    const auto sent = static_cast<double>(fft_->plan().rank_schedule(comm_.rank(), job_.direction).words_sent());
    const std::size_t arrays = static_cast<std::size_t>(in_.size() + out_.size()) * sizeof(Complex);
    const auto peak = static_cast<double>(arrays + fft_->workspace_bytes());
    report_.words_sent_per_rank = static_cast<Index>(largest(transport(), sent));
    report_.peak_bytes_per_rank = static_cast<Index>(largest(transport(), peak));
    report_.wire = fft_->wire_report();
    report_.route = fft_->plan().options().route;
    report_.explanation = fft_->plan().explanation();
    report_.exchanges = fft_->plan().exchanges();
  }

  const FileJob& job_;
  NpyHeader header_;
  Comm comm_;
  Problem problem_;
  FftOptions options_;
  FileReport report_ = {};
  std::optional<Fft<T>> fft_ = {};
  Array<Complex> in_ = {};
  Array<Complex> out_ = {};
};

}  // namespace

FileReport transform_file(const FileJob& job, const Comm& comm, Progress& progress) {
  NpyHeader header;
  together(comm.transport(), [&] {
    header = read_npy_header(job.in);
    const Index bytes = element_count(header) * (header.precision == Precision::single_ ? 8 : 16);
    check_writable(job.out, bytes + npy_header_limit);
  });
  const std::string text = npy_header(header);
  agree(comm.transport(), std::hash<std::string>{}(text), "the header of " + job.in);
  if (header.precision == Precision::single_) return FileTransform<float>(job, header, comm).run(progress);
  return FileTransform<double>(job, header, comm).run(progress);
}

}  // namespace kallima::cli
