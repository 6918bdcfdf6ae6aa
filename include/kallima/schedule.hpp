#pragma once
// A Schedule is everything every rank will do, as data: the executor runs it, the validator proves it, a simulator can
// price it, a painter draws it. Its compute tasks are built of one kind of step only, the Pass: gather lines of
// elements from sources, transform them, multiply by twiddle factors, scatter them to targets. A message is four
// tasks, two at each end (start and finish); the room between start and finish is where communication hides.

#include <array>
#include <compare>
#include <optional>
#include <string_view>

#include "kallima/types.hpp"

namespace kallima {

// in and out are the caller's, work is what others read our blocks from, inbox is where messages may land, and kept is
// what the schedule's preparation has left for every run to read.
enum class Buffer { in, out, work, inbox, kept };
inline constexpr std::array<Buffer, 5> buffers{Buffer::in, Buffer::out, Buffer::work, Buffer::inbox, Buffer::kept};
using BufferSizes = std::array<Index, buffers.size()>;

// A contiguous stretch of a buffer, in elements, or in reals of which two make an element.
struct Range {
  Buffer buffer = Buffer::in;
  Index offset = 0;
  Index count = 0;
  bool real = false;
  bool operator==(const Range&) const = default;
};

// Where the line elements first, first + every, ... (count of them) of a Pass live: element number e of these, in
// iteration (i0, i1, ...), stands at offset + e * stride + i0 * strides[0] + i1 * strides[1] + ... of its buffer, or,
// where `recv` names a recv_finish task, of the block which that task received. A real piece's elements are reals, and
// its offset and strides count these, whatever else the buffer holds.
struct Piece {
  Buffer buffer = Buffer::in;
  int recv = -1;
  Index offset = 0;
  Index first = 0;
  Index count = 1;
  Index every = 1;
  Index stride = 1;
  std::vector<Index> strides = {};
  bool real = false;
  auto operator<=>(const Piece&) const = default;
};

// Multiply line element k by omega_modulus^(k * (shift + step * i)), i the index of loop number `loop` of the pass.
// omega_n is exp(-2 pi i/n) forward and its conjugate backward. modulus 0: no twiddle; loop -1: i is 0.
struct Twiddle {
  Index modulus = 0;
  Index shift = 0;
  Index step = 0;
  int loop = -1;
  auto operator<=>(const Twiddle&) const = default;
};

enum class Action { transform, move, sum, apply, encode, decode, fill, multiply, chirp };

// In what form numbers travel. same: as computed. single: as float. shared_exponent: blocks of `wire_block` reals have
// one exponent, that of their largest magnitude, and each real a mantissa of `bits` bits, sign included, so that it is
// off by at most 2^(1-bits) of that magnitude. With a tolerance, and no format, a caller leaves the choice to the
// planner: whatever takes the fewest bytes and keeps the relative L2 error of the transform's result below it, or same
// where nothing shorter does. Passes have a format and no tolerance.
struct Wire {
  enum class Format { same, single, shared_exponent };
  Format format = Format::same;
  int bits = 0;          // of shared_exponent: 2 to 52
  double tolerance = 0;  // 0: none
  auto operator<=>(const Wire&) const = default;
};

inline constexpr Index wire_block = 32;

// For every iteration of `loops`: gather a line of `length`, transform or only move it, twiddle, scatter; or add it up,
// and its sum is all there is to scatter, a line of one element. Sources and targets each cover their line exactly
// once. All is gathered before anything is scattered within one line, so a pass may work in place if the lines of
// different iterations do not overlap. The last loop should be the one whose elements are nearest in memory. Targets of
// real_to_half and sources of half_to_real cover length/2+1 elements, their other side is real. Cosine and sine
// transforms are of reals or, where sources and targets are not real, of real and imaginary parts alike. To apply is to
// hand each line, which is one piece of neighbours that is source and target alike, to the caller's function. To encode
// is to write one line of neighbours in fewer bytes, as `wire` says, to as many reals of room as its target counts; to
// decode is the way back. To fill is to write zeros and read nothing or, where the twiddle has a modulus, a chirp: line
// element k is omega_modulus^((shift + step * k)^2), divided by `divisor`. To multiply is to take a line twice as long
// and to write the products of its first half with its second: both, and the target, are lines of neighbours. Its first
// half may be of reals, and so may its target in their place: there each product is written with its conjugate added,
// which is twice its real part. Such reals stand apart from the complex numbers that they are made of or become. To
// chirp is to multiply line element k by what a fill would write there and by omega_modulus'^(shift' + step' k), these
// three being the `phase`'s, from and to complex numbers or reals as a multiply does. Nothing but the line is read or,
// where that is twice as long, its second half is added: it is of what the target is of.
struct Pass {
  Action action = Action::transform;
  Kind kind = Kind::fourier;  // of a transform
  Index length = 1;
  std::vector<Piece> sources = {};
  std::vector<Piece> targets = {};
  std::vector<Index> loops = {};
  Twiddle twiddle = {};
  Twiddle phase = {};       // of a chirp, modulus 0: none
  bool scaled = false;      // this pass applies the normalisation
  bool conjugated = false;  // a move or a fill scatters the complex conjugate, a multiply takes that of its second half
                            // and a chirp that of its factors
  bool reversed = false;    // its transforms and twiddle factors are those of the other direction
  Index divisor = 1;        // of a fill or of a chirp's factors
  Wire wire = {};           // to encode to or decode from
  auto operator<=>(const Pass&) const = default;
};

// Either a pass (body empty) or a loop of `repeat` iterations over a body. A piece's strides start with one entry for
// each enclosing repeat, outermost first, then those of its pass's loops.
struct Step {
  Index repeat = 1;
  std::vector<Step> body = {};
  Pass pass = {};
  bool operator==(const Step&) const = default;
};

enum class TaskKind : std::uint8_t { compute, copy, send_start, send_finish, recv_start, recv_finish };

struct Task {
  TaskKind kind = TaskKind::compute;
  std::string label = {};  // the stage it belongs to, for reports and pictures
  int chunk = 0;
  int peer = -1;                // messages: the other rank
  int tag = -1;                 // messages: unique among those of one sender to one receiver
  Range range = {};             // messages: what is sent, or is between, where that is read in place; or a landing
  int start = -1;               // finish tasks: the start they belong to
  std::vector<int> after = {};  // tasks of this rank, all with lower numbers, that must be done before
  std::vector<Step> steps = {};
  double flops = 0;
  Index elements = 0;  // elements moved through memory, or sent; two reals count as one
  bool operator==(const Task&) const = default;
};

// What of a schedule is done: all of it or, to learn how long they take alone, its computing or its exchange only.
enum class Only { everything, computation, communication };

// What one rank does. Task numbers are positions; lower numbers go first where several could.
struct RankSchedule {
  int rank = 0;
  BufferSizes sizes{};             // elements of each Buffer; reals of an `in` or `out` that holds these
  Data data_in = Data::complex_;   // what `in` holds,
  Data data_out = Data::complex_;  // and `out`
  Index padding_out = 0;           // elements of `out` that nobody writes
  std::vector<Task> tasks = {};
  Index size(Buffer b) const { return sizes[static_cast<std::size_t>(b)]; }
  Data data(Buffer b) const { return b == Buffer::in ? data_in : b == Buffer::out ? data_out : Data::complex_; }
  Index workspace() const { return size(Buffer::work) + size(Buffer::inbox) + size(Buffer::kept); }  // in words
  Index words_sent() const;
  bool operator==(const RankSchedule&) const = default;
};

// What a schedule is for, as far as whoever reads its arrays from files must know: the shapes of these, which rank has
// what of them (in words that layout_from_text() reads), and the factor that scaled passes multiply by.
struct Purpose {
  Shape shape_in = {}, shape_out = {};
  std::string layout_in = {}, layout_out = {};
  Precision precision = Precision::double_;
  double scale = 1;
  bool operator==(const Purpose&) const = default;
};

// Whether the caller's two arrays are one, as long as the longer of them: in_is_out is a transform in place.
enum class Aliasing { separate, in_is_out };

// The preparation is what all ranks do once, before the first run, forward in any case: it has no `in`, and what it
// leaves in `out` is `kept`. Without one nothing is kept.
struct Schedule {
  std::string name;
  Direction direction = Direction::forward;
  int exchanges = 0;
  Aliasing aliasing = Aliasing::separate;  // that it was made for
  std::optional<Purpose> purpose = {};
  std::vector<RankSchedule> ranks = {};
  std::vector<RankSchedule> preparation = {};
  bool operator==(const Schedule&) const = default;
};

// Throws Error naming rank and task unless: every receive has exactly one send of equal size, tasks depend on earlier
// ones only, the whole can run to its end (no cycle through messages), tasks that touch the same elements with at
// least one writing are ordered, nothing is read before it is written, all stays inside the buffers, each pass covers
// its lines exactly once, `in` and `kept` are left as they were (unless in is out) and every element of `out` is
// written; unless the same holds for the preparation, which leaves what the ranks keep; and unless the purpose, where
// there is one, deals out arrays of the sizes that the ranks have. What is received is read through
// Piece::recv alone: it lands where its receive has a range, and is a view of the sender's memory where it has none.
// Aliasing is as the schedule says where none is given. Takes all ranks; time grows with the elements touched, memory
// with one rank's buffers and the square of its tasks.
void validate(const Schedule& schedule, std::optional<Aliasing> aliasing = {});

std::string to_json(const Schedule& schedule);
// Throws Error saying where and what is wrong. Of what validate() proves, only what it says of memory is left to it.
Schedule schedule_from_json(const std::string& text);
std::string text(const Schedule& schedule);
std::string_view name(TaskKind kind);
std::string_view name(Buffer buffer);

}  // namespace kallima
