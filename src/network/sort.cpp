// Both methods sort what a rank has, and differ in what travels. Sample: for the end of each rank's part the key is
// found that as many keys lie before as the parts up to it are long, by halving all keys' range and counting on all
// ranks; of keys equal to it the lowest ranks give theirs first. Bitonic: two ranks of a comparator swap parts, one
// keeps the smaller half of both and one the larger, and each sends what the other wants first, so that merging begins
// with the first piece and the rest travels meanwhile.

#include "kallima/sort.hpp"

#include <chrono>
#include <limits>
#include <numeric>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "network/local_sort.hpp"

namespace kallima {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Waits for a message, and tells how long.
void wait_for(Transport& transport, Request request, SortReport& report) {
  if (transport.test(request)) return;
  const auto begin = Clock::now();
  while (!transport.test(request)) transport.idle();
  report.waiting_seconds += seconds_since(begin);
}

// ---- sample ----

// Before which of a rank's sorted keys each part ends; by rank, and then by part.
template <class Key>
std::vector<Index> exact_splits(Transport& transport, std::span<const Key> keys, const std::vector<Index>& ends) {
  const std::size_t parts = ends.size(), ranks = at(transport.size());
  std::vector<Key> low(parts, 0);  // the largest key with no more keys before it than the part's end
  const auto counted = [&](const std::vector<Key>& of, bool up_to) {
    std::vector<Index> mine(parts), all(parts * ranks);
    for (std::size_t r = 0; r < parts; ++r) {
      const auto place =
          up_to ? std::upper_bound(keys.begin(), keys.end(), of[r]) : std::lower_bound(keys.begin(), keys.end(), of[r]);
      mine[r] = place - keys.begin();
    }
    transport.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    return all;
  };
  for (int bit = 8 * static_cast<int>(sizeof(Key)); bit-- > 0;) {
    std::vector<Key> tried = low;
    for (Key& key : tried) key |= Key{1} << bit;
    const std::vector<Index> before = counted(tried, false);
    for (std::size_t r = 0; r < parts; ++r) {
      Index sum = 0;
      for (std::size_t rank = 0; rank < ranks; ++rank) sum += before[rank * parts + r];
      if (sum <= ends[r]) low[r] = tried[r];
    }
  }
  std::vector<Index> splits = counted(low, false);
  const std::vector<Index> up_to = counted(low, true);
  for (std::size_t r = 0; r < parts; ++r) {
    Index missing = ends[r];
    for (std::size_t rank = 0; rank < ranks; ++rank) missing -= splits[rank * parts + r];
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const Index taken = std::min(missing, up_to[rank * parts + r] - splits[rank * parts + r]);
      splits[rank * parts + r] += taken;
      missing -= taken;
    }
  }
  return splits;
}

// Sorted runs that are merged two by two, the shortest first, while others are on their way.
template <class Key>
class MergedRuns {
 public:
  void add(std::vector<Key> run) {
    runs_.push_back(std::move(run));
    while (runs_.size() > 1 && runs_[runs_.size() - 2].size() <= runs_.back().size()) merge_last();
  }
  std::vector<Key> all() {
    while (runs_.size() > 1) merge_last();
    return runs_.empty() ? std::vector<Key>{} : std::move(runs_.front());
  }

 private:
  void merge_last() {
    const std::vector<Key> last = std::move(runs_.back());
    runs_.pop_back();
    std::vector<Key> both(runs_.back().size() + last.size());
    std::ranges::merge(runs_.back(), last, both.begin());
    runs_.back() = std::move(both);
  }
  std::vector<std::vector<Key>> runs_;
};

template <class Key>
void sample_sort(Transport& transport, std::span<Key> keys, const std::vector<Index>& sizes, SortReport& report) {
  const std::size_t ranks = sizes.size(), me = at(transport.rank());
  std::vector<Index> ends(ranks);
  std::partial_sum(sizes.begin(), sizes.end(), ends.begin());
  const std::vector<Index> splits = exact_splits<Key>(transport, keys, ends);
  const auto range = [&](std::size_t from, std::size_t to) {  // of what one rank sends another
    const Index begin = to == 0 ? 0 : splits[from * ranks + to - 1];
    return std::pair(at(begin), at(splits[from * ranks + to] - begin));
  };
  std::vector<std::vector<Key>> landings(ranks);
  together(transport, [&] {
    for (std::size_t r = 0; r < ranks; ++r)
      if (r != me) landings[r].resize(range(r, me).second);
  });
  std::vector<Request> sends, receives(ranks);
  for (std::size_t j = 1; j < ranks; ++j) {
    const std::size_t from = (me + ranks - j) % ranks, to = (me + j) % ranks;
    receives[from] = transport.post_recv(static_cast<int>(from), 0, std::as_writable_bytes(std::span(landings[from])));
    const auto [begin, count] = range(me, to);
    sends.push_back(transport.post_send(static_cast<int>(to), 0, std::as_bytes(keys.subspan(begin, count))));
    report.sent += static_cast<Index>(count);
  }
  const auto [begin, count] = range(me, me);
  MergedRuns<Key> runs;
  runs.add(
      std::vector<Key>(keys.begin() + static_cast<Index>(begin), keys.begin() + static_cast<Index>(begin + count)));
  for (std::size_t j = 1; j < ranks; ++j) {
    const std::size_t from = (me + ranks - j) % ranks;
    wait_for(transport, receives[from], report);
    const auto* const data = reinterpret_cast<const Key*>(transport.data(receives[from]));
    std::vector<Key> run = std::move(landings[from]);
    if (data != run.data()) run.assign(data, data + run.size());  // it was read where it stood
    transport.release(receives[from]);
    runs.add(std::move(run));
  }
  for (const Request send : sends) {
    wait_for(transport, send, report);
    transport.release(send);
  }
  std::ranges::copy(runs.all(), keys.begin());
}

// ---- bitonic ----

struct Comparator {
  int low, high;  // the ranks that keep the smaller and the larger keys
};

void list_merge(std::vector<Comparator>& network, int first, int count, bool rising) {
  if (count < 2) return;
  const int half = static_cast<int>(std::bit_ceil(static_cast<unsigned>(count))) / 2;
  for (int i = first; i + half < first + count; ++i)
    network.push_back(rising ? Comparator{i, i + half} : Comparator{i + half, i});
  list_merge(network, first, half, rising);
  list_merge(network, first + half, count - half, rising);
}

void list_sort(std::vector<Comparator>& network, int first, int count, bool rising) {
  if (count < 2) return;
  const int half = count / 2;
  list_sort(network, first, half, !rising);
  list_sort(network, first + half, count - half, rising);
  list_merge(network, first, count, rising);
}

std::vector<Comparator> bitonic_network(int ranks) {
  std::vector<Comparator> network;
  list_sort(network, 0, ranks, true);
  return network;
}

constexpr std::size_t pieces_of_part = 16;

// One comparator. The keys that the other rank wants first are sent first: the smallest to the one that keeps these.
template <class Key>
class Swap {
 public:
  Swap(Transport& transport, std::span<const Key> mine, std::span<Key> theirs, bool keeps_low, int peer, int tag)
      : transport_(transport), mine_(mine), theirs_(theirs), keeps_low_(keeps_low) {
    const std::size_t n = mine.size();
    for (std::size_t k = 0; k < pieces_of_part; ++k) {
      const auto piece = [&](bool from_front) {
        const std::size_t begin = n * k / pieces_of_part, end = n * (k + 1) / pieces_of_part;
        return from_front ? std::pair(begin, end) : std::pair(n - end, n - begin);
      };
      const auto [begin, end] = piece(keeps_low_);
      places_.push_back({begin, end});
      receives_.push_back(transport.post_recv(peer, tag + static_cast<int>(k),
                                              std::as_writable_bytes(theirs.subspan(begin, end - begin))));
      const auto [first, last] = piece(!keeps_low_);
      sends_.push_back(
          transport.post_send(peer, tag + static_cast<int>(k), std::as_bytes(mine.subspan(first, last - first))));
    }
  }

  void merge_into(std::span<Key> kept, SortReport& report) {
    std::size_t i = 0, j = 0;  // taken of both, from the end that counts
    const std::size_t n = kept.size();
    const auto place = [&](std::size_t k) { return keeps_low_ ? k : n - 1 - k; };
    std::size_t there = 0;
    for (std::size_t k = 0; k < n; ++k) {
      while (j >= there && there < n) there = receive_next(report);
      const Key x = mine_[place(i)], y = theirs_[place(j)];
      const bool takes_mine = keeps_low_ ? x <= y : x >= y;
      kept[place(k)] = takes_mine ? x : y;
      takes_mine ? ++i : ++j;
    }
    while (next_ < receives_.size()) receive_next(report);
    for (const Request send : sends_) {
      wait_for(transport_, send, report);
      transport_.release(send);
    }
    report.sent += static_cast<Index>(n);
  }

 private:
  std::size_t receive_next(SortReport& report) {  // how many keys are there then
    const auto [begin, end] = places_[next_];
    const Request request = receives_[next_++];
    wait_for(transport_, request, report);
    const auto* const data = reinterpret_cast<const Key*>(transport_.data(request));
    if (data != theirs_.data() + begin) std::copy_n(data, end - begin, theirs_.data() + begin);
    transport_.release(request);
    return keeps_low_ ? end : theirs_.size() - begin;
  }

  Transport& transport_;
  std::span<const Key> mine_;
  std::span<Key> theirs_;
  bool keeps_low_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;
  std::vector<Request> receives_, sends_;
  std::size_t next_ = 0;
};

// What is missing in the last parts is filled with the largest keys, which come back to them.
template <class Key>
void bitonic_sort(Transport& transport, std::span<Key> keys, const std::vector<Index>& sizes, SortReport& report) {
  const Index longest = std::ranges::max(sizes);
  const auto shorter = std::ranges::find_if(sizes, [&](Index size) { return size < longest; });
  require(
      shorter == sizes.end() || std::all_of(shorter + 1, sizes.end(), [](Index size) { return size == 0; }),
      "a bitonic sort needs parts of {} numbers, but for the last that has any (rank {} has {}): use Layout::slabs, "
      "or SortMethod::sample",
      longest, shorter - sizes.begin(), shorter == sizes.end() ? 0 : *shorter);
  Array<Key> mine, theirs, kept;
  together(transport, [&] {
    for (Array<Key>* const array : {&mine, &theirs, &kept}) *array = Array<Key>(longest);
  });
  std::ranges::copy(keys, mine.begin());
  std::fill(mine.begin() + keys.size(), mine.end(), std::numeric_limits<Key>::max());
  int tag = 0;  // of each comparator's first piece
  for (const Comparator& c : bitonic_network(transport.size())) {
    tag += static_cast<int>(pieces_of_part);
    if (c.low != transport.rank() && c.high != transport.rank()) continue;
    const bool keeps_low = c.low == transport.rank();
    Swap<Key>(transport, mine.span(), theirs.span(), keeps_low, keeps_low ? c.high : c.low, tag)
        .merge_into(kept.span(), report);
    std::swap(mine, kept);
  }
  std::copy_n(mine.begin(), keys.size(), keys.begin());
}

template <class T>
std::string text_of_numbers() {
  return fmt::format("{} of {} bits",
                     std::is_floating_point_v<T> ? "floating-point numbers"
                     : std::is_signed_v<T>       ? "integers"
                                                 : "naturals",
                     8 * sizeof(T));
}

}  // namespace

Index bitonic_rounds(int ranks, int rank) {
  Index rounds = 0;
  for (const Comparator& c : bitonic_network(ranks)) rounds += c.low == rank || c.high == rank ? 1 : 0;
  return rounds;
}

template <class T>
SortReport sort(std::span<T> part, const Comm& comm, SortMethod method) {
  static const std::string* const call = call_name("sorting");
  comm.transport().announce({call});
  const std::unique_ptr<Transport> transport = comm.transport().duplicate();
  agree(*transport,
        {{"method", method == SortMethod::sample ? "sample" : "bitonic"}, {"numbers", text_of_numbers<T>()}});
  const std::vector<Index> sizes = gathered(*transport, static_cast<Index>(part.size()));
  SortReport report;
  const auto begin = Clock::now();
  const std::span<KeyOf<T>> keys(reinterpret_cast<KeyOf<T>*>(part.data()), part.size());
  together(*transport, [&] {
    std::ranges::transform(part, keys.begin(), key_of<T>);
    sort_locally(keys);
  });
  report.local_seconds = seconds_since(begin);
  if (comm.size() > 1 && method == SortMethod::sample) sample_sort(*transport, keys, sizes, report);
  if (comm.size() > 1 && method == SortMethod::bitonic) bitonic_sort(*transport, keys, sizes, report);
  std::ranges::transform(keys, part.begin(), value_of_key<T>);
  report.total_seconds = seconds_since(begin);
  return report;
}

template SortReport sort(std::span<std::int32_t>, const Comm&, SortMethod);
template SortReport sort(std::span<std::int64_t>, const Comm&, SortMethod);
template SortReport sort(std::span<std::uint32_t>, const Comm&, SortMethod);
template SortReport sort(std::span<std::uint64_t>, const Comm&, SortMethod);
template SortReport sort(std::span<float>, const Comm&, SortMethod);
template SortReport sort(std::span<double>, const Comm&, SortMethod);

}  // namespace kallima
