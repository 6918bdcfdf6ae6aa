// A timeline that fits a terminal: each column stands for an equal share of the time and shows what its rank did for
// most of it, a letter for each stage and a dot for waiting. A second row shows when messages were under way, so that
// communication that is hidden stands below letters and exposed communication below dots.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include "base/check.hpp"
#include "draw/chart.hpp"
#include "draw/timelines.hpp"

namespace kallima {
namespace {

constexpr int max_ranks_with_messages = 16;  // beyond that, second rows hide more than they show
constexpr int shares_width = 21;             // three columns of figures at the right
constexpr int min_width = 10;
constexpr char waiting = '.', posting = ':', idle = ' ';
constexpr std::pair<char, const char*> marks[] = {
    {waiting, "waiting"}, {posting, "posting messages"}, {'>', "sending"}, {'<', "receiving"}, {'=', "both under way"}};

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:>6.0f}%", 100 * part / whole) : fmt::format("{:>7}", "-");
}

class TextTimeline {
 public:
  TextTimeline(const Trace& trace, int columns) : trace_(trace), columns_(columns) {}

  std::string draw() const {
    std::string rows;
    for (int rank = 0; rank < trace_.ranks; ++rank) rows += rank_rows(rank);
    const std::string title = trace_.title.empty() ? "" : trace_.title + "\n";
    const std::string head = fmt::format("{:{}}{:>7}{:>7}{:>7}\n", "", margin_ + width_ + 3, "work", "wait", "hidden");
    const std::string axis =
        fmt::format("{:{}}0{:>{}}\n", "", margin_ + 2, duration_text(all_.length(), trace_.unit), width_ - 1);
    return title + head + rows + axis + legend(rows);
  }

 private:
  std::string rank_rows(int rank) const {
    const RankTimes times = rank_times(trace_, rank);
    std::string rows =
        fmt::format("{:<{}} |{}|{}{}{}\n", fmt::format("rank {}", rank), margin_, work_row(rank),
                    percent(times.computing + times.copying, all_.length()), percent(times.waiting, all_.length()),
                    percent(times.hidden_share * times.communication, times.communication));
    const std::string messages = message_row(rank);
    if (trace_.ranks <= max_ranks_with_messages && messages.find_first_not_of(idle) != std::string::npos)
      rows += fmt::format("{:<{}} |{}|\n", "", margin_, messages);
    return rows;
  }

  // Tells what is covered of each column; an instant covers nothing of one, and is seen where nothing else is.
  void cover(const auto& timed, const auto& add) const {
    const double span = all_.length() > 0 ? all_.length() : std::numeric_limits<double>::infinity();
    const double from = std::clamp((timed.begin - all_.begin) / span * width_, 0.0, static_cast<double>(width_));
    const double to = std::clamp((timed.end - all_.begin) / span * width_, from, static_cast<double>(width_));
    const int first = std::min(static_cast<int>(from), width_ - 1);
    const int last = std::clamp(static_cast<int>(std::ceil(to)) - 1, first, width_ - 1);
    for (int c = first; c <= last; ++c) add(at(c), std::max(std::min(to, c + 1.0) - std::max(from, c + 0.0), 0.0));
  }

  char mark_of(const Event& e) const {
    if (!works(e)) return waits(e) ? waiting : posting;
    const auto found = std::ranges::find(stages_, stage_label(e), &StageLetters::value_type::first);
    return found == stages_.end() ? '#' : found->second;
  }

  std::string work_row(int rank) const {
    std::vector<std::map<char, double>> shares(at(width_));
    for (const Event& e : trace_.events)
      if (e.rank == rank && !carries(e)) cover(e, [&](std::size_t c, double share) { shares[c][mark_of(e)] += share; });
    std::string row;
    for (auto& column : shares) {
      double left = 1;
      for (const auto& [mark, share] : column) left -= share;
      if (left > 1e-9 && !trace_.flights.empty()) column[waiting] += left;  // which a simulation does not record
      const auto most = std::ranges::max_element(column, {}, [](const auto& marked) { return marked.second; });
      row += most == column.end() ? idle : most->first;
    }
    return row;
  }

  std::string message_row(int rank) const {
    std::string row(at(width_), idle);
    for (const Transit& f : flights(trace_, rank)) {
      const char mark = f.sends() ? '>' : '<';
      cover(f, [&](std::size_t c, double) { row[c] = row[c] == idle || row[c] == mark ? mark : '='; });
    }
    return row;
  }

  std::string legend(const std::string& drawn) const {
    std::vector<std::string> entries;
    for (const auto& [label, letter] : stages_) entries.push_back(fmt::format("{} {}", letter, label));
    for (const auto& [mark, meaning] : marks)
      if (drawn.find(mark) != std::string::npos) entries.push_back(fmt::format("{} {}", mark, meaning));
    std::string all;
    std::size_t length = 0;  // of the line so far
    for (const std::string& entry : entries) {
      const bool fits = length > 0 && length + 3 + entry.size() <= at(columns_);
      all += (fits ? "   " : all.empty() ? "" : "\n") + entry;
      length = (fits ? length + 3 : 0) + entry.size();
    }
    return all.empty() ? all : all + "\n";
  }

  const Trace& trace_;
  const int columns_;
  // The names of ranks at the left, and the timeline itself.
  const int margin_ = static_cast<int>(fmt::formatted_size("rank {}", std::max(trace_.ranks - 1, 0)));
  const int width_ = std::max(columns_ - margin_ - shares_width - 3, min_width);
  const Interval all_ = whole(trace_);
  const StageLetters stages_ = stage_letters(trace_);
};

// "phase II" asks for 2; any other label for its letters in turn, then for any letter that is free.
std::string wishes(const std::string& label) {
  constexpr std::string_view numerals[] = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"};
  std::string all;
  const auto numeral = std::ranges::find(numerals, label.substr(label.rfind(' ') + 1));
  if (numeral != std::end(numerals)) all += static_cast<char>('1' + (numeral - numerals));
  for (const char c : label)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      all += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return all + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
}

}  // namespace

// When there are more stages than letters, the last ones share '#'.
StageLetters stage_letters(const Trace& trace) {
  std::map<std::string, double> first;
  for (const Event& e : trace.events) {
    if (!works(e)) continue;
    const auto [known, is_new] = first.try_emplace(stage_label(e), e.begin);
    known->second = std::min(known->second, e.begin);
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [label, begin] : first) order.emplace_back(begin, label);
  std::ranges::sort(order);
  StageLetters all;
  std::string taken;
  for (const auto& [begin, label] : order) {
    const std::string wanted = wishes(label);
    const auto free = wanted.find_first_not_of(taken);
    all.emplace_back(label, free == std::string::npos ? '#' : wanted[free]);
    taken += all.back().second;
  }
  return all;
}

std::string draw_text(const Trace& trace, int columns) {
  if (trace.events.empty()) return fmt::format("nothing was recorded ({} ranks)\n", trace.ranks);
  return TextTimeline(trace, columns).draw();
}

}  // namespace kallima
