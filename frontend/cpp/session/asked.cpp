#include "frontend/cpp/session/asked.h"

#include "frontend/cpp/array/cell.h"

namespace weft::detail {

namespace {

thread_local Asked outermost;

}  // namespace

const Asked& asked_now() { return outermost; }

AskedScope::AskedScope(const Asked& asked) : outermost_(!outermost.by) {
  if (outermost_) outermost = asked;
}
AskedScope::AskedScope(const char* by) : outermost_(!outermost.by) {
  if (outermost_) outermost = {by, scope_line_now()};
}
AskedScope::~AskedScope() {
  if (outermost_) outermost = {};
}

}  // namespace weft::detail
