// What a Schedule says about itself: the names of its parts, how much it sends, and a text form for people, one line
// per task and one per pass. The text shows everything that decides the result, so two schedules that differ read so.

#include "kallima/schedule.hpp"

#include "base/check.hpp"
#include "schedule/names.hpp"

namespace kallima {
namespace {

std::string list(const std::vector<Index>& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

std::string text(const Piece& p) {
  const std::string where =
      (p.recv >= 0 ? fmt::format("recv {}", p.recv) : fmt::format("{}", name(p.buffer))) + (p.real ? " reals" : "");
  std::string elements =
      p.count == 1 ? fmt::format("{}", p.first) : fmt::format("{}..{}", p.first, p.first + (p.count - 1) * p.every);
  if (p.count > 1 && p.every != 1) elements += fmt::format(" by {}", p.every);
  const std::string loops = p.strides.empty() ? "" : fmt::format(" + ({}).i", list(p.strides));
  return fmt::format("{}[{} + {}e{}] for {}", where, p.offset, p.stride, loops, elements);
}

std::string text(const std::vector<Piece>& pieces) {
  std::string all;
  for (const Piece& p : pieces) all += (all.empty() ? "" : "; ") + text(p);
  return all;
}

std::string text(const Twiddle& t) {
  if (t.modulus == 0) return "";
  const std::string slope = t.loop >= 0 ? fmt::format(" + {} i{}", t.step, t.loop) : "";
  return fmt::format(", twiddle omega_{}^(k ({}{}))", t.modulus, t.shift, slope);
}

std::string chirp_text(const Pass& p) {
  const Twiddle& t = p.twiddle;
  if (t.modulus == 0) return " with zeros";
  const auto& [modulus, shift, step, loop] = p.phase;
  const std::string phase = modulus > 0 ? fmt::format(" omega_{}^({} + {} k)", modulus, shift, step) : "";
  return fmt::format(" with omega_{}^(({} + {} k)^2){} / {}", t.modulus, t.shift, t.step, phase, p.divisor);
}

std::string factors_text(const Pass& p) {
  return p.action == Action::fill || p.action == Action::chirp ? chirp_text(p) : text(p.twiddle);
}

std::string text(const Pass& p) {
  const std::string loops = p.loops.empty() ? "" : fmt::format(" x ({})", list(p.loops));
  const bool transforms = p.action == Action::transform && p.kind != Kind::fourier;
  return fmt::format("{} {}{}{}{}{}{}: {} -> {}", transforms ? enum_name(p.kind) : enum_name(p.action), p.length, loops,
                     factors_text(p), p.scaled ? ", scaled" : "", p.conjugated ? ", conjugated" : "",
                     p.reversed ? ", reversed" : "", text(p.sources), text(p.targets));
}

void append(std::string& all, const Step& step, int depth) {
  const std::string line = step.body.empty() ? text(step.pass) : fmt::format("repeat {}", step.repeat);
  all += fmt::format("{:{}}{}\n", "", 8 + 2 * depth, line);
  for (const Step& inner : step.body) append(all, inner, depth + 1);
}

std::string message(const Task& t) {
  if (t.peer < 0) return "";
  const bool sends = t.kind == TaskKind::send_start || t.kind == TaskKind::send_finish;
  std::string all = fmt::format(" {} {}, tag {}", sends ? "to" : "from", t.peer, t.tag);
  if (t.range.count > 0)
    all += fmt::format(", {}{}[{}, {})", name(t.range.buffer), t.range.real ? " reals" : "", t.range.offset,
                       t.range.offset + t.range.count);
  if (t.start >= 0) all += fmt::format(", started by {}", t.start);
  return all;
}

std::string text(const Task& t, std::size_t number) {
  std::string all = fmt::format("    {:>4} {}", number, name(t.kind));
  if (!t.label.empty()) all += fmt::format(" '{}'", t.label);
  all += fmt::format(" chunk {}{}, {} elements", t.chunk, message(t), t.elements);
  if (t.flops > 0) all += fmt::format(", {} flops", t.flops);
  if (!t.after.empty()) all += fmt::format(", after {}", fmt::join(t.after, ","));
  all += "\n";
  for (const Step& step : t.steps) append(all, step, 0);
  return all;
}

std::string text(const RankSchedule& r) {
  std::string all = fmt::format("  rank {}: sends {} words;", r.rank, r.words_sent());
  for (const Buffer b : buffers)
    all += fmt::format(" {} {}{}", name(b), r.size(b), r.data(b) == Data::real_ ? " reals" : "");
  all += "\n";
  for (std::size_t t = 0; t < r.tasks.size(); ++t) all += text(r.tasks[t], t);
  return all;
}

}  // namespace

Index RankSchedule::words_sent() const {
  Index words = 0;
  for (const Task& t : tasks) words += t.kind == TaskKind::send_start ? t.elements : 0;
  return words;
}

std::string_view name(TaskKind kind) { return enum_name(kind); }
std::string_view name(Buffer buffer) { return enum_name(buffer); }

std::string text(const Schedule& schedule) {
  std::string all =
      fmt::format("schedule '{}', {}, {} rank{}, {} exchange{}\n", schedule.name, enum_name(schedule.direction),
                  schedule.ranks.size(), schedule.ranks.size() == 1 ? "" : "s", schedule.exchanges,
                  schedule.exchanges == 1 ? "" : "s");
  for (const RankSchedule& r : schedule.ranks) all += text(r);
  if (!schedule.preparation.empty()) all += "prepared, before the first run, by\n";
  for (const RankSchedule& r : schedule.preparation) all += text(r);
  return all;
}

}  // namespace kallima
