// The processor by LLVM's names. Of LLVM this takes its tables of processors alone, which libweft holds.
#include "runtime/cpu/processor.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/X86TargetParser.h>

#include <algorithm>

#include "compiler/base/error.h"

namespace weft::runtime {
namespace {

// The features in which this machine differs from what LLVM says of its processor. All of them would be
// spelled, sorted and compared for every function.
std::vector<std::string> features_beside(llvm::StringRef cpu, const llvm::StringMap<bool>& present) {
  llvm::SmallVector<llvm::StringRef, 128> usual;
  const bool known = llvm::X86::parseArchX86(cpu) != llvm::X86::CK_None;
  if (known) llvm::X86::getFeaturesForCPU(cpu, usual);
  std::vector<std::string> list;
  for (const auto& feature : present)
    if (!known || feature.second != llvm::is_contained(usual, feature.first()))
      list.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(list.begin(), list.end());
  return list;
}

// A processor that has a part of AVX-512 is taken for one with AVX2: block loops are compiled for all of it or
// none, and have to give the bits of kernels.
llvm::StringMap<bool> all_of_avx512_or_none(llvm::StringMap<bool> features) {
  const auto has = [&](const char* feature) { return features.lookup(feature); };
  if (has("avx512bw") && has("avx512dq") && has("avx512vl")) {
    features["avx512f"] = true;  // LLVM's lists leave out what others imply
    return features;
  }
  for (auto& feature : features)
    if (feature.first().starts_with("avx512")) feature.second = false;
  return features;
}

// What sets an older processor apart, all of which this one must have.
llvm::StringMap<bool> features_of(const std::string& processor) {
  if (llvm::X86::parseArchX86(processor, true) == llvm::X86::CK_None)
    throw Error("cpu: LLVM knows no processor '" + processor + "'; x86-64-v3 is one");
  llvm::SmallVector<llvm::StringRef> names;
  llvm::X86::getFeaturesForCPU(processor, names);
  const llvm::StringMap<bool> here = llvm::sys::getHostCPUFeatures();
  llvm::StringMap<bool> features;
  for (const llvm::StringRef name : names) {
    if (here.contains(name) && !here.lookup(name))
      throw Error("cpu: kernels for '" + processor + "' need " + name.str() + ", which this processor lacks");
    features[name] = true;
  }
  return features;
}

// 512-bit registers cost these processors so much clock that 256 bits are the better choice.
bool slow_avx512(llvm::StringRef cpu) {
  return cpu == "skylake-avx512" || cpu == "cascadelake" || cpu == "cooperlake" || cpu == "cannonlake";
}

}  // namespace

Processor processor_named(const std::string& name) {
  Processor processor;
  processor.triple = llvm::sys::getProcessTriple();
  processor.cpu = name.empty() ? llvm::sys::getHostCPUName().str() : name;
  const llvm::StringMap<bool> present =
      all_of_avx512_or_none(name.empty() ? llvm::sys::getHostCPUFeatures() : features_of(name));
  processor.features = features_beside(processor.cpu, present);
  processor.avx512 = present.lookup("avx512f");
  processor.vector_bytes = processor.avx512 && !slow_avx512(processor.cpu) ? 64
                           : present.lookup("avx2")                        ? 32
                                                                           : 16;
  return processor;
}

}  // namespace weft::runtime
