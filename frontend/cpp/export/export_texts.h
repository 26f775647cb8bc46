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

// Error where `name`, or an argument's name, is none in C, or an array has more axes than weft_array holds.
void check_names(const std::string& name, std::span<const ToExport> programs);

std::string program_symbol(const std::string& name, size_t program);
std::string array_symbol(const std::string& name, size_t program, size_t array);

// The tables weft_runtime.h declares, as C++ that needs no header.
std::string table_text(const std::string& name, const std::string& processor,
                       std::span<const ToExport> programs, std::span<const std::string> bytes,
                       std::span<const ExportedKernel> kernels);
std::string header_text(const std::string& name, std::span<const ToExport> programs);

}  // namespace weft::detail
