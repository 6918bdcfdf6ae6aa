// A timeline that fits a terminal: each column stands for an equal share of the time and shows what its rank did for
// most of it, a letter for each stage and a dot for waiting. A second row shows when messages were under way, so that
// communication that is hidden stands below letters and exposed communication below dots.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
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

struct Frame {
  double begin = 0;
  double span = 0;
  int margin = 0;  // the names of ranks at the left
  int width = 0;   // of the timeline itself
  double column(double t) const { return span > 0 ? (t - begin) / span * width : 0; }
};

Frame frame_of(const Trace& trace, int columns) {
  const int margin = static_cast<int>(fmt::formatted_size("rank {}", std::max(trace.ranks - 1, 0)));
  const Interval all = whole(trace);
  return {all.begin, all.length(), margin, std::max(columns - margin - shares_width - 3, min_width)};
}

// Tells what [begin, end) covers of each column; an instant covers nothing of one, and is seen where nothing else is.
template <class F>
void cover(const Frame& frame, double begin, double end, const F& add) {
  const double from = std::clamp(frame.column(begin), 0.0, static_cast<double>(frame.width));
  const double to = std::clamp(frame.column(end), from, static_cast<double>(frame.width));
  const int first = std::min(static_cast<int>(from), frame.width - 1);
  const int last = std::clamp(static_cast<int>(std::ceil(to)) - 1, first, frame.width - 1);
  for (int c = first; c <= last; ++c)
    add(static_cast<std::size_t>(c), std::max(std::min(to, c + 1.0) - std::max(from, c + 0.0), 0.0));
}

char mark_of(const Event& e, const StageLetters& stages) {
  if (!works(e)) return waits(e) ? waiting : posting;
  const auto found = std::ranges::find(stages, stage_label(e), &StageLetters::value_type::first);
  return found == stages.end() ? '#' : found->second;
}

// A simulation records no waiting; it is what is left of a column.
void fill_with_waiting(std::vector<std::map<char, double>>& shares) {
  for (auto& column : shares) {
    double left = 1;
    for (const auto& [mark, share] : column) left -= share;
    if (left > 1e-9) column[waiting] += left;
  }
}

std::string work_row(const Trace& trace, int rank, const Frame& frame, const StageLetters& stages) {
  std::vector<std::map<char, double>> shares(static_cast<std::size_t>(frame.width));
  for (const Event& e : trace.events)
    if (e.rank == rank)
      cover(frame, e.begin, e.end, [&](std::size_t c, double share) { shares[c][mark_of(e, stages)] += share; });
  if (!trace.flights.empty()) fill_with_waiting(shares);
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  std::string row;
  for (const auto& column : shares)
    row += column.empty() ? idle : std::max_element(column.begin(), column.end(), less)->first;
  return row;
}

std::string message_row(const Trace& trace, int rank, const Frame& frame) {
  std::string row(static_cast<std::size_t>(frame.width), idle);
  for (const Transit& f : flights(trace, rank)) {
    const char mark = f.sends() ? '>' : '<';
    cover(frame, f.begin, f.end,
          [&](std::size_t c, double) { row[c] = row[c] == idle || row[c] == mark ? mark : '='; });
  }
  return row;
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:>6.0f}%", 100 * part / whole) : fmt::format("{:>7}", "-");
}

std::string rank_rows(const Trace& trace, int rank, const Frame& frame, const StageLetters& stages) {
  const RankTimes times = rank_times(trace, rank);
  std::string rows = fmt::format(
      "{:<{}} |{}|{}{}{}\n", fmt::format("rank {}", rank), frame.margin, work_row(trace, rank, frame, stages),
      percent(times.computing + times.copying, frame.span), percent(times.waiting, frame.span),
      percent(times.hidden_share * times.communication, times.communication));
  const std::string messages = message_row(trace, rank, frame);
  if (trace.ranks <= max_ranks_with_messages && messages.find_first_not_of(idle) != std::string::npos)
    rows += fmt::format("{:<{}} |{}|\n", "", frame.margin, messages);
  return rows;
}

std::vector<std::string> legend_entries(const StageLetters& stages, const std::string& drawn) {
  const std::array<std::pair<char, const char*>, 5> marks{{{waiting, "waiting"},
                                                           {posting, "posting messages"},
                                                           {'>', "sending"},
                                                           {'<', "receiving"},
                                                           {'=', "both under way"}}};
  std::vector<std::string> entries;
  for (const auto& [label, letter] : stages) entries.push_back(fmt::format("{} {}", letter, label));
  for (const auto& [mark, meaning] : marks)
    if (drawn.find(mark) != std::string::npos) entries.push_back(fmt::format("{} {}", mark, meaning));
  return entries;
}

std::string legend(const std::vector<std::string>& entries, int columns) {
  std::string all, line;
  for (const std::string& entry : entries) {
    if (!line.empty() && line.size() + 3 + entry.size() > static_cast<std::size_t>(columns)) {
      all += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + entry;
  }
  return line.empty() ? all : all + line + "\n";
}

// "phase II" asks for 2; any other label for its letters in turn, then for any letter that is free.
std::string wishes(const std::string& label) {
  static const std::map<std::string, char> numerals{{"I", '1'},  {"II", '2'},  {"III", '3'},  {"IV", '4'}, {"V", '5'},
                                                    {"VI", '6'}, {"VII", '7'}, {"VIII", '8'}, {"IX", '9'}};
  std::string all;
  const auto numeral = numerals.find(label.substr(label.rfind(' ') + 1));
  if (numeral != numerals.end()) all += numeral->second;
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
  std::sort(order.begin(), order.end());
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
  const Frame frame = frame_of(trace, columns);
  const StageLetters stages = stage_letters(trace);
  std::string rows;
  for (int rank = 0; rank < trace.ranks; ++rank) rows += rank_rows(trace, rank, frame, stages);
  const std::string title = trace.title.empty() ? "" : trace.title + "\n";
  const std::string head =
      fmt::format("{:{}}{:>7}{:>7}{:>7}\n", "", frame.margin + frame.width + 3, "work", "wait", "hidden");
  const std::string axis =
      fmt::format("{:{}}0{:>{}}\n", "", frame.margin + 2, duration_text(frame.span, trace.unit), frame.width - 1);
  return title + head + rows + axis + legend(legend_entries(stages, rows), columns);
}

}  // namespace kallima
