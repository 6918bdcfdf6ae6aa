#include "app/hide_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kallima/figures.hpp"
#include "kallima/problem.hpp"

namespace kallima::cli {

namespace {

constexpr const char* page = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>{title}</title>
<style>
:root{{color-scheme:light dark}}
body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
svg{{max-width:100%;height:auto}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.85rem}}
th,td{{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #8888}}
pre{{overflow-x:auto;padding:.6rem;background:#8882}}
</style></head><body>
<h1>{title}</h1>
{figure}
<p>{seen}</p>
{table}
<p>{measured}</p>
<pre>{command}</pre>
<p>The prediction is a simulation of the same schedule on a LogGP machine (times in seconds, words of 16 bytes): r is
from computing alone, G from communicating alone at each rate, L from the smallest message; o is the processor's time for
a block, {cpu:.3g} s a word, from communicating alone on links without limit.{shared}{simulate_intro}</p>
<pre>{simulate}</pre>
</body></html>
)";

std::string shared_cores(const HideSweep& sweep) {
  if (sweep.ranks <= sweep.cores) return "";
  return fmt::format(" {} ranks share {} core{}: r and o are as fast as they become where some of them wait.",
                     sweep.ranks, sweep.cores, sweep.cores == 1 ? "" : "s");
}

// Where both parts take about as long, and hiding is hardest.
const HidePoint& balance(const HideSweep& sweep) {
  const auto distance = [](const HidePoint& p) { return std::abs(std::log(p.computation_s / p.communication_s)); };
  return *std::min_element(sweep.points.begin(), sweep.points.end(),
                           [&](const HidePoint& a, const HidePoint& b) { return distance(a) < distance(b); });
}

std::string compared(const char* who, const Seconds& time, const HidePoint& p) {
  return time ? fmt::format(", {} {:.2f} times", who, *time / p.bound_s()) : "";
}

std::string what_is_seen(const HideSweep& sweep) {
  const HidePoint& p = balance(sweep);
  return fmt::format(
      "Whoever computes and communicates one after the other takes the sum of the two, the upper edge of the shade; "
      "whoever does both at once takes no less than the longer of them, its lower edge. At {}, where the two are "
      "nearest to each other, computing alone takes {:.3f} s and communicating alone {:.3f} s. There Kallima takes "
      "{:.2f} times the longer one, without overlap {:.2f} times{}{}{}.",
      rate_words(p), p.computation_s, p.communication_s, p.ratio(), p.kallima_no_overlap_s / p.bound_s(),
      compared("FFTW-MPI", p.fftw_default_s, p), compared("with transposed output", p.fftw_transposed_s, p),
      compared("with scrambled output", p.fftw_scrambled_s, p));
}

std::string how_measured(const HideSweep& sweep) {
  std::string words = fmt::format(
      "Each rank is a host of its own, a network namespace whose link a token bucket holds to the rate in each "
      "direction; {}; {} core{}{}. All times are medians of {} runs, taken in turns.",
      sweep.mpi, sweep.cores, sweep.cores == 1 ? "" : "s", sweep.processor.empty() ? "" : " (" + sweep.processor + ")",
      sweep.reps);
  for (const std::string& note : sweep.notes) words += " " + note;
  return words;
}

struct Cell {
  const char* title;
  std::string (*text)(const HidePoint&);
};

std::string seconds(const Seconds& value) { return value ? fmt::format("{:.3f}", *value) : "-"; }

const Cell cells[] = {{"link", [](const HidePoint& p) { return rate_words(p); }},
                      {"computation", [](const HidePoint& p) { return seconds(p.computation_s); }},
                      {"communication", [](const HidePoint& p) { return seconds(p.communication_s); }},
                      {"their maximum", [](const HidePoint& p) { return seconds(p.bound_s()); }},
                      {"Kallima", [](const HidePoint& p) { return seconds(p.kallima_s); }},
                      {"ratio", [](const HidePoint& p) { return fmt::format("{:.2f}", p.ratio()); }},
                      {"hidden", [](const HidePoint& p) { return fmt::format("{:.0f} %", 100 * p.hidden_share()); }},
                      {"predicted", [](const HidePoint& p) { return seconds(p.prediction_s); }},
                      {"without overlap", [](const HidePoint& p) { return seconds(p.kallima_no_overlap_s); }},
                      {"FFTW-MPI", [](const HidePoint& p) { return seconds(p.fftw_default_s); }},
                      {"transposed", [](const HidePoint& p) { return seconds(p.fftw_transposed_s); }},
                      {"scrambled", [](const HidePoint& p) { return seconds(p.fftw_scrambled_s); }},
                      {"messages", [](const HidePoint& p) { return p.tuning; }}};

std::string html_table(const HideSweep& sweep) {
  std::string text = "<table><tr>";
  for (const Cell& cell : cells) text += fmt::format("<th>{}</th>", cell.title);
  for (const HidePoint& point : sweep.points) {
    text += "</tr>\n<tr>";
    for (const Cell& cell : cells) text += fmt::format("<td>{}</td>", cell.text(point));
  }
  return text + "</tr></table>\n<p>Times in seconds.</p>";
}

// 256^3, 2^24 or 100x200.
std::string shape_words(const Shape& shape) {
  const auto n = static_cast<std::uint64_t>(shape[0]);
  const bool cube = std::all_of(shape.begin(), shape.end(), [&](Index m) { return m == shape[0]; });
  if (shape.size() == 1 && std::has_single_bit(n)) return fmt::format("2^{}", std::bit_width(n) - 1);
  return cube && shape.size() > 1 ? fmt::format("{}^{}", n, shape.size()) : text(shape);
}

}  // namespace

std::string rate_words(const HidePoint& point) {
  return point.rate_bits_per_s ? fmt::format("{:g} Gbit/s", *point.rate_bits_per_s * 1e-9) : "no limit";
}

std::string hide_title(const HideSweep& sweep) {
  const std::string fields = sweep.fields > 1 ? fmt::format("{} fields of ", sweep.fields) : "";
  return fmt::format("FFT of {}{} complex points, {} ranks, {} over TCP", fields, shape_words(sweep.shape), sweep.ranks,
                     sweep.mpi);
}

std::string hide_svg(const HideSweep& sweep, Theme theme) {
  std::vector<HidingPoint> points;
  for (const HidePoint& p : sweep.points)
    if (p.rate_bits_per_s)
      points.push_back({*p.rate_bits_per_s * 1e-9, p.computation_s, p.communication_s, p.kallima_s,
                        p.kallima_no_overlap_s, p.prediction_s, p.fftw_default_s, p.fftw_transposed_s,
                        p.fftw_scrambled_s});
  if (points.empty()) return "";
  return draw_hiding(points,
                     {.title = hide_title(sweep),
                      .caption = fmt::format("Shaded: between the sum of computation and communication, which is "
                                             "what one after the other takes, and the longer of the two, "
                                             "below which nobody gets. Medians of {} runs.",
                                             sweep.reps),
                      .theme = theme});
}

std::string hide_html(const HideSweep& sweep) {
  return fmt::format(fmt::runtime(page), fmt::arg("title", escaped(hide_title(sweep))),
                     fmt::arg("figure", hide_svg(sweep)), fmt::arg("seen", escaped(what_is_seen(sweep))),
                     fmt::arg("table", html_table(sweep)), fmt::arg("measured", escaped(how_measured(sweep))),
                     fmt::arg("command", escaped(sweep.command)), fmt::arg("shared", shared_cores(sweep)),
                     fmt::arg("cpu", sweep.cpu_per_word_s),
                     fmt::arg("simulate_intro", fmt::format(" For {}:", rate_words(balance(sweep)))),
                     fmt::arg("simulate", escaped(balance(sweep).simulate)));
}

std::string hide_head(const HideSweep& sweep, const HidePoint& example) {
  std::string line = fmt::format("{:<13}{:>12}{:>14}{:>9}{:>10}{:>7}{:>8}{:>11}{:>12}", "link", "computation",
                                 "communication", "bound", "Kallima", "ratio", "hidden", "predicted", "no overlap");
  if (example.fftw_default_s) line += fmt::format("{:>18}", "FFTW-MPI");
  if (example.fftw_transposed_s) line += fmt::format("{:>18}", "transposed");
  if (example.fftw_scrambled_s) line += fmt::format("{:>18}", "scrambled");
  return fmt::format("{}; seconds, medians of {} runs in turns\n{}\n", hide_title(sweep), sweep.reps, line);
}

std::string hide_row(const HidePoint& p) {
  std::string line = fmt::format("{:<13}{:>12.4f}{:>14.4f}{:>9.4f}{:>10.4f}{:>7.2f}{:>6.0f} %{:>11.4f}{:>12.4f}",
                                 rate_words(p), p.computation_s, p.communication_s, p.bound_s(), p.kallima_s, p.ratio(),
                                 100 * p.hidden_share(), p.prediction_s.value_or(0), p.kallima_no_overlap_s);
  for (const Seconds& rival : {p.fftw_default_s, p.fftw_transposed_s, p.fftw_scrambled_s})
    if (rival) line += fmt::format("{:>18}", fmt::format("{:.4f} ({:.2f} x)", *rival, *rival / p.kallima_s));
  return line + "\n";
}

}  // namespace kallima::cli
