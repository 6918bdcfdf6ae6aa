#include "cuda/model/streamed_route.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "kallima/cuda.hpp"

namespace kallima::cuda {
namespace {

constexpr Index parts_of_all = 32;  // in which an array that fits comes over the bus,
constexpr Index parts_back = 8;     // and goes: wide rows are copied faster
constexpr Index slots = 4;          // for parts of one that does not: coming, two at work or waiting, and going

// A part of the array: rows of neighbours, `pitch` apart in it and side by side in the work buffer.
struct ArrayPart {
  Index begin, run, rows, pitch;
  Index count() const { return run * rows; }
};

// Writes the tasks of one rank.
class StreamWriter {
 public:
  StreamWriter(const Shape& shape, Index room) : shape_(shape), n_(element_count(shape)), first_(shape[0]) {
    plane_ = n_ / first_;
    fits_ = room == 0 || n_ <= room;
    schedule_.sizes[at(Buffer::in)] = schedule_.sizes[at(Buffer::out)] = n_;
    part_ = fits_ ? (n_ - 1) / parts_of_all + 1 : room / slots;
    require(fits_ || part_ >= std::max(plane_, first_),
            "{} elements of the device's memory are too few for {} (a part needs {})", room, text(shape),
            slots * std::max(plane_, first_));
  }

  RankSchedule write() {
    fits_ ? write_one_crossing() : write_two_crossings();
    return std::move(schedule_);
  }

 private:
  Index planes() const { return std::clamp<Index>(part_ / plane_, 1, first_); }
  Index columns() const { return std::clamp<Index>(part_ / first_, 1, plane_); }

  void write_one_crossing() {
    schedule_.sizes[at(Buffer::work)] = n_;
    std::vector<int> all;
    for (Index p = 0; p < first_; p += planes()) {
      const Index count = std::min(planes(), first_ - p);
      const ArrayPart part{p * plane_, count * plane_, 1, 0};
      const int there = copy("to device", Buffer::in, part, part.begin, Direction::forward, {});
      all.push_back(plane_transform(part.begin, count, {there}));
    }
    const Index each = std::max<Index>(1, plane_ / parts_back);
    for (Index c = 0; c < plane_; c += each) {
      const Index count = std::min(each, plane_ - c);
      const int done = column_transform(c, plane_, count, all);
      copy_columns("from device", c, count, done);
    }
  }

  // The part before it in a slot has to be gone.
  void write_two_crossings() {
    schedule_.sizes[at(Buffer::work)] = slots * part_;
    std::vector<std::vector<int>> gone(at(slots));
    std::vector<int> all;
    Index slot = 0;
    const auto next = [&] { return std::exchange(slot, (slot + 1) % slots); };
    for (Index p = 0; p < first_; p += planes()) {
      const Index count = std::min(planes(), first_ - p), s = next();
      const ArrayPart part{p * plane_, count * plane_, 1, 0};
      const int there = copy("to device", Buffer::in, part, s * part_, Direction::forward, gone[at(s)]);
      const int done = plane_transform(s * part_, count, {there});
      gone[at(s)] = {copy("from device", Buffer::out, part, s * part_, Direction::backward, {done})};
      all.push_back(gone[at(s)][0]);
    }
    for (Index c = 0; c < plane_; c += columns()) {
      const Index count = std::min(columns(), plane_ - c), s = next();
      const ArrayPart part{c, count, first_, plane_};
      std::vector<int> after = c == 0 ? all : gone[at(s)];
      if (c > 0) after.push_back(waited_);
      const int there = copy("to device", Buffer::out, part, s * part_, Direction::forward, after);
      if (c == 0) waited_ = there;  // for all planes, so that those behind it have
      const int done = column_transform(s * part_, count, count, {there});
      gone[at(s)] = {copy("from device", Buffer::out, part, s * part_, Direction::backward, {done})};
    }
  }

  // In the work buffer columns stand as they do in the array; all of them together are `count` of it.
  void copy_columns(const char* label, Index c, Index count, int after) {
    Pass pass{.action = Action::move, .length = count, .loops = {first_}};
    pass.sources = {{.buffer = Buffer::work, .offset = c, .count = count, .strides = {plane_}}};
    pass.targets = {{.buffer = Buffer::out, .offset = c, .count = count, .strides = {plane_}}};
    add({.kind = TaskKind::copy,
         .label = label,
         .after = {after},
         .steps = {{.pass = pass}},
         .elements = count * first_});
  }

  // Forward: from the array to the work buffer.
  int copy(const char* label, Buffer array, const ArrayPart& part, Index work, Direction direction,
           std::vector<int> after) {
    Pass pass{.action = Action::move, .length = part.run, .loops = {part.rows}};
    Piece there{.buffer = array, .offset = part.begin, .count = part.run, .strides = {part.pitch}};
    Piece here{.buffer = Buffer::work, .offset = work, .count = part.run, .strides = {part.run}};
    pass.sources = {direction == Direction::forward ? there : here};
    pass.targets = {direction == Direction::forward ? here : there};
    return add({.kind = TaskKind::copy,
                .label = label,
                .after = std::move(after),
                .steps = {{.pass = pass}},
                .elements = part.count()});
  }

  int plane_transform(Index work, Index planes, std::vector<int> after) {
    Task task{.label = "planes", .after = std::move(after)};
    for (std::size_t axis = shape_.size(); axis-- > 1;) append(task, axis, planes, work);
    return add(std::move(task));
  }

  void append(Task& task, std::size_t axis, Index planes, Index work) const {
    Shape box = shape_;
    box[0] = planes;
    Pass pass{.length = box[axis]};
    Piece piece{.buffer = Buffer::work, .offset = work, .count = box[axis]};
    Index stride = element_count(box);
    for (std::size_t d = 0; d < box.size(); ++d) {
      stride /= box[d];
      if (d == axis) {
        piece.stride = stride;
      } else {
        pass.loops.push_back(box[d]);
        piece.strides.push_back(stride);
      }
    }
    pass.sources = pass.targets = {piece};
    task.steps.push_back({.pass = pass});
    const auto count = static_cast<double>(element_count(box));
    task.flops += 5 * count * std::log2(std::max(2.0, static_cast<double>(box[axis])));
    task.elements += 2 * element_count(box);
  }

  int column_transform(Index work, Index pitch, Index count, std::vector<int> after) {
    Pass pass{.length = first_, .loops = {count}, .scaled = true};
    pass.sources =
        pass.targets = {{.buffer = Buffer::work, .offset = work, .count = first_, .stride = pitch, .strides = {1}}};
    const auto elements = static_cast<double>(first_ * count);
    return add({.label = "columns",
                .after = std::move(after),
                .steps = {{.pass = pass}},
                .flops = 5 * elements * std::log2(std::max(2.0, static_cast<double>(first_))),
                .elements = 2 * first_ * count});
  }

  int add(Task task) {
    std::ranges::sort(task.after);
    task.after.erase(std::ranges::unique(task.after).begin(), task.after.end());
    schedule_.tasks.push_back(std::move(task));
    return static_cast<int>(schedule_.tasks.size()) - 1;
  }

  Shape shape_;
  Index n_, first_, plane_ = 1, part_ = 1;
  bool fits_ = true;
  int waited_ = -1;
  RankSchedule schedule_;
};

class StreamedPlan final : public Plan {
 public:
  StreamedPlan(const Problem& problem, PlanOptions options, const Layout& layout, Index room)
      : Plan(problem, std::move(options), layout, layout, 0, explained(problem, room)), room_(room) {}
  RankSchedule rank_schedule(int, Direction) const override { return StreamWriter(problem().shape, room_).write(); }

 private:
  static std::string explained(const Problem& problem, Index room) {
    const bool fits = room == 0 || element_count(problem.shape) <= room;
    return fmt::format("through a device in parts, {} over the bus each way", fits ? "once" : "twice");
  }
  Index room_;
};

std::string refusal(const Problem& problem, int ranks) {
  if (ranks != 1) return "it is for one rank and its device";
  if (problem.shape.size() < 2 || problem.axes.size() != problem.shape.size())
    return "it transforms all of at least two axes";
  const auto fourier = [](Kind kind) { return kind == Kind::fourier; };
  if (problem.data != Data::complex_ || !std::ranges::all_of(problem.kinds, fourier)) return "it takes complex numbers";
  if (!problem.storage_in.is_plain() || !problem.storage_out.is_plain())
    return "it takes arrays without gaps, row-major";
  return "";
}

}  // namespace

}  // namespace kallima::cuda

namespace kallima {

Route cuda_streamed_route(std::size_t device_bytes) {
  Route route;
  route.name = cuda::streamed;
  route.summary = "arrays in the host's memory through a device, in parts (--place host)";
  route.consider = [device_bytes](const Problem& problem, int ranks, const PlanOptions& options) {
    Candidate candidate{.route = cuda::streamed, .reason = cuda::refusal(problem, ranks)};
    if (!candidate.reason.empty()) return candidate;
    const Index element = problem.precision == Precision::single_ ? 8 : 16;
    const Index room = static_cast<Index>(device_bytes) / element;
    PlanOptions taken = options;
    taken.route = cuda::streamed;
    candidate.plan = std::make_unique<cuda::StreamedPlan>(
        problem, taken, Layout::blocks(problem.shape, Shape(problem.shape.size(), 1), 1), room);
    return candidate;
  };
  return route;
}

}  // namespace kallima
