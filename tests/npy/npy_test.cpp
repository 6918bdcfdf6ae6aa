// The .npy header parser against every kind of file that may be handed to it: what NumPy writes, what it might have
// written, and what somebody writes to do harm. Whatever it accepts must survive being written and read again.

#include "file/npy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kallima {
namespace {

std::string file(const std::string& dictionary, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  const int width = version == 1 ? 2 : 4;
  for (int i = 0; i < width; ++i) text += static_cast<char>((dictionary.size() >> (8 * i)) & 0xff);
  return text + dictionary;
}

std::string dictionary(const std::string& descr, const std::string& order, const std::string& shape) {
  return fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape);
}

std::string shaped(const std::string& shape) { return file(dictionary("'<c16'", "False", shape)); }

ArrayHeader parse(const std::string& text) { return parse_npy(std::as_bytes(std::span(text))); }

// The message of the Error that parsing ends with; nothing when it does not.
std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_COMPLAINT(text, part) EXPECT_NE(complaint(text).find(part), std::string::npos) << complaint(text)

TEST(Npy, every_dtype_order_and_dimension_survives_being_written_and_read) {
  for (const Data data : {Data::real_, Data::complex_})
    for (const Precision precision : {Precision::single_, Precision::double_})
      for (const ByteOrder bytes : {ByteOrder::little, ByteOrder::big})
        for (const ArrayOrder order : {ArrayOrder::c, ArrayOrder::fortran})
          for (const Shape& shape :
               {Shape{}, Shape{1}, Shape{4096}, Shape{3, 4}, Shape{16, 16, 16, 16}, Shape(64, 1)}) {
            ArrayHeader header{data, precision, bytes, order, shape, 0};
            const std::string text = npy_header(header);
            header.data_offset = static_cast<Index>(text.size());
            EXPECT_EQ(text.size() % 64, 0u);
            EXPECT_EQ(text.back(), '\n');
            EXPECT_EQ(parse(text), header);
          }
}

TEST(Npy, a_header_too_long_for_version_1_is_written_as_version_2) {
  const std::string text = npy_header({.shape = Shape(40000, 1)});
  EXPECT_EQ(text[6], 2);
  EXPECT_EQ(text.size() % 64, 0u);
}

TEST(Npy, all_three_versions_are_read) {
  const std::string dict = dictionary("'<f4'", "True", "(3, 4)");
  for (int version = 1; version <= 3; ++version) {
    const ArrayHeader header = parse(file(dict, version));
    EXPECT_EQ(header.shape, (Shape{3, 4}));
    EXPECT_EQ(header.order, ArrayOrder::fortran);
    EXPECT_EQ(header.data, Data::real_);
    EXPECT_EQ(header.precision, Precision::single_);
    EXPECT_EQ(header.data_offset, static_cast<Index>((version == 1 ? 10 : 12) + dict.size()));
  }
  EXPECT_COMPLAINT(file(dict, 4), "version 4.0");
  EXPECT_COMPLAINT(file(dict, 0), "version 0.0");
}

TEST(Npy, the_dictionary_may_be_spaced_quoted_and_ordered_as_python_allows) {
  EXPECT_EQ(parse(file("{\"shape\":(7L,),\"fortran_order\":False,\"descr\":\"<c8\"}")).shape, Shape{7});
  EXPECT_EQ(parse(file("  { 'shape' : ( 7 , 8 ) , 'descr' : '>f8' , 'fortran_order' : True }   \n")).bytes,
            ByteOrder::big);
  EXPECT_TRUE(parse(shaped("()")).shape.empty());
}

TEST(Npy, a_0_dimensional_array_is_one_element) {
  const ArrayHeader header = parse(shaped("()"));
  EXPECT_EQ(array_element_count(header), 1);
  EXPECT_NO_THROW(check_npy_size(header, header.data_offset + 16));
}

TEST(Npy, whole_and_half_numbers_are_read_as_reals) {
  for (const auto& [descr, bytes, precision] : {std::tuple{"<i8", 8, Precision::double_},
                                                {">u4", 4, Precision::double_},
                                                {"|i1", 1, Precision::double_},
                                                {"|b1", 1, Precision::double_},
                                                {">f2", 2, Precision::single_}}) {
    const ArrayHeader header = parse(file(dictionary(fmt::format("'{}'", descr), "False", "(4,)")));
    EXPECT_EQ(header.data, Data::real_) << descr;
    EXPECT_EQ(header.precision, precision) << descr;
    EXPECT_EQ(item_bytes(header), bytes) << descr;
    EXPECT_EQ(dtype_text(header), descr);
  }
}

TEST(Npy, dtypes_that_cannot_be_transformed_are_named_in_the_error) {
  for (const char* descr :
       {"<f16", "<c32", "<c4", "<i16", "|u2", "=f8", "|c16", "f8", "", "<", "|", "<U7", "<M8", "c16", "<c16 "})
    EXPECT_COMPLAINT(file(dictionary(fmt::format("'{}'", descr), "False", "(4,)")), fmt::format("dtype '{}'", descr));
  EXPECT_COMPLAINT(file(dictionary("[('a', '<f8')]", "False", "(4,)")), "records");
}

TEST(Npy, shapes_that_lie_are_refused) {
  EXPECT_COMPLAINT(shaped("(-1,)"), "bad shape");
  EXPECT_COMPLAINT(shaped("(1, (2, 3))"), "bad shape");
  EXPECT_COMPLAINT(shaped("(3)"), "no tuple");
  EXPECT_COMPLAINT(shaped("3"), "expected '('");
  EXPECT_COMPLAINT(shaped("(,)"), "bad shape");
  EXPECT_COMPLAINT(shaped("(2,,3)"), "bad shape");
  EXPECT_COMPLAINT(shaped("(2 3)"), "expected ','");
  EXPECT_COMPLAINT(shaped("(2, 3"), "bad shape");
  EXPECT_COMPLAINT(shaped("(0x10,)"), "expected ','");
  EXPECT_COMPLAINT(shaped("(1.5,)"), "expected ','");
  EXPECT_COMPLAINT(shaped("(1e9,)"), "expected ','");
  EXPECT_COMPLAINT(shaped("(3, 0, 2)"), "extent of 0");
}

TEST(Npy, numbers_and_products_that_overflow_are_refused) {
  EXPECT_COMPLAINT(shaped("(18446744073709551617,)"), "above 2^58");
  EXPECT_COMPLAINT(shaped("(" + std::string(5000, '9') + ",)"), "above 2^58");
  EXPECT_COMPLAINT(shaped("(4294967296, 4294967296)"), "too large");
  EXPECT_COMPLAINT(shaped("(4294967296, 4294967297, 4294967296)"), "too large");
  EXPECT_COMPLAINT(shaped("(288230376151711744, 2)"), "too large");
  EXPECT_NO_THROW(parse(shaped("(288230376151711744,)")));  // 2^58, the largest
}

TEST(Npy, too_many_dimensions_are_refused) {
  std::string ones = "(";
  for (int i = 0; i < 65; ++i) ones += "1, ";
  EXPECT_COMPLAINT(shaped(ones + ")"), "more than 64 dimensions");
}

TEST(Npy, keys_must_be_the_three_and_each_once) {
  EXPECT_COMPLAINT(file("{'descr': '<f8', 'fortran_order': False}"), "lacks");
  EXPECT_COMPLAINT(file("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"),
                   "'descr' is unknown");
  EXPECT_COMPLAINT(file("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'x': 1}"), "'x' is unknown");
  EXPECT_COMPLAINT(file("{}"), "lacks");
  EXPECT_COMPLAINT(file(dictionary("'<f8'", "0", "(1,)")), "True or False");
  EXPECT_COMPLAINT(file(dictionary("'<f8'", "None", "(1,)")), "True or False");
}

TEST(Npy, text_after_the_dictionary_is_refused) {
  EXPECT_COMPLAINT(file(dictionary("'<f8'", "False", "(1,)") + "import os"), "follows the dictionary");
  EXPECT_COMPLAINT(file("__import__('os')"), "expected '{'");
  EXPECT_COMPLAINT(file("{'descr': '<f8"), "without its end");
}

TEST(Npy, every_truncation_of_a_good_header_is_refused) {
  const std::string text = npy_header({.shape = {31, 33, 35}});
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) EXPECT_NE(complaint(text.substr(0, bytes)), "") << bytes;
  EXPECT_EQ(complaint(text), "");
}

TEST(Npy, a_header_length_beyond_all_reason_is_refused_without_reading_it) {
  std::string text = file(dictionary("'<f8'", "False", "(1,)"), 2);
  for (std::size_t i = 8; i < 12; ++i) text[i] = '\xff';
  EXPECT_COMPLAINT(text, "4294967295 bytes long");
}

TEST(Npy, control_characters_of_a_hostile_file_do_not_reach_the_terminal) {
  for (const char c : complaint(file("{'\x1b[2J\x07': 1}"))) EXPECT_GE(c, ' ');
}

TEST(Npy, the_data_must_be_exactly_as_long_as_the_shape_says) {
  const ArrayHeader header = parse(shaped("(3, 4)"));
  const Index size = header.data_offset + 12 * 16;
  EXPECT_NO_THROW(check_npy_size(header, size));
  EXPECT_THROW(check_npy_size(header, size - 1), Error);
  EXPECT_THROW(check_npy_size(header, size + 1), Error);
  EXPECT_THROW(check_npy_size(header, 0), Error);
}

}  // namespace
}  // namespace kallima
