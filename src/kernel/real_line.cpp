#include "kernel/real_line.hpp"

#include <map>
#include <tuple>

#include "base/check.hpp"
#include "kallima/memory.hpp"
#include "kernel/fftw.hpp"

namespace kallima::kernel {
namespace {

fftw_r2r_kind fftw_kind(Kind kind) {
  switch (kind) {
    case Kind::dct1:
      return FFTW_REDFT00;
    case Kind::dct2:
      return FFTW_REDFT10;
    case Kind::dct3:
      return FFTW_REDFT01;
    case Kind::dct4:
      return FFTW_REDFT11;
    case Kind::dst1:
      return FFTW_RODFT00;
    case Kind::dst2:
      return FFTW_RODFT10;
    case Kind::dst3:
      return FFTW_RODFT01;
    case Kind::dst4:
      return FFTW_RODFT11;
    default:
      fail("kind {} of transform is none of reals to reals (a pass of it was compiled as one)", static_cast<int>(kind));
  }
}

template <class T>
void* make_plan(const RealLines& l, T* tile, unsigned flags) {
  using Axis = typename Fftw<T>::Axis;
  auto* const half = reinterpret_cast<typename Fftw<T>::Complex*>(tile);
  const Index half_pitch = l.pitch / 2;
  const Axis line{l.length, l.parts, l.parts};
  switch (l.kind) {
    case Kind::real_to_half: {
      const Axis lines{l.count, l.pitch, half_pitch};
      return Fftw<T>::to_half(line, 1, &lines, tile, half, flags);
    }
    case Kind::half_to_real: {
      const Axis lines{l.count, half_pitch, l.pitch};
      return Fftw<T>::to_real(line, 1, &lines, half, tile, flags);
    }
    default: {
      const Axis loops[2] = {{l.count, l.pitch, l.pitch}, {l.parts, 1, 1}};
      return Fftw<T>::r2r(line, 2, loops, tile, tile, fftw_kind(l.kind), flags);
    }
  }
}

}  // namespace

template <class T>
RealLineFft<T>::RealLineFft(const RealLines& lines, Effort effort) : kind_(lines.kind) {
  using Key = std::tuple<RealLines, Effort>;
  static std::map<Key, std::shared_ptr<void>> cache;
  const std::lock_guard lock(fftw_planner);
  std::shared_ptr<void>& plan = cache[Key{lines, effort}];
  if (!plan) {
    const Array<T> tile(lines.count * lines.pitch);
    void* made = planned<T>(effort, [&](unsigned flags) { return make_plan<T>(lines, tile.data(), flags); });
    require(made != nullptr, "FFTW found no plan for {} lines of {} reals", lines.count, lines.length);
    plan = std::shared_ptr<void>(made, Fftw<T>::destroy);
  }
  plan_ = plan;
}

template <class T>
void RealLineFft<T>::operator()(T* tile) const {
  auto* const half = reinterpret_cast<typename Fftw<T>::Complex*>(tile);
  if (kind_ == Kind::real_to_half)
    Fftw<T>::run(plan_.get(), tile, half);
  else if (kind_ == Kind::half_to_real)
    Fftw<T>::run(plan_.get(), half, tile);
  else
    Fftw<T>::run(plan_.get(), tile, tile);
}

template class RealLineFft<float>;
template class RealLineFft<double>;
template class RealLineFft<long double>;

}  // namespace kallima::kernel
