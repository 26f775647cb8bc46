#include "frontend/cpp/session/terminal.h"

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "frontend/cpp/session/env.h"
#include "runtime/progress.h"

namespace weft::detail {

namespace {

// Back to the beginning of the line, and clear it.
constexpr const char* kOver = "\r\033[K";

void show(std::string_view line) {
  const std::string text = kOver + (line.empty() ? std::string() : "weft: " + std::string(line));
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

bool is_terminal(int descriptor) {
  const std::optional<std::string> kind = environment("TERM");
  return ::isatty(descriptor) != 0 && kind && *kind != "dumb";
}

bool takes_colours(int descriptor) { return is_terminal(descriptor) && !environment("NO_COLOR"); }

void watch_progress() {
  if (shows_progress() && is_terminal(STDERR_FILENO) && !environment("CI")) runtime::Progress::show_by(&show);
}

}  // namespace weft::detail
