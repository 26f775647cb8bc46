// PNG images through libpng, as arrays of their samples: (H, W) for gray, (H, W, C) for 2 gray+alpha, 3 RGB,
// 4 RGBA. Samples are as stored: no gamma or colour-space conversion.
#pragma once

#include <string>

#include "frontend/files/host_array.h"

namespace weft::io {

// u8 for bit depths up to 8, u16 for 16. Palettes become RGB, 1-, 2- and 4-bit gray is scaled to 0..255,
// transparent colours become an alpha channel, interlaced images are read whole.
// Error naming the file and what is wrong when it cannot be read or is damaged, or more follows the image.
HostArray read_png(const std::string& path);

// u8 and u16 as they are; f32 in [0, 1] as round(255 * x) in u8, clamped, NaN as 0.
// Error when dtype or shape is none of these, an extent is 0, or the file cannot be written.
void write_png(const std::string& path, const HostArray& array);

}  // namespace weft::io
