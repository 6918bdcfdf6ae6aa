// Both methods sort what a rank has, and differ in what travels. Sample: for the end of each rank's part the key is
// found that as many keys lie before as the parts up to it are long, by halving all keys' range and counting on all
// ranks; of keys equal to it the lowest ranks give theirs first. Bitonic: two ranks of a comparator swap parts, one
// keeps the smaller half of both and one the larger, and each sends what the other wants first, so that merging begins
// with the first piece and the rest travels meanwhile.

#include "kallima/sort.hpp"

#include <chrono>
#include <limits>
#include <map>
#include <numeric>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "network/local_sort.hpp"

namespace kallima {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Sends every rank its blocks in the order in which they were given, few at a time: all at once they would arrive all
// at the end. Ranks do not wait for one another's turn, since they may merge what they get in any order.
class Outbox {
 public:
  Outbox(Transport& transport, SortReport& report) : transport_(transport), report_(report) {}

  void send(int to, int tag, std::span<const std::byte> block) { queues_[to].blocks.push_back({tag, block}); }

  // Sees to messages: to be called every few microseconds of work.
  void poll() {
    transport_.progress();
    for (auto& [to, queue] : queues_) poll(to, queue);
  }

  // Waits for a message that comes, and tells how long.
  void wait_for(Request request) {
    wait_until([&] { return transport_.test(request); });
  }
  void wait_for_all_sent() {
    wait_until([&] {
      return std::ranges::all_of(queues_, [](const auto& q) { return q.second.done == q.second.blocks.size(); });
    });
  }

  Transport& transport() { return transport_; }

 private:
  void wait_until(const auto& there) {
    poll();
    if (there()) return;
    const auto begin = Clock::now();
    while (!there()) {
      transport_.idle();
      poll();
    }
    report_.waiting_seconds += seconds_since(begin);
  }

  struct PiecesForPeer {
    std::vector<std::pair<int, std::span<const std::byte>>> blocks = {};  // and their tags
    std::vector<Request> requests = {};                                   // of the first of them
    std::size_t done = 0;
  };

  void poll(int to, PiecesForPeer& q) {
    constexpr std::size_t most_under_way = 3;
    for (; q.done < q.requests.size() && transport_.test(q.requests[q.done]); ++q.done)
      transport_.release(q.requests[q.done]);
    while (q.requests.size() < q.blocks.size() && q.requests.size() - q.done < most_under_way) {
      const auto& [tag, block] = q.blocks[q.requests.size()];
      q.requests.push_back(transport_.post_send(to, tag, block));
    }
  }

  Transport& transport_;
  SortReport& report_;
  std::map<int, PiecesForPeer> queues_;  // by rank
};

// Parts travel in pieces, so that merging begins with the first of them.
constexpr std::size_t pieces_of_part = 16;
constexpr std::size_t keys_between_polls = 4096;  // some ten microseconds of merging

std::vector<std::pair<std::size_t, std::size_t>> pieces_of(std::size_t count) {
  const std::size_t number = std::clamp<std::size_t>(count / keys_between_polls, 1, pieces_of_part);
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t k = 0; k < number; ++k) pieces.emplace_back(count * k / number, count * (k + 1) / number);
  return pieces;
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

// What another rank sends, in pieces, in order: keys can be read as far as they are there.
template <class Key>
class ArrivingRun {
 public:
  ArrivingRun() = default;
  explicit ArrivingRun(std::span<Key> keys) : keys_(keys), there_(keys.size()) {}  // that are there, and stay
  explicit ArrivingRun(Array<Key> keys) : memory_(std::move(keys)), keys_(memory_.span()), there_(keys_.size()) {}
  explicit ArrivingRun(std::size_t count) : memory_(static_cast<Index>(count)), keys_(memory_.span()) {}

  void receive(Transport& transport, int from) {
    for (const auto& [begin, end] : pieces_of(keys_.size()))
      receives_.push_back(transport.post_recv(from, static_cast<int>(receives_.size()),
                                              std::as_writable_bytes(keys_.subspan(begin, end - begin))));
  }

  std::size_t size() const { return keys_.size(); }
  std::span<const Key> keys() const { return keys_; }
  std::size_t there() const { return there_; }

  void wait_for_more(Outbox& outbox) {
    const auto [begin, end] = pieces_of(keys_.size())[next_];
    const Request request = receives_[next_++];
    outbox.wait_for(request);
    const auto* const data = reinterpret_cast<const Key*>(outbox.transport().data(request));
    if (data != keys_.data() + begin)
      std::copy_n(data, end - begin, keys_.data() + begin);  // it was read where it stood
    outbox.transport().release(request);
    there_ = end;
  }
  void wait_for_all(Outbox& outbox) {
    while (next_ < receives_.size()) wait_for_more(outbox);
  }

 private:
  Array<Key> memory_;  // of what is not the caller's
  std::span<Key> keys_;
  std::vector<Request> receives_;
  std::size_t next_ = 0, there_ = 0;
};

// Sorted runs that are merged two by two, the shortest first, as their keys arrive.
template <class Key>
class MergedRuns {
 public:
  explicit MergedRuns(Outbox& outbox) : outbox_(outbox) {}

  void add(ArrivingRun<Key> run) {
    runs_.push_back(std::move(run));
    while (runs_.size() > 1 && runs_[runs_.size() - 2].size() <= runs_.back().size()) merge_last();
  }
  ArrivingRun<Key> all() {
    while (runs_.size() > 1) merge_last();
    runs_.front().wait_for_all(outbox_);
    return std::move(runs_.front());
  }

 private:
  void merge_last() {
    ArrivingRun<Key> b = std::move(runs_.back());
    runs_.pop_back();
    ArrivingRun<Key>& a = runs_.back();
    Array<Key> both(static_cast<Index>(a.size() + b.size()));
    std::size_t i = 0, j = 0, k = 0;
    while (i < a.size() && j < b.size()) {
      if (i == a.there()) a.wait_for_more(outbox_);
      if (j == b.there()) b.wait_for_more(outbox_);
      const std::size_t until = k + std::min({keys_between_polls, a.there() - i, b.there() - j});
      for (; k < until; ++k) {
        const Key x = a.keys()[i], y = b.keys()[j];
        both[static_cast<Index>(k)] = y < x ? y : x;
        j += y < x ? 1 : 0;
        i += y < x ? 0 : 1;
      }
      outbox_.poll();
    }
    a.wait_for_all(outbox_);
    b.wait_for_all(outbox_);
    auto* const rest = std::copy(a.keys().begin() + static_cast<Index>(i), a.keys().end(), both.begin() + k);
    std::copy(b.keys().begin() + static_cast<Index>(j), b.keys().end(), rest);
    a = ArrivingRun<Key>(std::move(both));
  }

  Outbox& outbox_;
  std::vector<ArrivingRun<Key>> runs_;
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
  std::vector<ArrivingRun<Key>> arriving(ranks);
  together(transport, [&] {
    for (std::size_t r = 0; r < ranks; ++r)
      if (r != me) arriving[r] = ArrivingRun<Key>(range(r, me).second);
  });
  Outbox outbox(transport, report);
  for (std::size_t j = 1; j < ranks; ++j) {
    const std::size_t from = (me + ranks - j) % ranks, to = (me + j) % ranks;
    arriving[from].receive(transport, static_cast<int>(from));
    const auto [begin, count] = range(me, to);
    int tag = 0;
    for (const auto& [first, last] : pieces_of(count))
      outbox.send(static_cast<int>(to), tag++, std::as_bytes(keys.subspan(begin + first, last - first)));
    report.sent += static_cast<Index>(count);
  }
  outbox.poll();
  const auto [begin, count] = range(me, me);
  MergedRuns<Key> runs(outbox);
  runs.add(ArrivingRun<Key>(keys.subspan(begin, count)));
  for (std::size_t j = 1; j < ranks; ++j) runs.add(std::move(arriving[(me + ranks - j) % ranks]));
  const ArrivingRun<Key> sorted = runs.all();
  outbox.wait_for_all_sent();
  std::ranges::copy(sorted.keys(), keys.begin());
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

// One comparator. The keys that the other rank wants first are sent first: the smallest to the one that keeps these.
template <class Key>
class Swap {
 public:
  Swap(Outbox& outbox, std::span<const Key> mine, std::span<Key> theirs, bool keeps_low, int peer, int tag)
      : outbox_(outbox), mine_(mine), theirs_(theirs), keeps_low_(keeps_low) {
    const std::size_t n = mine.size();
    for (const auto& [begin, end] : pieces_of(n)) {
      const auto piece = [&, first = begin, last = end](bool from_front) {
        return from_front ? std::pair(first, last) : std::pair(n - last, n - first);
      };
      const auto [first, last] = piece(keeps_low_);
      places_.push_back({first, last});
      receives_.push_back(
          outbox.transport().post_recv(peer, tag, std::as_writable_bytes(theirs.subspan(first, last - first))));
      const auto [from, to] = piece(!keeps_low_);
      outbox.send(peer, tag++, std::as_bytes(mine.subspan(from, to - from)));
    }
    outbox.poll();
  }

  void merge_into(std::span<Key> kept, SortReport& report) {
    std::size_t i = 0, j = 0;  // taken of both, from the end that counts
    const std::size_t n = kept.size();
    const auto place = [&](std::size_t k) { return keeps_low_ ? k : n - 1 - k; };
    std::size_t there = 0;
    for (std::size_t k = 0; k < n; ++k) {
      while (j >= there && there < n) there = receive_next();
      if (k % keys_between_polls == 0) outbox_.poll();
      const Key x = mine_[place(i)], y = theirs_[place(j)];
      const bool takes_mine = keeps_low_ ? x <= y : x >= y;
      kept[place(k)] = takes_mine ? x : y;
      takes_mine ? ++i : ++j;
    }
    while (next_ < receives_.size()) receive_next();
    outbox_.wait_for_all_sent();
    report.sent += static_cast<Index>(n);
  }

 private:
  std::size_t receive_next() {  // how many keys are there then
    const auto [begin, end] = places_[next_];
    const Request request = receives_[next_++];
    outbox_.wait_for(request);
    const auto* const data = reinterpret_cast<const Key*>(outbox_.transport().data(request));
    if (data != theirs_.data() + begin) std::copy_n(data, end - begin, theirs_.data() + begin);
    outbox_.transport().release(request);
    return keeps_low_ ? end : theirs_.size() - begin;
  }

  Outbox& outbox_;
  std::span<const Key> mine_;
  std::span<Key> theirs_;
  bool keeps_low_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;
  std::vector<Request> receives_;
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
    Outbox outbox(transport, report);
    Swap<Key>(outbox, mine.span(), theirs.span(), keeps_low, keeps_low ? c.high : c.low, tag)
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
