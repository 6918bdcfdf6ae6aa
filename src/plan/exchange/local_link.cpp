// Transforms without an exchange. At most one of the axes changes what the array holds, reals to half of their complex
// transform or back: what comes before it is done where the array came from (or in a copy), what follows where it goes.

#include <algorithm>

#include "base/check.hpp"
#include "plan/exchange/axes.hpp"
#include "plan/exchange/link.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

bool changes(Kind kind) { return kind == Kind::real_to_half || kind == Kind::half_to_real; }

Holding after(const Holding& in, const std::vector<AxisKind>& axes, const Storage& storage) {
  Holding out{in.layout, in.data, storage};
  for (const AxisKind& a : axes) {
    if (!changes(a.kind)) continue;
    out.layout = with_extent(out.layout, a.axis, out.layout.shape()[a.axis] / 2 + 1);
    out.data = Data::complex_;
  }
  return out;
}

// A part of one rank's array in a buffer.
struct Room {
  Buffer buffer;
  Shape shape;
  std::vector<Index> strides;
  bool real;
};

Room room_of(Buffer buffer, const Holding& holding, int rank) {
  const Shape shape = holding.layout.local_shape(rank);
  return {buffer, shape, strides_of(holding.storage, shape), holding.data == Data::real_};
}

class LocalLink : public Link {
 public:
  LocalLink(const Holding& in, std::vector<AxisKind> axes, const Storage& storage, const Parts& parts)
      : Link(in, after(in, axes, storage), 0), axes_(std::move(axes)), parts_(parts) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override;
  std::string text() const override;

 private:
  std::vector<AxisKind> ordered(Direction direction) const;
  std::vector<Step> steps(const Room& from, const Room& to, Direction direction, Index part) const;
  void change(std::vector<Step>& steps, const Room& from, const Room& to, const AxisKind& a, Index length, Index part,
              bool scaled) const;
  void same(std::vector<Step>& steps, const Room& from, const Room& to, std::span<const AxisKind> axes, Index part,
            Scaling scaling) const;
  Progression part(const Room& room, Index number) const { return part_of(room.shape[parts_.dim], parts_, number); }
  Corner corner(const Room& room, Index number) const;

  std::vector<AxisKind> axes_;
  Parts parts_;
};

std::vector<AxisKind> LocalLink::ordered(Direction direction) const {
  std::vector<AxisKind> axes = axes_;
  if (direction == Direction::forward) return axes;
  std::reverse(axes.begin(), axes.end());
  for (AxisKind& a : axes) a.kind = inverse(a.kind);
  return axes;
}

Corner LocalLink::corner(const Room& room, Index number) const {
  return {.buffer = room.buffer, .offset = part(room, number).first * room.strides[parts_.dim], .real = room.real};
}

// A part's lines along axes that keep what the array holds.
void LocalLink::same(std::vector<Step>& steps, const Room& from, const Room& to, std::span<const AxisKind> todo,
                     Index number, Scaling scaling) const {
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < from.shape.size(); ++k) {
    Axis& axis = axes.emplace_back(Axis{from.shape[k], from.strides[k], to.strides[k]});
    if (k == parts_.dim) axis.extent = part(from, number).count;
    for (const AxisKind& a : todo)
      if (a.axis == k) axis.transform = true, axis.kind = a.kind;
  }
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.to > b.to; });
  transform_axes(steps, corner(from, number), corner(to, number), axes, scaling);
}

void LocalLink::change(std::vector<Step>& steps, const Room& from, const Room& to, const AxisKind& a, Index length,
                       Index number, bool scaled) const {
  const std::vector<Index>&source = from.strides, &target = to.strides;
  const Corner begin = corner(from, number), end = corner(to, number);
  Pass& pass = steps.emplace_back().pass;
  pass.kind = a.kind;
  pass.length = length;
  pass.scaled = scaled;
  pass.sources = {
      {.buffer = from.buffer, .offset = begin.offset, .count = from.shape[a.axis], .stride = source[a.axis]}};
  pass.targets = {{.buffer = to.buffer, .offset = end.offset, .count = to.shape[a.axis], .stride = target[a.axis]}};
  pass.sources[0].real = from.real;
  pass.targets[0].real = to.real;
  for (std::size_t k = 0; k < from.shape.size(); ++k) {
    if (k == a.axis) continue;
    pass.loops.push_back(k == parts_.dim ? part(from, number).count : from.shape[k]);
    pass.sources[0].strides.push_back(source[k]);
    pass.targets[0].strides.push_back(target[k]);
  }
}

std::vector<Step> LocalLink::steps(const Room& from, const Room& to, Direction direction, Index number) const {
  const std::vector<AxisKind> axes = ordered(direction);
  const auto changing = std::find_if(axes.begin(), axes.end(), [](const AxisKind& a) { return changes(a.kind); });
  const std::span<const AxisKind> before(axes.begin(), changing);
  std::vector<Step> all;
  if (changing == axes.end()) {
    same(all, from, to, before, number, Scaling::last_pass);
    return all;
  }
  const std::span<const AxisKind> rest(changing + 1, axes.end());
  Room copy = from;
  if (!before.empty()) {
    copy.buffer = Buffer::work;
    copy.strides = row_major(copy.shape);
    same(all, from, copy, before, number, Scaling::none);
  }
  const Index length = in().layout.shape()[changing->axis];  // what is real is there
  std::vector<Step> after;  // none where lines of one point are all that is left: then the change is the last pass
  same(after, to, to, rest, number, Scaling::last_pass);
  change(all, copy, to, *changing, length, number, after.empty());
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

RankSchedule LocalLink::rank_schedule(int rank, Direction direction) const {
  const bool forward = direction == Direction::forward;
  const Holding& source = forward ? in() : out();
  const Holding& target = forward ? out() : in();
  const Room from = room_of(Buffer::in, source, rank);
  const Room to = room_of(Buffer::out, target, rank);
  const std::vector<AxisKind> axes = ordered(direction);
  const bool copies = axes.size() > 1 && !changes(axes.front().kind) &&
                      std::any_of(axes.begin(), axes.end(), [](const AxisKind& a) { return changes(a.kind); });
  const Index count = element_count(from.shape);
  TaskList tasks(rank, {stored_size(source.storage, from.shape), stored_size(target.storage, to.shape),
                        copies ? words(count, source.data) : 0, 0});
  for (Index number = 0; count > 0 && number < parts_.count; ++number)
    if (part(from, number).count > 0)
      tasks.compute("local", static_cast<int>(number), steps(from, to, direction, number), {});
  RankSchedule schedule = tasks.take();
  schedule.data_in = source.data;
  schedule.data_out = target.data;
  schedule.padding_out = schedule.size(Buffer::out) - element_count(to.shape);
  return schedule;
}

std::string LocalLink::text() const {
  if (axes_.empty()) return "store in another order";
  std::string names;
  for (const AxisKind& a : axes_) names += fmt::format("{}{}", names.empty() ? "" : ", ", a.axis);
  return fmt::format("transform axis {}", names);
}

}  // namespace

std::shared_ptr<const Link> local_link(const Holding& in, std::vector<AxisKind> axes, const Storage& storage,
                                       const Parts& parts) {
  Parts cut = parts;
  const auto along = [&](const AxisKind& a) { return a.axis == cut.dim; };
  if (std::any_of(axes.begin(), axes.end(), along)) cut.count = 1;  // lines stay whole
  return std::make_shared<LocalLink>(in, std::move(axes), storage, cut);
}

}  // namespace kallima
