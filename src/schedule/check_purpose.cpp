// Whether what a schedule says it is for agrees with what its ranks have room for.

#include <cmath>

#include "base/check.hpp"
#include "kallima/layout.hpp"
#include "schedule/checks.hpp"
#include "schedule/names.hpp"

namespace kallima::checks {
namespace {

void check_shape(const Shape& shape, Buffer end) {
  Index count = 1;
  for (const Index n : shape)
    require(n >= 1 && count <= (Index{1} << 59) / n && (count *= n) > 0,
            "the purpose has shape {} at `{}` (use extents from 1 on, and 2^59 elements at most)",
            fmt::join(shape, "x"), name(end));
  require(!shape.empty(), "the purpose has no shape at `{}` (give at least one extent)", name(end));
}

Layout layout_of(const std::string& text, const Shape& shape, int ranks, Buffer end) {
  require(!text.starts_with("boxes:") || text.starts_with("boxes:["),
          "the purpose has layout {} at `{}` (a schedule reads no other file) list the boxes", text, name(end));
  try {
    return layout_from_text(text, shape, ranks);
  } catch (const Error& error) {
    fail("the purpose has an impossible layout at `{}`: {}", name(end), error.what());
  }
}

void check_end(const Schedule& schedule, Buffer end, const Shape& shape, const std::string& text) {
  check_shape(shape, end);
  const Layout layout = layout_of(text, shape, static_cast<int>(schedule.ranks.size()), end);
  for (const RankSchedule& r : schedule.ranks) {
    require(layout.local_size(r.rank) == r.size(end),
            "rank {} has an `{}` of {} elements (layout {} of {} gives it {})", r.rank, name(end), r.size(end), text,
            fmt::join(shape, "x"), layout.local_size(r.rank));
    require(r.data(end) == schedule.ranks[0].data(end), "rank {} has {} numbers in `{}`, rank 0 has {} ones", r.rank,
            enum_name(r.data(end)), name(end), enum_name(schedule.ranks[0].data(end)));
  }
}

}  // namespace

void check_purpose(const Schedule& schedule) {
  if (!schedule.purpose) return;
  const Purpose& it = *schedule.purpose;
  check_end(schedule, Buffer::in, it.shape_in, it.layout_in);
  check_end(schedule, Buffer::out, it.shape_out, it.layout_out);
  require(std::isfinite(it.scale), "the purpose scales by {} (use a finite number)", it.scale);
}

}  // namespace kallima::checks
