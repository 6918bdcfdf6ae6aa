#pragma once
// Where ranks of one communicator, and of all that are made of it, compare their calls (calls.hpp) by MPI. A rank that
// has waited for long states what it waits in to a few others, of which those that wait, too, object if they were
// somewhere else at that time. It is then sure that both wait, for what never comes, and the job is ended. Who does not
// wait for long neither sends nor looks, and a rank that is done with its work answers from within MPI_Finalize.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "transport/calls.hpp"
#include "transport/mpi_check.hpp"

namespace kallima {

class Desk {
 public:
  using Clock = std::chrono::steady_clock;

  // Of these ranks, by a name that they share and others do not. Takes `comm` over.
  Desk(MPI_Comm comm, std::uint64_t name) : comm_(comm), name_(name), rank_(mpi_rank(comm)), size_(mpi_size(comm)) {
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    for (int step = 1; step < size_; step *= 2)
      for (const int peer : {rank_ + step, rank_ - step + size_}) neighbours_.insert(peer % size_);
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  MPI_Comm comm() const { return comm_; }

  std::uint64_t announce(const Call& call) {
    const std::lock_guard lock(mutex);
    Now& now = current();
    now.orderly = now.orderly && (now.desk == nullptr || now.thread == std::this_thread::get_id());
    now.thread = std::this_thread::get_id();
    now.desk = this;
    now.compared = false;
    now.since = {};
    return calls_.add(call);
  }
  std::string text_of_last() const { return calls_.text_of_last(); }

  // To be called now and then by a rank that waits.
  static void look_up() {
    const std::unique_lock lock(mutex, std::try_to_lock);
    Now& now = current();
    if (!lock || !now.orderly || now.desk == nullptr) return;
    if (now.since == Clock::time_point{}) now.since = Clock::now();
    if (Clock::now() - now.since < long_wait) return;
    if (!std::exchange(now.compared, true)) now.desk->state();
    for (const auto& [name, desk] : all) desk->listen(*now.desk);
  }

  // When all ranks are there, a last time: what was said and not heard must not be left in MPI. Collective.
  void close() {
    if (any_rank(comm_, spoke_)) {
      for (const int peer : neighbours_) say(peer, {.kind = Word::goodbye});
      for (std::size_t gone = 0; gone < neighbours_.size();) gone += hear(MPI_ANY_SOURCE).kind == Word::goodbye ? 1 : 0;
      for (Said& it : said_) MPI_Wait(&it.request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm_);
    current().desk = nullptr;
  }

  static inline std::map<std::uint64_t, std::unique_ptr<Desk>> all;  // by name: one order on all ranks

 private:
  struct Word {
    enum Kind : std::int32_t { statement, objection, elsewhere, goodbye };
    Kind kind = statement;
    std::int32_t from = 0;
    std::uint64_t number = 0;          // of the call that the statement is about
    std::uint64_t desk = 0, call = 0;  // where an objector waits instead
    std::uint64_t hash = 0;
    char text[200] = "";
  };
  struct Said {
    Word word;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Now {  // what this process is in
    Desk* desk = nullptr;
    Clock::time_point since = {};
    bool compared = false;
    bool orderly = true;  // calls of several threads have no order
    std::thread::id thread = {};
  };

  static Now& current() {
    static Now now;
    return now;
  }

  Word word_of(Word::Kind kind, std::uint64_t number, const std::string& what) const {
    Word word{.kind = kind, .from = rank_, .number = number, .hash = hash(what)};
    std::strncpy(word.text, what.c_str(), sizeof word.text - 1);
    return word;
  }

  void say(int peer, const Word& word) {
    spoke_ = true;
    std::erase_if(said_, [](Said& it) {
      int over = 0;
      MPI_Test(&it.request, &over, MPI_STATUS_IGNORE);
      return over != 0;
    });
    Said& it = said_.emplace_back(Said{word});
    MPI_Isend(&it.word, sizeof it.word, MPI_BYTE, peer, 0, comm_, &it.request);
  }

  Word hear(int peer) const {
    Word word;
    check_mpi(MPI_Recv(&word, sizeof word, MPI_BYTE, peer, 0, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    return word;
  }

  void state() {
    for (const int peer : neighbours_) say(peer, word_of(Word::statement, calls_.made(), text_of_last()));
  }

  void listen(const Desk& waits) {  // `waits`: where this rank does
    for (int there = 1; there != 0;) {
      check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
      if (there == 0) return;
      const Word word = hear(MPI_ANY_SOURCE);
      if (word.kind == Word::statement)
        answer(word, waits);
      else if (&waits == this && calls_.made() == word.number)
        judge(word);
    }
  }

  void answer(const Word& statement, const Desk& waits) {
    const auto mine = calls_.at(statement.number);
    if (mine && hash(text(*mine)) != statement.hash)
      say(statement.from, word_of(Word::objection, statement.number, text(*mine)));
    if (&waits == this || statement.number <= calls_.made()) return;
    Word word = word_of(Word::elsewhere, statement.number, waits.text_of_last());
    word.desk = waits.name_;
    word.call = waits.calls_.made();
    say(statement.from, word);
  }

  // Somebody who waits elsewhere waits for this rank only if it has yet to come there.
  void judge(const Word& word) const {
    if (word.kind == Word::elsewhere) {
      const auto desk = all.find(word.desk);
      if (desk == all.end() || desk->second->calls_.made() >= word.call) return;
    }
    const std::string why = difference(rank_, text_of_last(), word.from, word.text);
    std::fprintf(stderr, "kallima: rank %d: %s\n", rank_, why.c_str());
    std::fflush(nullptr);
    MPI_Abort(comm_, 1);
    std::_Exit(1);
  }

  static inline std::mutex mutex;
  MPI_Comm comm_;
  std::uint64_t name_;
  int rank_, size_;
  std::set<int> neighbours_;  // at distances 1, 2, 4, ... both ways
  Calls calls_;
  std::list<Said> said_;
  bool spoke_ = false;
};

}  // namespace kallima
