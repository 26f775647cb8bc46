// NumPy's NPZ files: zip archives that hold an NPY file for each array, read and written by minizip.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/files/host_array.h"

namespace weft::io {

// Arrays with their names, in the file's order.
using NamedArrays = std::vector<std::pair<std::string, HostArray>>;

// Every array of the file. An error names the file, the array and the broken rule. The file has to be a zip archive
// of NPY arrays (read_npy()), none encrypted, each with its checksum, no two of one name.
NamedArrays read_npz(const std::string& path);

// Error when the file cannot be written, when two arrays have one name, or as write_npy().
void write_npz(const std::string& path, const NamedArrays& arrays, bool compressed);

}  // namespace weft::io
