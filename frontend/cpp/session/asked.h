// What asked for the values that this thread computes: recorded operations run when somebody looks.
#pragma once

#include "compiler/base/source_line.h"

namespace weft::detail {

struct Asked {
  const char* by = nullptr;  // "float()", "print", "eval()"; lives as long as the program
  SourceLine line;           // where, if that is known
};

// The look of a loop whose graph is computed up to the end of a turn, as it is large: nobody's.
inline constexpr const char* kEndOfTurn =
    "the end of a loop's turn, as a graph of many operations is computed in parts";

// The outermost look of this thread; nobody's where there is none.
const Asked& asked_now();

// A look from here to the end of the scope, unless it is a part of another.
class AskedScope {
 public:
  explicit AskedScope(const Asked& asked);
  explicit AskedScope(const char* by);  // at the line of the thread's LineScope
  ~AskedScope();
  AskedScope(const AskedScope&) = delete;
  AskedScope& operator=(const AskedScope&) = delete;

 private:
  bool outermost_;
};

}  // namespace weft::detail
