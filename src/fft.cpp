// The facade: it checks, plans on every rank alike, compiles the rank's own schedules for both directions, and runs
// them. Whatever can fail does so on all ranks together, before any message is under way.

#include "kallima/fft.hpp"

#include <cmath>

#include "base/check.hpp"
#include "execute/executor.hpp"
#include "kallima/memory.hpp"

namespace kallima {
namespace {

template <class T>
constexpr Precision precision_of = sizeof(T) == sizeof(float) ? Precision::single_ : Precision::double_;

std::uint64_t hash(const std::string& text) {  // FNV-1a
  std::uint64_t h = 14695981039346656037ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

std::string describe(const Problem& p, const FftOptions& o) {
  return fmt::format(
      "shape {}, axes {}, precision {}, output {}, route {}, grid {}, chunks {}, order {}, radices {}, "
      "exchange {}, all-to-all {}",
      text(p.shape), fmt::join(p.axes, ","), static_cast<int>(p.precision), static_cast<int>(p.output), o.plan.route,
      text(o.plan.grid), o.plan.chunks, static_cast<int>(o.plan.order), fmt::join(o.plan.radices, ","),
      static_cast<int>(o.plan.exchange), name(o.plan.alltoall));
}

}  // namespace

template <class T>
struct Fft<T>::Impl {
  Impl(Problem asked, Comm world, FftOptions given) : problem(std::move(asked)), comm(std::move(world)) {
    options = std::move(given);
    problem.precision = precision_of<T>;
    agree(comm.transport(), hash(describe(problem, options)),
          fmt::format("the transform's arguments ({} here)", describe(problem, options)));
    transport = comm.transport().duplicate();
    together(*transport, [&] { prepare(); });
    work = transport->allocate(static_cast<std::size_t>(buffer_size(Buffer::work)) * sizeof(Complex));
  }

  // Everything a rank does by itself.
  void prepare() {
    if (!transport->all_views()) options.plan.exchange = Exchange::messages;
    plan = kallima::plan(problem, comm.size(), options.plan);
    points = static_cast<double>(transformed_count(problem));
    for (const Direction d : {Direction::forward, Direction::backward})
      programs.emplace_back(plan->rank_schedule(comm.rank(), d), d, options.effort);
    tile = Array<Complex>(std::max(programs[0].tile_elements(), programs[1].tile_elements()));
    inbox = Array<Complex>(buffer_size(Buffer::inbox));
  }

  Index buffer_size(Buffer b) const { return std::max(programs[0].schedule().size(b), programs[1].schedule().size(b)); }

  void check(std::span<const Complex> in, std::span<Complex> out, Direction direction) const {
    const Layout& from = direction == Direction::forward ? plan->layout_in() : plan->layout_out();
    const Layout& to = direction == Direction::forward ? plan->layout_out() : plan->layout_in();
    const bool shared = in.data() == out.data();  // in place the one array may be longer than one of the two needs
    const auto needs = [&](const char* name, std::size_t has, Index wants) {
      require(has == static_cast<std::size_t>(wants) || (shared && has > static_cast<std::size_t>(wants)),
              "array '{}' has {} elements on rank {}, but the layout gives it {}: size it with local_size_in() and "
              "local_size_out()",
              name, has, comm.rank(), wants);
    };
    needs("in", in.size(), from.local_size(comm.rank()));
    needs("out", out.size(), to.local_size(comm.rank()));
    const bool overlap = in.data() < out.data() + out.size() && out.data() < in.data() + in.size();
    require(!overlap || in.data() == out.data(),
            "arrays 'in' and 'out' overlap by {} elements but do not begin together: pass the same array or separate "
            "ones",
            std::min(in.data() + in.size(), static_cast<const Complex*>(out.data() + out.size())) -
                std::max(in.data(), static_cast<const Complex*>(out.data())));
  }

  double factor(Norm norm) const {
    return norm == Norm::none ? 1.0 : norm == Norm::ortho ? 1.0 / std::sqrt(points) : 1.0 / points;
  }

  // A rank that fails alone would leave the others waiting for its messages.
  void run(Direction direction, std::span<const Complex> in, std::span<Complex> out, Norm norm) {
    try {
      check(in, out, direction);
      run_checked(direction, in, out, norm);
    } catch (const std::exception& error) {
      if (transport->survives_exceptions()) throw;
      transport->abort(error.what());
    }
  }

  void run_checked(Direction direction, std::span<const Complex> in, std::span<Complex> out, Norm norm) {
    const bool same = in.data() == out.data() && !in.empty();
    const bool planned_in_place = options.plan.placement == Placement::in_place;
    const Complex* source = in.data();
    Complex* target = out.data();
    if (same != planned_in_place) {
      const auto needed = static_cast<Index>(std::max(in.size(), out.size()));
      const bool through_copy = same || in.size() > out.size();
      if (through_copy && copy.size() < needed) copy = Array<Complex>(needed);
      if (!same && through_copy) target = copy.data();
      Complex* const moved = same ? copy.data() : target;
      std::copy(in.begin(), in.end(), moved);
      source = moved;
    }
    // The schedule says which buffers it only reads, so that casting `in` to non-const never leads to a write.
    const Workspace<T> workspace{
        {const_cast<Complex*>(source), target, reinterpret_cast<Complex*>(work->bytes().data()), inbox.data()},
        tile.span()};
    execute(programs[direction == Direction::forward ? 0 : 1], *transport, workspace, static_cast<T>(factor(norm)),
            trace);
    if (target != out.data()) std::copy_n(target, out.size(), out.data());
  }

  Problem problem;
  Comm comm;
  FftOptions options;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Plan> plan;
  double points = 1;
  std::vector<Program<T>> programs;  // forward, backward
  Array<Complex> tile;
  Array<Complex> inbox;
  Array<Complex> copy;
  std::unique_ptr<SharedMemory> work;
  Trace* trace = nullptr;
};

template <class T>
Fft<T>::Fft(const Problem& problem, Comm comm, const FftOptions& options)
    : impl_(std::make_unique<Impl>(problem, std::move(comm), options)) {}

template <class T>
Fft<T>::Fft(Fft&&) noexcept = default;

template <class T>
Fft<T>& Fft<T>::operator=(Fft&&) noexcept = default;

template <class T>
Fft<T>::~Fft() = default;

template <class T>
void Fft<T>::forward(std::span<const Complex> in, std::span<Complex> out, Norm norm) {
  impl_->run(Direction::forward, in, out, norm);
}

template <class T>
void Fft<T>::backward(std::span<const Complex> in, std::span<Complex> out, Norm norm) {
  impl_->run(Direction::backward, in, out, norm);
}

template <class T>
Layout Fft<T>::layout_in() const {
  return impl_->plan->layout_in();
}

template <class T>
Layout Fft<T>::layout_out() const {
  return impl_->plan->layout_out();
}

template <class T>
Index Fft<T>::local_size_in() const {
  return layout_in().local_size(impl_->comm.rank());
}

template <class T>
Index Fft<T>::local_size_out() const {
  return layout_out().local_size(impl_->comm.rank());
}

template <class T>
std::size_t Fft<T>::workspace_bytes() const {
  const Impl& i = *impl_;
  return i.work->bytes().size() +
         static_cast<std::size_t>(i.tile.size() + i.inbox.size() + i.copy.size()) * sizeof(Complex) +
         std::max(i.programs[0].table_bytes(), i.programs[1].table_bytes());  // both directions share their tables
}

template <class T>
const Plan& Fft<T>::plan() const {
  return *impl_->plan;
}

template <class T>
const Comm& Fft<T>::comm() const {
  return impl_->comm;
}

template <class T>
void Fft<T>::record(Trace* trace) {
  impl_->trace = trace;
}

template class Fft<float>;
template class Fft<double>;

}  // namespace kallima
