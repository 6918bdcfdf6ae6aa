#include "exact/rounded_product.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "exact/carries.hpp"
#include "exact/mersenne_check.hpp"
#include "exact/modular_product.hpp"
#include "fft/impl.hpp"

namespace kallima {
namespace {

constexpr double largest_distance = 0.3;  // that is rounded

// Where all ranks see each other's memory nothing is gained by exchanging a part at a time.
PlanOptions with_chunks(PlanOptions options, Transport& transport) {
  constexpr Index of_messages = 8;
  const std::vector<int> nodes = nodes_of(transport);
  const bool all_see_all = std::ranges::all_of(nodes, [&](int node) { return node == nodes.front(); });
  if (options.chunks == 0) options.chunks = all_see_all ? 1 : of_messages;
  options.placement = Placement::in_place;
  return options;
}

std::unique_ptr<detail::FftImpl> make_fft(const CoprimeShape& shape, const Comm& comm, const PlanOptions& options) {
  const auto planner = [shape, ranks = comm.size()](const PlanOptions& o) { return plan_coprime(shape, ranks, o); };
  const detail::FftImpl::Arguments what{{"digits", fmt::format("{}x{}x{}", shape.R1, shape.R2, shape.Q)}};
  return std::make_unique<detail::FftImpl>(planner, what, comm,
                                           FftOptions{.plan = with_chunks(options, comm.transport()),
                                                      .effort = Effort::estimate,
                                                      .backend = cpu_backend(Precision::double_)});
}

RowProducts rows_of(const CoprimeShape& shape, const Comm& comm) {
  const Progression mine = shape.rows(comm.size()).owned(comm.rank())[0];
  return {shape, mine.first, mine.first + mine.count};
}

}  // namespace

RoundedProduct::RoundedProduct(const RoundingPlan& plan, Index words_a, Index words_b, const Comm& comm,
                               const PlanOptions& options)
    : plan_(plan),
      comm_(comm),
      longest_a_(words_a),
      longest_b_(words_b),
      columns_(plan.shape.columns(comm.size()).local_shape(comm.rank())[2]),
      digits_(plan, columns_),
      rows_(rows_of(plan.shape, comm)),
      fft_(make_fft(plan.shape, comm, options)) {
  if (moves())
    redistribution_ =
        std::make_unique<Redistribution<double>>(plan_.blocks(comm_.size()), plan_.columns(comm_.size()), comm_);
  together(comm_.transport(), [&] {
    const int rank = comm_.rank();
    first_word_ = std::min(plan_.rows(), plan_.blocks(comm_.size()).owned(rank)[0].first) * plan_.row_words();
    result_ = Array<std::uint64_t>(plan_.blocks(comm_.size()).local_size(rank));
    words_ = Array<std::uint64_t>(plan_.columns(comm_.size()).local_size(rank) + 1);  // see RightAngle::split
    point_count_ = plan_.shape.columns(comm_.size()).local_size(rank);
    row_count_ = plan_.shape.rows(comm_.size()).local_size(rank);
    for (Array<Complex>* const array : {&a_, &b_}) *array = Array<Complex>(std::max(point_count_, row_count_));
  });
}

RoundedProduct::RoundedProduct(RoundedProduct&&) noexcept = default;
RoundedProduct::~RoundedProduct() = default;

// Along columns, and to rows.
void RoundedProduct::transform(ConstWords number, Index longest, const Array<Complex>& array) {
  const Words in_columns = words_.span().first(words_.span().size() - 1);
  add_halves(comm_.transport(), plan_.bits, number, moves() ? result_.span() : in_columns);
  if (moves()) redistribution_->run(as_doubles(ConstWords(result_.span())), as_doubles(in_columns));
  const bool upper = 64 * longest >= plan_.bits * plan_.shape.points();  // halves carry into the next digit
  digits_.split(words_.span(), upper, points(array));
  fft_->run(Direction::forward, std::as_bytes(points(array)), std::as_writable_bytes(rows(array)), Norm::none);
}

// Of the points, which are the product's: words, in blocks.
void RoundedProduct::make_result() {
  std::vector<Int128> carries(at(plan_.rows()));
  const Words in_columns = moves() ? words_.span().first(words_.span().size() - 1) : result_.span();
  distance_ = digits_.join(points(a_), in_columns, carries);
  const Index active = (plan_.shape.Q + plan_.shape.block - 1) / plan_.shape.block;
  const RowRuns runs{DigitKind::word, in_columns, columns_ * plan_.bits / 64, static_cast<int>(active)};
  resolve_carries(comm_.transport(), runs, carries);
  if (moves()) redistribution_->run_back(as_doubles(ConstWords(in_columns)), as_doubles(result_.span()));
}

bool RoundedProduct::is_right(const Residues& mine) {
  Residues sum{0, 0, 0, 0};
  for (const Residues& part : gathered(comm_.transport(), mine)) {
    sum.a = mersenne_sum(sum.a, part.a);
    sum.b = mersenne_sum(sum.b, part.b);
    sum.product = mersenne_sum(sum.product, part.product);
    sum.distance = std::max(sum.distance, part.distance);
  }
  distance_ = sum.distance;
  return sum.distance < largest_distance && mersenne_product(sum.a, sum.b) == sum.product;
}

bool RoundedProduct::multiply(ConstWords a, std::optional<ConstWords> b, Words product) {
  transform(a, longest_a_, a_);
  if (b) transform(*b, longest_b_, b_);
  rows_(rows(a_), rows(b ? b_ : a_));
  fft_->run(Direction::backward, std::as_bytes(rows(a_)), std::as_writable_bytes(points(a_)), Norm::none);
  make_result();
  const auto residue = [&](ConstWords words) { return mersenne_residue(words, first_word_); };
  const std::uint64_t of_a = residue(a);
  if (!is_right({of_a, b ? residue(*b) : of_a, residue(result_.span()), distance_})) return false;
  std::ranges::copy(result_, product.begin());
  return true;
}

std::string RoundedProduct::explanation() const {
  const CoprimeShape& shape = plan_.shape;
  return fmt::format("{}x{}x{} pairs of digits of {} bits in doubles, checked modulo 2^61 - 1; {}", shape.R1, shape.R2,
                     shape.Q, plan_.bits, fft_->programs->plan().explanation());
}

Index RoundedProduct::words_sent() const {
  const auto sent = [&](const Plan& plan, Direction direction) { return plan.traffic(comm_.rank(), direction).words; };
  const Plan& plan = fft_->programs->plan();
  Index pairs = 2 * sent(plan, Direction::forward) + sent(plan, Direction::backward);
  if (redistribution_)
    pairs += 2 * sent(redistribution_->plan(), Direction::forward) + sent(redistribution_->plan(), Direction::backward);
  return 2 * pairs;
}

std::size_t RoundedProduct::memory_bytes() const {
  return at(result_.size() + words_.size()) * sizeof(std::uint64_t) + at(a_.size() + b_.size()) * sizeof(Complex) +
         fft_->pipeline->bytes();
}

void RoundedProduct::record(Trace* trace) { fft_->record(trace); }

}  // namespace kallima
