// Arrays in files: NumPy's NPY and NPZ, and PNG images. A file is written whole or not at all.
#pragma once

#include <map>
#include <string>

#include "frontend/cpp/weft/array.h"

namespace weft {

// The array in a file .npy, or the image in a file .png, which its first bytes tell apart. An image is of u8 or u16,
// of shape (H, W) or (H, W, C): gray, 2 gray and alpha, 3 RGB, 4 RGBA. Error naming the file and what is wrong where
// it is neither, is damaged, or holds what is no dtype of Weft.
Array load(const std::string& path, const std::string& device = {});
// Computes the array and writes it, to .npy or .png by the name's end. numpy.load reads bf16 as raw 2-byte items. An
// image is u8 or u16 as it is, or f32 as round(255 * x), clamped, with NaN as 0. Error where the name ends otherwise
// or the file cannot be written.
void save(const std::string& path, const Array& x);

// Arrays by their names.
class NamedArrays : public std::map<std::string, Array> {
 public:
  // Error where there is no array of this name, which names those that there are.
  const Array& at(const std::string& name) const;
};
// The arrays in a file .npz. Error as of load().
NamedArrays load_npz(const std::string& path, const std::string& device = {});
// Computes the arrays and writes them to one file .npz. Error as of save().
void save_npz(const std::string& path, const std::map<std::string, Array>& arrays, bool compressed = false);

}  // namespace weft
