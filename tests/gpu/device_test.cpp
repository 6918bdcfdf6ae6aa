// Transforms on a device, where there is one: device pointers in and out, a caller's stream, ranks that share the
// device, a function of the caller's on the spectrum. Random transforms of all kinds are `kallima fuzz --device
// cuda`'s.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "kallima/cuda.hpp"
#include "kallima/fft.hpp"

namespace kallima {
namespace {

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << "no device: " << why;
  }
};

template <class T>
using Numbers = std::vector<std::complex<T>>;

// A wave of one frequency, whose spectrum is one number.
template <class T>
Numbers<T> wave(Index n0, Index n1, Index k0, Index k1) {
  Numbers<T> x;
  for (Index i = 0; i < n0; ++i)
    for (Index j = 0; j < n1; ++j) {
      const double turns =
          static_cast<double>(i * k0) / static_cast<double>(n0) + static_cast<double>(j * k1) / static_cast<double>(n1);
      const auto value = std::polar(1.0, 2 * std::numbers::pi * turns);
      x.emplace_back(static_cast<T>(value.real()), static_cast<T>(value.imag()));
    }
  return x;
}

// On the device and back.
template <class T>
struct Copied {
  Copied(const Backend& with, const Numbers<T>& numbers) : backend(with), count(numbers.size()) {
    memory = backend.allocate(bytes());
    backend.copy(memory.get(), reinterpret_cast<const std::byte*>(numbers.data()), bytes());
  }
  std::size_t bytes() const { return count * sizeof(std::complex<T>); }
  std::span<std::complex<T>> span() const { return {reinterpret_cast<std::complex<T>*>(memory.get()), count}; }
  Numbers<T> back() const {
    Numbers<T> numbers(count);
    backend.copy(reinterpret_cast<std::byte*>(numbers.data()), memory.get(), bytes());
    return numbers;
  }
  const Backend& backend;
  std::size_t count;
  std::shared_ptr<std::byte> memory;
};

template <class T>
void expect_peak(const Numbers<T>& spectrum, Index at_peak, double tolerance) {
  for (std::size_t i = 0; i < spectrum.size(); ++i) {
    const double expected = static_cast<Index>(i) == at_peak ? static_cast<double>(spectrum.size()) : 0;
    ASSERT_NEAR(spectrum[i].real(), expected, tolerance) << i;
    ASSERT_NEAR(spectrum[i].imag(), 0, tolerance) << i;
  }
}

TEST_F(OnDevice, device_pointers_are_transformed_there_and_back) {
  const auto backend = cuda_backend(Precision::double_);
  Fft<double> fft({.shape = {48, 60}}, Comm(), {.backend = backend});
  const Numbers<double> x = wave<double>(48, 60, 5, 7);
  const Copied<double> in(*backend, x), out(*backend, x);
  fft.forward(in.span(), out.span());
  expect_peak(out.back(), 5 * 60 + 7, 1e-9);
  EXPECT_EQ(in.back(), x);
  fft.backward(out.span(), out.span(), Norm::full);
  const Numbers<double> back = out.back();
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(back[i] - x[i]), 1e-12);
}

TEST_F(OnDevice, lines_with_large_primes_are_transformed) {
  const auto backend = cuda_backend(Precision::single_);
  Fft<float> fft({.shape = {34, 29}}, Comm(), {.backend = backend});
  const Copied<float> x(*backend, wave<float>(34, 29, 33, 2));
  fft.forward(x.span(), x.span());
  expect_peak(x.back(), 33 * 29 + 2, 1e-2);
}

TEST_F(OnDevice, a_function_of_the_caller_is_applied_to_the_spectrum) {
  const auto backend = cuda_backend(Precision::double_);
  Fft<double> fft({.shape = {16, 20}}, Comm(), {.backend = backend});
  const Numbers<double> x = wave<double>(16, 20, 3, 4);
  const Copied<double> in(*backend, x), out(*backend, x);
  fft.apply(in.span(), out.span(), [](std::span<const Index> k) { return static_cast<double>(k[0] + 10 * k[1]); });
  const Numbers<double> y = out.back();
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(y[i] - 43.0 * x[i]), 1e-10);
}

// One pass over lines, a long line in two, and whole arrays, in place and out of place.
TEST_F(OnDevice, many_lines_and_long_ones_are_transformed) {
  const auto backend = cuda_backend(Precision::double_);
  for (const Index n : {Index{1} << 18, Index{1} << 20}) {
    Fft<double> fft({.shape = {n}}, Comm(), {.backend = backend});
    const Numbers<double> x = wave<double>(1, n, 0, 12345);
    const Copied<double> in(*backend, x), out(*backend, x);
    fft.forward(in.span(), out.span());
    expect_peak(out.back(), 12345, 1e-5);
    fft.backward(out.span(), out.span(), Norm::full);
    const Numbers<double> back = out.back();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT(std::abs(back[i] - x[i]), 1e-12);
  }
  Fft<double> lines({.shape = {512, 256}, .axes = {1}}, Comm(), {.backend = backend});
  const Copied<double> in(*backend, wave<double>(512, 256, 0, 9)), out(*backend, Numbers<double>(512 * 256));
  lines.forward(in.span(), out.span());
  const Numbers<double> spectrum = out.back();
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    ASSERT_LT(std::abs(spectrum[i] - (i % 256 == 9 ? 256.0 : 0.0)), 1e-10) << i;
}

// Three shapes: one that our kernels take factors in the middle of, one that they do not, and ranks that share.
TEST_F(OnDevice, factors_are_multiplied_without_a_way_over_the_host) {
  for (const auto& [shape, ranks] :
       {std::pair{Shape{256, 256, 256}, 1}, std::pair{Shape{24, 20, 16}, 1}, std::pair{Shape{16, 16, 32}, 2}})
    run_threads(ranks, [&, shape = shape](const Comm& comm) {
      const auto backend = cuda_backend(Precision::double_);
      Fft<double> fft({.shape = shape}, comm, {.backend = backend});
      const auto number = [](Index t) {
        const auto angle = 0.1 * static_cast<double>(t);
        return std::complex<double>(std::cos(angle), std::sin(3 * angle));
      };
      Numbers<double> x, factors;
      for (Index t = 0; t < fft.local_size_in(); ++t) x.push_back(number(t % 1001));
      for (Index t = 0; t < fft.local_size_out(); ++t) factors.push_back(number(7 * t % 1003));
      const Copied<double> in(*backend, x), with(*backend, factors), out(*backend, x), spectrum(*backend, factors);
      fft.apply_factors(in.span(), out.span(), with.span());
      fft.forward(in.span(), spectrum.span());
      Numbers<double> product = spectrum.back();
      for (std::size_t i = 0; i < product.size(); ++i) product[i] *= factors[i];
      const Copied<double> multiplied(*backend, product), expected(*backend, x);
      fft.backward(multiplied.span(), expected.span(), Norm::full);
      const Numbers<double> got = out.back(), wanted = expected.back();
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_LT(std::abs(got[i] - wanted[i]), 1e-11) << i;
      EXPECT_THROW(fft.apply_factors(in.span(), out.span(), with.span().first(3)), Error);
    });
}

void expect_peak_on(int ranks) {
  const Numbers<double> x = wave<double>(48, 48, 5, 7);
  run_threads(ranks, [&](const Comm& comm) {
    const auto backend = cuda_backend(Precision::double_);
    Fft<double> fft({.shape = {48, 48}}, comm, {.backend = backend});
    Numbers<double> mine;
    const Layout layout = fft.layout_in();
    for (Index t = 0; t < layout.local_size(comm.rank()); ++t) {
      const std::vector<Index> at = layout.global_index(comm.rank(), t);
      mine.push_back(x[static_cast<std::size_t>(at[0] * 48 + at[1])]);
    }
    const Copied<double> in(*backend, mine),
        out(*backend, Numbers<double>(static_cast<std::size_t>(fft.local_size_out())));
    fft.forward(in.span(), out.span());
    const Numbers<double> spectrum = out.back();
    for (std::size_t t = 0; t < spectrum.size(); ++t) {
      const std::vector<Index> at = fft.layout_out().global_index(comm.rank(), static_cast<Index>(t));
      const double expected = at[0] == 5 && at[1] == 7 ? 48.0 * 48.0 : 0;
      ASSERT_NEAR(spectrum[t].real(), expected, 1e-9);
    }
  });
}

TEST_F(OnDevice, ranks_that_share_a_device_read_each_others_blocks) {
  for (const int ranks : {2, 3, 4}) expect_peak_on(ranks);
}

TEST_F(OnDevice, ranks_whose_devices_give_no_access_copy_blocks) {
  setenv("KALLIMA_CUDA_PEERS", "off", 1);
  for (const int ranks : {2, 3}) expect_peak_on(ranks);
  unsetenv("KALLIMA_CUDA_PEERS");
}

// The second time on the same arrays transforms are recorded, and the third time they are not started one by one.
TEST_F(OnDevice, what_is_done_again_is_the_same) {
  const auto backend = cuda_backend(Precision::double_);
  Fft<double> fft({.shape = {40, 30, 20}}, Comm(), {.backend = backend});
  const Numbers<double> x = wave<double>(40 * 30, 20, 7, 3);
  const Copied<double> in(*backend, x), out(*backend, x), other(*backend, x);
  std::vector<Numbers<double>> spectra;
  for (int i = 0; i < 4; ++i) {
    fft.forward(in.span(), i == 2 ? other.span() : out.span());
    spectra.push_back((i == 2 ? other : out).back());
    backend->copy(reinterpret_cast<std::byte*>(out.span().data()), reinterpret_cast<const std::byte*>(x.data()),
                  out.bytes());
  }
  for (const auto& spectrum : spectra) EXPECT_EQ(spectrum, spectra[0]);
  EXPECT_NE(spectra[0], x);
}

TEST_F(OnDevice, what_devices_lack_is_said) {
  EXPECT_THROW(cuda_backend(Precision::long_double), Error);
  EXPECT_THROW(cuda_backend(Precision::double_, {.device = 1000}), Error);
}

}  // namespace
}  // namespace kallima
