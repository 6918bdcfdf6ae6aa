#pragma once
// Measures a transform of any kind, between any layouts, and beside it, if wanted, the complex one of the same shape
// and FFTW's own. What only plain complex transforms have (parts, fields, overlap reports) is measure()'s affair.

#include "bench/race.hpp"
#include "kallima/fft.hpp"

namespace kallima::cli {

struct KindSpec {
  Problem problem;
  FftOptions options = {};
  int reps = 10;
  bool against_complex = false;
  bool against_fftw = false;
  bool against_cufft = false;
  bool apply = false;  // forward, times factors, and backward
  bool traced = false;
};

struct KindEntry {
  Runs runs = {};
  Index words_sent_per_rank = 0;  // by the busiest; two reals are a word
  Index data_bytes_per_rank = 0;  // the larger of its two arrays
  Index peak_bytes_per_rank = 0;  // both, and what the plan holds
  ProgramSize program = {};       // of rank 0
  int exchanges = 0;
  std::string route = {};
  std::string explanation = {};
};

struct KindResult {
  KindEntry kallima = {};
  std::optional<KindEntry> complex = {};
  std::optional<Runs> fftw = {};
  int ranks = 0;
  std::string transport = {};
  double flops = 0;
  double bound = 0;  // on the error
  Trace trace = {};  // of one run more, where the spec asks for it
  bool correct() const { return kallima.runs.error <= bound && (!complex || complex->runs.error <= bound); }
};

KindResult measure_kind(const KindSpec& spec, const Comm& comm);     // collective
KindResult measure_factors(const KindSpec& spec, const Comm& comm);  // collective; of a spec that applies

void print_memory(std::FILE* to, Index peak, Index data);  // in bytes
std::string size_text(const ProgramSize& program);
void print_kind(std::FILE* to, const KindSpec& spec, const KindResult& result);
std::string kind_json(const KindSpec& spec, const KindResult& result);

// FFTW's transform of all axes with `threads` threads. For one rank only.
std::unique_ptr<Rival> make_fftw_kind(const Problem& problem, Effort effort, int threads);

}  // namespace kallima::cli
