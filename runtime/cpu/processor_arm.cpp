// The processor by LLVM's names, where it is a 64-bit Arm. Of LLVM this takes its tables of processors alone, which libweft
// holds.
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/AArch64TargetParser.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>

#include "compiler/base/error.h"
#include "runtime/cpu/processor.h"

namespace weft::runtime {

// Vectors are NEON's 128 bits, also where SVE has more: their length would be known when kernels run, and not before.
Processor processor_named(const std::string& name) {
  if (!name.empty() && !llvm::AArch64::parseCpu(name))
    throw Error("cpu: LLVM knows no 64-bit Arm '" + name + "'; cortex-a57 is one");
  Processor processor;
  processor.triple = llvm::sys::getProcessTriple();
  processor.cpu = name.empty() ? llvm::sys::getHostCPUName().str() : name;
  if (name.empty())
    for (const auto& feature : llvm::sys::getHostCPUFeatures())
      processor.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(processor.features.begin(), processor.features.end());
  processor.avx512 = false;
  processor.vector_bytes = 16;
  return processor;
}

}  // namespace weft::runtime
