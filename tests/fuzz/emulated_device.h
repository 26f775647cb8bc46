// A GPU that is none: kernels made for CUDA, compiled by the host's compiler and run by it, step by step as a
// program has them, so that whole programs are checked without a card.
#pragma once

#include <memory>
#include <vector>

#include "compiler/program/options.h"
#include "compiler/program/program.h"
#include "runtime/counters.h"
#include "runtime/device.h"

namespace weft::test {

// Runs the kernels of these programs, which are compiled together, and no others. Products are the host's.
// Null where the host's compiler refuses a kernel, after it said why.
std::shared_ptr<runtime::Device> make_emulated_device(const std::vector<Program>& programs,
                                                      runtime::Counters& counters);

}  // namespace weft::test
