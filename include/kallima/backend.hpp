#pragma once
// Arithmetic, behind one interface. A schedule moves elements about and says what is done with them; what an element
// is, and what computes with it, is a Backend's affair: it compiles passes into kernels, starts these, says when they
// are done, and owns the memory they work in. Everything else knows how many bytes an element has, and no more.

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "kallima/schedule.hpp"

namespace kallima {

// What arrays are made of. What a schedule calls a real is half of it, where there are halves.
struct Element {
  std::string name;  // complex double
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  std::size_t real_bytes() const { return bytes / 2; }
  std::size_t bytes_of(Data data) const { return data == Data::real_ ? real_bytes() : bytes; }
};

// Called about every 10 microseconds of work, so that messages move while the processor computes.
using Progress = std::function<void()>;

// The caller's function of an Action::apply: of `count` elements (or reals) from number `offset` of its buffer on.
using Apply = std::function<void(std::byte* values, Index offset, Index count)>;

namespace kernel {
struct WireErrors;  // how far off numbers were by being encoded
}

// What a kernel works on. Received blocks are listed by their recv_finish task.
struct Operands {
  std::array<std::byte*, kallima::buffers.size()> buffers{};
  std::vector<const std::byte*> received = {};
  const Apply* apply = nullptr;          // where the schedule applies one
  kernel::WireErrors* errors = nullptr;  // where somebody asks
};

struct KernelCall {
  const Operands& operands;   // stays until the kernel is done,
  std::span<const Index> at;  // the indices of the enclosing repeats, only until start() returns
  long double scale;          // what scaled passes multiply by
  std::span<std::byte> tile;  // scratch memory, the same for all kernels of a rank
  const Progress& progress;
  int recv = 0;  // is added to the numbers of the blocks that the pass reads

  // What a source's offset counts from.
  const std::byte* source(const auto& piece) const {
    return piece.recv < 0 ? operands.buffers[static_cast<std::size_t>(piece.buffer)]
                          : operands.received[static_cast<std::size_t>(piece.recv + recv)];
  }
};

// Where memory is: what the processor reads and writes, or a device's own.
enum class Place { host, device };

class Transport;

// Work that was started. 0: it is done already.
using Ticket = std::uint64_t;

// What a kernel reads beside its operands, and others may read, too.
struct KernelTable {
  const void* at = nullptr;
  std::size_t bytes = 0;
};

// A compiled pass, and all that differ from it in nothing but where they begin.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Ticket start(const KernelCall& call) const = 0;
  virtual std::size_t tile_bytes() const { return 0; }  // what start() needs of call.tile
  virtual std::vector<KernelTable> tables() const { return {}; }
};

// One may serve several ranks, each from a thread of its own. What a thread starts is done in the order it was started,
// so that what needs a result may be started before that is there; unless in_order() says otherwise.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual const Element& element() const = 0;

  // `depth` repeats enclose the pass. Throws Error for a pass that it cannot do.
  virtual std::unique_ptr<const Kernel> compile(const Pass& pass, std::size_t depth, Direction direction,
                                                Effort effort) const = 0;
  // All steps of a task at once, for a backend that has a better way than one after the other; null: it has none.
  virtual std::unique_ptr<const Kernel> compile_task(const Task& /*task*/, Direction /*direction*/,
                                                     Effort /*effort*/) const {
    return nullptr;
  }
  virtual bool done(Ticket) const { return true; }  // with this and, in order, with all that the thread started before
  virtual bool in_order() const { return true; }

  // Zeroed memory for tiles and for messages to land in, aligned for the element. Throws Error when it is short.
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) const;

  // Where that memory is, and so the rank's own: work buffers, and what messages land in.
  virtual Place place() const { return Place::host; }
  // From anywhere to anywhere, after all that the thread has started; done when it returns.
  virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes) const;
  // The transport itself or, where that cannot take blocks of this backend's memory, one that carries them to it.
  virtual std::unique_ptr<Transport> carrier(std::unique_ptr<Transport> transport) const;
};

// Complex numbers of that precision, on the processor: a kernel is done when start() returns.
std::shared_ptr<const Backend> cpu_backend(Precision precision);

// The same with FFTW's transforms of lines in place of our own, where the library was built with it; otherwise an
// Error.
bool has_fftw();
std::shared_ptr<const Backend> fftw_backend(Precision precision);

// The instruction sets that this library has kernels for and this processor can run, from the plainest to the best; and
// the one in use: the best or, where the environment's KALLIMA_ISA names one, that.
std::vector<std::string> instruction_sets();
const std::string& instruction_set();

}  // namespace kallima
