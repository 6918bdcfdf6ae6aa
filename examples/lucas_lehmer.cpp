// Is 2^p - 1 prime? Lucas and Lehmer: with s = 4 and then s^2 - 2, p - 2 times, modulo 2^p - 1, it is where the last s
// is zero. The squares are products of integers that are dealt out to ranks; modulo 2^p - 1 the bits from p on are
// added to those below, which come from the ranks that have them. The test checks itself: 2^p - 1 divides what is left,
// or not, and which p have which answer is known.
//
//     example_lucas_lehmer [p [ranks]]        a few exponents on two ranks by default

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <kallima/integer.hpp>
#include <kallima/kallima.hpp>

using namespace kallima;

namespace {

using Words = std::vector<std::uint64_t>;

// What carries do over a rank's block: out, if none comes in, and whether one that comes in goes through.
struct BlockCarry {
  std::uint64_t out = 0, through = 0;
};

class Mersenne {
 public:
  Mersenne(Index p, const Comm& comm) : p_(p), comm_(comm), square_((p + 63) / 64, (p + 63) / 64, comm) {
    for (const Index first : gathered(comm.transport(), square_.first_word())) firsts_.push_back(first);
    firsts_.push_back(square_.words());
  }

  bool is_prime() {
    Words s(at(square_.local_words())), high(s.size());
    if (comm_.rank() == 0) s[0] = 4;
    for (Index i = 0; i < p_ - 2; ++i) {
      square_.square(s, s);
      fold(s, high);
      subtract_two(s);
    }
    fold(s, high);
    bool zero = true, ones = true;  // 2^p - 1 is zero, too
    for (std::size_t i = 0; i < s.size(); ++i) {
      zero = zero && s[i] == 0;
      ones = ones && s[i] == mask(square_.first_word() + static_cast<Index>(i));
    }
    const auto all = [&](bool mine) {
      bool every = true;
      for (const int each : gathered(comm_.transport(), mine ? 1 : 0)) every = every && each == 1;
      return every;
    };
    const bool are_zero = all(zero), are_ones = all(ones);
    return are_zero || are_ones;
  }

 private:
  // The bits of word i of 2^p - 1.
  std::uint64_t mask(Index i) const {
    if (64 * (i + 1) <= p_) return ~std::uint64_t{0};
    return 64 * i >= p_ ? 0 : (std::uint64_t{1} << (p_ % 64)) - 1;
  }

  // s modulo 2^p - 1, but for once: what is above bit p is added below. Twice, since that may carry to bit p.
  void fold(Words& s, Words& high) {
    for (int twice = 0; twice < 2; ++twice) {
      shift_down(s, high);
      for (std::size_t i = 0; i < s.size(); ++i) s[i] &= mask(square_.first_word() + static_cast<Index>(i));
      add(s, high);
    }
  }

  // high = s >> p: words from p/64 on, which other ranks have, and the one behind for its lower bits.
  void shift_down(const Words& s, Words& high) {
    const Index distance = p_ / 64, first = square_.first_word(), count = square_.local_words();
    Words from(at(count + 1));
    receive(s, first + distance, from);
    const int bits = static_cast<int>(p_ % 64);
    for (std::size_t i = 0; i < high.size(); ++i)
      high[i] = from[i] >> bits | (bits == 0 ? 0 : from[i + 1] << (64 - bits));
  }

  // The words from `begin` on, zeros behind the last: every rank sends each what it asks for.
  void receive(const Words& s, Index begin, Words& to) {
    Transport& transport = comm_.transport();
    const std::vector<Index> begins = gathered(transport, begin);
    const std::vector<Index> ends = gathered(transport, begin + static_cast<Index>(to.size()));
    const int me = comm_.rank(), ranks = comm_.size();
    const auto shared = [&](int owner, int asker) {
      return std::pair(std::max(firsts_[at(owner)], begins[at(asker)]),
                       std::min(firsts_[at(owner) + 1], ends[at(asker)]));
    };
    std::fill(to.begin(), to.end(), 0);
    std::vector<Request> requests;
    std::vector<Words> landings(at(ranks));
    for (int r = 0; r < ranks; ++r) {
      const auto [low, high] = shared(r, me);
      if (low >= high) continue;
      landings[at(r)].resize(at(high - low));
      requests.push_back(transport.post_recv(r, tag_, std::as_writable_bytes(std::span(landings[at(r)]))));
    }
    std::vector<Request> sends;
    for (int r = 0; r < ranks; ++r) {
      const auto [low, high] = shared(me, r);
      if (low < high)
        sends.push_back(transport.post_send(
            r, tag_, std::as_bytes(std::span(s).subspan(at(low - firsts_[at(me)]), at(high - low)))));
    }
    std::size_t next = 0;
    for (int r = 0; r < ranks; ++r) {
      if (landings[at(r)].empty()) continue;
      const Request request = requests[next++];
      while (!transport.test(request)) transport.idle();
      const auto* const data = reinterpret_cast<const std::uint64_t*>(transport.data(request));
      std::copy_n(data, landings[at(r)].size(), to.begin() + (shared(r, me).first - begin));
      transport.release(request);
    }
    for (const Request send : sends) {
      while (!transport.test(send)) transport.idle();
      transport.release(send);
    }
    tag_ = (tag_ + 1) % 1024;
  }

  // Adds a carry to this rank's words; whether one leaves them.
  static std::uint64_t ripple(Words& s, std::uint64_t carry) {
    for (std::size_t i = 0; i < s.size() && carry != 0; ++i) carry = ++s[i] == 0 ? 1 : 0;
    return carry;
  }

  // The carry that comes to this rank: what the blocks before do to none, one after the other.
  std::uint64_t carry_in(const BlockCarry& mine) {
    std::uint64_t carry = 0;
    const std::vector<BlockCarry> all = gathered(comm_.transport(), mine);
    for (int r = 0; r < comm_.rank(); ++r) carry = all[at(r)].out | (all[at(r)].through & carry);
    return carry;
  }

  void add(Words& s, const Words& other) {
    std::uint64_t carry = 0;
    bool ones = true;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const std::uint64_t sum = s[i] + other[i], more = sum < s[i] ? 1 : 0;
      s[i] = sum + carry;
      carry = more | (s[i] < sum ? 1 : 0);
      ones = ones && s[i] == ~std::uint64_t{0};
    }
    ripple(s, carry_in({carry, ones ? 1u : 0u}));
  }

  // Adds 2^p - 3, which is -2, and leaves the folding to the next one, for which there is room.
  void subtract_two(Words& s) {
    Words minus_two(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) minus_two[i] = mask(square_.first_word() + static_cast<Index>(i));
    if (comm_.rank() == 0) minus_two[0] -= 2;
    add(s, minus_two);
    Words high(s.size());
    fold(s, high);
  }

  Index p_;
  Comm comm_;
  IntegerProduct square_;
  std::vector<Index> firsts_;
  int tag_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<Index> exponents{61, 67, 127, 521, 523, 607, 1279};
  if (argc > 1) exponents = {std::atoll(argv[1])};
  const int ranks = argc > 2 ? std::atoi(argv[2]) : 2;
  bool right = true;
  for (const Index p : exponents)
    run_threads(ranks, [&](const Comm& comm) {
      const auto begin = std::chrono::steady_clock::now();
      const bool prime = Mersenne(p, comm).is_prime();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      if (comm.rank() != 0) return;
      std::printf("2^%lld - 1 is %s (%.2f s on %d ranks)\n", static_cast<long long>(p), prime ? "prime" : "not prime",
                  seconds.count(), ranks);
      const bool known = p == 61 || p == 127 || p == 521 || p == 607 || p == 1279;
      if (argc == 1) right = right && prime == known;
    });
  if (argc == 1) std::printf("%s\n", right ? "all as they should be" : "WRONG");
  return right ? 0 : 1;
}
