// Exported programs as they are opened: once for the process and for the device that they run on.
#pragma once

#include <memory>
#include <vector>

#include "compiler/base/error.h"
#include "runtime/counters.h"
#include "runtime/device.h"
#include "runtime/executor.h"
#include "runtime/exported/exported_program.h"
#include "runtime/exported/weft_runtime.h"

namespace weft::runtime {

// What is wrong with the program itself.
class WrongProgram : public Error {
 public:
  using Error::Error;
};

// A device with its counters. None is destroyed: threads may compute until the process is gone.
struct Machine {
  Counters counters;
  std::shared_ptr<Device> device;
};
Machine& host();

// Whether its kernels are a GPU's.
bool is_for_gpu(const weft_exported& whole);

struct OpenedProgram {
  OpenedProgram(ExportedProgram given, std::vector<BufferRef> captured, Machine& where);
  Machine& machine;
  ExportedProgram what;  // without the program
  std::vector<BufferRef> arrays;
  Executable executable;
};
using Opened = std::vector<std::unique_ptr<const OpenedProgram>>;

// For GPU number `gpu`, where it is for one. Throws WrongProgram, and Error where the processor or the GPU is another
// than it was made for. What failed is tried again.
std::shared_ptr<const Opened> opened(const weft_exported& whole, int gpu);

}  // namespace weft::runtime
