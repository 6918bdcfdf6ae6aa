#pragma once
// The subcommands. Each adds itself to the program and leaves behind what is to be done if it is chosen.

#include <CLI/App.hpp>

#include "app/crew.hpp"

namespace kallima::cli {

void add_fft(CLI::App& program, Crew& crew);
void add_bench(CLI::App& program, Crew& crew);
void add_bench_kernels(CLI::App& bench, Crew& crew);
void add_bench_accuracy(CLI::App& bench, Crew& crew);
void add_bench_simulate(CLI::App& bench, Crew& crew);
void add_bench_butterfly(CLI::App& bench, Crew& crew);
void add_bench_ntt(CLI::App& bench, Crew& crew);
void add_bench_multiply(CLI::App& bench, Crew& crew);
void add_bench_sort(CLI::App& bench, Crew& crew);
void add_doctor(CLI::App& program, Crew& crew);
void add_calibrate(CLI::App& program, Crew& crew);
void add_predict(CLI::App& program, Crew& crew);
void add_demo(CLI::App& program, Crew& crew);
void add_simulate(CLI::App& program, Crew& crew);
void add_machines(CLI::App& program, Crew& crew);
void add_draw(CLI::App& program, Crew& crew);
void add_theory(CLI::App& program, Crew& crew);
void add_netlab(CLI::App& program, Crew& crew);
void add_hide(CLI::App& program, Crew& crew);
void add_explain(CLI::App& program, Crew& crew);
void add_fuzz(CLI::App& program, Crew& crew);
void add_run(CLI::App& program, Crew& crew);
void add_redistribute(CLI::App& program, Crew& crew);
void add_multiply(CLI::App& program, Crew& crew);
void add_sort(CLI::App& program, Crew& crew);

// How many of the words are for our parser: what follows -- in `kallima netlab` is another program's command line.
int arguments_for_us(int argc, char** argv);

}  // namespace kallima::cli
