#include "frontend/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "compiler/base/error.h"
#include "frontend/files/whole_file.h"

namespace weft::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the reader and the writer convert to little-endian");

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr size_t kAlignment = 64;
// numpy.load refuses longer headers too; a dictionary with 64 extents takes 1.5 kB.
constexpr uint32_t kMaxHeader = 1u << 20;

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

struct ItemType {
  DType dtype;
  bool swap;  // stored big-endian
};

// The Python literal {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }: these three keys, in any
// order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header parse() {
    Header header;
    bool have_descr = false, have_order = false, have_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !have_descr) {
        if (peek() == '[') fail("structured dtypes are not supported");
        header.descr = quoted();
        have_descr = true;
      } else if (key == "fortran_order" && !have_order) {
        header.fortran_order = boolean();
        have_order = true;
      } else if (key == "shape" && !have_shape) {
        header.shape = shape();
        have_shape = true;
      } else {
        fail(fmt::format("unexpected or repeated key '{}'", key));
      }
      if (!accept(',') && peek() != '}') fail("expected ',' or '}' after a value");
    }
    peek();
    if (at_ != text_.size()) fail("text after the closing '}'");
    if (!have_descr || !have_order || !have_shape)
      fail("needs the keys 'descr', 'fortran_order' and 'shape'");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& rule) const {
    throw Error(fmt::format("read_npy: '{}': header: {} (at byte {} of the header)", name_, rule, at_));
  }

  // The next character that is not white space, '\0' at the end.
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}'", c));
  }

  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("expected a quoted string");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quoted string is not closed");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    peek();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail("'fortran_order' must be True or False");
  }

  Shape shape() {
    Shape extents;
    expect('(');
    while (!accept(')')) {
      peek();
      int64_t extent = 0;
      const char* begin = text_.data() + at_;
      const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (status == std::errc::result_out_of_range) fail("an extent does not fit 63 bits");
      if (status != std::errc()) fail("expected an extent");
      at_ += static_cast<size_t>(end - begin);
      accept('L');  // Python 2 wrote long integers so
      if (extent < 0) fail(fmt::format("extent {} is negative", extent));
      extents.push_back(extent);
      if (!accept(',') && peek() != ')') fail("expected ',' or ')' after an extent");
    }
    return extents;
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
};

// The descr of a dtype without its byte order: kind and bytes.
std::string item_code(DType dtype) {
  if (dtype == DType::BF16) return "V2";
  char code = 'b';
  switch (kind(dtype)) {
    case DTypeKind::Bool:
      code = 'b';
      break;
    case DTypeKind::Signed:
      code = 'i';
      break;
    case DTypeKind::Unsigned:
      code = 'u';
      break;
    case DTypeKind::Float:
      code = 'f';
      break;
    case DTypeKind::Complex:
      code = 'c';
      break;
  }
  return fmt::format("{}{}", code, size_of(dtype));
}

std::optional<ItemType> item_type(std::string_view descr) {
  if (descr.empty()) return std::nullopt;
  const char order = descr.front();
  const bool ordered = order == '<' || order == '>' || order == '=' || order == '|';
  const std::string_view code = ordered ? descr.substr(1) : descr;
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (code != item_code(dtype)) continue;
    if (order == '|' && size_of(dtype) > 1 && dtype != DType::BF16) return std::nullopt;
    if (order == '>' && dtype == DType::BF16) return std::nullopt;  // raw bytes have no order to swap
    return ItemType{dtype, order == '>' && size_of(dtype) > 1};
  }
  return std::nullopt;
}

// Complex items are swapped part by part.
void swap_bytes(std::vector<std::byte>& data, DType dtype) {
  const size_t width = size_of(real_of(dtype));
  for (auto at = data.begin(); at != data.end(); at += static_cast<ptrdiff_t>(width))
    std::reverse(at, at + static_cast<ptrdiff_t>(width));
}

// Column-major data of `shape` in row-major order.
std::vector<std::byte> to_row_major(const std::vector<std::byte>& data, const Shape& shape, size_t item) {
  std::vector<std::byte> out(data.size());
  if (data.empty()) return out;
  const size_t rank = shape.size();
  Dims stride(rank, 0), at(rank, 0);
  for (size_t axis = 0, step = item; axis < rank; step *= static_cast<size_t>(shape[axis]), ++axis)
    stride[axis] = static_cast<int64_t>(step);
  int64_t from = 0;
  for (size_t to = 0; to < out.size(); to += item) {
    std::memcpy(out.data() + to, data.data() + from, item);
    for (size_t axis = rank; axis-- > 0;) {
      from += stride[axis];
      if (++at[axis] < shape[axis]) break;
      from -= stride[axis] * shape[axis];
      at[axis] = 0;
    }
  }
  return out;
}

std::string header_text(const HostArray& array) {
  // NumPy's own spelling: (), (3,), (3, 4)
  const Shape& shape = array.shape;
  return fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}",
                     size_of(array.dtype) == 1 ? '|' : '<', item_code(array.dtype),
                     fmt::join(shape.begin(), shape.end(), ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

HostArray read_npy(std::istream& in, const std::string& name) {
  auto fail = [&](const std::string& rule) { throw Error(fmt::format("read_npy: '{}': {}", name, rule)); };
  const auto start = in.tellg();
  in.seekg(0, std::ios::end);
  const auto stop = in.tellg();
  in.seekg(start);
  if (!in || start < 0 || stop < start) fail("cannot be read: not a regular file");
  auto left = static_cast<uint64_t>(stop - start);
  auto read = [&](void* to, uint64_t bytes, std::string_view what) {
    if (bytes > left)
      fail(fmt::format("the file ends inside {}: {} bytes wanted, {} there", what, bytes, left));
    if (!in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes))) fail("cannot be read");
    left -= bytes;
  };

  std::array<char, 6> magic{};
  read(magic.data(), magic.size(), "the magic string");
  if (std::string_view(magic.data(), magic.size()) != kMagic)
    fail("not an NPY file: it does not begin with \\x93NUMPY");
  std::array<uint8_t, 2> version{};
  read(version.data(), version.size(), "the version");
  if (version[0] < 1 || version[0] > 3 || version[1] != 0)
    fail(fmt::format("version must be 1.0, 2.0 or 3.0, got {}.{}", version[0], version[1]));
  uint32_t length = 0;
  read(&length, version[0] == 1 ? 2 : 4, "the header's length");
  if (length > kMaxHeader) fail(fmt::format("a header takes at most {} bytes, got {}", kMaxHeader, length));
  std::string text;
  if (length <= left) text.resize(length);
  read(text.data(), length, "the header");

  const Header header = HeaderParser(text, name).parse();
  const auto item = item_type(header.descr);
  if (!item)
    throw Error(
        fmt::format("read_npy: '{}': dtype must be one of Weft's, got descr '{}'", name, header.descr));
  HostArray array{item->dtype, header.shape, {}};
  check_size(fmt::format("read_npy: '{}'", name), array.shape, size_of(array.dtype));
  const uint64_t bytes = static_cast<uint64_t>(element_count(array.shape)) * size_of(array.dtype);
  if (bytes < left)
    fail(fmt::format("{} bytes follow the data of shape {} {}", left - bytes, to_string(array.shape),
                     weft::name(array.dtype)));
  const std::string what =
      fmt::format("the data of shape {} {}", to_string(array.shape), weft::name(array.dtype));
  if (bytes <= left) array.data.resize(bytes);
  read(array.data.data(), bytes, what);

  if (item->swap) swap_bytes(array.data, array.dtype);
  if (array.dtype == DType::Bool)
    for (std::byte& b : array.data) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
  if (header.fortran_order && array.shape.size() > 1)
    array.data = to_row_major(array.data, array.shape, size_of(array.dtype));
  return array;
}

HostArray read_npy(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("read_npy: '{}': cannot be opened: {}", path, std::strerror(errno)));
  return read_npy(in, path);
}

std::string npy_head(const HostArray& array, const std::string& name) {
  check_size(fmt::format("write_npy: '{}'", name), array.shape, size_of(array.dtype));
  const uint64_t bytes = static_cast<uint64_t>(element_count(array.shape)) * size_of(array.dtype);
  if (bytes != array.data.size())
    throw Error(fmt::format("write_npy: '{}': shape {} {} takes {} bytes, got {}", name,
                            to_string(array.shape), weft::name(array.dtype), bytes, array.data.size()));
  std::string header = header_text(array);
  // The data begin at a multiple of 64 bytes, and the header ends in a line feed.
  auto pad = [&](size_t prefix) {
    const size_t used = prefix + header.size() + 1;
    return (used + kAlignment - 1) / kAlignment * kAlignment - used;
  };
  const size_t short_prefix = kMagic.size() + 2 + 2, long_prefix = kMagic.size() + 2 + 4;
  const bool is_short = header.size() + pad(short_prefix) + 1 <= 0xFFFF;
  header.append(pad(is_short ? short_prefix : long_prefix), ' ');
  header.push_back('\n');
  const auto length = static_cast<uint32_t>(header.size());
  std::string head(kMagic);
  head.push_back(static_cast<char>(is_short ? 1 : 2));
  head.push_back(0);
  head.append(reinterpret_cast<const char*>(&length), is_short ? 2 : 4);
  return head + header;
}

void write_npy(std::ostream& out, const HostArray& array, const std::string& name) {
  const std::string head = npy_head(array, name);
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  out.write(reinterpret_cast<const char*>(array.data.data()),
            static_cast<std::streamsize>(array.data.size()));
  out.flush();
  if (!out) throw Error(fmt::format("write_npy: '{}': cannot be written: {}", name, std::strerror(errno)));
}

void write_npy(const std::string& path, const HostArray& array) {
  write_whole_file(path, [&](const std::string& where) {
    std::ofstream out(where, std::ios::binary | std::ios::trunc);
    if (!out) throw Error(fmt::format("write_npy: '{}': cannot be opened: {}", path, std::strerror(errno)));
    write_npy(out, array, path);
  });
}

}  // namespace weft::io
