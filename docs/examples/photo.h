// Two jobs on a photograph, written as with NumPy: shifted slices, masks, reductions and products. Nothing
// here knows of kernels, devices or timing; demo.cpp measures it.
#pragma once

#include <weft/weft.h>

namespace photo {

struct Developed {
  weft::Array picture;                     // f32 (height, width, 3), sRGB from 0 to 1
  weft::Array local_mean, local_variance;  // f32 (height, width), of the linear luminance in 9 × 9 windows
};
// Sharpens a photograph, u8 (height, width, 3), in linear light and maps its tones by the local mean and
// variance.
Developed develop(const weft::Array& samples);

struct Svd {
  weft::Array u, s, vt;  // (m, k), (k), (k, n): (u * s) @ vt is a's best approximation of rank k, nearly
};
// The k largest singular triplets of a matrix, f32 (m, n), by subspace iteration.
Svd svd(const weft::Array& a, int64_t k, int iterations);

struct Rebuilt {
  weft::Array picture;  // (u * s) @ vt
  weft::Array error;    // its distance to the matrix, as a part of the matrix's norm; rank 0
};
Rebuilt rebuild(const weft::Array& a, const Svd& factors);

}  // namespace photo
