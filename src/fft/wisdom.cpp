#include "kallima/wisdom.hpp"

#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "fft/impl.hpp"
#include "fft/wisdom_book.hpp"
#include "transport/cache_file.hpp"
#include "transport/host.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;
using Book = std::map<std::string, std::map<std::string, double>>;  // seconds, by machine and problem, by route

constexpr const char* wisdom_file = "wisdom.json";

Book book_of(const std::string& json) {
  try {
    Book book = Json::parse(json).at("wisdom").get<Book>();
    for (const auto& [key, seconds] : book)
      for (const auto& [route, time] : seconds)
        require(time > 0, "{} s by {} for '{}' make no sense", time, route, key);
    return book;
  } catch (const Json::exception& error) {
    fail("this is no wisdom of Kallima's: {}", error.what());
  }
}

std::string text_of(const Book& book) {
  return Json{{"about", "seconds of transforms by route, by machine and problem"}, {"wisdom", book}}.dump(1) + "\n";
}

void merge(Book& into, const Book& more) {
  for (const auto& [key, seconds] : more)
    for (const auto& [route, time] : seconds) {
      double& known = into[key].try_emplace(route, time).first->second;
      known = std::min(known, time);
    }
}

// Ranks may be threads, which plan at once. A file that makes no sense is as good as none.
struct WisdomBook {
  WisdomBook() {
    const std::string path = cache_path(wisdom_file);
    const std::string text = cache_is_off() || path.empty() ? "" : read_cached(path);
    try {
      if (!text.empty()) book = book_of(text);
    } catch (const Error& error) {
      std::fprintf(stderr, "kallima: %s is of no use (%s) remove it\n", path.c_str(), error.what());
    }
  }
  std::mutex mutex;
  Book book;
};

WisdomBook& the_book() {
  static WisdomBook one;
  return one;
}

// A machine is known by the family of its name and its processor's instructions.
std::string key_of(const Problem& problem, int ranks, const PlanOptions& options) {
  std::string key = fmt::format("{} {} {} cores", host_family(host_name()), instruction_set(), machine_cores());
  key += fmt::format(", {} ranks by {}, {}", ranks, options.exchange == Exchange::views ? "views" : "messages",
                     options.placement == Placement::in_place ? "in place" : "out of place");
  for (const auto& [name, value] : arguments_of(checked(problem))) key += fmt::format(", {} {}", name, value);
  return key;
}

}  // namespace

std::string export_wisdom() {
  const std::lock_guard lock(the_book().mutex);
  return text_of(the_book().book);
}

void import_wisdom(const std::string& json) {
  const Book more = book_of(json);
  const std::lock_guard lock(the_book().mutex);
  merge(the_book().book, more);
}

void forget_wisdom() {
  const std::lock_guard lock(the_book().mutex);
  the_book().book.clear();
}

std::map<std::string, double> wisdom_of(const Problem& problem, int ranks, const PlanOptions& options) {
  const std::string key = key_of(problem, ranks, options);
  const std::lock_guard lock(the_book().mutex);
  const auto found = the_book().book.find(key);
  return found == the_book().book.end() ? std::map<std::string, double>() : found->second;
}

// What other processes have kept since, or are about to keep, is not lost.
void learn_wisdom(const Problem& problem, int ranks, const PlanOptions& options,
                  const std::map<std::string, double>& seconds) {
  const std::string key = key_of(problem, ranks, options), path = cache_path(wisdom_file);
  const std::lock_guard lock(the_book().mutex);
  merge(the_book().book, {{key, seconds}});
  if (cache_is_off() || path.empty()) return;
  try {
    const CacheLock others_wait(path);
    Book all = the_book().book;
    if (const std::string before = read_cached(path); !before.empty()) merge(all, book_of(before));
    write_beside(path, text_of(all));
  } catch (const Error& error) {
    std::fprintf(stderr, "kallima: %s\n", error.what());
  }
}

}  // namespace kallima
