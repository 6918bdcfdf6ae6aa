// The facade with reals, layouts and storage of the caller's: values end up where the layouts say, padding is left
// alone, and arrays of the wrong kind or size are refused on every rank.

#include <gtest/gtest.h>

#include "kallima/fft.hpp"
#include "kallima/redistribute.hpp"
#include "reference.hpp"

namespace kallima {
namespace {

using Complex = std::complex<double>;

Index number(const Shape& j, const Shape& shape) {
  Index i = 0;
  for (std::size_t k = 0; k < j.size(); ++k) i = i * shape[k] + j[k];
  return i;
}

TEST(Layouts, a_redistribution_brings_every_element_to_its_new_owner_and_back) {
  const Shape shape{7, 5, 6};
  for (const int ranks : {1, 2, 3, 6}) {
    const Layout from = Layout::blocks(shape, {1, 1, ranks}, ranks);
    const Layout to = Layout::cyclic(shape, {ranks, 1, 1}, ranks);
    run_threads(ranks, [&](Comm comm) {
      std::vector<float> in(static_cast<std::size_t>(from.local_size(comm.rank())));
      std::vector<float> out(static_cast<std::size_t>(to.local_size(comm.rank()))), back(in.size());
      for (std::size_t t = 0; t < in.size(); ++t)
        in[t] = static_cast<float>(number(from.global_index(comm.rank(), static_cast<Index>(t)), shape));
      Redistribution<float> move(from, to, comm);
      move.run(in, out);
      for (std::size_t t = 0; t < out.size(); ++t)
        ASSERT_EQ(out[t], static_cast<float>(number(to.global_index(comm.rank(), static_cast<Index>(t)), shape)));
      move.run_back(out, back);
      ASSERT_EQ(in, back);
    });
  }
}

TEST(Layouts, fftws_padded_reals_are_transformed_in_place) {
  const Shape shape{6, 4, 10};
  const auto values = random_values(element_count(shape), 3);
  std::vector<Exact> real;
  for (const Exact& v : values) real.emplace_back(v.real());
  const auto expected = reference_dft({.shape = shape}, real, Direction::forward);
  const Problem problem{.shape = shape,
                        .data = Data::real_,
                        .in = Layout::blocks(shape, {3, 1, 1}, 3),
                        .storage_in = {.padding = {0, 0, 2}}};
  run_threads(3, [&](Comm comm) {
    Fft<double> fft(problem, comm);
    std::vector<Complex> data(static_cast<std::size_t>(fft.local_size_out()));
    ASSERT_EQ(fft.local_size_in(), 2 * fft.local_size_out());
    auto* const reals = reinterpret_cast<double*>(data.data());
    for (Index row = 0; row < 8; ++row)
      for (Index k = 0; k < 10; ++k)
        reals[row * 12 + k] =
            static_cast<double>(real[static_cast<std::size_t>((comm.rank() * 8 + row) * 10 + k)].real());
    fft.forward(std::span<const double>(reals, data.size() * 2), std::span<Complex>(data));
    const Layout layout = fft.layout_out();
    for (std::size_t t = 0; t < data.size(); ++t) {
      const Index i = number(layout.global_index(comm.rank(), static_cast<Index>(t)), shape);
      ASSERT_NEAR(std::abs(data[t] - Complex(expected[static_cast<std::size_t>(i)])), 0, 1e-12);
    }
    fft.backward(std::span<const Complex>(data), std::span<double>(reals, data.size() * 2), Norm::full);
    for (Index row = 0; row < 8; ++row)
      for (Index k = 0; k < 10; ++k)
        ASSERT_NEAR(reals[row * 12 + k],
                    static_cast<double>(real[static_cast<std::size_t>((comm.rank() * 8 + row) * 10 + k)].real()),
                    1e-13);
  });
}

TEST(Layouts, arrays_in_an_order_of_their_own_are_transformed_in_place) {
  const Shape shape{6, 4};
  const Layout boxes = layout_from_text("boxes:[[[0,0],[4,4]],[[4,0],[6,4]]]", shape, 2);
  Problem plain{.shape = shape, .data = Data::real_, .kinds = {Kind::dct2, Kind::dct2}, .in = boxes, .out = boxes};
  Problem turned = plain;
  turned.storage_in = {.order = {1, 0}};
  for (const Exchange exchange : {Exchange::views, Exchange::messages})
    run_threads(2, [&](Comm comm) {
      FftOptions options;
      options.plan.exchange = exchange;
      Fft<double> usual(plain, comm, options);
      options.plan.placement = Placement::in_place;
      Fft<double> fft(turned, comm, options);
      const Shape mine = boxes.local_shape(comm.rank());
      const auto size = static_cast<std::size_t>(element_count(mine));
      std::vector<double> in(size), data(size), expected(size);
      for (Index i = 0; i < mine[0]; ++i)
        for (Index j = 0; j < mine[1]; ++j)
          in[static_cast<std::size_t>(i * mine[1] + j)] = data[static_cast<std::size_t>(j * mine[0] + i)] =
              static_cast<double>((7 * i + 3 * j * j + comm.rank()) % 5);
      usual.forward(std::span<const double>(in), std::span<double>(expected));
      fft.forward(std::span<const double>(data), std::span<double>(data));
      for (std::size_t t = 0; t < size; ++t) ASSERT_NEAR(data[t], expected[t], 1e-12);
    });
}

TEST(Layouts, padding_keeps_what_the_caller_has_there) {
  const Shape shape{4, 6};
  const Problem problem{.shape = shape, .storage_out = {.order = {1, 0}, .padding = {3, 0}}};
  run_threads(2, [&](Comm comm) {
    Fft<double> fft(problem, comm);
    std::vector<Complex> in(static_cast<std::size_t>(fft.local_size_in()), 1.0);
    std::vector<Complex> out(static_cast<std::size_t>(fft.local_size_out()), 7.0);
    fft.forward(in, out);
    const Shape mine = fft.layout_out().local_shape(comm.rank());
    const std::vector<Index> strides = strides_of(problem.storage_out, mine);
    Index untouched = 0;
    for (const Complex& value : out) untouched += value == Complex(7.0) ? 1 : 0;
    ASSERT_EQ(untouched, fft.local_size_out() - mine[0] * mine[1]);
    ASSERT_EQ(strides[0], 1);
  });
}

TEST(Layouts, arrays_of_the_wrong_kind_are_refused) {
  run_threads(2, [&](Comm comm) {
    Fft<double> fft({.shape = {8, 8}, .data = Data::real_}, comm);
    std::vector<double> real(static_cast<std::size_t>(fft.local_size_in()));
    std::vector<Complex> half(static_cast<std::size_t>(fft.local_size_out()));
    std::vector<Complex> complex(real.size());
    EXPECT_NO_THROW(fft.forward(std::span<const double>(real), std::span<Complex>(half)));
    EXPECT_THROW(fft.forward(std::span<const Complex>(complex), std::span<Complex>(half)), Error);
    EXPECT_THROW(fft.forward(std::span<const double>(real), std::span<double>(real)), Error);
    EXPECT_THROW(fft.backward(std::span<const Complex>(half), std::span<Complex>(complex)), Error);
    half.pop_back();
    EXPECT_THROW(fft.forward(std::span<const double>(real), std::span<Complex>(half)), Error);
  });
}

TEST(Layouts, a_forward_that_ends_anywhere_pairs_with_a_backward_from_there) {
  const Shape shape{12, 10, 9};
  const Problem problem{
      .shape = shape, .output = Output::any, .data = Data::real_, .in = Layout::blocks(shape, {4, 1, 1}, 4)};
  run_threads(4, [&](Comm comm) {
    Fft<double> fft(problem, comm);
    EXPECT_EQ(fft.plan().exchanges(), 1);
    std::vector<double> in(static_cast<std::size_t>(fft.local_size_in())), back(in.size());
    for (std::size_t t = 0; t < in.size(); ++t) in[t] = std::sin(static_cast<double>(t) + comm.rank());
    std::vector<Complex> spectrum(static_cast<std::size_t>(fft.local_size_out()));
    fft.forward(std::span<const double>(in), std::span<Complex>(spectrum));
    fft.backward(std::span<const Complex>(spectrum), std::span<double>(back), Norm::full);
    for (std::size_t t = 0; t < in.size(); ++t) ASSERT_NEAR(in[t], back[t], 1e-14);
  });
}

}  // namespace
}  // namespace kallima
