#pragma once
// One .npy file into another, each rank reading, transforming and writing its own part.

#include <string>

#include "app/problem_flags.hpp"
#include "app/progress.hpp"
#include "kallima/array_file.hpp"
#include "kallima/fft.hpp"
#include "kallima/file.hpp"

namespace kallima::cli {

struct FileJob {
  std::string in;
  std::string out;
  Direction direction = Direction::forward;
  Norm norm = Norm::none;
  ProblemFlags problem = {};  // axes as NumPy counts them
  Index last_extent = 0;      // of reals that come from half a spectrum; 0: the even one that fits
  FftOptions options = {};
  std::string device = {};  // --device
  bool orthogonal = false;  // edges of cosines and sines scaled, too
  Flush flush = Flush::later;
  int compress = 0;  // 1 to 9, of .h5 files
  Index memory = 0;  // bytes that may be used, of all ranks together; 0: what it takes
  bool traced = false;
};

struct FileReport {
  ArrayHeader header = {};  // of what was read,
  ArrayHeader result = {};  // and written
  int ranks = 0;
  std::string transport = {};
  std::string route = {};
  std::string explanation = {};
  int exchanges = 0;
  Index words_sent_per_rank = 0;
  Index peak_bytes_per_rank = 0;
  WireReport wire = {};
  double read_s = 0;
  double plan_s = 0;
  double transform_s = 0;
  double write_s = 0;
  Trace trace = {};
};

// Collective. The old `out` is replaced when all has gone well, and untouched otherwise.
FileReport transform_file(const FileJob& job, const Comm& comm, Progress& progress);

}  // namespace kallima::cli
