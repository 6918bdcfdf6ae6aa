#pragma once
// The names of a Schedule's enumerations, in one place for text, JSON and errors alike.

#include <array>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "kallima/schedule.hpp"

namespace kallima {

template <class E>
struct Names;

template <>
struct Names<Buffer> {
  static constexpr std::string_view what = "buffer";
  static constexpr std::array<std::pair<Buffer, std::string_view>, 4> all{
      {{Buffer::in, "in"}, {Buffer::out, "out"}, {Buffer::work, "work"}, {Buffer::inbox, "inbox"}}};
};

template <>
struct Names<TaskKind> {
  static constexpr std::string_view what = "kind of task";
  static constexpr std::array<std::pair<TaskKind, std::string_view>, 6> all{{{TaskKind::compute, "compute"},
                                                                             {TaskKind::copy, "copy"},
                                                                             {TaskKind::send_start, "send_start"},
                                                                             {TaskKind::send_finish, "send_finish"},
                                                                             {TaskKind::recv_start, "recv_start"},
                                                                             {TaskKind::recv_finish, "recv_finish"}}};
};

template <>
struct Names<Action> {
  static constexpr std::string_view what = "action";
  static constexpr std::array<std::pair<Action, std::string_view>, 6> all{{{Action::transform, "transform"},
                                                                           {Action::move, "move"},
                                                                           {Action::sum, "sum"},
                                                                           {Action::apply, "apply"},
                                                                           {Action::encode, "encode"},
                                                                           {Action::decode, "decode"}}};
};

template <>
struct Names<Wire::Format> {
  static constexpr std::string_view what = "wire format";
  static constexpr std::array<std::pair<Wire::Format, std::string_view>, 3> all{
      {{Wire::Format::same, "same"},
       {Wire::Format::single, "single"},
       {Wire::Format::shared_exponent, "shared exponent"}}};
};

template <>
struct Names<Data> {
  static constexpr std::string_view what = "data";
  static constexpr std::array<std::pair<Data, std::string_view>, 2> all{
      {{Data::complex_, "complex"}, {Data::real_, "real"}}};
};

template <>
struct Names<Precision> {
  static constexpr std::string_view what = "precision";
  static constexpr std::array<std::pair<Precision, std::string_view>, 3> all{
      {{Precision::single_, "single"}, {Precision::double_, "double"}, {Precision::long_double, "long double"}}};
};

template <>
struct Names<Kind> {
  static constexpr std::string_view what = "kind of transform";
  static constexpr std::array<std::pair<Kind, std::string_view>, 11> all{{{Kind::fourier, "fourier"},
                                                                          {Kind::real_to_half, "real_to_half"},
                                                                          {Kind::half_to_real, "half_to_real"},
                                                                          {Kind::dct1, "dct1"},
                                                                          {Kind::dct2, "dct2"},
                                                                          {Kind::dct3, "dct3"},
                                                                          {Kind::dct4, "dct4"},
                                                                          {Kind::dst1, "dst1"},
                                                                          {Kind::dst2, "dst2"},
                                                                          {Kind::dst3, "dst3"},
                                                                          {Kind::dst4, "dst4"}}};
};

template <>
struct Names<Direction> {
  static constexpr std::string_view what = "direction";
  static constexpr std::array<std::pair<Direction, std::string_view>, 2> all{
      {{Direction::forward, "forward"}, {Direction::backward, "backward"}}};
};

template <class E>
std::string_view enum_name(E value) {
  for (const auto& [known, word] : Names<E>::all)
    if (known == value) return word;
  fail("there is no {} number {} (an enumeration was cast from a wrong number)", Names<E>::what,
       static_cast<int>(value));
}

}  // namespace kallima
