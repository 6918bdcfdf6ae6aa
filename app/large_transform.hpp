#pragma once
// An array that does not fit into memory, transformed in two passes over the file: all axes but the first on slabs of
// it, and the first on columns that go through all slabs. Each piece is a transform of its own, of all ranks together.

#include "app/transform_file.hpp"

namespace kallima::cli {

// With pieces that take about job.memory bytes, all ranks together. Collective.
FileReport transform_large_file(const FileJob& job, const ArrayHeader& header, const Comm& comm, Progress& progress);

}  // namespace kallima::cli
