// The texts of an export: the header that C and C++ include, and the tables that the library reads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "frontend/cpp/export/to_export.h"

namespace weft::detail {

struct ExportedKernel {
  std::string name;
  bool finishes = false;  // there is a NAME_finish
};

// Error where `name` is no name for a function of C, the examples are not all different ones of one kind, or an array has
// more axes than weft_array holds.
void check_programs(const std::string& name, std::span<const ToExport> programs);
// The names, or the nearest that parameters in C and C++ can have, each once: "new_" for "new".
std::vector<std::string> parameter_names(std::vector<std::string> names);
// `name`, or with underscores behind it what none of `taken` is.
std::string apart_from(std::span<const std::string> taken, std::string name);

std::string program_symbol(const std::string& name, size_t program);
std::string array_symbol(const std::string& name, size_t program, size_t array);

// The tables weft_runtime.h declares, as C++ that needs no header. Kernels are functions, those for a GPU images.
std::string table_text(const std::string& name, const std::string& processor,
                       std::span<const ToExport> programs, std::span<const std::string> bytes,
                       std::span<const ExportedKernel> kernels, bool for_gpu);
std::string header_text(const std::string& name, std::span<const ToExport> programs);

}  // namespace weft::detail
