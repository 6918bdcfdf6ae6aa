#include "plan/routes/elementwise.hpp"

namespace kallima {
namespace {

constexpr Index multiplied_row = 2048;  // elements that are multiplied at a time

// From element `begin` on, lines of `length`, `count` of them one behind the other.
void append_products(std::vector<Step>& steps, const Location& x, const Location& y, const Location& z, Index begin,
                     Index length, Index count, const Pass& like) {
  if (length == 0 || count == 0) return;
  const auto line = [&](const Location& place, Index first) {
    return Piece{.buffer = place.buffer,
                 .offset = place.offset + begin,
                 .first = first,
                 .count = length,
                 .strides = {length},
                 .real = place.real};
  };
  Pass& pass = steps.emplace_back().pass = like;
  pass.action = Action::multiply;
  pass.length = length;
  pass.sources = {line(x, 0), line(y, length)};
  pass.targets = {line(z, 0)};
  pass.loops = {count};
}

}  // namespace

void append_product(std::vector<Step>& steps, const Location& x, const Location& y, const Location& z, Index count,
                    const Pass& like) {
  const Index rows = count / multiplied_row, done = rows * multiplied_row;
  append_products(steps, x, y, z, 0, multiplied_row, rows, like);
  append_products(steps, x, y, z, done, count - done, 1, like);
}

void append_fill(std::vector<Step>& steps, const Location& to, Index count, Index stride, const Pass& like) {
  if (count == 0) return;
  Pass& pass = steps.emplace_back().pass = like;
  pass.action = Action::fill;
  pass.length = count;
  pass.targets = {{.buffer = to.buffer, .offset = to.offset, .count = count, .stride = stride}};
}

void append_chirp(std::vector<Step>& steps, const Location& x, const std::optional<Location>& before, const Location& z,
                  Index count, const Pass& like) {
  if (count == 0) return;
  const auto line = [&](const Location& place, Index first) {
    return Piece{.buffer = place.buffer, .offset = place.offset, .first = first, .count = count, .real = place.real};
  };
  Pass& pass = steps.emplace_back().pass = like;
  pass.action = Action::chirp;
  pass.length = count;
  pass.sources = {line(x, 0)};
  if (before) pass.sources.push_back(line(*before, count));
  pass.targets = {line(z, 0)};
}

}  // namespace kallima
