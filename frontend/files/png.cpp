#include "frontend/files/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "compiler/base/error.h"
#include "frontend/files/deflate.h"
#include "frontend/files/whole_file.h"

// libpng reports an error by longjmp, which must not pass over objects with destructors. So each function
// that calls setjmp is noexcept, works on storage that its caller owns, and holds only plain values.

namespace weft::io {
namespace {

struct Message {
  char text[128] = "damaged";
};

void on_error(png_structp png, png_const_charp text) {
  auto* message = static_cast<Message*>(png_get_error_ptr(png));
  std::snprintf(message->text, sizeof message->text, "%s", text);
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

struct Bytes {
  const std::byte* data;
  size_t size, at;
};

void read_bytes(png_structp png, png_bytep to, size_t count) {
  auto* bytes = static_cast<Bytes*>(png_get_io_ptr(png));
  if (count > bytes->size - bytes->at) png_error(png, "the file ends too early");
  std::memcpy(to, bytes->data + bytes->at, count);
  bytes->at += count;
}

// What libpng reads or writes with, and frees: `make` and `free` are its own functions for either.
template <auto make, auto free>
struct Handle {
  Message message;
  png_structp png = make(PNG_LIBPNG_VER_STRING, &message, on_error, on_warning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { free(&png, &info); }
};

void free_reader(png_structpp png, png_infopp info) { png_destroy_read_struct(png, info, nullptr); }

using Reader = Handle<png_create_read_struct, free_reader>;
using Writer = Handle<png_create_write_struct, png_destroy_write_struct>;

struct Layout {
  uint32_t width, height;
  int channels, bit_depth;
  uint64_t stored_bytes;  // of the samples before compression
};

// False when libpng gave up; its reason is in the reader's message.
bool read_layout(Reader& reader, Bytes* bytes, Layout* layout) noexcept {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_set_read_fn(reader.png, bytes, read_bytes);
  png_read_info(reader.png, reader.info);
  layout->width = png_get_image_width(reader.png, reader.info);
  layout->height = png_get_image_height(reader.png, reader.info);
  layout->stored_bytes = static_cast<uint64_t>(png_get_rowbytes(reader.png, reader.info)) * layout->height;
  png_set_expand(reader.png);
  if (std::endian::native == std::endian::little) png_set_swap(reader.png);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  layout->channels = png_get_channels(reader.png, reader.info);
  layout->bit_depth = png_get_bit_depth(reader.png, reader.info);
  return true;
}

bool read_rows(Reader& reader, png_bytepp rows) noexcept {
  if (setjmp(png_jmpbuf(reader.png))) return false;
  png_read_image(reader.png, rows);
  png_read_end(reader.png, nullptr);
  return true;
}

bool write_rows(Writer& writer, std::FILE* file, const Layout& layout, png_bytepp rows) noexcept {
  if (setjmp(png_jmpbuf(writer.png))) return false;
  constexpr int kColor[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                            PNG_COLOR_TYPE_RGB_ALPHA};
  png_init_io(writer.png, file);
  png_set_IHDR(writer.png, writer.info, layout.width, layout.height, layout.bit_depth,
               kColor[layout.channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  if (std::endian::native == std::endian::little) png_set_swap(writer.png);
  png_write_image(writer.png, rows);
  png_write_end(writer.png, nullptr);
  return true;
}

std::vector<png_bytep> row_pointers(std::byte* data, const Layout& layout) {
  const size_t row = size_t{layout.width} * static_cast<size_t>(layout.channels * layout.bit_depth / 8);
  std::vector<png_bytep> rows(layout.height);
  for (size_t y = 0; y < rows.size(); ++y) rows[y] = reinterpret_cast<png_bytep>(data + y * row);
  return rows;
}

std::vector<std::byte> file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("read_png: '{}': cannot be opened: {}", path, std::strerror(errno)));
  in.seekg(0, std::ios::end);
  const auto size = in.tellg();
  in.seekg(0);
  if (!in || size < 0) throw Error(fmt::format("read_png: '{}': cannot be read: not a regular file", path));
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  in.read(reinterpret_cast<char*>(bytes.data()), size);
  if (!in) throw Error(fmt::format("read_png: '{}': cannot be read", path));
  return bytes;
}

// f32 samples in [0, 1] as u8; written so that NaN fails the first comparison and becomes 0.
std::vector<std::byte> quantized(const std::vector<std::byte>& data) {
  std::vector<std::byte> out(data.size() / sizeof(float));
  for (size_t i = 0; i < out.size(); ++i) {
    float x;
    std::memcpy(&x, data.data() + i * sizeof x, sizeof x);
    out[i] = x > 0 ? static_cast<std::byte>(std::lround(std::min(x, 1.0f) * 255.0f)) : std::byte{0};
  }
  return out;
}

}  // namespace

HostArray read_png(const std::string& path) {
  auto fail = [&](std::string_view rule) { throw Error(fmt::format("read_png: '{}': {}", path, rule)); };
  const std::vector<std::byte> file = file_bytes(path);
  if (file.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(file.data()), 0, 8) != 0)
    fail("not a PNG file: it does not begin with the PNG signature");
  Reader reader;
  if (reader.info == nullptr) fail("libpng has no memory left");
  Bytes bytes{file.data(), file.size(), 0};
  Layout layout{};
  if (!read_layout(reader, &bytes, &layout)) fail(reader.message.text);
  // A damaged size must not allocate terabytes.
  if (layout.stored_bytes > file.size() * kMaxDeflateRatio)
    fail(fmt::format("{} x {} pixels cannot come from a file of {} bytes", layout.width, layout.height,
                     file.size()));
  HostArray array{layout.bit_depth == 16 ? DType::U16 : DType::U8, {layout.height, layout.width}, {}};
  if (layout.channels > 1) array.shape.push_back(layout.channels);
  array.data.resize(static_cast<size_t>(element_count(array.shape)) * size_of(array.dtype));
  std::vector<png_bytep> rows = row_pointers(array.data.data(), layout);
  if (!read_rows(reader, rows.data())) fail(reader.message.text);
  if (bytes.at < bytes.size) fail(fmt::format("{} bytes follow the image", bytes.size - bytes.at));
  return array;
}

void write_png(const std::string& path, const HostArray& array) {
  auto fail = [&](std::string_view rule) { throw Error(fmt::format("write_png: '{}': {}", path, rule)); };
  const Shape& shape = array.shape;
  if (array.dtype != DType::U8 && array.dtype != DType::U16 && array.dtype != DType::F32)
    fail(fmt::format("dtype must be u8, u16 or f32, got {}", name(array.dtype)));
  const bool image = shape.size() == 2 || (shape.size() == 3 && shape[2] >= 1 && shape[2] <= 4);
  // PNG holds extents in 31 bits.
  auto fits = [](int64_t extent) { return extent > 0 && extent <= 0x7FFFFFFF; };
  if (!image || !fits(shape[0]) || !fits(shape[1]))
    fail(fmt::format("shape must be (H, W) or (H, W, C) with C 1 to 4 and no extent 0, got {}",
                     to_string(shape)));
  check_size(fmt::format("write_png: '{}'", path), shape, size_of(array.dtype));
  if (array.data.size() != static_cast<size_t>(element_count(shape)) * size_of(array.dtype))
    fail(fmt::format("shape {} {} takes {} bytes, got {}", to_string(shape), name(array.dtype),
                     static_cast<size_t>(element_count(shape)) * size_of(array.dtype), array.data.size()));

  std::vector<std::byte> samples = array.dtype == DType::F32 ? quantized(array.data) : array.data;
  const Layout layout{static_cast<uint32_t>(shape[1]), static_cast<uint32_t>(shape[0]),
                      shape.size() == 3 ? static_cast<int>(shape[2]) : 1, array.dtype == DType::U16 ? 16 : 8,
                      0};
  std::vector<png_bytep> rows = row_pointers(samples.data(), layout);
  Writer writer;
  if (writer.info == nullptr) fail("libpng has no memory left");
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  write_whole_file(path, [&](const std::string& where) {
    std::unique_ptr<std::FILE, Close> file(std::fopen(where.c_str(), "wb"));
    if (!file) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
    if (!write_rows(writer, file.get(), layout, rows.data())) fail(writer.message.text);
    if (std::fclose(file.release()) != 0) fail(fmt::format("cannot be written: {}", std::strerror(errno)));
  });
}

}  // namespace weft::io
