#pragma once
// Another FFT that Kallima is measured against, in the same process and with its runs in between. Construction plans
// and allocates; run() is all that is timed.

#include <memory>
#include <string>
#include <vector>

#include "kallima/comm.hpp"
#include "kallima/fft.hpp"

namespace kallima::cli {

struct RivalSpec {
  Shape shape;
  Precision precision = Precision::double_;
  Effort effort = Effort::measure;
  Placement placement = Placement::out_of_place;
};

class Rival {
 public:
  virtual ~Rival() = default;
  virtual std::string name() const = 0;   // its key in the results: threads, default, transposed, scrambled
  virtual std::string title() const = 0;  // in words
  virtual void fill() = 0;                // the analytic signal
  virtual void run() = 0;                 // one forward transform
  virtual double error() = 0;             // relative, of a run that followed fill(); collective where the rival is
  virtual bool has_answer() const { return true; }  // that can be checked
};

// FFTW with `threads` threads. For one rank only; the others wait.
std::unique_ptr<Rival> make_fftw_threads(const RivalSpec& spec, int threads);

// NVIDIA's transform of the whole array, on the device that the options' backend computes on. For one rank only.
std::unique_ptr<Rival> make_cufft(const Problem& problem, const FftOptions& options);

bool have_fftw_mpi();

// FFTW-MPI over all of MPI_COMM_WORLD, in each of the output orders that apply. Collective. Throws where FFTW-MPI was
// not compiled in.
std::vector<std::unique_ptr<Rival>> make_fftw_mpi(const RivalSpec& spec, const Comm& comm);

}  // namespace kallima::cli
