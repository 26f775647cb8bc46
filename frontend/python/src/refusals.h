// What a bound function says of arguments that it does not take, in the words that all of Weft's errors have:
// `tril: takes (x: Array | complex, k: int): got (int, None)`.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

// Of all functions and methods that the module has by now.
void word_refusals(nanobind::module_& m);

}  // namespace weft::python
