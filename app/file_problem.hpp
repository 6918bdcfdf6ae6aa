#pragma once
// What is to be done with a .npy file, as a Problem. An array in Fortran order is one in C order with its dimensions
// reversed, so only the shape and the axes turn around. A Problem is that of the forward transform: half a spectrum
// that goes back to reals says how long these are but for its last bit.

#include "app/transform_file.hpp"

namespace kallima::cli {

Problem file_problem(const ArrayHeader& header, const FileJob& job, int ranks);

// Of the file that the transform makes.
ArrayHeader result_header(const ArrayHeader& header, const Problem& problem, Direction direction);

}  // namespace kallima::cli
