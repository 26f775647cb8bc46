// NumPy's NPY files, versions 1.0, 2.0 and 3.0 (numpy.lib.format), one array each.
// Every Weft dtype is read and written. bf16 is stored with descr '<V2', which is what numpy.save makes of an
// ml_dtypes.bfloat16 array (numpy.load gives it back as raw 2-byte items: `.view(ml_dtypes.bfloat16)`);
// so '<V2' and '|V2' are read as bf16.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "frontend/files/host_array.h"

namespace weft::io {

// The array in the file. Big-endian and Fortran-ordered files are converted, bytes of a bool array become 0
// or 1. Error naming the file and the broken rule when it is not one whole NPY array of a Weft dtype: bad
// magic, version or header, structured or object dtype, fewer or more bytes than the shape takes. Nothing
// larger than the file is allocated before the shape is checked against the file's size.
HostArray read_npy(const std::string& path);
// The same from a seekable stream, from its current position to its end; `name` stands for the file in
// errors.
HostArray read_npy(std::istream& in, const std::string& name);

// Writes version 1.0 (2.0 when the header is too long for it), row-major, little-endian.
// Error when the file cannot be written, or when `array` does not hold as many bytes as its shape takes.
void write_npy(const std::string& path, const HostArray& array);
void write_npy(std::ostream& out, const HostArray& array, const std::string& name);
// What stands before the elements in the file. Error as of write_npy().
std::string npy_head(const HostArray& array, const std::string& name);

}  // namespace weft::io
