#pragma once
// What the kernels are told: where the lines of a pass stand at both ends, and what is done with them. Plain numbers,
// passed by value with each launch; lists that do not fit stand in the device's memory.

#include "cuda/model/stream.hpp"
#include "kallima/types.hpp"

namespace kallima::cuda {

inline constexpr int most_loops = 6;    // of a launch; the others are launches
inline constexpr int most_pieces = 48;  // of a launch, at each end
inline constexpr int threads = 256;     // of a block
// Elements of lines that a block does at once: 8 for each thread, and twice that where a line is longer.
inline constexpr int block_elements = 2048;
inline constexpr int longest_line = 4096;
inline constexpr int most_radices = 12;

// Element `k` of a line stands `offset` behind where its piece begins.
struct ElementRow {
  Index offset = 0;
  int k = 0;
  int piece = 0;
};

// Sources or targets. Everything counts elements, or reals where it holds these.
struct EndParams {
  int entries = 0;  // elements of a line
  int pieces = 1;
  bool real = false;
  bool along_line = false;           // neighbouring threads take neighbours in a line, and not neighbouring lines
  int inner_bits = -1;               // of how many such neighbours there are, where that is a power of two
  const ElementRow* rows = nullptr;  // none: one piece, whose element k is number k of the line
  Index stride = 1;                  // of that piece
  Index one[most_loops] = {};        // its strides from line to line
  const Index* strides = nullptr;    // those of several pieces, of which the launch has
  int first_piece = 0;               // this and those behind it
  const void* base[most_pieces] = {};
};

// What lines are to the Fourier transform of `length` points that is done with them.
enum class LineKind { plain, to_half, from_half, trigonometric };

// A cosine or sine transform as a Fourier transform of 2m points: line element j is multiplied by its weight and by
// exp(-i pi (2j + a) b / (4m)), and of result k exp(-i pi a k / (2m)) times it the real part is taken, or minus the
// imaginary part.
struct Trigonometric {
  int elements = 0;  // of the line
  int m = 1;
  int a = 0, b = 0;            // twice the shifts of j and k
  double first = 2, last = 2;  // weights; those between are 2
  bool sine = false;
};

// Roots are looked up: all of them in one table of the numbers' own precision, or as products of two doubles, one of
// the first 2^near_bits and one of every 2^near_bits-th. Without tables they are computed.
struct TwiddleParams {
  static constexpr unsigned long long longest_table = 1 << 16;
  unsigned long long modulus = 0;          // 0: none
  unsigned long long shift = 0, step = 0;  // below it
  int loop = -1;
  double sign = -1;
  const void* near = nullptr;
  const void* far = nullptr;
  int near_bits = 0;
};

struct LineParams {
  EndParams from, to;
  Index first = 0, lines = 0;  // of the launch
  int loops = 0;
  Index extents[most_loops] = {};
  LineKind kind = LineKind::plain;
  Trigonometric trigonometric = {};
  int length = 1;    // of the transform
  int together = 1;  // lines of a block
  int pitch = 1;     // between them
  int radix_count = 0;
  int radices[most_radices] = {};
  const void* roots = nullptr;  // all of them, forward
  double sign = -1;             // of the exponent
  TwiddleParams twiddle = {};
  TwiddleParams phase = {};  // of a chirp
  double scale = 1;
  bool conjugated = false;
  double divisor = 1;  // of a fill or a chirp
};

// One launch each. T is float or double. Lines of whole transforms in shared memory;
template <class T>
void launch_lines(const LineParams& params, Stream stream);
// or through a tile in the device's memory, where line after line stands, `length` complex numbers each.
template <class T>
void launch_gather(const LineParams& params, int first_row, int rows, void* tile, Stream stream);
template <class T>
void launch_scatter(const LineParams& params, int first_row, int rows, const void* tile, Stream stream);
template <class T>
void launch_fill(const LineParams& params, int first_row, int rows, Stream stream);
template <class T>
void launch_sum(const LineParams& params, Stream stream);
// Of lines that stand in one piece at each end, as launch_fill's do; `with` is the other factor.
template <class T>
void launch_multiply(const LineParams& params, const EndParams& with, Stream stream);
// `more` is what is added, if it has anything.
template <class T>
void launch_chirp(const LineParams& params, const EndParams& more, Stream stream);

// Where element i of a line stands in shared memory: every eighth leaves a gap, so that threads whose elements are
// eight apart do not wait for one bank.
constexpr int padded(int i) { return i + (i >> 3); }

// What launch_lines needs beside its tables.
template <class T>
std::size_t shared_bytes(const LineParams& params) {
  const auto lanes = static_cast<std::size_t>(params.together);
  return lanes * static_cast<std::size_t>(params.pitch) * 2 * sizeof(T) +
         lanes * static_cast<std::size_t>(params.from.pieces + params.to.pieces + 1) * sizeof(Index);
}

}  // namespace kallima::cuda
