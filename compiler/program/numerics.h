// How closely results follow the reference: what users choose, and compilers heed.
#pragma once

namespace weft {

// strict: every op rounds as the reference does, no contraction. standard: contraction allowed. fast:
// approximations too.
enum class Numerics { Strict, Standard, Fast };

}  // namespace weft
