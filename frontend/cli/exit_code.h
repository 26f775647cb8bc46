// What the program's exit status says, for scripts.
#pragma once

namespace weft::cli {

enum ExitCode { kOk = 0, kUserError = 1, kUsage = 2, kInternal = 70 };

}  // namespace weft::cli
