// Which way a product goes, and the other way where the first did not do.

#include "kallima/integer.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "exact/modular_product.hpp"
#include "exact/rounded_product.hpp"

namespace kallima {

struct detail::IntegerProductImpl {
  using Words = std::span<std::uint64_t>;
  using ConstWords = std::span<const std::uint64_t>;

  IntegerProductImpl(Index words_a, Index words_b, Comm with, const IntegerOptions& options);

  void check(ConstWords a, Index longest, const char* name) const;
  void check_sizes(ConstWords a, ConstWords b, Words product) const;
  void multiply(ConstWords a, std::optional<ConstWords> b, Words product);  // none: itself
  void multiply_again(ConstWords a, std::optional<ConstWords> b, Words product);
  Layout words_of(Index first, Index count) const;
  auto either(const auto& ask) const { return rounded ? ask(*rounded) : ask(*modular); }

  Comm comm;
  IntegerOptions options;
  Index longest_a, longest_b;
  std::unique_ptr<RoundedProduct> rounded;          // none: this goes modulo primes from the outset
  std::unique_ptr<ModularProduct> modular;          // none: it was never needed
  std::unique_ptr<Redistribution<double>> between;  // their words
  Index redone = 0;
};

detail::IntegerProductImpl::IntegerProductImpl(Index most_a, Index most_b, Comm with, const IntegerOptions& asked)
    : comm(std::move(with)), options(asked), longest_a(most_a), longest_b(most_b) {
  check_lengths(most_a, most_b);
  const auto method = static_cast<int>(options.method);
  agree(comm.transport(), {{"words of the first factor", fmt::format("{}", most_a)},
                           {"words of the second factor", fmt::format("{}", most_b)},
                           {"base of words", options.base == WordBase::binary ? "binary" : "decimal"},
                           {"method", fmt::format("{}", method)}});
  std::optional<RoundingPlan> plan;
  if (options.base == WordBase::binary && options.method == IntegerMethod::automatic)
    plan = plan_rounding(most_a, most_b, comm.size());
  if (plan)
    rounded = std::make_unique<RoundedProduct>(*plan, most_a, most_b, comm, options.plan);
  else
    modular = std::make_unique<ModularProduct>(most_a, most_b, comm, options);
}

void detail::IntegerProductImpl::check(ConstWords a, Index longest, const char* name) const {
  const auto last = std::find_if(a.rbegin(), a.rend(), [](std::uint64_t word) { return word != 0; });
  const Index first = either([](const auto& way) { return way.first_word(); });
  const Index length = last == a.rend() ? 0 : first + (a.rend() - last);
  require(length <= longest, "{} has {} words, but the plan is for {} (IntegerProduct's arguments): plan for more",
          name, length, longest);
}

void detail::IntegerProductImpl::check_sizes(ConstWords a, ConstWords b, Words product) const {
  const auto size = static_cast<std::size_t>(either([](const auto& way) { return way.local_words(); }));
  require(a.size() == size && b.size() == size && product.size() == size,
          "arrays of {}, {} and {} words do not fit (rank {} has {} of each number): size them with local_words()",
          a.size(), b.size(), product.size(), comm.rank(), size);
}

// As ranks have them that have `count` words from `first` on, of as many words as a product has.
Layout detail::IntegerProductImpl::words_of(Index first, Index count) const {
  const Index all = longest_a + longest_b;
  std::vector<Box> boxes;
  for (const auto& [begin, size] : gathered(comm.transport(), std::array{first, count}))
    boxes.push_back({{std::min(all, begin)}, {std::min(all, begin + size)}});
  return Layout::boxes({all}, boxes);
}

// Modulo primes, where words stand elsewhere.
void detail::IntegerProductImpl::multiply_again(ConstWords a, std::optional<ConstWords> b, Words product) {
  if (!modular) {
    modular = std::make_unique<ModularProduct>(longest_a, longest_b, comm, options);
    between = std::make_unique<Redistribution<double>>(words_of(rounded->first_word(), rounded->local_words()),
                                                       words_of(modular->first_word(), modular->local_words()), comm);
  }
  ++redone;
  Array<std::uint64_t> x, y;
  together(comm.transport(), [&] {
    x = Array<std::uint64_t>(modular->local_words());
    if (b) y = Array<std::uint64_t>(modular->local_words());
  });
  const auto here = [&](auto words) { return words.first(at(between->plan().layout_in().local_size(comm.rank()))); };
  const auto there = [&](auto words) { return words.first(at(between->plan().layout_out().local_size(comm.rank()))); };
  between->run(as_doubles(here(a)), as_doubles(there(x.span())));
  if (b) between->run(as_doubles(here(*b)), as_doubles(there(y.span())));
  std::optional<ConstWords> other;
  if (b) other = y.span();
  modular->multiply(x.span(), other, x.span());
  std::ranges::fill(product, std::uint64_t{0});
  between->run_back(as_doubles(there(ConstWords(x.span()))), as_doubles(here(product)));
}

void detail::IntegerProductImpl::multiply(ConstWords a, std::optional<ConstWords> b, Words product) {
  together(comm.transport(), [&] {
    check_sizes(a, b.value_or(a), product);
    check(a, longest_a, "the first factor");
    check(b.value_or(a), longest_b, "the second factor");
  });
  if (!rounded) return modular->multiply(a, b, product);
  if (!rounded->multiply(a, b, product)) multiply_again(a, b, product);
}

IntegerProduct::IntegerProduct(Index words_a, Index words_b, Comm comm, const IntegerOptions& options)
    : impl_(std::make_unique<detail::IntegerProductImpl>(words_a, words_b, std::move(comm), options)) {}
IntegerProduct::IntegerProduct(IntegerProduct&&) noexcept = default;
IntegerProduct& IntegerProduct::operator=(IntegerProduct&&) noexcept = default;
IntegerProduct::~IntegerProduct() = default;

Index IntegerProduct::first_word() const {
  return impl_->either([](const auto& way) { return way.first_word(); });
}
Index IntegerProduct::local_words() const {
  return impl_->either([](const auto& way) { return way.local_words(); });
}
Index IntegerProduct::words() const {
  return impl_->either([](const auto& way) { return way.words(); });
}

void IntegerProduct::multiply(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                              std::span<std::uint64_t> product) {
  impl_->multiply(a, b, product);
}

void IntegerProduct::square(std::span<const std::uint64_t> a, std::span<std::uint64_t> product) {
  impl_->multiply(a, std::nullopt, product);
}

std::string IntegerProduct::explanation() const {
  return impl_->either([](const auto& way) { return way.explanation(); });
}

Index IntegerProduct::words_sent() const {
  return impl_->either([](const auto& way) { return way.words_sent(); });
}

Index IntegerProduct::redone() const { return impl_->redone; }
double IntegerProduct::distance() const { return impl_->rounded ? impl_->rounded->distance() : 0; }

std::size_t IntegerProduct::memory_bytes() const {
  return (impl_->rounded ? impl_->rounded->memory_bytes() : 0) + (impl_->modular ? impl_->modular->memory_bytes() : 0);
}

void IntegerProduct::record(Trace* trace) {
  impl_->either([&](auto& way) { way.record(trace); });
}

}  // namespace kallima
