#pragma once
// Kallima in the shape of a Rival, so that one loop runs it and all others: as it is, without overlap, and each of its
// two parts alone. All of them work on the same arrays, one for each field.

#include <algorithm>

#include "bench/analytic.hpp"
#include "bench/mirror.hpp"
#include "bench/rival.hpp"
#include "kallima/cuda.hpp"

namespace kallima::cli {

// What is transformed: `count` arrays in, and as many out unless the result takes their place.
template <class T>
class Fields {
 public:
  using Complex = std::complex<T>;

  Fields(const Fft<T>& fft, int count, Placement placement, const std::shared_ptr<const Backend>& backend,
         bool host_arrays)
      : axes_in_(axes_of(fft.layout_in(), fft.comm().rank())), axes_out_(axes_of(fft.layout_out(), fft.comm().rank())) {
    const bool in_place = placement == Placement::in_place;
    for (int i = 0; i < count; ++i) {
      in_.emplace_back(std::max(fft.local_size_in(), in_place ? fft.local_size_out() : 0),
                       host_arrays ? nullptr : backend);
      if (!in_place) out_.emplace_back(fft.local_size_out(), host_arrays ? nullptr : backend);
    }
    for (const auto* arrays : {&in_, &out_})
      for (const Mirror<Complex>& a : *arrays)
        if (host_arrays) pinned_.push_back(cuda_pinned(std::as_writable_bytes(a.host())));
    for (const Mirror<Complex>& a : in_) from_.push_back(a.span());
    for (const Mirror<Complex>& a : results()) to_.push_back(a.span());
  }

  void fill() {
    for (const Mirror<Complex>& a : in_) {
      fill_signal<T>(axes_in_, a.host());
      a.upload();
    }
  }

  double error(Transport& transport) const {
    double worst = 0;
    for (const Mirror<Complex>& a : results()) {
      a.download();
      const std::span<const Complex> result = a.host();
      worst = std::max(worst, relative_error(transport, spectrum_error<T>(axes_out_, result)));
    }
    return worst;
  }

  std::span<const std::span<const Complex>> in() const { return from_; }
  std::span<const std::span<Complex>> out() const { return to_; }
  std::size_t bytes() const { return bytes_of(in_) + bytes_of(out_); }
  std::size_t data_bytes() const { return bytes_of(in_); }

 private:
  const std::vector<Mirror<Complex>>& results() const { return out_.empty() ? in_ : out_; }
  static std::size_t bytes_of(const std::vector<Mirror<Complex>>& arrays) {
    std::size_t sum = 0;
    for (const Mirror<Complex>& a : arrays) sum += a.bytes();
    return sum;
  }

  std::vector<Axis> axes_in_, axes_out_;
  std::vector<Mirror<Complex>> in_, out_;
  std::vector<std::shared_ptr<void>> pinned_;  // given back before the arrays are
  std::vector<std::span<const Complex>> from_;
  std::vector<std::span<Complex>> to_;
};

// A whole transform by Kallima.
template <class T>
class Ours : public Rival {
 public:
  Ours(Fft<T>& fft, Fields<T>& fields, std::string name, std::string title)
      : fft_(fft), fields_(fields), name_(std::move(name)), title_(std::move(title)) {}

  std::string name() const override { return name_; }
  std::string title() const override { return title_; }
  void fill() override { fields_.fill(); }
  void run() override {
    if (fields_.in().size() == 1)
      fft_.forward(fields_.in()[0], fields_.out()[0]);
    else
      fft_.forward_many(fields_.in(), fields_.out());
  }
  double error() override { return fields_.error(fft_.comm().transport()); }

 private:
  Fft<T>& fft_;
  Fields<T>& fields_;
  std::string name_;
  std::string title_;
};

// One of its two parts, for every field in turn. What that leaves behind is no transform.
template <class T>
class PartAlone : public Rival {
 public:
  PartAlone(Fft<T>& fft, Fields<T>& fields, Only part) : fft_(fft), fields_(fields), part_(part) {}

  std::string name() const override { return part_ == Only::computation ? "computation" : "communication"; }
  std::string title() const override { return name() + " alone"; }
  void fill() override { fields_.fill(); }
  void run() override {
    for (std::size_t i = 0; i < fields_.in().size(); ++i) fft_.rehearse(part_, fields_.in()[i], fields_.out()[i]);
  }
  double error() override { return 0; }
  bool has_answer() const override { return false; }

 private:
  Fft<T>& fft_;
  Fields<T>& fields_;
  Only part_;
};

// Rivals that transform one array each, one after the other.
class InSequence : public Rival {
 public:
  explicit InSequence(std::vector<std::unique_ptr<Rival>> rivals) : rivals_(std::move(rivals)) {}
  std::string name() const override { return rivals_[0]->name(); }
  std::string title() const override { return rivals_[0]->title(); }
  void fill() override {
    for (const auto& rival : rivals_) rival->fill();
  }
  void run() override {
    for (const auto& rival : rivals_) rival->run();
  }
  double error() override {
    double worst = 0;
    for (const auto& rival : rivals_) worst = std::max(worst, rival->error());
    return worst;
  }

 private:
  std::vector<std::unique_ptr<Rival>> rivals_;
};

}  // namespace kallima::cli
