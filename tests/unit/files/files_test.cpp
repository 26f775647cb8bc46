// Array and image files: what is written is read back, foreign files are understood, damaged ones are refused
// with the file's name and the broken rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>
#include <string_view>

#include "compiler/base/error.h"
#include "frontend/files/npy.h"
#include "frontend/files/npz.h"
#include "frontend/files/png.h"

namespace weft::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

template <class T>
std::vector<T> values_of(const HostArray& array) {
  std::vector<T> out(array.data.size() / sizeof(T));
  std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}

std::vector<std::byte> counting_bytes(size_t n) {
  std::vector<std::byte> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<std::byte>(i * 7 + 1);
  return out;
}

HostArray counting(DType dtype, Shape shape) {
  HostArray array{dtype, shape, counting_bytes(static_cast<size_t>(element_count(shape)) * size_of(dtype))};
  if (dtype == DType::Bool)
    for (std::byte& b : array.data) b &= std::byte{1};
  return array;
}

void expect_same(const HostArray& a, const HostArray& b) {
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.shape, b.shape) << to_string(a.shape) << " and " << to_string(b.shape);
  EXPECT_EQ(a.data, b.data);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// A file of this test alone, gone with it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& suffix)
      : path_(testing::TempDir() + "weft_io_" + std::to_string(getpid()) + suffix) {}
  TemporaryFile(const std::string& suffix, const std::string& content) : TemporaryFile(suffix) {
    write(content);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  void write(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }
  std::string content() const {
    std::ostringstream out;
    out << std::ifstream(path_, std::ios::binary).rdbuf();
    return out.str();
  }

 private:
  std::string path_;
};

// NPY

std::string npy_text(const HostArray& array) {
  std::ostringstream out;
  write_npy(out, array, "memory");
  return out.str();
}

HostArray npy_array(const std::string& text) {
  std::istringstream in(text);
  return read_npy(in, "memory");
}

std::string npy_error(const std::string& text) {
  return error_of([&] { npy_array(text); });
}

// A file of the given version with this header dictionary and these data.
std::string npy_file(int version, const std::string& header, const std::string& data) {
  std::string text("\x93NUMPY", 6);
  text += static_cast<char>(version);
  text += '\0';
  const auto length = static_cast<uint32_t>(header.size());
  text.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return text + header + data;
}

std::string npy_v1(const std::string& header, const std::string& data = "") {
  return npy_file(1, header, data);
}

class NpyDType : public testing::TestWithParam<DType> {};

TEST_P(NpyDType, comes_back_as_written_at_every_rank) {
  for (const Shape& shape :
       {Shape{}, Shape{5}, Shape{2, 3}, Shape{2, 1, 3, 2, 2}, Shape{0}, Shape{3, 0, 2}}) {
    const HostArray array = counting(GetParam(), shape);
    expect_same(npy_array(npy_text(array)), array);
  }
}

TEST_P(NpyDType, comes_back_through_a_file) {
  const HostArray array = counting(GetParam(), {4, 7});
  const TemporaryFile file(".npy");
  write_npy(file.path(), array);
  expect_same(read_npy(file.path()), array);
}

TEST_P(NpyDType, is_refused_wherever_the_file_is_cut) {
  const std::string text = npy_text(counting(GetParam(), {3, 2}));
  for (size_t n = 0; n < text.size(); ++n)
    EXPECT_THAT(npy_error(text.substr(0, n)), HasSubstr("read_npy: 'memory': ")) << "cut at byte " << n;
}

TEST_P(NpyDType, never_reads_past_its_end_when_a_byte_is_wrong) {
  const HostArray array = counting(GetParam(), {3, 2});
  const std::string text = npy_text(array);
  const size_t header = text.size() - array.data.size();
  int refused = 0;
  for (size_t at = 0; at < header; ++at)
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      try {
        const HostArray read = npy_array(damaged);
        EXPECT_EQ(read.data.size(), static_cast<size_t>(element_count(read.shape)) * size_of(read.dtype));
      } catch (const Error&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 400);
}

INSTANTIATE_TEST_SUITE_P(Every, NpyDType,
                         testing::Values(DType::Bool, DType::I8, DType::I16, DType::I32, DType::I64,
                                         DType::U8, DType::U16, DType::U32, DType::U64, DType::F16,
                                         DType::BF16, DType::F32, DType::F64, DType::C64, DType::C128),
                         [](const auto& row) { return std::string(name(row.param)); });

TEST(Npy, writes_the_bytes_that_numpy_writes) {
  std::string f64 =
      npy_v1("{'descr': '<f8', 'fortran_order': False, 'shape': (), }" + std::string(62, ' ') + "\n",
             std::string("\0\0\0\0\0\0\4\x40", 8));
  f64.replace(8, 2, std::string("v\0", 2));
  EXPECT_EQ(npy_text({DType::F64, {}, bytes_of<double>({2.5})}), f64);
  EXPECT_THAT(npy_text({DType::BF16, {3}, bytes_of<uint16_t>({0, 0x3f80, 0x4000})}),
              HasSubstr("{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }"));
  EXPECT_THAT(npy_text(counting(DType::Bool, {2, 3})),
              HasSubstr("{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }"));
}

TEST(Npy, data_begin_at_a_multiple_of_64_bytes) {
  for (size_t rank = 0; rank < 60; ++rank) {
    const HostArray array{DType::U8, Shape(rank, 1), counting_bytes(1)};
    EXPECT_EQ((npy_text(array).size() - 1) % 64, 0u) << "rank " << rank;
  }
}

TEST(Npy, takes_a_longer_header_as_version_2) {
  const HostArray array{DType::U8, Shape(30000, 1), counting_bytes(1)};
  const std::string text = npy_text(array);
  EXPECT_EQ(text[6], 2);
  expect_same(npy_array(text), array);
}

TEST(Npy, reads_every_version) {
  for (const int version : {1, 2, 3}) {
    const HostArray array =
        npy_array(npy_file(version, "{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }\n", "abcd"));
    EXPECT_EQ(array.dtype, DType::U16);
    EXPECT_THAT(values_of<uint16_t>(array), testing::ElementsAre(0x6261, 0x6463));
  }
}

TEST(Npy, reads_other_spellings_of_a_header) {
  const HostArray array = npy_array(npy_v1("{\"shape\":(2L,1),'fortran_order':False,\n'descr':'|u1'}", "ab"));
  EXPECT_EQ(array.dtype, DType::U8);
  EXPECT_EQ(array.shape, (Shape{2, 1}));
  EXPECT_EQ(npy_array(npy_v1("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", "ab")).dtype,
            DType::BF16);
  EXPECT_EQ(npy_array(npy_v1("{'descr': '=i4', 'fortran_order': False, 'shape': (1,), }", "abcd")).dtype,
            DType::I32);
}

TEST(Npy, turns_column_major_into_row_major) {
  const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': ";
  EXPECT_THAT(values_of<uint8_t>(npy_array(npy_v1(header + "(2, 3), }", "adbecf"))),
              testing::ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  // element (i, j, k) of shape (2, 3, 2) is stored at i + 2 j + 6 k
  EXPECT_THAT(values_of<uint8_t>(npy_array(npy_v1(header + "(2, 3, 2), }", "abcdefghijkl"))),
              testing::ElementsAre('a', 'g', 'c', 'i', 'e', 'k', 'b', 'h', 'd', 'j', 'f', 'l'));
  EXPECT_TRUE(npy_array(npy_v1(header + "(2, 0), }")).data.empty());
  EXPECT_THAT(values_of<uint8_t>(npy_array(npy_v1(header + "(3,), }", "abc"))),
              testing::ElementsAre('a', 'b', 'c'));
}

TEST(Npy, swaps_big_endian_items) {
  const std::string rest = "', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_THAT(values_of<uint16_t>(npy_array(npy_v1("{'descr': '>u2" + rest, {"\1\2\3\4", 4}))),
              testing::ElementsAre(0x0102, 0x0304));
  EXPECT_THAT(values_of<float>(npy_array(npy_v1("{'descr': '>f4" + rest, {"\x3f\x80\0\0\x40\0\0\0", 8}))),
              testing::ElementsAre(1.0f, 2.0f));
  EXPECT_THAT(values_of<float>(npy_array(npy_v1("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }",
                                                {"\x3f\x80\0\0\x40\0\0\0", 8}))),
              testing::ElementsAre(1.0f, 2.0f));
}

TEST(Npy, bool_bytes_become_0_or_1) {
  EXPECT_THAT(values_of<uint8_t>(npy_array(
                  npy_v1("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", {"\0\1\xff", 3}))),
              testing::ElementsAre(0, 1, 1));
}

TEST(Npy, says_which_rule_a_damaged_file_breaks) {
  const std::string good = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
  auto with_shape = [](const std::string& shape) {
    return npy_v1("{'descr': '<i4', 'fortran_order': False, 'shape': " + shape + ", }");
  };
  auto with_descr = [](const std::string& descr) {
    return npy_v1("{'descr': " + descr + ", 'fortran_order': False, 'shape': (0,), }");
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the file ends inside the magic string: 6 bytes wanted, 0 there"},
      {"PK\3\4 not an array", "not an NPY file"},
      {npy_file(4, good, ""), "version must be 1.0, 2.0 or 3.0, got 4.0"},
      {npy_v1(good).substr(0, 20), "the file ends inside the header"},
      {npy_file(2, good, "").replace(8, 4, "\xff\xff\xff\xff"), "a header takes at most"},
      {npy_v1(good, "1234567"), "the file ends inside the data of shape (2,) i32: 8 bytes wanted, 7 there"},
      {npy_v1(good, "12345678abc"), "3 bytes follow the data of shape (2,) i32"},
      {with_shape("(1000000000000,)"), "the file ends inside the data"},
      {with_shape("(9223372036854775807, 9223372036854775807)"), "read_npy: 'memory'"},
      {with_shape("(99999999999999999999,)"), "an extent does not fit 63 bits"},
      {with_shape("(-1,)"), "extent -1 is negative"},
      {with_shape("(2 3)"), "expected ',' or ')' after an extent"},
      {with_shape("(2,"), "expected an extent"},
      {with_shape("5"), "expected '('"},
      {with_descr("'<U5'"), "dtype must be one of Weft's, got descr '<U5'"},
      {with_descr("'|O'"), "dtype must be one of Weft's, got descr '|O'"},
      {with_descr("'|i4'"), "dtype must be one of Weft's, got descr '|i4'"},
      {with_descr("'>V2'"), "dtype must be one of Weft's, got descr '>V2'"},
      {with_descr("''"), "dtype must be one of Weft's, got descr ''"},
      {with_descr("[('x', '<i4')]"), "structured dtypes are not supported"},
      {npy_v1("{'descr': '<i4"), "a quoted string is not closed"},
      {npy_v1("{'descr': '<i4', 'fortran_order': Maybe, }"), "'fortran_order' must be True or False"},
      {npy_v1("{'descr': '<i4', 'descr': '<i4', }"), "unexpected or repeated key 'descr'"},
      {npy_v1("{'descr': '<i4', 'shape': (2,), }"), "needs the keys"},
      {npy_v1("{'colour': 1}"), "unexpected or repeated key 'colour'"},
      {npy_v1(good + " more"), "text after the closing '}'"},
      {npy_v1(good + std::string(1, '\0') + "more"), "text after the closing '}'"},
  };
  for (const auto& [file, rule] : cases)
    EXPECT_THAT(npy_error(file), AllOf(HasSubstr("read_npy: 'memory'"), HasSubstr(rule)));
}

TEST(Npy, names_the_path_that_cannot_be_used) {
  EXPECT_THAT(error_of([] { read_npy("/no/such/file.npy"); }),
              HasSubstr("read_npy: '/no/such/file.npy': cannot be opened"));
  EXPECT_THAT(error_of([] { write_npy("/no/such/file.npy", counting(DType::U8, {1})); }),
              HasSubstr("write_npy: '/no/such/file.npy': cannot be opened"));
  EXPECT_THAT(error_of([] { read_npy(testing::TempDir()); }), HasSubstr(testing::TempDir()));
}

TEST(Npy, refuses_to_write_data_that_do_not_fill_the_shape) {
  EXPECT_THAT(error_of([] { npy_text({DType::F32, {2, 2}, counting_bytes(12)}); }),
              HasSubstr("shape (2, 2) f32 takes 16 bytes, got 12"));
}

TEST(Npy, reports_a_full_disk) {
  EXPECT_THAT(error_of([] { write_npy("/dev/full", counting(DType::F32, {1000})); }),
              HasSubstr("write_npy: '/dev/full': cannot be written"));
}

// NPZ

// What numpy.savez_compressed writes of a = [1, -2] (i32) and grün = [[True], [False]].
constexpr std::string_view kByNumpy =
    "504b03042d0000000800000021000676a4e1ffffffffffffffff05001400612e6e70790100100088000000000000004d"
    "000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a2aea3a09e965f54529498179f5f94920a"
    "12774bcc294e058a17672416a402f91a463a9a3a0ab50a14002e460606867fffffff0700504b03042d00000808000000"
    "2100f46c7e67ffffffffffffffff090014006772c3bc6e2e6e707901001000820000000000000048000000000000009b"
    "ec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e9364a8aea3a09e965f54529498179f5f94920a12774bcc294e058a"
    "17672416a402f91a463a0a869a3a0ab50a64032e460600504b01022d032d0000000800000021000676a4e14d00000088"
    "000000050000000000000000000000800100000000612e6e7079504b01022d032d000008080000002100f46c7e674800"
    "0000820000000900000000000000000000008001840000006772c3bc6e2e6e7079504b050600000000020002006a0000"
    "00070100000000";

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  return bytes;
}

std::string npz_error(const std::string& content) {
  const TemporaryFile file(".npz", content);
  return error_of([&] { read_npz(file.path()); });
}

class Npz : public testing::TestWithParam<bool> {};

TEST_P(Npz, arrays_of_every_dtype_come_back_with_their_names) {
  const TemporaryFile file(".npz");
  NamedArrays arrays = {{"", counting(DType::F64, {})}, {"a/b", counting(DType::U8, {0, 3})}};
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    arrays.emplace_back("x " + std::string(name(dtype)), counting(dtype, {30, 20}));
  }
  write_npz(file.path(), arrays, GetParam());
  const NamedArrays read = read_npz(file.path());
  ASSERT_EQ(read.size(), arrays.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].first, arrays[i].first);
    expect_same(read[i].second, arrays[i].second);
  }
  write_npz(file.path(), {}, GetParam());
  EXPECT_TRUE(read_npz(file.path()).empty());
}

INSTANTIATE_TEST_SUITE_P(, Npz, testing::Bool());

TEST(NpzFile, numpys_is_understood) {
  const TemporaryFile file(".npz", from_hex(kByNumpy));
  const NamedArrays read = read_npz(file.path());
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].first, "a");
  expect_same(read[0].second, {DType::I32, {2}, bytes_of<int32_t>({1, -2})});
  EXPECT_EQ(read[1].first, "grün");
  expect_same(read[1].second, {DType::Bool, {2, 1}, bytes_of<uint8_t>({1, 0})});
}

TEST(NpzFile, zeros_take_less_compressed) {
  const TemporaryFile file(".npz");
  const HostArray zeros{DType::F64, {1000}, std::vector<std::byte>(8000)};
  write_npz(file.path(), {{"zeros", zeros}}, false);
  EXPECT_GT(file.content().size(), 8000U);
  write_npz(file.path(), {{"zeros", zeros}}, true);
  EXPECT_LT(file.content().size(), 500U);
  expect_same(read_npz(file.path())[0].second, zeros);
}

// The last 22 bytes say where the directory is; minizip reads some of them leniently.
TEST(NpzFile, is_refused_wherever_it_is_cut) {
  const std::string whole = from_hex(kByNumpy);
  for (size_t length = 0; length <= whole.size() - 22; ++length)
    EXPECT_THAT(npz_error(whole.substr(0, length)), HasSubstr("read_npz: '")) << length;
}

TEST(NpzFile, a_wrong_byte_is_refused_or_changes_no_element) {
  const std::string whole = from_hex(kByNumpy);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const TemporaryFile file(".npz", damaged);
    try {
      for (const auto& [name, array] : read_npz(file.path()))
        if (array.dtype == DType::I32) expect_same(array, {DType::I32, {2}, bytes_of<int32_t>({1, -2})});
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr(file.path()));
    }
  }
}

TEST(NpzFile, says_what_is_wrong) {
  EXPECT_THAT(npz_error("no archive"), HasSubstr("not an NPZ file: it is no zip archive, or damaged"));
  std::string other = from_hex(kByNumpy);
  for (size_t at = other.find("a.npy"); at != std::string::npos; at = other.find("a.npy", at + 1))
    other[at + 3] = 'x';
  EXPECT_THAT(npz_error(other), HasSubstr("holds 'a.nxy', which is no array"));
  EXPECT_THAT(error_of([] { read_npz("/nowhere/x.npz"); }),
              AllOf(HasSubstr("read_npz: '/nowhere/x.npz': cannot be opened: No such file")));
  EXPECT_THAT(error_of([] { write_npz("/nowhere/x.npz", {}, false); }),
              HasSubstr("write_npz: '/nowhere/x.npz'"));
  const HostArray one = counting(DType::U8, {1});
  EXPECT_THAT(error_of([&] { write_npz("x.npz", {{"a", one}, {"a", one}}, false); }),
              HasSubstr("two arrays have the name 'a'"));
  EXPECT_THAT(error_of([&] { write_npz("x.npz", {{std::string(65536, 'a'), one}}, false); }),
              HasSubstr("a name takes at most 65531 bytes"));
}

TEST(NpzFile, reports_a_full_disk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  EXPECT_THAT(error_of([] { write_npz("/dev/full", {{"a", counting(DType::F64, {100000})}}, false); }),
              HasSubstr("write_npz: '/dev/full': cannot be written"));
}

// PNG

std::string from_hex(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

const std::string kSignatureAndSize = "89504e470d0a1a0a0000000d49484452";
const std::string kEnd = "0000000049454e44ae426082";

HostArray png_array(const std::string& content) {
  const TemporaryFile file(".png", content);
  return read_png(file.path());
}

std::string png_error(const std::string& content) {
  return error_of([&] { png_array(content); });
}

TEST(Png, comes_back_as_written_in_every_layout) {
  const TemporaryFile file(".png");
  for (const DType dtype : {DType::U8, DType::U16})
    for (const Shape& shape : {Shape{1, 1}, Shape{5, 7}, Shape{4, 3, 2}, Shape{3, 4, 3}, Shape{6, 2, 4}}) {
      const HostArray array = counting(dtype, shape);
      write_png(file.path(), array);
      expect_same(read_png(file.path()), array);
    }
}

TEST(Png, one_channel_is_read_back_as_gray) {
  const TemporaryFile file(".png");
  write_png(file.path(), counting(DType::U8, {2, 3, 1}));
  expect_same(read_png(file.path()), counting(DType::U8, {2, 3}));
}

TEST(Png, f32_is_clamped_and_rounded_to_u8) {
  const TemporaryFile file(".png");
  const float inf = std::numeric_limits<float>::infinity();
  write_png(file.path(),
            {DType::F32, {1, 8}, bytes_of<float>({0, 1, 0.5f, 2, -1, std::nanf(""), inf, -inf})});
  const HostArray array = read_png(file.path());
  EXPECT_EQ(array.dtype, DType::U8);
  EXPECT_THAT(values_of<uint8_t>(array), testing::ElementsAre(0, 255, 128, 255, 0, 0, 255, 0));
}

// The files below were written by Pillow 12 or by hand after the PNG specification.

TEST(Png, palette_becomes_rgb) {
  const HostArray array =
      png_array(from_hex(kSignatureAndSize +
                         "000000020000000202030000000fd8e5b700000009504c5445ff000000ff000000"
                         "ff2d4acd8a0000000c49444154789c63106098000000c400a1165cba96" +
                         kEnd));
  EXPECT_EQ(array.shape, (Shape{2, 2, 3}));
  EXPECT_THAT(values_of<uint8_t>(array), testing::ElementsAre(255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 255, 0));
}

TEST(Png, transparent_palette_entry_becomes_alpha) {
  const HostArray array = png_array(
      from_hex(kSignatureAndSize +
               "000000020000000202030000000fd8e5b700000009504c5445ff000000ff000000ff2d4acd8a00000002"
               "74524e53ff00e5b7304a0000000c49444154789c63106098000000c400a1165cba96" +
               kEnd));
  EXPECT_EQ(array.shape, (Shape{2, 2, 4}));
  EXPECT_THAT(values_of<uint8_t>(array),
              testing::ElementsAre(255, 0, 0, 255, 0, 255, 0, 0, 0, 0, 255, 255, 0, 255, 0, 0));
}

TEST(Png, one_bit_gray_is_scaled) {
  const HostArray array = png_array(
      from_hex(kSignatureAndSize +
               "00000003000000020100000000b50f5bb70000000c49444154789c6358c0e00000022400e173eb3bf2" + kEnd));
  EXPECT_EQ(array.shape, (Shape{2, 3}));
  EXPECT_THAT(values_of<uint8_t>(array), testing::ElementsAre(255, 0, 255, 0, 255, 0));
}

TEST(Png, sixteen_bit_samples_have_the_machines_byte_order) {
  const HostArray array = png_array(from_hex(
      kSignatureAndSize +
      "00000002000000021000000000074d8ebb0000001249444154789c636060646460f8ff5fc80400076a0247e05d28cd" +
      kEnd));
  EXPECT_EQ(array.dtype, DType::U16);
  EXPECT_THAT(values_of<uint16_t>(array), testing::ElementsAre(1, 256, 65535, 4660));
}

TEST(Png, interlaced_image_is_read_whole) {
  const HostArray array =
      png_array(from_hex(kSignatureAndSize +
                         "00000002000000020800000001"
                         "20da626e0000000f49444154789c63e062106190d3000000f700659f55b205" +
                         kEnd));
  EXPECT_THAT(values_of<uint8_t>(array), testing::ElementsAre(10, 20, 30, 40));
}

TEST(Png, a_photograph_has_the_pixels_that_another_reader_sees) {
  const HostArray array = read_png("docs/examples/data/astronaut.png");
  ASSERT_EQ(array.shape, (Shape{512, 512, 3}));
  int64_t sum = 0;
  for (const std::byte b : array.data) sum += std::to_integer<int>(b);
  EXPECT_EQ(sum, 90124324);
  const std::vector<uint8_t> samples = values_of<uint8_t>(array);
  const size_t at = (100 * 512 + 200) * 3;
  EXPECT_THAT(std::vector<uint8_t>(samples.begin() + at, samples.begin() + at + 3),
              testing::ElementsAre(81, 57, 17));
}

TEST(Png, is_refused_wherever_the_file_is_cut) {
  const TemporaryFile file(".png");
  write_png(file.path(), counting(DType::U16, {5, 4, 3}));
  const std::string content = file.content();
  for (size_t n = 0; n < content.size(); ++n) {
    file.write(content.substr(0, n));
    EXPECT_THAT(error_of([&] { read_png(file.path()); }), HasSubstr("read_png: '" + file.path() + "': "))
        << "cut at byte " << n;
  }
}

TEST(Png, is_refused_whichever_byte_is_damaged) {
  const TemporaryFile file(".png");
  write_png(file.path(), counting(DType::U8, {5, 4, 3}));
  const std::string content = file.content();
  for (size_t at = 0; at < content.size(); ++at)
    for (const int flip : {1, 32, 128}) {
      std::string damaged = content;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      file.write(damaged);
      EXPECT_THAT(error_of([&] { read_png(file.path()); }), HasSubstr("read_png: '" + file.path() + "': "))
          << "byte " << at << " flipped by " << flip;
    }
}

TEST(Png, a_size_that_the_file_cannot_hold_is_refused_before_memory_is_taken) {
  EXPECT_THAT(png_error(from_hex(kSignatureAndSize +
                                 "000f4240000f42400802000000d30faf2a"
                                 "0000000b49444154789c6360800100000a00017f80745e" +
                                 kEnd)),
              HasSubstr("1000000 x 1000000 pixels cannot come from a file of"));
}

TEST(Png, refuses_what_follows_the_image) {
  const TemporaryFile file(".png");
  write_png(file.path(), counting(DType::U8, {5, 4, 3}));
  std::ofstream(file.path(), std::ios::app | std::ios::binary) << "more";
  EXPECT_THAT(error_of([&] { read_png(file.path()); }), HasSubstr("4 bytes follow the image"));
}

TEST(Png, names_the_file_that_is_no_png) {
  EXPECT_THAT(png_error("GIF89a, not this one"),
              AllOf(HasSubstr("read_png: '"), HasSubstr("not a PNG file")));
  EXPECT_THAT(png_error(""), HasSubstr("not a PNG file"));
  EXPECT_THAT(error_of([] { read_png("/no/such/file.png"); }),
              HasSubstr("read_png: '/no/such/file.png': cannot be opened"));
}

TEST(Png, refuses_what_an_image_cannot_hold) {
  const std::string path = "/no/such/file.png";
  auto refused = [&](const HostArray& array) { return error_of([&] { write_png(path, array); }); };
  EXPECT_THAT(refused(counting(DType::I32, {2, 2})), HasSubstr("dtype must be u8, u16 or f32, got i32"));
  EXPECT_THAT(refused(counting(DType::U8, {2, 2, 5})), HasSubstr("got (2, 2, 5)"));
  EXPECT_THAT(refused(counting(DType::U8, {4})), HasSubstr("got (4,)"));
  EXPECT_THAT(refused(counting(DType::U8, {0, 4})), HasSubstr("no extent 0, got (0, 4)"));
  EXPECT_THAT(refused({DType::U8, {2, 2}, counting_bytes(3)}),
              HasSubstr("shape (2, 2) u8 takes 4 bytes, got 3"));
  EXPECT_THAT(refused(counting(DType::U8, {2, 2})),
              HasSubstr("write_png: '/no/such/file.png': cannot be opened"));
}

TEST(Png, reports_a_full_disk) {
  EXPECT_THAT(error_of([] { write_png("/dev/full", counting(DType::U8, {64, 64})); }),
              HasSubstr("write_png: '/dev/full': "));
}

}  // namespace
}  // namespace weft::io
