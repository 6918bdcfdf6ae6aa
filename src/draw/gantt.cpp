// Timelines that show what hiding communication means. Each rank is a thick bar, what its processor did, above a thin
// one, when its messages were being sent; the thin bar is green under computation and vermilion under idle time, so
// that communication that costs time can be seen from afar. All panels share one axis, so that the shorter one is.
// Stages have the colours of their places in the list; after the last colour the first comes again. Handling a message
// is neither computing nor idling and has a colour of its own.

#include <algorithm>
#include <functional>
#include <set>

#include "base/check.hpp"
#include "draw/chart.hpp"
#include "draw/timelines.hpp"

namespace kallima {
namespace {

constexpr double edge = 16, names_width = 64;
constexpr std::size_t many_ranks = 8;  // from which on rows are lower
constexpr double grain = 0.4;          // of a pixel: the least that a crowded row shows
constexpr std::size_t crowd = 2000;    // segments from which on a row is crowded

struct RowHeights {
  double bar, network, pitch;
};

// What a colour means, for painting and for the legend.
LegendEntry sending_entry(int what) {
  return what == hidden_sending ? LegendEntry{"network: sending, hidden behind computing", "hidden"}
                                : LegendEntry{"network: sending, processor not computing", "exposed"};
}

// A part of all time by which a task must begin later or earlier to be coloured, and one by which it is much.
constexpr double some_shift = 0.01, much_shift = 0.1;
enum Shift { much_earlier, earlier, later, much_later };

LegendEntry shift_entry(int what) {
  switch (what) {
    case much_earlier:
      return {"begins more than a tenth of all time earlier than in the first", "f-green"};
    case earlier:
      return {"earlier", "t-green"};
    case later:
      return {"later", "t-vermilion"};
    default:
      return {"more than a tenth later", "f-vermilion"};
  }
}

class Gantt {
 public:
  Gantt(std::span<const Trace> traces, const GanttOptions& options)
      : traces_(traces), options_(options), svg_(options.width, options.theme, heading()) {}

  std::string draw() {
    prepare();
    write(options_.title, 20, 16, "title");
    for (const std::string& line : comparison_lines(traces_)) write(line, 20, 13, "strong");
    y_ += y_ > edge ? 12 : 4;
    draw_legend_of_all();
    for (std::size_t i = 0; i < traces_.size(); ++i) draw_panel(i);
    draw_ticks(svg_, time_, y_, ticks_, scale_.factor);
    svg_.text({(time_.from + time_.to) / 2, y_ + 36}, scale_.axis, "muted", Anchor::middle);
    return svg_.finish(y_ + 36 + edge);
  }

 private:
  std::string heading() const { return options_.title.empty() ? "Timeline of a distributed FFT" : options_.title; }

  void prepare() {
    for (const Trace& trace : traces_)  // whose stages share colours
      for (const auto& [label, letter] : stage_letters(trace))
        if (std::ranges::find(stages_, label) == stages_.end()) stages_.push_back(label);
    for (const Trace& trace : traces_) {
      panels_.push_back(timelines_of(trace, stages_));
      longest_ = std::max(longest_, panels_.back().completion);
    }
    time_ = {.low = 0, .high = longest_, .from = edge + names_width, .to = options_.width - 2 * edge};
    scale_ = time_scale(traces_[0].unit, longest_);
    ticks_ = round_ticks(0, longest_ * scale_.factor, 8);
  }

  void write(const std::string& text, double pitch, double size, std::string_view classes) {
    Point at{edge, y_};
    svg_.paragraph(at, text, options_.width - 2 * edge, pitch, classes, size);
    y_ = at.y;
  }

  // Entries for what occurs in any of the panels.
  void draw_legend_of_all() {
    std::vector<LegendEntry> entries;
    const auto any = [&](auto occurs) { return std::ranges::any_of(panels_, occurs); };
    for (std::size_t i = 0; i < stages_.size(); ++i) entries.push_back(work_entry(static_cast<int>(i)));
    if (any([](const Timelines& t) { return t.posting > 0; })) entries.push_back(work_entry(overhead));
    entries.push_back({"idle", "idle"});
    if (any([](const Timelines& t) { return t.hidden > 0; })) entries.push_back(sending_entry(hidden_sending));
    if (any([](const Timelines& t) { return t.sent > t.hidden; })) entries.push_back(sending_entry(exposed_sending));
    if (options_.shifts)
      for (const Shift shift : {much_earlier, earlier, later, much_later}) entries.push_back(shift_entry(shift));
    y_ += draw_legend(svg_, {edge, y_}, options_.width - 2 * edge, entries) + 8;
  }

  void draw_panel(std::size_t number) {
    const Timelines& panel = panels_[number];
    const Trace& trace = traces_[number];
    const std::vector<RankTimeline> ranks = shown(panel);
    RowHeights heights = ranks.size() > many_ranks ? RowHeights{12, 5, 22} : RowHeights{20, 7, 36};
    const bool shifted = options_.shifts && number > 0;
    if (shifted) heights.pitch += heights.network + 2;
    write(panel_title(trace, number), 17, 13, "head");
    write(shares_text(panel, trace, ranks.size()), 17, 12, "muted");
    const double top = y_ += 28, bottom = top + heights.pitch * static_cast<double>(ranks.size());
    for (const double tick : ticks_) {
      const double x = time_.place(tick / scale_.factor);
      svg_.line({x, top - 4}, {x, bottom}, "grid");
    }
    for (const RankTimeline& timeline : ranks) {
      if (shifted) draw_shifts(trace, timeline.rank, heights);
      draw_rank(timeline, panel.completion, heights);
    }
    const double end = time_.place(panel.completion);
    svg_.line({end, top - 4}, {end, bottom - 4}, "mark");
    svg_.text({end, top - 8}, duration_text(panel.completion, trace.unit), "strong", Anchor::end);
    draw_saving(panel.completion, (top + bottom) / 2, trace.unit);
    y_ += 12;
  }

  void draw_rank(const RankTimeline& timeline, double completion, const RowHeights& heights) {
    const Rectangle bar{time_.from, y_, time_.place(completion) - time_.from, heights.bar};
    const Rectangle network{bar.x, bar.bottom() + 2, bar.width, heights.network};
    svg_.text({time_.from - 8, y_ + heights.bar / 2 + 4}, fmt::format("rank {}", timeline.rank), "", Anchor::end);
    svg_.rect(bar, "idle");
    draw_segments(bar, timeline.work, [this](int what) { return work_entry(what); });
    name_gaps(timeline, completion, bar);
    svg_.rect(network, "panel");
    draw_segments(network, timeline.sending, sending_entry);
    if (heights.network > 6 && !timeline.sending.empty())
      svg_.text({time_.from - 8, network.bottom()}, "network", "muted small", Anchor::end);
    y_ += heights.pitch;
  }

  // Work that is at another time than in the first trace, below the rank's other bars.
  void draw_shifts(const Trace& trace, int rank, const RowHeights& heights) {
    const auto works = [&](const Event& e) { return e.rank == rank && kallima::works(e); };
    std::vector<double> before;
    for (const Event& e : traces_[0].events)
      if (works(e)) before.push_back(e.begin);
    std::vector<Segment> segments;
    std::ranges::sort(before);
    std::vector<const Event*> now;
    for (const Event& e : trace.events)
      if (works(e)) now.push_back(&e);
    std::ranges::sort(now, {}, [](const Event* e) { return e->begin; });
    for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
      const double shift = (now[i]->begin - before[i]) / longest_;
      if (std::abs(shift) < some_shift) continue;
      const int what = shift < -much_shift  ? much_earlier
                       : shift < 0          ? earlier
                       : shift < much_shift ? later
                                            : much_later;
      segments.push_back({now[i]->begin, now[i]->end, what});
    }
    const Rectangle row{time_.from, y_ + heights.bar + heights.network + 4, time_.to - time_.from, heights.network};
    draw_segments(row, segments, shift_entry);
  }

  // All segments of one colour in a row are one path, a third of the bytes of as many rectangles. A row with more of
  // them than can be told apart is coarsened first, so that a picture stays small however long the trace.
  void draw_segments(const Rectangle& row, const std::vector<Segment>& segments,
                     const std::function<LegendEntry(int)>& entry) {
    const double shortest = grain * (time_.high - time_.low) / (time_.to - time_.from);
    std::set<int> kinds;
    const std::vector<Segment> shown = segments.size() > crowd ? coarsened(segments, shortest) : segments;
    for (const Segment& s : shown) kinds.insert(s.what);
    for (const int what : kinds) {
      std::string path;
      for (const Segment& s : shown) {
        if (s.what != what || s.begin >= time_.high) continue;
        const double from = time_.place(std::max(s.begin, time_.low));
        const std::string width = coordinate(time_.place(std::min(s.end, time_.high)) - from);
        path +=
            fmt::format("M{} {}h{}v{}h-{}z", coordinate(from), coordinate(row.y), width, coordinate(row.height), width);
      }
      svg_.path(path, entry(what).classes, entry(what).label);
    }
  }

  void name_gaps(const RankTimeline& timeline, double completion, const Rectangle& bar) {
    for (const Interval& gap : gaps(moments(timeline.work), {0, completion})) {
      const double from = time_.place(gap.begin), to = time_.place(gap.end);
      if (to - from < 60 || bar.height < 16) continue;
      svg_.text({(from + to) / 2, bar.y + bar.height / 2 + 4}, "idle", "halo", Anchor::middle);
    }
  }

  void draw_saving(double completion, double middle, const std::string& unit) {
    const double from = time_.place(completion) + 3, to = time_.place(longest_) - 1;
    const std::string less = fmt::format("{} less", duration_text(longest_ - completion, unit));
    if (to - from < text_width(less) + 8) return;
    svg_.line({from, middle}, {to, middle}, "mark");
    svg_.polygon(std::vector<Point>{{from, middle}, {from + 8, middle - 4}, {from + 8, middle + 4}}, "solid");
    svg_.line({to, middle - 6}, {to, middle + 6}, "mark");
    svg_.text({(from + to) / 2, middle - 8}, less, "", Anchor::middle);
  }

  LegendEntry work_entry(int what) const {
    if (what == overhead) return {"handling messages", "overhead"};
    const std::size_t stage = at(what);
    return {stages_[stage], fmt::format("f-{}", stage_hues[stage % stage_hues.size()])};
  }

  std::vector<RankTimeline> shown(const Timelines& timelines) const {
    const std::size_t rows = at(std::max(options_.rows, 1));
    if (timelines.all.size() <= rows) return timelines.all;
    std::vector<RankTimeline> chosen;
    for (std::size_t i = 0; i < rows; ++i)
      chosen.push_back(timelines.all[rows == 1 ? 0 : i * (timelines.all.size() - 1) / (rows - 1)]);
    return chosen;
  }

  std::span<const Trace> traces_;
  const GanttOptions& options_;
  Svg svg_;
  std::vector<std::string> stages_;
  std::vector<Timelines> panels_;
  Ruler time_;
  TimeScale scale_;
  std::vector<double> ticks_;  // in the scale's unit
  double longest_ = 0;
  double y_ = edge;
};

}  // namespace

std::string draw_gantt(std::span<const Trace> traces, const GanttOptions& options) {
  require(!traces.empty(), "there is nothing to draw (no trace was given) give at least one");
  require(options.width >= 400 && options.width <= 20000, "a timeline cannot be {} wide (400 to 20000) use 960",
          options.width);
  for (const Trace& trace : traces)
    require(trace.unit == traces[0].unit, "traces cannot share an axis (one is in {}, another in {}) draw them apart",
            traces[0].unit, trace.unit);
  return Gantt(traces, options).draw();
}

}  // namespace kallima
