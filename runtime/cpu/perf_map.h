// The names of compiled kernels for `perf`, in /tmp/perf-PID.map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/program/program.h"

namespace weft::runtime {

// A function of linked code, and where it lies.
struct CodeRange {
  std::string name;
  uint64_t address = 0, bytes = 0;
};
// The functions of an ELF object that lie in the section of `entry`, which was linked to this address. None where the
// object is not one of this machine's.
std::vector<CodeRange> functions_of(std::string_view object, std::string_view entry, uint64_t address);

// "weft_3d9eda047687978d exp, multiply at blur.py:12"; of a part of it also the part: "… (span0)".
std::string perf_name(const KernelSource& source, const std::string& symbol);
// Appends a line for each function. Returns why it cannot; a file that is not this user's own is not written to.
std::string write_perf_map(const KernelSource& source, const std::vector<CodeRange>& functions);

}  // namespace weft::runtime
