// Printed numbers are read digit by digit, since their exactness is in the digits and not in the value. The verdict on
// a claim follows. And the numbers outside Table 1 and section 6 that can be checked against each other, with those of
// the paper's measurements that section 6 leans on, which cannot.

#include "lab/theory/exascale_claims.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/text.hpp"

namespace kallima::exascale {
namespace {

constexpr double slack = 1e-9;  // what arithmetic loses; no claim depends on it

double prefix_factor(char prefix) {
  const std::size_t thousands = std::string("kMGTPE").find(prefix);
  return thousands == std::string::npos ? 1 : std::pow(10, 3 * (static_cast<double>(thousands) + 1));
}

// How many powers of ten the last digit that counts stands above the units; negative behind the point.
int last_digit(const std::string& digits, bool separated) {
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) return -static_cast<int>(digits.size() - point - 1);
  if (!separated) return 0;
  return static_cast<int>(digits.size() - 1 - std::min(digits.find_last_not_of('0'), digits.size() - 1));
}

// A lone digit such as 1 is soon agreed with, which the reader should know.
bool is_coarse(Relation relation, const Printed& printed) {
  return relation == Relation::equal && printed.high - printed.low > printed.value / 2;
}

// The rounding of inputs excuses no further what a lone digit already leaves open.
Verdict verdict_on(Relation relation, const Printed& printed, const Printed& computed) {
  if (holds(relation, printed, computed.value)) return Verdict::agrees;
  const bool excused = !is_coarse(relation, printed) && may_hold(relation, printed, computed);
  return excused ? Verdict::within_inputs : Verdict::differs;
}

constexpr const char* elsewhere = "Sections 2 to 5";

std::string bounds_text(const Printed& number) {
  return fmt::format("{} to {}", number_text(number.low), number_text(number.high));
}

}  // namespace

Printed read_printed(const std::string& text) {
  std::string digits = text;
  const bool separated = std::erase(digits, ',') > 0;
  const double factor = digits.ends_with('k') || digits.ends_with('M') ? prefix_factor(digits.back()) : 1;
  if (factor != 1) digits.pop_back();
  require(!digits.empty() && digits.find_first_not_of("0123456789.") == std::string::npos,
          "'{}' is no printed number (digits, a point, commas, k or M) correct the table", text);
  const double value = std::stod(digits) * factor;
  const double half = 0.5 * factor * std::pow(10, last_digit(digits, separated));
  return {value, value - half, value + half};
}

double unit_factor(const std::string& unit) { return unit.size() < 2 ? 1 : prefix_factor(unit[0]); }

bool holds(Relation relation, const Printed& printed, double computed) {
  if (relation == Relation::above) return computed > printed.value * (1 + slack);
  if (relation == Relation::below) return computed < printed.value * (1 - slack);
  if (relation == Relation::magnitude) return std::abs(std::log10(computed / printed.value)) <= 0.5;
  return printed.low * (1 - slack) <= computed && computed <= printed.high * (1 + slack);
}

// Some number of the interval would do; all relations hold on an interval, so that its ends and the printed value tell.
bool may_hold(Relation relation, const Printed& printed, const Printed& computed) {
  const double nearest = std::clamp(printed.value, computed.low, computed.high);
  return holds(relation, printed, computed.low) || holds(relation, printed, computed.high) ||
         holds(relation, printed, nearest);
}

void add_note(Claim& claim, const std::string& more) {
  if (!more.empty()) claim.note += (claim.note.empty() ? "" : "; ") + more;
}

Claim judged(Claim claim, const Printed& computed, Relation relation, const std::optional<Printed>& given_digits) {
  const Printed printed = given_digits ? *given_digits : read_printed(claim.printed);
  claim.printed = word_for(relation, {"", "> ", "< ", "~ "}) + claim.printed;
  claim.printed_value = printed.value;
  claim.computed = computed.value;
  const bool is_bound = relation == Relation::above || relation == Relation::below;
  if (!is_bound) claim.difference = computed.value / printed.value - 1;
  claim.verdict = verdict_on(relation, printed, computed);
  if (claim.agrees() && relation == Relation::magnitude)
    add_note(claim, "claimed and compared as an order of magnitude only");
  if (claim.verdict == Verdict::within_inputs)
    add_note(claim, bounds_text(computed) + " with the rounding of its inputs");
  if (claim.agrees() && is_coarse(relation, printed))
    add_note(claim, fmt::format("one digit: all from {} rounds to it", bounds_text(printed)));
  return claim;
}

Claim given(Claim claim, const std::string& note) {
  claim.printed_value = read_printed(claim.printed).value;
  claim.note = note;
  return claim;
}

std::vector<Claim> elsewhere_claims() {
  const auto checked = [](const char* where, const char* claim, const char* printed, const char* unit,
                          const Printed& computed, Relation relation = Relation::equal) {
    return judged({elsewhere, claim, where, printed, unit}, computed, relation);
  };
  const auto measured = [](const char* where, const char* claim, const char* printed, const char* unit) {
    return given({elsewhere, claim, where, printed, unit}, "measured by the authors");
  };
  const double hopper = 6392.0 * 24 / 6;  // nodes have two chips of twelve cores, Table 1's processor has six
  std::vector<Claim> all{
      checked("section 2", "32^3 points in 4 microseconds on Anton", "614", "GF/s",
              exactly(flop_count(32) / 4e-6 * 1e-9)),
      checked("section 5.1", "cores of 4,096 nodes of two 12-core chips", "98,304", "", exactly(4096.0 * 24)),
      checked("section 5.1", "Hopper's peak: 6,392 nodes x 4 x C_CPU", "1.288", "PF/s",
              hopper * 1e-6 * read_printed(trend("C_CPU").value_2010)),
      checked("section 5.1", "nodes of a torus of 17 x 8 x 24", "6,392", "", exactly(17.0 * 8 * 24)),
      checked("section 5.3.1", "GPU memory over PCIe bandwidth, 144/8", "10", "x",
              exactly(value_in(trend("beta_GPU"), 2010) / 8e9), Relation::magnitude),
      measured("section 2", "1-D FFT record, K computer", "34.7", "TF/s"),
      measured("section 5.2.1", "constant A of equation (2)", "6.3", ""),
      measured("section 5.2.2", "time in local transposes, DiGPUFFT", "16", "%"),
      measured("section 5.2.2", "time in FFT computation, DiGPUFFT", "21", "%"),
      measured("section 5.3.1", "time between CPU and GPU, DiGPUFFT", "27", "%"),
      measured("section 5.3.1", "largest gain of GPU over CPU, Keeneland", "20", "%")};
  add_note(all[3], "with two nodes at each place there is room for 6528");
  return all;
}

std::vector<Claim> claims(double n) {
  require(n >= 2, "no model for n = {} (there is nothing to transform) give 2 or more", n);
  std::vector<Claim> all = table1_claims();
  for (const std::vector<Claim>& part : {prediction_claims(n), elsewhere_claims()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

const char* text(Verdict verdict) {
  return word_for(verdict, {"agrees", "within inputs", "does not follow", "not derivable"});
}

}  // namespace kallima::exascale

std::string kallima::theory::number_text(double value) {
  if (std::abs(value) < 1e4 || std::abs(value) >= 1e15) return fmt::format("{:.4g}", value);
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 4);
  std::string digits = fmt::format("{:.0f}", std::abs(std::round(value / unit) * unit));
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return (value < 0 ? "-" : "") + digits;
}
