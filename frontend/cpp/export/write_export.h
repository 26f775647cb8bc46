// Programs to the files of an export.
#pragma once

#include <span>
#include <string>

#include "compiler/program/options.h"
#include "frontend/cpp/export/to_export.h"

namespace weft::detail {

// See export_function(). The programs take equally many arguments and give equally many results. `target`: this
// machine's CPU.
void write_export(const std::string& folder, const std::string& name, std::span<ToExport> programs,
                  Target target, const Options& options, const std::string& processor);

}  // namespace weft::detail
