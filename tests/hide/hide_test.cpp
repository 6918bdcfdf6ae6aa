// The pure half of `kallima hide`: from what bench reports to points, machines, predictions, files and pages.

#include <gtest/gtest.h>

#include "app/fields_outline.hpp"
#include "app/hide_page.hpp"
#include "app/hide_prediction.hpp"
#include "kallima/simulate.hpp"

namespace kallima::cli {
namespace {

nlohmann::json times(double median) { return {{"median_s", median}, {"min_s", 0.9 * median}}; }

nlohmann::json bench_report(int fields = 1) {
  nlohmann::json report = {{"shape", {32, 32, 32}},
                           {"ranks", 2},
                           {"fields", fields},
                           {"precision", "double"},
                           {"half_round_trip_s", 1e-5},
                           {"kallima", times(0.011 * fields)},
                           {"kallima_no_overlap", times(0.018 * fields)},
                           {"computation", times(0.008 * fields)},
                           {"communication", times(0.010 * fields)},
                           {"fftw", {{"default", times(0.03)}, {"transposed", times(0.02)}}}};
  report["kallima"].update({{"words_sent_per_rank", 8192 * fields}, {"explanation", "one exchange"}});
  report["plan"] = {
      {"route", "cyclic"}, {"grid", {2, 1, 1}},       {"chunks", 8},     {"slices", 1},           {"order", "chunk"},
      {"radices", {16}},   {"alltoall", "automatic"}, {"overlap", "on"}, {"exchange", "messages"}};
  return report;
}

HideSweep sweep() {
  HideSweep it{.shape = {32, 32, 32}, .ranks = 2, .reps = 3, .mpi = "Open MPI", .command = "kallima <&>"};
  for (const double rate : {1e9, 2e9}) {
    it.points.push_back(point_of(bench_report(), rate));
    predict(it.points.back(), bench_report(), 1e-8, 2);
  }
  return it;
}

TEST(HidePoint, takes_medians_and_leaves_out_what_was_not_measured) {
  const HidePoint point = point_of(bench_report(), 1e9);
  EXPECT_EQ(point.kallima_s, 0.011);
  EXPECT_EQ(point.fftw_transposed_s, 0.02);
  EXPECT_FALSE(point.fftw_scrambled_s);
  EXPECT_EQ(point.bound_s(), 0.010);
  EXPECT_NEAR(point.ratio(), 1.1, 1e-12);
  EXPECT_NEAR(point.hidden_share(), 0.7, 1e-12);
  EXPECT_NEAR(point.wire_s.value(), 8192 * 128 / 1e9, 1e-12);
  EXPECT_FALSE(point_of(bench_report(), std::nullopt).wire_s);
}

TEST(HidePoint, hidden_share_stays_between_nothing_and_all) {
  EXPECT_EQ((HidePoint{.computation_s = 2, .communication_s = 1, .kallima_s = 1.9}).hidden_share(), 1);
  EXPECT_EQ((HidePoint{.computation_s = 2, .communication_s = 1, .kallima_s = 9}).hidden_share(), 0);
}

TEST(HideFiles, json_has_every_key_at_every_point_and_null_where_nothing_was_measured) {
  const nlohmann::json json = nlohmann::json::parse(json_text(sweep()));
  ASSERT_EQ(json["points"].size(), 2u);
  for (const nlohmann::json& point : json["points"]) {
    for (const char* key : {"rate_bits_per_s", "computation_s", "communication_s", "kallima_s", "kallima_no_overlap_s",
                            "fftw_default_s", "fftw_transposed_s", "fftw_scrambled_s", "prediction_s", "wire_s",
                            "bound_s", "ratio", "hidden_share", "machine"})
      EXPECT_TRUE(point.contains(key)) << key;
    EXPECT_TRUE(point["fftw_scrambled_s"].is_null());
  }
  EXPECT_EQ(json["points"][1]["rate_bits_per_s"], 2e9);
}

TEST(HideFiles, csv_has_as_many_fields_in_every_line) {
  const std::string text = csv_text(sweep());
  std::vector<long> commas(1);
  for (const char c : text.substr(0, text.size() - 1))
    if (c == '\n')
      commas.push_back(0);
    else if (c == ',')
      ++commas.back();
  EXPECT_EQ(commas, std::vector<long>(3, static_cast<long>(hide_columns().size()) - 1));
  EXPECT_TRUE(text.ends_with(",\n"));  // scrambled was not measured
}

TEST(HidePage, has_the_figure_the_numbers_and_the_commands) {
  const std::string html = hide_html(sweep());
  for (const char* words : {"<svg", "2 Gbit/s", "0.011", "kallima &lt;&amp;&gt;", "kallima simulate --schedule cyclic",
                            "FFT of 32^3 complex points, 2 ranks, Open MPI over TCP"})
    EXPECT_NE(html.find(words), std::string::npos) << words;
}

TEST(Prediction, loads_are_those_of_the_schedule_that_ran) {
  const Load load = load_of(outline_of(bench_report()));
  EXPECT_EQ(load.words, 32 * 32 * 32 / 4);
  EXPECT_EQ(load.blocks, 8);
  EXPECT_NEAR(load.flops, 5.0 * 32 * 32 * 32 * 15 / 2, 1);
}

Outline without_computing(const Outline& from) {
  Outline all = from;
  for (std::size_t rank = 0; rank < from.scripts.size(); ++rank) {
    Script script;
    for (int i = 0; i < static_cast<int>(from.scripts[rank].size()); ++i) {
      OutlineTask task = from.scripts[rank][i];
      task.flops = 0;
      script.add(task, from.scripts[rank].after(i));
    }
    script.close();
    all.scripts[rank] = script;
  }
  return all;
}

TEST(Prediction, each_part_alone_takes_what_was_measured) {
  const Outline one = outline_of(bench_report());
  const Measured measured{.computation_s = 0.008, .communication_s = 0.010, .latency_s = 1e-5};
  Loggp machine = machine_for(load_of(one), measured, 2e-8, 2);
  EXPECT_NEAR(simulate(without_computing(one), machine).completion, 0.010, 1e-9);
  machine.L = machine.o = machine.g = machine.G = 0;
  EXPECT_NEAR(simulate(one, machine).completion, 0.008, 1e-9);
}

TEST(Prediction, overhead_takes_no_longer_than_communicating_did) {
  const Outline one = outline_of(bench_report());
  const Loggp machine = machine_for(load_of(one), {.computation_s = 0.008, .communication_s = 0.010}, 1, 2);
  EXPECT_NEAR(machine.o, 0.010 / 16, 1e-12);
}

TEST(Prediction, lies_between_the_maximum_and_the_sum) {
  const HidePoint point = sweep().points[0];
  EXPECT_GT(*point.prediction_s, point.bound_s());
  EXPECT_LT(*point.prediction_s, point.sum_s());
  EXPECT_NE(point.simulate.find(point.machine), std::string::npos);
}

TEST(Prediction, is_the_sum_without_overlap) {
  nlohmann::json report = bench_report();
  report["plan"].update({{"overlap", "off"}, {"chunks", 1}, {"radices", nlohmann::json::array()}});
  HidePoint point = point_of(report, 1e9);
  predict(point, report, 1e-8, 2);
  EXPECT_NEAR(*point.prediction_s, point.sum_s(), 1e-6);
  EXPECT_NE(point.simulate.find("--overlap off"), std::string::npos);
}

// Two ranks on one core: whoever computes while the other waits for the network has the core for itself.
TEST(Prediction, is_earlier_where_ranks_leave_each_other_their_core) {
  HidePoint apart = point_of(bench_report(), 1e9);
  HidePoint together = apart;
  predict(apart, bench_report(), 1e-8, 2);
  predict(together, bench_report(), 1e-8, 1);
  EXPECT_LT(*together.prediction_s, *apart.prediction_s);
  EXPECT_GE(*together.prediction_s, together.communication_s);
  EXPECT_NE(together.machine, apart.machine);
}

TEST(Page, says_that_ranks_share_cores_where_they_do) {
  HideSweep it = sweep();
  it.cores = it.ranks;
  EXPECT_EQ(hide_html(it).find("ranks share"), std::string::npos);
  it.cores = 1;
  EXPECT_NE(hide_html(it).find("ranks share 1 core"), std::string::npos);
}

TEST(Prediction, processor_time_of_a_word_is_half_of_sending_and_receiving_it) {
  EXPECT_NEAR(cpu_per_word(bench_report()), 0.009 / 2 / 8192, 1e-12);
}

TEST(Fields, one_is_the_transform_itself_and_more_send_as_many_times_the_words) {
  const Outline one = outline_of(bench_report());
  const Loggp machine = machine_for(load_of(one), {0.008, 0.010, 1e-5}, 1e-8, 2);
  const Simulation single = simulate(one, machine);
  EXPECT_NEAR(simulate(fields_outline(one, 1), machine).completion, single.completion, 1e-12);
  for (const int fields : {2, 3, 5}) {
    const Simulation several = simulate(fields_outline(one, fields), machine);
    EXPECT_EQ(several.words, fields * single.words);
    EXPECT_GE(several.completion, fields * 0.010);
    EXPECT_LT(several.completion, fields * single.completion) << "the exchange of one hides behind its neighbours";
  }
}

TEST(Fields, what_a_message_waits_for_comes_before_what_waits_for_one) {
  const Outline two = fields_outline(outline_of(bench_report()), 2);
  const Script& script = two.script(0);
  int last_send = 0, first_combination = static_cast<int>(script.size());
  for (int task = 0; task < static_cast<int>(script.size()); ++task) {
    if (script[task].kind == TaskKind::send_start) last_send = task;
    for (const int earlier : script.after(task))
      if (script[task].kind == TaskKind::compute && script[earlier].kind == TaskKind::recv_finish)
        first_combination = std::min(first_combination, task);
  }
  EXPECT_LT(last_send, first_combination);
}

TEST(Fields, prediction_counts_all_of_them) {
  HidePoint point = point_of(bench_report(3), 1e9);
  predict(point, bench_report(3), 1e-8, 2);
  EXPECT_GT(*point.prediction_s, 0.030);
  EXPECT_LT(*point.prediction_s, 0.054);
}

}  // namespace
}  // namespace kallima::cli
