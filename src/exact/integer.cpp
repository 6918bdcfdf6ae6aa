// One product: words to the columns of the digits' matrix, residues, transforms, products point by point, transforms
// back, numbers from residues, carries, and words back to where they are wanted.

#include "kallima/integer.hpp"

#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "exact/digits.hpp"
#include "kallima/memory.hpp"
#include "kallima/modular.hpp"
#include "kallima/redistribute.hpp"
#include "kernel/mod_p/residue_codelets.hpp"

namespace kallima {

struct detail::IntegerProductImpl {
  using Words = std::span<std::uint64_t>;
  using ConstWords = std::span<const std::uint64_t>;

  IntegerProductImpl(Index words_a, Index words_b, Comm with, const IntegerOptions& options);

  bool moves() const { return comm.size() > 1; }
  Index active() const;

  void check(ConstWords a, Index longest, const char* name) const;
  void check_sizes(ConstWords a, ConstWords b, Words product) const;
  ConstWords digits_of(ConstWords words, Array<std::uint64_t>& to);
  void multiply(ConstWords a, std::optional<ConstWords> b, Words product);  // none: itself
  void transform_product(std::size_t k, ConstWords a, std::optional<ConstWords> b);
  std::vector<Int128> join();
  void resolve(const std::vector<Int128>& carries);
  void deliver(Words product);
  std::span<std::uint64_t> run_of(Index row) { return digits.span().subspan(at(row * columns), at(columns)); }

  Comm comm;
  Index longest_a, longest_b;
  DigitPlan plan;
  Crt crt;
  Index columns;         // of digits, that this rank has
  Index first_word = 0;  // in blocks
  std::vector<TwistedNtt> ntts;
  std::unique_ptr<Redistribution<double>> redistribution;  // of words, which are as long as doubles
  Array<std::uint64_t> scratch;                            // words in blocks
  Array<std::uint64_t> words_a, words_b;                   // in columns
  Array<std::uint64_t> digits;                             // of the product, in columns
  Array<double> spectrum_a, spectrum_b;
  std::vector<Array<double>> products;
};

namespace {

std::span<const double> as_doubles(std::span<const std::uint64_t> words) {
  return {reinterpret_cast<const double*>(words.data()), words.size()};
}
std::span<double> as_doubles(std::span<std::uint64_t> words) {
  return {reinterpret_cast<double*>(words.data()), words.size()};
}

}  // namespace

detail::IntegerProductImpl::IntegerProductImpl(Index most_a, Index most_b, Comm with, const IntegerOptions& options)
    : comm(std::move(with)),
      longest_a(most_a),
      longest_b(most_b),
      plan(plan_digits(most_a, most_b, comm.size(), options)),
      crt(plan.primes),
      columns(plan.shape.columns(comm.size()).local_shape(comm.rank())[1]) {
  agree(comm.transport(), {{"words of the first factor", fmt::format("{}", most_a)},
                           {"words of the second factor", fmt::format("{}", most_b)},
                           {"base of words", options.base == WordBase::binary ? "binary" : "decimal"}});
  for (std::size_t k = 0; k < plan.primes; ++k) ntts.emplace_back(plan.shape, ntt_primes[k], comm, options.plan);
  if (moves())
    redistribution =
        std::make_unique<Redistribution<double>>(plan.blocks(comm.size()), plan.columns(comm.size()), comm);
  together(comm.transport(), [&] {
    const int rank = comm.rank();
    first_word = std::min(plan.shape.R, plan.blocks(comm.size()).owned(rank)[0].first) * plan.row_words();
    const Index in_columns = plan.columns(comm.size()).local_size(rank), digit_count = plan.shape.R * columns,
                rows = plan.shape.rows(comm.size()).local_size(rank);
    scratch = Array<std::uint64_t>(plan.blocks(comm.size()).local_size(rank));
    for (Array<std::uint64_t>* const words : {&words_a, &words_b}) *words = Array<std::uint64_t>(in_columns);
    digits = Array<std::uint64_t>(digit_count);
    for (Array<double>* const spectrum : {&spectrum_a, &spectrum_b}) *spectrum = Array<double>(rows);
    for (std::size_t k = 0; k < plan.primes; ++k) products.emplace_back(digit_count);
  });
}

// Ranks that have columns.
Index detail::IntegerProductImpl::active() const { return (plan.shape.Q + plan.shape.block - 1) / plan.shape.block; }

void detail::IntegerProductImpl::check(ConstWords a, Index longest, const char* name) const {
  const auto last = std::find_if(a.rbegin(), a.rend(), [](std::uint64_t word) { return word != 0; });
  const Index length = last == a.rend() ? 0 : first_word + (a.rend() - last);
  require(length <= longest, "{} has {} words, but the plan is for {} (IntegerProduct's arguments): plan for more",
          name, length, longest);
}

void detail::IntegerProductImpl::check_sizes(ConstWords a, ConstWords b, Words product) const {
  const auto size = static_cast<std::size_t>(scratch.size());
  require(a.size() == size && b.size() == size && product.size() == size,
          "arrays of {}, {} and {} words do not fit (rank {} has {} of each number): size them with local_words()",
          a.size(), b.size(), product.size(), comm.rank(), size);
}

// In columns, ready to be taken modulo primes.
std::span<const std::uint64_t> detail::IntegerProductImpl::digits_of(ConstWords words, Array<std::uint64_t>& to) {
  const bool is_signed = plan.kind == DigitKind::word;
  if (!moves()) {
    if (is_signed)
      make_signed(comm.transport(), words, to.span());
    else
      std::ranges::copy(words, to.begin());
    return to.span();
  }
  if (is_signed) make_signed(comm.transport(), words, scratch.span());
  redistribution->run(as_doubles(is_signed ? ConstWords(scratch.span()) : words), as_doubles(to.span()));
  return to.span();
}

// The residues' memory is where the result comes to, too.
void detail::IntegerProductImpl::transform_product(std::size_t k, ConstWords a, std::optional<ConstWords> b) {
  const kernel::Modulus p = kernel::PrimeField(ntt_primes[k]).modulus();
  make_residues(plan.kind, a, ntt_primes[k], products[k].span());
  ntts[k].forward(products[k].span(), spectrum_a.span());
  if (b) {
    make_residues(plan.kind, *b, ntt_primes[k], products[k].span());
    ntts[k].forward(products[k].span(), spectrum_b.span());
  }
  const Array<double>& other = b ? spectrum_b : spectrum_a;
  kernel::residue_codelets().multiply(spectrum_a.data(), other.data(), spectrum_a.data(), spectrum_a.size(), p);
  ntts[k].backward(spectrum_a.span(), products[k].span());
}

// Digits of every run as if nothing came into it, and what is carried out of each.
std::vector<Int128> detail::IntegerProductImpl::join() {
  constexpr Index at_once = 256;
  std::vector<Int128> carries;
  std::vector<Wide> numbers(at_once);
  for (Index row = 0; row < plan.shape.R; ++row) {
    RunCarry run(plan.kind);
    for (Index v = 0; v < columns; v += at_once) {
      const Index count = std::min(at_once, columns - v), first = row * columns + v;
      std::vector<const double*> residues;
      for (const Array<double>& product : products) residues.push_back(product.data() + first);
      crt.join(residues, count, plan.kind == DigitKind::word ? Signed::yes : Signed::no, numbers.data());
      run.add(std::span(numbers).first(at(count)), digits.data() + first);
    }
    carries.push_back(run.carry());
  }
  return carries;
}

// Runs follow one another rank by rank, row by row. What a run carries out is added to the next; that may carry again,
// but not more than one, and whether it does depends on all before only where a run is all ones or all zeros: what runs
// make of a carry is a map, and maps are scanned.
void detail::IntegerProductImpl::resolve(const std::vector<Int128>& carries) {
  const auto R = at(plan.shape.R), ranks = at(comm.size()), last = at(active() - 1);
  std::vector<Int128> all(ranks * R);
  comm.transport().gather(std::as_bytes(std::span(carries)), std::as_writable_bytes(std::span(all)));
  const auto mine = at(comm.rank());
  std::vector<CarryMap> maps(R), every(ranks * R);
  for (std::size_t row = 0; row < R && mine <= last; ++row) {
    Int128 carry = 0;
    if (mine > 0) carry = all[(mine - 1) * R + row];
    if (mine == 0 && row > 0) carry = all[last * R + row - 1];
    const std::span<std::uint64_t> run = run_of(static_cast<Index>(row));
    const int out = add_to_run(plan.kind, run, carry);
    maps[row] = carry_map(plan.kind, run, out);
  }
  comm.transport().gather(std::as_bytes(std::span(maps)), std::as_writable_bytes(std::span(every)));
  int carry = 0;
  for (std::size_t row = 0; row < R; ++row)
    for (std::size_t rank = 0; rank <= last; ++rank) {
      if (rank == mine && carry != 0) add_to_run(plan.kind, run_of(static_cast<Index>(row)), carry);
      carry = every[rank * R + row](carry);
    }
}

void detail::IntegerProductImpl::deliver(Words product) {
  const Index row_words = plan.columns(comm.size()).local_shape(comm.rank())[1];
  const Words columns_of_words = moves() ? words_a.span() : product;
  for (Index row = 0; row < plan.shape.R && row_words > 0; ++row)
    pack_digits(plan.kind, run_of(row), columns_of_words.subspan(at(row * row_words), at(row_words)));
  if (moves()) redistribution->run_back(as_doubles(ConstWords(columns_of_words)), as_doubles(product));
}

void detail::IntegerProductImpl::multiply(ConstWords a, std::optional<ConstWords> b, Words product) {
  together(comm.transport(), [&] {
    check_sizes(a, b.value_or(a), product);
    check(a, longest_a, "the first factor");
    check(b.value_or(a), longest_b, "the second factor");
  });
  const ConstWords digits_a = digits_of(a, words_a);
  std::optional<ConstWords> digits_b;
  if (b) digits_b = digits_of(*b, words_b);
  for (std::size_t k = 0; k < plan.primes; ++k) transform_product(k, digits_a, digits_b);
  resolve(join());
  deliver(product);
}

IntegerProduct::IntegerProduct(Index words_a, Index words_b, Comm comm, const IntegerOptions& options)
    : impl_(std::make_unique<detail::IntegerProductImpl>(words_a, words_b, std::move(comm), options)) {}
IntegerProduct::IntegerProduct(IntegerProduct&&) noexcept = default;
IntegerProduct& IntegerProduct::operator=(IntegerProduct&&) noexcept = default;
IntegerProduct::~IntegerProduct() = default;

Index IntegerProduct::first_word() const { return impl_->first_word; }
Index IntegerProduct::local_words() const { return impl_->scratch.size(); }
Index IntegerProduct::words() const { return impl_->plan.shape.R * impl_->plan.row_words(); }

void IntegerProduct::multiply(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                              std::span<std::uint64_t> product) {
  impl_->multiply(a, b, product);
}

void IntegerProduct::square(std::span<const std::uint64_t> a, std::span<std::uint64_t> product) {
  impl_->multiply(a, std::nullopt, product);
}

std::string IntegerProduct::explanation() const {
  const DigitPlan& plan = impl_->plan;
  constexpr const char* words[] = {"digits of 64 bits", "digits of 56 bits", "times 18 decimal digits"};
  return fmt::format("{}x{} {} modulo {} primes; {}", plan.shape.R, plan.shape.Q, words[at(plan.kind)], plan.primes,
                     impl_->ntts[0].plan().explanation());
}

Index IntegerProduct::words_sent() const {
  const auto sent = [&](const Plan& plan, Direction direction) {
    return plan.traffic(impl_->comm.rank(), direction).words;
  };
  Index words = 0;
  for (const TwistedNtt& ntt : impl_->ntts)
    words += 2 * sent(ntt.plan(), Direction::forward) + sent(ntt.plan(), Direction::backward);
  if (impl_->redistribution)
    words += 4 * sent(impl_->redistribution->plan(), Direction::forward) +
             2 * sent(impl_->redistribution->plan(), Direction::backward);  // its words are pairs
  return words;
}

std::size_t IntegerProduct::memory_bytes() const {
  const detail::IntegerProductImpl& held = *impl_;
  Index words = held.scratch.size() + held.words_a.size() + held.words_b.size() + held.digits.size() +
                held.spectrum_a.size() + held.spectrum_b.size();
  for (const Array<double>& product : held.products) words += product.size();
  for (const TwistedNtt& ntt : held.ntts) words += ntt.workspace_words();
  return at(words) * sizeof(std::uint64_t);
}

void IntegerProduct::record(Trace* trace) {
  for (TwistedNtt& ntt : impl_->ntts) ntt.record(trace);
}

}  // namespace kallima
