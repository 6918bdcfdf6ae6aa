// A row is a line of words, so that a profile stays a file that a person can look at.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"
#include "kallima/rates.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;

template <class E>
E named(const std::string& word, E last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name(static_cast<E>(i)) == word) return static_cast<E>(i);
  fail("'{}' is no way in which lines stand or ranks are joined, nor anything that is done to lines", word);
}

constexpr std::array precisions{"single", "double", "long"};

// The words of a row, taken one after the other.
class RowWords {
 public:
  explicit RowWords(const std::string& text) : text_(text), words_(split(text, ' ')) {}

  const std::string& word() {
    require(next_ < words_.size(), "the row '{}' is too short", text_);
    return words_[next_++];
  }
  bool has_more() const { return next_ < words_.size(); }
  double number() {
    const std::optional<double> value = number_in<double>(word());
    require(value.has_value() && std::abs(*value) < 1e18, "'{}' in the row '{}' is not a number", words_[next_ - 1],
            text_);
    return *value;
  }
  Index count() {
    const double value = number();
    require(value >= 1 && value <= 0x1p59, "{} in the row '{}' makes no sense", value, text_);
    return static_cast<Index>(value);
  }

 private:
  std::string text_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

Precision precision_named(const std::string& word) {
  const auto found = std::ranges::find(precisions, word);
  require(found != precisions.end(), "'{}' is no precision: it is single, double or long", word);
  return static_cast<Precision>(found - precisions.begin());
}

PassRate pass_rate(RowWords row) {
  PassRate r;
  r.of.stance = named(row.word(), Stance::turned);
  r.of.work = named(row.word(), LineWork::product);
  r.of.precision = precision_named(row.word());
  r.length = row.count();
  r.s_per_byte = row.number();
  r.error = row.number();
  require(r.s_per_byte > 0, "{} s for a byte make no sense", r.s_per_byte);
  return r;
}

MemoryRate memory_rate(RowWords row) {
  MemoryRate r;
  r.where.stance = named(row.word(), Stance::turned);
  r.where.work = named(row.word(), LineWork::product);
  r.where.in_place = row.number() != 0;
  r.where.meets = row.number() != 0;
  r.where.cores = static_cast<int>(std::min<Index>(row.count(), 1 << 20));
  r.length = row.count();
  r.footprint = static_cast<double>(row.count());
  r.s_per_byte = row.number();
  r.where.uneven = row.has_more() && row.number() != 0;  // earlier versions did not tell
  return r;
}

RowRate row_rate(RowWords row) {
  RowRate r{.length = row.count()};
  r.meets = row.number() != 0;
  r.read_s = row.number();
  r.write_s = row.number();
  require(r.read_s >= 0 && r.write_s >= 0, "{} s and {} s a row make no sense", r.read_s, r.write_s);
  return r;
}

Correction correction(RowWords row) {
  Correction c{.route = row.word(), .work = named(row.word(), LineWork::cosine)};
  c.line = row.number() != 0;
  c.several = row.number() != 0;
  c.joined = named(row.word(), Joined::hosts);
  c.points = static_cast<double>(row.count());
  c.factor = row.number();
  c.error = row.number();
  c.uneven = row.has_more() && row.number() != 0;  // earlier versions did not tell
  require(c.factor > 0, "a factor of {} for route {} makes no sense", c.factor, c.route);
  return c;
}

}  // namespace

std::string_view name(Stance stance) { return word_for(stance, {"across", "along", "turned"}); }
std::string_view name(LineWork work) {
  return word_for(work, {"move", "complex", "twiddled", "halved", "cosine", "dealt", "shifted", "chirp", "product"});
}

std::string to_json(const Rates& rates) {
  Json all{{"cores", rates.cores},
           {"call_s", rates.call_s},
           {"group_s", rates.group_s},
           {"moved_group_s", rates.moved_group_s},
           {"calm_s", rates.calm_s},
           {"columns of passes", "stance work precision length s_per_byte_in_cache relative_error"},
           {"passes", Json::array()},
           {"columns of memory", "stance work in_place rows_meet cores length footprint_bytes s_per_byte_more uneven"},
           {"memory", Json::array()},
           {"columns of rows", "length rows_meet read_s_more write_s_more"},
           {"rows", Json::array()},
           {"columns of corrections",
            "route work one_axis several_ranks joined points_of_a_rank factor relative_error uneven"},
           {"corrections", Json::array()}};
  for (const PassRate& r : rates.passes)
    all["passes"].push_back(fmt::format("{} {} {} {} {:.5g} {:.4g}", name(r.of.stance), name(r.of.work),
                                        precisions[at(r.of.precision)], r.length, r.s_per_byte, r.error));
  for (const MemoryRate& r : rates.memory)
    all["memory"].push_back(fmt::format("{} {} {:d} {:d} {} {} {:.0f} {:.5g} {:d}", name(r.where.stance),
                                        name(r.where.work), r.where.in_place, r.where.meets, r.where.cores, r.length,
                                        r.footprint, r.s_per_byte, r.where.uneven));
  for (const RowRate& r : rates.rows)
    all["rows"].push_back(fmt::format("{} {:d} {:.4g} {:.4g}", r.length, r.meets, r.read_s, r.write_s));
  for (const Correction& c : rates.corrections)
    all["corrections"].push_back(fmt::format("{} {} {:d} {:d} {} {:.0f} {:.4g} {:.4g} {:d}", c.route, name(c.work),
                                             c.line, c.several, name(c.joined), c.points, c.factor, c.error, c.uneven));
  return all.dump();
}

Rates rates_from_json(const std::string& json) {
  try {
    const Json all = Json::parse(json);
    Rates rates{.cores = all.at("cores"), .call_s = all.at("call_s")};
    rates.group_s = all.value("group_s", 0.0);
    rates.moved_group_s = all.value("moved_group_s", 0.0);
    rates.calm_s = all.value("calm_s", 0.0);
    require(rates.calm_s >= 0, "{} s of a small transform make no sense", rates.calm_s);
    require(rates.cores >= 1 && rates.call_s >= 0, "{} cores, {} s a call make no sense", rates.cores, rates.call_s);
    require(rates.group_s >= 0 && rates.moved_group_s >= 0, "{} s and {} s a group of lines make no sense",
            rates.group_s, rates.moved_group_s);
    for (const Json& row : all.at("passes")) rates.passes.push_back(pass_rate(RowWords(row)));
    for (const Json& row : all.at("memory")) rates.memory.push_back(memory_rate(RowWords(row)));
    for (const Json& row : all.value("rows", Json::array())) rates.rows.push_back(row_rate(RowWords(row)));
    for (const Json& row : all.at("corrections")) rates.corrections.push_back(correction(RowWords(row)));
    return rates;
  } catch (const Json::exception& error) {
    fail("these are no rates of passes: {}", error.what());
  }
}

}  // namespace kallima
