// Whatever bytes come in, the .npy parser either throws an Error or returns a header that keeps its promises: extents
// of at least 1, a size that is accepted to the byte and not one more or less, and a header that reads back the same
// when written. libFuzzer calls the one function here; npy_fuzz_main.cpp does where libFuzzer is not at hand.
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. -Isrc -Iinclude
//     fuzz/npy_fuzz.cpp app/npy.cpp app/npy_literal.cpp -lfmt

#include <cstdio>
#include <cstdlib>

#include "app/npy.hpp"

namespace {

using kallima::Index;
using kallima::cli::NpyHeader;

void must(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "npy_fuzz: broken promise: %s\n", claim);
  std::abort();
}

bool accepts_size(const NpyHeader& header, Index bytes) {
  try {
    check_npy_size(header, bytes);
    return true;
  } catch (const kallima::Error&) {
    return false;
  }
}

void check_promises(NpyHeader header, std::size_t size) {
  for (const Index n : header.shape) must(n >= 1, "extents are at least 1");
  must(header.data_offset <= static_cast<Index>(size), "the header lies within the file");
  const Index bytes = header.data_offset + npy_element_count(header) * item_bytes(header);
  must(bytes > header.data_offset, "the size does not overflow");
  must(accepts_size(header, bytes), "the right size is accepted");
  must(!accepts_size(header, bytes - 1) && !accepts_size(header, bytes + 1), "other sizes are not");
  const std::string text = npy_header(header);
  header.data_offset = static_cast<Index>(text.size());
  must(kallima::cli::parse_npy(std::as_bytes(std::span(text))) == header, "a written header reads back the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  NpyHeader header;
  try {
    header = kallima::cli::parse_npy(std::as_bytes(std::span(data, size)));
  } catch (const kallima::Error&) {
    return 0;
  }
  check_promises(header, size);
  return 0;
}
