// NumPy's NPZ files: zip archives that hold an NPY file for each array, read and written by minizip.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/files/host_array.h"

namespace weft::io {

// Arrays with their names, in the file's order.
using NamedArrays = std::vector<std::pair<std::string, HostArray>>;

// Every array of the file. Error naming the file, the array and the broken rule when it is no zip archive, when
// something in it is no NPY array (read_npy()), is encrypted or has another checksum, or when two have one name.
NamedArrays read_npz(const std::string& path);

// Error when the file cannot be written, when two arrays have one name, or as write_npy().
void write_npz(const std::string& path, const NamedArrays& arrays, bool compressed);

}  // namespace weft::io
