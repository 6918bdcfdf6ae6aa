// Timelines that show what hiding communication means. Each rank is a thick bar, what its processor did, above a thin
// one, when its messages were being sent; the thin bar is green under computation and vermilion under idle time, so
// that communication that costs time can be seen from afar. All panels share one axis, so that the shorter one is.

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "draw/gantt_key.hpp"
#include "draw/gantt_words.hpp"
#include "draw/scale.hpp"
#include "draw/units.hpp"
#include "trace/moments.hpp"

namespace kallima {
namespace {

constexpr double margin = 16, names_width = 64, tick_height = 18;
constexpr std::size_t many_ranks = 8;  // from which on rows are lower

struct Rows {
  double bar, lane, pitch;
};

Rows rows_for(std::size_t ranks) { return ranks > many_ranks ? Rows{12, 5, 22} : Rows{20, 7, 36}; }

class Gantt {
 public:
  Gantt(std::span<const Trace> traces, const GanttOptions& options)
      : traces_(traces), options_(options), svg_(options.width, options.theme, heading()) {}
  std::string draw();

 private:
  std::string heading() const { return options_.title.empty() ? "Timeline of a distributed FFT" : options_.title; }
  void prepare();
  void write(const std::string& words, double pitch, double size, std::string_view classes);
  void draw_head();
  void draw_panel(std::size_t number);
  void draw_grid(double top, double bottom);
  void draw_rank(const Lane& lane, double completion, const Rows& rows);
  void name_gaps(const Lane& lane, double completion, const Box& bar);
  void draw_end(double completion, double top, double bottom, const std::string& unit);
  void draw_saving(double completion, double middle, const std::string& unit);
  void draw_axis();
  std::vector<Lane> shown(const Lanes& lanes) const;

  std::span<const Trace> traces_;
  const GanttOptions& options_;
  Svg svg_;
  std::vector<std::string> stages_;
  std::vector<Lanes> lanes_;
  Ruler time_;
  double longest_ = 0;
  double y_ = margin;
};

void Gantt::prepare() {
  stages_ = stages_of(traces_);
  for (const Trace& trace : traces_) {
    lanes_.push_back(lanes_of(trace, stages_));
    longest_ = std::max(longest_, lanes_.back().completion);
  }
  time_ = {.low = 0, .high = longest_, .from = margin + names_width, .to = options_.width - 2 * margin};
}

void Gantt::write(const std::string& words, double pitch, double size, std::string_view classes) {
  for (const std::string& line : wrapped(words, options_.width - 2 * margin, size))
    svg_.text({margin, y_ += pitch}, line, classes);
}

void Gantt::draw_head() {
  write(options_.title, 20, 16, "title");
  for (const std::string& line : comparison_words(traces_)) write(line, 20, 13, "strong");
  y_ += y_ > margin ? 12 : 4;
}

std::vector<Lane> Gantt::shown(const Lanes& lanes) const {
  const std::size_t rows = static_cast<std::size_t>(std::max(options_.rows, 1));
  if (lanes.all.size() <= rows) return lanes.all;
  std::vector<Lane> chosen;
  for (std::size_t i = 0; i < rows; ++i)
    chosen.push_back(lanes.all[rows == 1 ? 0 : i * (lanes.all.size() - 1) / (rows - 1)]);
  return chosen;
}

void Gantt::draw_grid(double top, double bottom) {
  for (const double tick : round_ticks(0, longest_ * time_scale(traces_[0].unit, longest_).factor, 8)) {
    const double x = time_.place(tick / time_scale(traces_[0].unit, longest_).factor);
    svg_.line({x, top}, {x, bottom}, "grid");
  }
}

void Gantt::name_gaps(const Lane& lane, double completion, const Box& bar) {
  std::vector<Interval> busy;
  for (const Stretch& s : lane.work) busy.push_back({s.begin, s.end});
  for (const Interval& gap : gaps(united(std::move(busy)), {0, completion})) {
    const double from = time_.place(gap.begin), to = time_.place(gap.end);
    if (to - from < 60 || bar.height < 16) continue;
    svg_.text({(from + to) / 2, bar.y + bar.height / 2 + 4}, "idle", "halo", Anchor::middle);
  }
}

void Gantt::draw_rank(const Lane& lane, double completion, const Rows& rows) {
  const Box bar{time_.from, y_, time_.place(completion) - time_.from, rows.bar};
  svg_.text({time_.from - 8, y_ + rows.bar / 2 + 4}, fmt::format("rank {}", lane.rank), "", Anchor::end);
  svg_.idle(bar);
  draw_stretches(svg_, time_, {bar.y, bar.height}, lane.work, [this](int what) { return work_look(what, stages_); });
  name_gaps(lane, completion, bar);
  const Box network{bar.x, bar.y + rows.bar + 2, bar.width, rows.lane};
  svg_.rect(network, "panel");
  draw_stretches(svg_, time_, {network.y, network.height}, lane.sending, sending_look);
  if (rows.lane > 6 && !lane.sending.empty())
    svg_.text({time_.from - 8, network.y + rows.lane}, "network", "muted small", Anchor::end);
  y_ += rows.pitch;
}

void Gantt::draw_end(double completion, double top, double bottom, const std::string& unit) {
  const double x = time_.place(completion);
  svg_.line({x, top - 4}, {x, bottom}, "mark");
  svg_.text({x, top - 8}, duration_text(completion, unit), "strong", Anchor::end);
}

void Gantt::draw_saving(double completion, double middle, const std::string& unit) {
  const double from = time_.place(completion) + 3, to = time_.place(longest_) - 1;
  const std::string words = fmt::format("{} less", duration_text(longest_ - completion, unit));
  if (to - from < text_width(words) + 8) return;
  svg_.line({from, middle}, {to, middle}, "mark");
  svg_.polygon(std::vector<Point>{{from, middle}, {from + 8, middle - 4}, {from + 8, middle + 4}}, "solid");
  svg_.line({to, middle - 6}, {to, middle + 6}, "mark");
  svg_.text({(from + to) / 2, middle - 8}, words, "", Anchor::middle);
}

void Gantt::draw_panel(std::size_t number) {
  const Lanes& lanes = lanes_[number];
  const Trace& trace = traces_[number];
  const std::vector<Lane> ranks = shown(lanes);
  const Rows rows = rows_for(ranks.size());
  write(panel_title(trace, number), 17, 13, "head");
  write(shares_words(lanes, trace, ranks.size()), 17, 12, "muted");
  const double top = y_ += 28, bottom = top + rows.pitch * static_cast<double>(ranks.size());
  draw_grid(top - 4, bottom);
  for (const Lane& lane : ranks) draw_rank(lane, lanes.completion, rows);
  draw_end(lanes.completion, top, bottom - 4, trace.unit);
  draw_saving(lanes.completion, (top + bottom) / 2, trace.unit);
}

void Gantt::draw_axis() {
  const TimeScale scale = time_scale(traces_[0].unit, longest_);
  svg_.line({time_.from, y_}, {time_.to, y_}, "axis");
  for (const double tick : round_ticks(0, longest_ * scale.factor, 8)) {
    const double x = time_.place(tick / scale.factor);
    svg_.line({x, y_}, {x, y_ + 5}, "axis");
    svg_.text({x, y_ + tick_height}, number_text(tick), "", Anchor::middle);
  }
  svg_.text({(time_.from + time_.to) / 2, y_ += tick_height + 18}, scale.axis, "muted", Anchor::middle);
}

std::string Gantt::draw() {
  prepare();
  draw_head();
  y_ += draw_legend(svg_, {margin, y_}, options_.width - 2 * margin, key_entries(lanes_, stages_)) + 8;
  for (std::size_t i = 0; i < traces_.size(); ++i) {
    draw_panel(i);
    y_ += 12;
  }
  draw_axis();
  return svg_.finish(y_ + margin);
}

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
