// Arrays in files and in spans of others' memory, as C++ programs write it.
#include "frontend/cpp/weft/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>

#include "compiler/base/error.h"
#include "frontend/cpp/weft/weft.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message_of_files(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// A folder of this test alone, gone with it.
class PublicFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("weft_files_" + std::to_string(getpid()));
};

TEST_F(PublicFiles, KeepWhatWasComputed) {
  const Array x = iota({3, 4}, 1, DType::F32) * 0.5;
  save(at("x.npy"), x(Slice{}, Slice{std::nullopt, std::nullopt, -1}));
  const Array read = load(at("x.npy"));
  EXPECT_EQ(read.dtype(), DType::F32);
  EXPECT_EQ(read.shape(), (Shape{3, 4}));
  EXPECT_EQ(read.to_vector<float>(), x(Slice{}, Slice{std::nullopt, std::nullopt, -1}).to_vector<float>());
  save(at("one.npy"), scalar(2.5));
  EXPECT_EQ(load(at("one.npy")).item<double>(), 2.5);
}

TEST_F(PublicFiles, ImagesAreBytesOrFloatsInTheUnitInterval) {
  const Array image = from<float>({0.0F, 0.5F, 1.0F, 2.0F}) * ones({2, 1}, DType::F32);
  save(at("gray.png"), image);
  const Array read = load(at("gray.png"));
  EXPECT_EQ(read.dtype(), DType::U8);
  EXPECT_EQ(read.shape(), (Shape{2, 4}));
  EXPECT_THAT(read(0).to_vector<uint8_t>(), ElementsAre(0, 128, 255, 255));
  EXPECT_EQ(load("docs/examples/data/astronaut.png").ndim(), 3U);
}

TEST_F(PublicFiles, OneFileHoldsSeveralArraysByName) {
  const Array w = ones({2, 2}) * 3;
  save_npz(at("model.npz"), {{"w", w}, {"b", arange(3)}}, true);
  const std::map<std::string, Array> read = load_npz(at("model.npz"));
  EXPECT_EQ(read.size(), 2U);
  EXPECT_THAT(read.at("w").to_vector<double>(), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(read.at("b").to_vector<int64_t>(), ElementsAre(0, 1, 2));
}

TEST_F(PublicFiles, ANameThatIsNotInTheFileIsNamedBesideThoseThatAre) {
  save_npz(at("model.npz"), {{"w", ones({2})}, {"b", arange(3)}});
  EXPECT_THAT(message_of_files([&] { load_npz(at("model.npz")).at("x"); }),
              HasSubstr("load_npz: the file has no array 'x': it has b, w"));
}

TEST_F(PublicFiles, ADamagedImageIsSaidToBeOne) {
  save(at("x.png"), ones({2, 2}, DType::F32));
  std::fstream(at("x.png"), std::ios::in | std::ios::out | std::ios::binary) << "JPEG";
  EXPECT_THAT(message_of_files([&] { load(at("x.png")); }), HasSubstr("x.png': not a PNG file"));
  std::ofstream(at("short.png"), std::ios::binary) << "\x89PNG";
  EXPECT_THAT(message_of_files([&] { load(at("short.png")); }), HasSubstr("read_png: '"));
  std::ofstream(at("x.dat")) << "neither";
  EXPECT_THAT(message_of_files([&] { load(at("x.dat")); }),
              HasSubstr("x.dat': begins neither as an NPY file nor as a PNG image"));
  save(at("y.npy"), ones({2}));
  std::filesystem::rename(at("y.npy"), at("y.png"));
  EXPECT_EQ(load(at("y.png")).size(), 2);
}

TEST_F(PublicFiles, ErrorsSayWhatIsTaken) {
  EXPECT_THAT(message_of_files([&] { save(at("x.txt"), ones({2})); }),
              HasSubstr("takes a name that ends in .npy or .png; save_npz() writes several arrays"));
  EXPECT_THAT(message_of_files([&] { load(at("nothing.npy")); }),
              HasSubstr("nothing.npy': cannot be opened"));
  save_npz(at("a.npz"), {{"a", ones({1})}});
  EXPECT_THAT(message_of_files([&] { load(at("a.npz")); }), HasSubstr("load_npz() reads them"));
  std::ofstream(at("text.npy")) << "no array of NumPy's";
  EXPECT_THAT(message_of_files([&] { load(at("text.npy")); }), HasSubstr("not an NPY file"));
  EXPECT_THAT(message_of_files([&] { save(at("x.png"), ones({2, 2})); }),
              HasSubstr("dtype must be u8, u16 or f32"));
  EXPECT_FALSE(std::filesystem::exists(at("x.png")));
}

// The members of std::mdspan that a strided one has, for standard libraries without it.
template <size_t Rank>
struct Extents {
  using index_type = int;  // NOLINT: the standard's name
  Extents() = default;
  explicit Extents(const std::array<int, Rank>& of) : values(of) {}
  std::array<int, Rank> values{};
};

template <class T, size_t Rank>
struct Span {
  using element_type = T;              // NOLINT: the standard's names
  using extents_type = Extents<Rank>;  // NOLINT
  Span(T* first, const Extents<Rank>& of) : data(first), extents(of) {
    int64_t step = 1;
    for (size_t i = Rank; i-- > 0; step *= of.values[i]) strides[i] = step;
  }
  static constexpr size_t rank() { return Rank; }
  int extent(size_t axis) const { return extents.values[axis]; }
  int64_t stride(size_t axis) const { return strides[axis]; }
  T* data_handle() const { return data; }

  T* data;
  Extents<Rank> extents;
  std::array<int64_t, Rank> strides{};
};

TEST(Mdspan, ElementsComeInAndGoOutAtAnyStrides) {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  Span<float, 2> columns(memory.data(), Extents<2>({3, 2}));
  columns.strides = {1, 3};  // memory[column * 3 + row]
  const Array x = from(columns);
  EXPECT_EQ(x.dtype(), DType::F32);
  EXPECT_EQ(x.shape(), (Shape{3, 2}));
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
  copy_to(x * 10, columns);
  EXPECT_THAT(memory, ElementsAre(0, 10, 20, 30, 40, 50));
  Span<float, 2> backwards(memory.data() + 5, Extents<2>({1, 6}));
  backwards.strides = {6, -1};
  EXPECT_THAT(from(backwards).to_vector<float>(), ElementsAre(50, 40, 30, 20, 10, 0));
}

TEST(Mdspan, AnArraysMemoryIsShownWithoutACopy) {
  const Array x = iota({2, 3}, 0, DType::F64) * 2;
  const auto shown = as_mdspan<Span<const double, 2>>(x);
  EXPECT_EQ(shown.data_handle(), x.span<double>().data());
  EXPECT_EQ(shown.extent(1), 3);
  EXPECT_EQ(shown.data_handle()[shown.stride(0) + 2], 2);
  const auto none = as_mdspan<Span<const double, 0>>(scalar(4.0));
  EXPECT_EQ(*none.data_handle(), 4.0);
}

TEST(Mdspan, NothingAndOneElementAreTaken) {
  Span<double, 2> nothing(nullptr, Extents<2>({0, 5}));
  EXPECT_EQ(from(nothing).shape(), (Shape{0, 5}));
  copy_to(zeros({0, 5}), nothing);
  double number = 7;
  Span<double, 0> one(&number, Extents<0>());
  EXPECT_EQ(from(one).item<double>(), 7);
  copy_to(scalar(8.0), one);
  EXPECT_EQ(number, 8);
}

TEST(Mdspan, ShapesAndTypesAreHeld) {
  std::vector<float> memory(6);
  Span<float, 2> span(memory.data(), Extents<2>({2, 3}));
  EXPECT_THAT(message_of_files([&] { copy_to(ones({3, 2}, DType::F32), span); }),
              HasSubstr("copy_to: the array and the span have one shape: got (3, 2) and (2, 3)"));
  EXPECT_THAT(message_of_files([&] { copy_to(ones({2, 3}), span); }), HasSubstr("the array is f64: got f32"));
  EXPECT_THAT(message_of_files([&] { as_mdspan<Span<const double, 1>>(ones({2, 3})); }),
              HasSubstr("as_mdspan: the array has as many axes as the span: got 2 and 1"));
}

}  // namespace
}  // namespace weft
