#include "exact/modular_product.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "kallima/modular.hpp"
#include "kernel/mod_p/residue_codelets.hpp"

namespace kallima {

std::span<const double> as_doubles(std::span<const std::uint64_t> words) {
  return {reinterpret_cast<const double*>(words.data()), words.size()};
}
std::span<double> as_doubles(std::span<std::uint64_t> words) {
  return {reinterpret_cast<double*>(words.data()), words.size()};
}

ModularProduct::ModularProduct(Index words_a, Index words_b, const Comm& comm, const IntegerOptions& options)
    : comm_(comm),
      plan_(plan_digits(words_a, words_b, comm.size(), options)),
      crt_(plan_.primes),
      columns_(plan_.shape.columns(comm.size()).local_shape(comm.rank())[1]) {
  for (std::size_t k = 0; k < plan_.primes; ++k) ntts_.emplace_back(plan_.shape, ntt_primes[k], comm_, options.plan);
  if (moves())
    redistribution_ =
        std::make_unique<Redistribution<double>>(plan_.blocks(comm_.size()), plan_.columns(comm_.size()), comm_);
  together(comm_.transport(), [&] {
    const int rank = comm_.rank();
    first_word_ = std::min(plan_.shape.R, plan_.blocks(comm_.size()).owned(rank)[0].first) * plan_.row_words();
    const Index in_columns = plan_.columns(comm_.size()).local_size(rank), digit_count = plan_.shape.R * columns_,
                rows = plan_.shape.rows(comm_.size()).local_size(rank);
    scratch_ = Array<std::uint64_t>(plan_.blocks(comm_.size()).local_size(rank));
    for (Array<std::uint64_t>* const words : {&words_a_, &words_b_}) *words = Array<std::uint64_t>(in_columns);
    digits_ = Array<std::uint64_t>(digit_count);
    for (Array<double>* const spectrum : {&spectrum_a_, &spectrum_b_}) *spectrum = Array<double>(rows);
    for (std::size_t k = 0; k < plan_.primes; ++k) products_.emplace_back(digit_count);
  });
}

// In columns, ready to be taken modulo primes.
std::span<const std::uint64_t> ModularProduct::digits_of(ConstWords words, Array<std::uint64_t>& to) {
  const bool is_signed = plan_.kind == DigitKind::word;
  if (!moves()) {
    if (is_signed)
      make_signed(comm_.transport(), words, to.span());
    else
      std::ranges::copy(words, to.begin());
    return to.span();
  }
  if (is_signed) make_signed(comm_.transport(), words, scratch_.span());
  redistribution_->run(as_doubles(is_signed ? ConstWords(scratch_.span()) : words), as_doubles(to.span()));
  return to.span();
}

// The residues' memory is where the result comes to, too.
void ModularProduct::transform_product(std::size_t k, ConstWords a, std::optional<ConstWords> b) {
  const kernel::Modulus p = kernel::PrimeField(ntt_primes[k]).modulus();
  make_residues(plan_.kind, a, ntt_primes[k], products_[k].span());
  ntts_[k].forward(products_[k].span(), spectrum_a_.span());
  if (b) {
    make_residues(plan_.kind, *b, ntt_primes[k], products_[k].span());
    ntts_[k].forward(products_[k].span(), spectrum_b_.span());
  }
  const Array<double>& other = b ? spectrum_b_ : spectrum_a_;
  kernel::residue_codelets().multiply(spectrum_a_.data(), other.data(), spectrum_a_.data(), spectrum_a_.size(), p);
  ntts_[k].backward(spectrum_a_.span(), products_[k].span());
}

// Digits of every run as if nothing came into it, and what is carried out of each.
std::vector<Int128> ModularProduct::join() {
  constexpr Index at_once = 256;
  std::vector<Int128> carries;
  std::vector<Wide> numbers(at_once);
  for (Index row = 0; row < plan_.shape.R; ++row) {
    RunCarry run(plan_.kind);
    for (Index v = 0; v < columns_; v += at_once) {
      const Index count = std::min(at_once, columns_ - v), first = row * columns_ + v;
      std::vector<const double*> residues;
      for (const Array<double>& product : products_) residues.push_back(product.data() + first);
      crt_.join(residues, count, plan_.kind == DigitKind::word ? Signed::yes : Signed::no, numbers.data());
      run.add(std::span(numbers).first(at(count)), digits_.data() + first);
    }
    carries.push_back(run.carry());
  }
  return carries;
}

void ModularProduct::deliver(Words product) {
  const Index row_words = plan_.columns(comm_.size()).local_shape(comm_.rank())[1];
  const Words columns_of_words = moves() ? words_a_.span() : product;
  for (Index row = 0; row < plan_.shape.R && row_words > 0; ++row)
    pack_digits(plan_.kind, digits_.span().subspan(at(row * columns_), at(columns_)),
                columns_of_words.subspan(at(row * row_words), at(row_words)));
  if (moves()) redistribution_->run_back(as_doubles(ConstWords(columns_of_words)), as_doubles(product));
}

void ModularProduct::multiply(ConstWords a, std::optional<ConstWords> b, Words product) {
  const ConstWords digits_a = digits_of(a, words_a_);
  std::optional<ConstWords> digits_b;
  if (b) digits_b = digits_of(*b, words_b_);
  for (std::size_t k = 0; k < plan_.primes; ++k) transform_product(k, digits_a, digits_b);
  const Index active = (plan_.shape.Q + plan_.shape.block - 1) / plan_.shape.block;
  resolve_carries(comm_.transport(), {plan_.kind, digits_.span(), columns_, static_cast<int>(active)}, join());
  deliver(product);
}

std::string ModularProduct::explanation() const {
  constexpr const char* words[] = {"digits of 64 bits", "digits of 56 bits", "times 18 decimal digits"};
  return fmt::format("{}x{} {} modulo {} primes; {}", plan_.shape.R, plan_.shape.Q, words[at(plan_.kind)], plan_.primes,
                     ntts_[0].plan().explanation());
}

Index ModularProduct::words_sent() const {
  const auto sent = [&](const Plan& plan, Direction direction) { return plan.traffic(comm_.rank(), direction).words; };
  Index words = 0;
  for (const TwistedNtt& ntt : ntts_)
    words += 2 * sent(ntt.plan(), Direction::forward) + sent(ntt.plan(), Direction::backward);
  if (redistribution_)
    words += 4 * sent(redistribution_->plan(), Direction::forward) +
             2 * sent(redistribution_->plan(), Direction::backward);  // its words are pairs
  return words;
}

std::size_t ModularProduct::memory_bytes() const {
  Index words =
      scratch_.size() + words_a_.size() + words_b_.size() + digits_.size() + spectrum_a_.size() + spectrum_b_.size();
  for (const Array<double>& product : products_) words += product.size();
  for (const TwistedNtt& ntt : ntts_) words += ntt.workspace_words();
  return at(words) * sizeof(std::uint64_t);
}

void ModularProduct::record(Trace* trace) {
  for (TwistedNtt& ntt : ntts_) ntt.record(trace);
}

}  // namespace kallima
