// Arrays of a session from files, and to them.
#include "frontend/cpp/weft/files.h"

#include <array>
#include <fstream>
#include <string_view>
#include <vector>

#include "compiler/base/error.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/memory.h"
#include "frontend/files/npy.h"
#include "frontend/files/npz.h"
#include "frontend/files/png.h"

namespace weft {
namespace {

Array on_device(const io::HostArray& read, const std::string& device) {
  return from_bytes(read.data.data(), read.dtype, read.shape, device);
}

io::HostArray on_host(const Array& x) {
  io::HostArray written{x.dtype(), x.shape(), {}};
  written.data.resize(static_cast<size_t>(x.size()) * size_of(x.dtype()));
  x.copy_to(written.data.data());
  return written;
}

// The first bytes; fewer where the file ends before.
std::string beginning(const std::string& path) {
  std::array<char, 4> bytes{};
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<size_t>(in.gcount())};
}

}  // namespace

Array load(const std::string& path, const std::string& device) {
  const std::string first = beginning(path);
  const std::string_view name = path;
  if (first.starts_with("PK"))
    throw Error("load: '" + path + "': holds several arrays: load_npz() reads them");
  // What begins as neither is read as what its name says, whose reader says what is wrong with it.
  if (first == "\x89PNG" || (name.ends_with(".png") && first != "\x93NUM"))
    return on_device(io::read_png(path), device);
  if (first == "\x93NUM" || name.ends_with(".npy") || first.empty())
    return on_device(io::read_npy(path), device);
  throw Error("load: '" + path + "': begins neither as an NPY file nor as a PNG image");
}

void save(const std::string& path, const Array& x) {
  const std::string_view name = path;
  if (name.ends_with(".npy")) return io::write_npy(path, on_host(x));
  if (name.ends_with(".png")) return io::write_png(path, on_host(x));
  throw Error("save: '" + path +
              "': takes a name that ends in .npy or .png; save_npz() writes several arrays");
}

const Array& NamedArrays::at(const std::string& name) const {
  const auto found = find(name);
  if (found != end()) return found->second;
  std::string there;
  for (const auto& [known, array] : *this) there.append(there.empty() ? "" : ", ").append(known);
  throw Error("load_npz: the file has no array '" + name +
              "': " + (there.empty() ? "it is empty" : "it has " + there));
}

NamedArrays load_npz(const std::string& path, const std::string& device) {
  NamedArrays arrays;
  for (const auto& [name, array] : io::read_npz(path)) arrays.emplace(name, on_device(array, device));
  return arrays;
}

void save_npz(const std::string& path, const std::map<std::string, Array>& arrays, bool compressed) {
  std::vector<Array> computed;
  computed.reserve(arrays.size());
  for (const auto& [name, array] : arrays) computed.push_back(array);
  eval(computed);
  io::NamedArrays written;
  written.reserve(arrays.size());
  for (const auto& [name, array] : arrays) written.emplace_back(name, on_host(array));
  io::write_npz(path, written, compressed);
}

}  // namespace weft
