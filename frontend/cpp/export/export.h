// A recorded function as what write_export() takes.
#pragma once

#include <string>
#include <vector>

#include "frontend/cpp/compiled/function_graph.h"
#include "frontend/cpp/export/write_export.h"
#include "frontend/cpp/weft/export.h"

namespace weft::detail {

// `names`: of the arguments; empty: a0, a1, ... Throws Error where the arguments are on a GPU.
ToExport to_export(const FunctionGraph& function, const std::vector<std::string>& names);
// Of functions recorded on one device, which are at least one.
void write_export(const std::string& folder, const std::string& name,
                  std::span<const FunctionGraph> functions, const ExportOptions& options);

}  // namespace weft::detail
