// The passes of a schedule as kernels. A block takes a few lines at a time into shared memory, transforms them there,
// radix by radix, and writes them where they belong: gathering, twiddle factors and scattering cost no pass over memory
// of their own. Which threads take what is decided for each end alone, so that reading and writing are both done in
// runs of neighbours. Lines that shared memory cannot hold go through a tile in the device's memory and cuFFT, with the
// same gathering and scattering around it.

#include <stdexcept>

#include "cuda/arithmetic.cuh"
#include "cuda/line_params.hpp"

namespace kallima::cuda {
namespace {

// The indices of a line in the loops.
struct LineIndex {
  Index at[most_loops];
};

__device__ LineIndex place_of(const LineParams& p, Index line) {
  LineIndex place;
  auto rest = static_cast<unsigned long long>(line);
#pragma unroll
  for (int l = most_loops - 1; l >= 0; --l) {
    place.at[l] = 0;
    if (l >= p.loops) continue;
    const auto extent = static_cast<unsigned long long>(p.extents[l]);
    if ((rest | extent) >> 32 == 0) {  // a short division is much faster
      const auto small = static_cast<unsigned>(rest), by = static_cast<unsigned>(extent);
      place.at[l] = small % by;
      rest = small / by;
    } else {
      place.at[l] = static_cast<Index>(rest % extent);
      rest /= extent;
    }
  }
  return place;
}

__device__ Index lane_offset(const LineParams& p, const EndParams& end, const LineIndex& place, int piece) {
  Index offset = 0;
#pragma unroll
  for (int l = 0; l < most_loops; ++l) {
    if (l >= p.loops) break;
    offset +=
        place.at[l] * (end.pieces > 1 || end.rows ? end.strides[(piece + end.first_piece) * p.loops + l] : end.one[l]);
  }
  return offset;
}

__device__ unsigned long long twiddle_step(const LineParams& p, const LineIndex& place) {
  if (p.twiddle.modulus == 0) return 0;
  Index i = 0;
#pragma unroll
  for (int l = 0; l < most_loops; ++l)
    if (l == p.twiddle.loop) i = place.at[l];
  const unsigned long long m = p.twiddle.modulus;
  const unsigned long long rise = product_modulo(p.twiddle.step, static_cast<unsigned long long>(i) % m, m);
  const unsigned long long sum = p.twiddle.shift + rise;
  return sum >= m ? sum - m : sum;
}

__device__ ElementRow row_of(const EndParams& end, int entry) {
  if (end.rows == nullptr) return {entry * end.stride, entry, 0};
  ElementRow row = end.rows[entry];
  row.piece -= end.first_piece;
  return row;
}

template <class T>
__device__ Pair<T> read(const EndParams& end, int piece, Index at) {
  if (end.real) return {static_cast<const T*>(end.base[piece])[at], 0};
  return static_cast<const Pair<T>*>(end.base[piece])[at];
}

// Where a line's elements stand one behind the other, and where they stand in shared memory.
struct InTile {
  static __device__ int place(int k) { return k; }
};
struct InShared {
  static __device__ int place(int k) { return padded(k); }
};

// Most lines are a power of two long, complex or to become half a spectrum, and find their twiddle factors in a table.
// A kernel that knows no others calls no functions and has registers to spare.
enum class KnownLines { usual, all };

// Puts element k of a line where its transform wants it.
template <class Where, class T>
__device__ void put(const LineParams& p, Pair<T>* line, int k, Pair<T> value) {
  if (p.kind == LineKind::from_half) {
    if (k == 0 || 2 * k == p.length) value.y = 0;  // a spectrum of reals has none there
    if (k > 0 && 2 * k < p.length) line[Where::place(p.length - k)] = {value.x, -value.y};
  } else if (p.kind == LineKind::trigonometric) {
    const Trigonometric& t = p.trigonometric;
    const auto turn = static_cast<unsigned long long>(8 * t.m);
    const double2 w = root_of(static_cast<unsigned long long>(2 * k + t.a) * t.b % turn, turn, -1);
    const double weight = (k == 0 ? t.first : k == t.elements - 1 ? t.last : 2.0) * static_cast<double>(value.x);
    value = {static_cast<T>(w.x * weight), static_cast<T>(w.y * weight)};
  }
  line[Where::place(k)] = value;
}

template <class T>
__device__ Pair<T> computed_twiddle(const TwiddleParams& t, int k, unsigned long long step) {
  const unsigned long long m = t.modulus;
  const unsigned long long e = product_modulo(static_cast<unsigned long long>(k) % m, step, m);
  if (t.near == nullptr) {
    const double2 w = root_of(e, m, t.sign);
    return {static_cast<T>(w.x), static_cast<T>(w.y)};
  }
  const auto* near = static_cast<const Pair<double>*>(t.near);
  const auto* far = static_cast<const Pair<double>*>(t.far);
  const Pair<double> w = near[e & ((1ULL << t.near_bits) - 1)] * far[e >> t.near_bits];
  return {static_cast<T>(w.x), static_cast<T>(w.y * -t.sign)};
}

// omega^(k step), which a pass multiplies element k by.
template <KnownLines known, class T>
__device__ Pair<T> twiddle_of(const TwiddleParams& t, int k, unsigned long long step) {
  if (known == KnownLines::usual ||
      (t.near != nullptr && t.far == nullptr)) {  // m and with it both factors have 16 bits
    const auto n = static_cast<unsigned>(t.modulus), by = static_cast<unsigned>(step),
               number = static_cast<unsigned>(k);
    const unsigned e = (n & (n - 1)) == 0 ? (number * by) & (n - 1) : number % n * by % n;
    const Pair<T> w = static_cast<const Pair<T>*>(t.near)[e];
    return {w.x, w.y * static_cast<T>(-t.sign)};
  } else {
    return computed_twiddle<T>(t, k, step);
  }
}

template <class T>
__device__ T trigonometric_result(const Trigonometric& t, int k, Pair<T> value) {
  const auto turn = static_cast<unsigned long long>(4 * t.m);
  const double2 w = root_of(static_cast<unsigned long long>(t.a) * k % turn, turn, -1);
  const Pair<T> turned_by = value * Pair<T>{static_cast<T>(w.x), static_cast<T>(w.y)};
  return t.sine ? -turned_by.y : turned_by.x;
}

// Writes element k of a result to where it belongs.
template <KnownLines known, class T>
__device__ void write(const LineParams& p, int piece, Index at, int k, unsigned long long step, Pair<T> value) {
  if (known == KnownLines::all && p.kind == LineKind::trigonometric) {
    value.x = trigonometric_result(p.trigonometric, k, value);
  } else if (p.twiddle.modulus != 0) {
    value = value * twiddle_of<known, T>(p.twiddle, k, step);
  }
  value = value * static_cast<T>(p.scale);
  if (p.conjugated) value.y = -value.y;
  if (p.to.real)
    static_cast<T*>(const_cast<void*>(p.to.base[piece]))[at] = value.x;
  else
    static_cast<Pair<T>*>(const_cast<void*>(p.to.base[piece]))[at] = value;
}

// Multiplies x[r] by the r-th power of a root of unity. Powers of two are looked up, the others are products of these.
template <int R, class T>
__device__ void multiply_by_powers(Pair<T> (&x)[R], const Pair<T>* roots, int e, T sign) {
  Pair<T> w[R];
#pragma unroll
  for (int r = 1; r < R; ++r) {
    const int top = r >= 8 ? 8 : r >= 4 ? 4 : r >= 2 ? 2 : 1;
    if (r == top) {
      w[r] = roots[e * r];
      w[r].y *= -sign;
    } else {
      w[r] = w[top] * w[r - top];
    }
    x[r] = x[r] * w[r];
  }
}

// One radix of all lines of a block (Stockham's order: results are in natural order in the end). All is read before
// anything is written.
template <int R, int each_thread, class T>
__device__ void do_radix(Pair<T>* tile, const LineParams& p, int lanes, int done) {
  constexpr int mine = (each_thread + R - 1) / R;
  const auto* roots = static_cast<const Pair<T>*>(p.roots);
  const int each = p.length / R, total = lanes * each, step = p.length / (done * R);
  const T sign = static_cast<T>(p.sign);
  Pair<T> x[mine][R];
  int line[mine], where[mine];
#pragma unroll
  for (int u = 0; u < mine; ++u) {
    const int id = static_cast<int>(threadIdx.x) + u * threads;
    if (id >= total) continue;
    const int lane = id / each, j = id - lane * each, k = j % done;
    line[u] = lane * p.pitch;
    where[u] = (j - k) * R + k;
#pragma unroll
    for (int r = 0; r < R; ++r) x[u][r] = tile[line[u] + padded(j + r * each)];
    if (done > 1) multiply_by_powers<R>(x[u], roots, k * step, sign);
    dft<R>(x[u], sign, roots, p.length / R);
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < mine; ++u) {
    if (static_cast<int>(threadIdx.x) + u * threads >= total) continue;
#pragma unroll
    for (int r = 0; r < R; ++r) tile[line[u] + padded(where[u] + r * done)] = x[u][r];
  }
  __syncthreads();
}

template <int each_thread, class T>
__device__ void do_odd_radix(Pair<T>* tile, const LineParams& p, int lanes, int done, int radix) {
  if (radix == 3) do_radix<3, each_thread>(tile, p, lanes, done);
  if (radix == 5) do_radix<5, each_thread>(tile, p, lanes, done);
  if (radix == 7) do_radix<7, each_thread>(tile, p, lanes, done);
  if (radix == 11) do_radix<11, each_thread>(tile, p, lanes, done);
  if (radix == 13) do_radix<13, each_thread>(tile, p, lanes, done);
}

template <KnownLines known, int each_thread, class T>
__device__ void transform(Pair<T>* tile, const LineParams& p, int lanes) {
  int done = 1;
  for (int i = 0; i < p.radix_count; ++i) {
    switch (p.radices[i]) {
      case 2:
        do_radix<2, each_thread>(tile, p, lanes, done);
        break;
      case 4:
        do_radix<4, each_thread>(tile, p, lanes, done);
        break;
      case 8:
        do_radix<8, each_thread>(tile, p, lanes, done);
        break;
      default:
        if constexpr (known == KnownLines::all) do_odd_radix<each_thread>(tile, p, lanes, done, p.radices[i]);
    }
    done *= p.radices[i];
  }
}

// Calls visit(u, entry, lane) for all of a block, neighbours to neighbouring threads, so many at once.
template <int each_thread, int at_once, class Visit>
__device__ __forceinline__ void for_each_of(const EndParams& end, int together, int lanes, const Visit& visit) {
  const int inner = end.along_line ? end.entries : together;
#pragma unroll at_once
  for (int u = 0; u < each_thread; ++u) {
    const int t = static_cast<int>(threadIdx.x) + u * threads;
    const int outer = end.inner_bits >= 0 ? t >> end.inner_bits : t / inner, rest = t - outer * inner;
    const int entry = end.along_line ? rest : outer, lane = end.along_line ? outer : rest;
    if (entry < end.entries && lane < lanes) visit(u, entry, lane);
  }
}

// Blocks that a processor holds at once, which hide one another's waits.
template <KnownLines known, int each_thread>
constexpr int blocks_at_once = each_thread > 8              ? 1
                               : known == KnownLines::usual ? 3
                                                            : 2;

// Reads all that a thread reads before it puts any of it into shared memory.
template <KnownLines known, int each_thread, class T>
__device__ void gather_lines(const LineParams& p, Pair<T>* tile, const Index* from, int lanes) {
  const auto value = [&](const ElementRow& row, int b) {
    return read<T>(p.from, row.piece, row.offset + from[row.piece * p.together + b]);
  };
  if constexpr (known == KnownLines::usual) {
    Pair<T> values[each_thread];
    int places[each_thread];
    for_each_of<each_thread, each_thread>(p.from, p.together, lanes, [&](int u, int entry, int b) {
      const ElementRow row = row_of(p.from, entry);
      places[u] = b * p.pitch + padded(row.k);
      values[u] = value(row, b);
    });
    for_each_of<each_thread, each_thread>(p.from, p.together, lanes,
                                          [&](int u, int, int) { tile[places[u]] = values[u]; });
  } else {
    for_each_of<each_thread, 1>(p.from, p.together, lanes, [&](int, int entry, int b) {
      const ElementRow row = row_of(p.from, entry);
      put<InShared>(p, tile + b * p.pitch, row.k, value(row, b));
    });
  }
}

template <KnownLines known, int each_thread, class T>
__global__ void __launch_bounds__(threads, blocks_at_once<known, each_thread>)
    line_kernel(const __grid_constant__ LineParams p) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const tile = reinterpret_cast<Pair<T>*>(memory);
  auto* const from = reinterpret_cast<Index*>(tile + p.together * p.pitch);
  Index* const to = from + p.together * p.from.pieces;
  auto* const steps = reinterpret_cast<unsigned long long*>(to + p.together * p.to.pieces);
  const Index begin = static_cast<Index>(blockIdx.x) * p.together;
  const int lanes = static_cast<int>(min(static_cast<Index>(p.together), p.lines - begin));
  for (int b = static_cast<int>(threadIdx.x); b < lanes; b += threads) {
    const LineIndex place = place_of(p, p.first + begin + b);
    for (int i = 0; i < p.from.pieces; ++i) from[i * p.together + b] = lane_offset(p, p.from, place, i);
    for (int i = 0; i < p.to.pieces; ++i) to[i * p.together + b] = lane_offset(p, p.to, place, i);
    steps[b] = twiddle_step(p, place);
  }
  if (known == KnownLines::all && p.kind == LineKind::trigonometric)
    for (int t = static_cast<int>(threadIdx.x); t < lanes * p.length; t += threads) {
      const int k = t % p.length;
      if (k >= p.trigonometric.elements) tile[t / p.length * p.pitch + padded(k)] = {0, 0};
    }
  __syncthreads();
  gather_lines<known, each_thread>(p, tile, from, lanes);
  __syncthreads();
  transform<known, each_thread>(tile, p, lanes);
  for_each_of<each_thread, known == KnownLines::usual ? 2 : 1>(p.to, p.together, lanes, [&](int, int entry, int b) {
    const ElementRow row = row_of(p.to, entry);
    write<known>(p, row.piece, row.offset + to[row.piece * p.together + b], row.k, steps[b],
                 tile[b * p.pitch + padded(row.k)]);
  });
}

// Which entry of which line a thread of a launch over (entries x lines) has; line -1: none.
struct Item {
  int entry;
  Index line;
};

__device__ Item item_of(const LineParams& p, const EndParams& end, int entries) {
  const Index t = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (t >= p.lines * entries) return {0, -1};
  if (end.along_line) return {static_cast<int>(t % entries), t / entries};
  return {static_cast<int>(t / p.lines), t % p.lines};
}

template <class T>
__global__ void __launch_bounds__(threads)
    gather_kernel(const __grid_constant__ LineParams p, int first_row, int rows, Pair<T>* tile) {
  const Item item = item_of(p, p.from, rows);
  if (item.line < 0) return;
  const ElementRow row = row_of(p.from, first_row + item.entry);
  const LineIndex place = place_of(p, p.first + item.line);
  const Index at = row.offset + lane_offset(p, p.from, place, row.piece);
  put<InTile>(p, tile + item.line * p.length, row.k, read<T>(p.from, row.piece, at));
}

template <class T>
__global__ void __launch_bounds__(threads)
    scatter_kernel(const __grid_constant__ LineParams p, int first_row, int rows, const Pair<T>* tile) {
  const Item item = item_of(p, p.to, rows);
  if (item.line < 0) return;
  const ElementRow row = row_of(p.to, first_row + item.entry);
  const LineIndex place = place_of(p, p.first + item.line);
  const Index at = row.offset + lane_offset(p, p.to, place, row.piece);
  write<KnownLines::all>(p, row.piece, at, row.k, twiddle_step(p, place), tile[item.line * p.length + row.k]);
}

// (shift + step k) modulo the modulus.
__device__ unsigned long long linear_exponent(const TwiddleParams& t, int k) {
  const unsigned long long m = t.modulus;
  const unsigned long long e = t.shift + product_modulo(t.step, static_cast<unsigned long long>(k) % m, m);
  return e >= m ? e - m : e;
}

// Factor k of a chirp, divided, and conjugated where the pass says so.
__device__ double2 chirp_factor(const LineParams& p, int k) {
  const unsigned long long m = p.twiddle.modulus, base = linear_exponent(p.twiddle, k);
  double2 w = root_of(product_modulo(base, base, m), m, p.twiddle.sign);
  if (p.phase.modulus != 0) {
    const double2 turn = root_of(linear_exponent(p.phase, k), p.phase.modulus, p.phase.sign);
    w = {w.x * turn.x - w.y * turn.y, w.x * turn.y + w.y * turn.x};
  }
  return {w.x / p.divisor, (p.conjugated ? -w.y : w.y) / p.divisor};
}

template <class T>
__global__ void __launch_bounds__(threads) fill_kernel(const __grid_constant__ LineParams p, int first_row, int rows) {
  const Item item = item_of(p, p.to, rows);
  if (item.line < 0) return;
  const ElementRow row = row_of(p.to, first_row + item.entry);
  const Index at = row.offset + lane_offset(p, p.to, place_of(p, p.first + item.line), row.piece);
  Pair<T> value{0, 0};
  if (p.twiddle.modulus != 0) {
    const double2 w = chirp_factor(p, row.k);
    value = {static_cast<T>(w.x), static_cast<T>(w.y)};
  }
  if (p.to.real)
    static_cast<T*>(const_cast<void*>(p.to.base[row.piece]))[at] = value.x;
  else
    static_cast<Pair<T>*>(const_cast<void*>(p.to.base[row.piece]))[at] = value;
}

template <class T>
__global__ void __launch_bounds__(threads) sum_kernel(const __grid_constant__ LineParams p) {
  const Index line = static_cast<Index>(blockIdx.x) * threads + threadIdx.x;
  if (line >= p.lines) return;
  const LineIndex place = place_of(p, p.first + line);
  Pair<T> sum{0, 0};
  for (int e = 0; e < p.from.entries; ++e) {
    const ElementRow row = row_of(p.from, e);
    sum = sum + read<T>(p.from, row.piece, row.offset + lane_offset(p, p.from, place, row.piece));
  }
  write<KnownLines::all>(p, 0, lane_offset(p, p.to, place, 0), 0, 0, sum);
}

template <class T>
__global__ void __launch_bounds__(threads)
    multiply_kernel(const __grid_constant__ LineParams p, const __grid_constant__ EndParams with) {
  const Item item = item_of(p, p.to, p.to.entries);
  if (item.line < 0) return;
  const LineIndex place = place_of(p, p.first + item.line);
  const Pair<T> x = read<T>(p.from, 0, item.entry * p.from.stride + lane_offset(p, p.from, place, 0));
  Pair<T> y = read<T>(with, 0, item.entry * with.stride + lane_offset(p, with, place, 0));
  if (p.conjugated) y.y = -y.y;
  const Index at = item.entry * p.to.stride + lane_offset(p, p.to, place, 0);
  const Pair<T> product = x * y * static_cast<T>(p.scale);
  if (p.to.real)
    static_cast<T*>(const_cast<void*>(p.to.base[0]))[at] = 2 * product.x;
  else
    static_cast<Pair<T>*>(const_cast<void*>(p.to.base[0]))[at] = product;
}

template <class T>
__global__ void __launch_bounds__(threads)
    chirp_kernel(const __grid_constant__ LineParams p, const __grid_constant__ EndParams more) {
  const Item item = item_of(p, p.to, p.to.entries);
  if (item.line < 0) return;
  const LineIndex place = place_of(p, p.first + item.line);
  const Pair<T> x = read<T>(p.from, 0, item.entry * p.from.stride + lane_offset(p, p.from, place, 0));
  const double2 w = chirp_factor(p, item.entry);
  Pair<T> z = x * Pair<T>{static_cast<T>(w.x), static_cast<T>(w.y)} * static_cast<T>(p.scale);
  if (p.to.real) z.x *= 2;
  if (more.entries > 0) z = z + read<T>(more, 0, item.entry * more.stride + lane_offset(p, more, place, 0));
  const Index at = item.entry * p.to.stride + lane_offset(p, p.to, place, 0);
  if (p.to.real)
    static_cast<T*>(const_cast<void*>(p.to.base[0]))[at] = z.x;
  else
    static_cast<Pair<T>*>(const_cast<void*>(p.to.base[0]))[at] = z;
}

void check_launch(const char* what) {
  if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess)
    throw Error(std::string("cannot start the device's ") + what + " (" + cudaGetErrorString(code) + ")");
}

unsigned blocks_for(Index items) { return static_cast<unsigned>((items + threads - 1) / threads); }

}  // namespace

namespace {

template <KnownLines known, int each_thread, class T>
void launch_lines_of(const LineParams& p, Stream stream) {
  const auto blocks = static_cast<unsigned>((p.lines + p.together - 1) / p.together);
  const std::size_t shared = shared_bytes<T>(p);
  if (shared > 48 * 1024)
    cudaFuncSetAttribute(line_kernel<known, each_thread, T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(shared));
  line_kernel<known, each_thread, T><<<blocks, threads, shared, stream>>>(p);
  check_launch("transform of lines");
}

}  // namespace

template <class T>
void launch_lines(const LineParams& p, Stream stream) {
  const bool has_table = p.twiddle.modulus == 0 || (p.twiddle.near != nullptr && p.twiddle.far == nullptr);
  bool usual = has_table && (p.kind == LineKind::plain || p.kind == LineKind::to_half);
  for (int i = 0; i < p.radix_count; ++i) usual = usual && p.radices[i] % 2 == 0;
  const bool fit = p.length <= block_elements;
  constexpr int few = block_elements / threads, many = longest_line / threads;
  if (usual && fit) return launch_lines_of<KnownLines::usual, few, T>(p, stream);
  if (usual) return launch_lines_of<KnownLines::usual, many, T>(p, stream);
  fit ? launch_lines_of<KnownLines::all, few, T>(p, stream) : launch_lines_of<KnownLines::all, many, T>(p, stream);
}

template <class T>
void launch_gather(const LineParams& p, int first_row, int rows, void* tile, Stream stream) {
  gather_kernel<T><<<blocks_for(p.lines * rows), threads, 0, stream>>>(p, first_row, rows, static_cast<Pair<T>*>(tile));
  check_launch("gathering of lines");
}

template <class T>
void launch_scatter(const LineParams& p, int first_row, int rows, const void* tile, Stream stream) {
  scatter_kernel<T>
      <<<blocks_for(p.lines * rows), threads, 0, stream>>>(p, first_row, rows, static_cast<const Pair<T>*>(tile));
  check_launch("scattering of lines");
}

template <class T>
void launch_fill(const LineParams& p, int first_row, int rows, Stream stream) {
  fill_kernel<T><<<blocks_for(p.lines * rows), threads, 0, stream>>>(p, first_row, rows);
  check_launch("filling");
}

template <class T>
void launch_sum(const LineParams& p, Stream stream) {
  sum_kernel<T><<<blocks_for(p.lines), threads, 0, stream>>>(p);
  check_launch("sums");
}

template <class T>
void launch_multiply(const LineParams& p, const EndParams& with, Stream stream) {
  multiply_kernel<T><<<blocks_for(p.lines * p.to.entries), threads, 0, stream>>>(p, with);
  check_launch("products");
}

template <class T>
void launch_chirp(const LineParams& p, const EndParams& more, Stream stream) {
  chirp_kernel<T><<<blocks_for(p.lines * p.to.entries), threads, 0, stream>>>(p, more);
  check_launch("chirps");
}

#define KALLIMA_LAUNCHERS(T)                                                         \
  template void launch_lines<T>(const LineParams&, Stream);                          \
  template void launch_gather<T>(const LineParams&, int, int, void*, Stream);        \
  template void launch_scatter<T>(const LineParams&, int, int, const void*, Stream); \
  template void launch_fill<T>(const LineParams&, int, int, Stream);                 \
  template void launch_sum<T>(const LineParams&, Stream);                            \
  template void launch_multiply<T>(const LineParams&, const EndParams&, Stream);     \
  template void launch_chirp<T>(const LineParams&, const EndParams&, Stream);

KALLIMA_LAUNCHERS(float)
KALLIMA_LAUNCHERS(double)

}  // namespace kallima::cuda
