#include "compiler/emit/cpu/block.h"

#include "compiler/emit/cpu/span.h"
#include "compiler/emit/cpu/uniform.h"

namespace weft::emit::cpu {

std::string write_block(Entry& e, const BlockLayout& block) {
  std::string out;
  Calls calls;
  for (auto* s : block.uniform) out += "      " + write_uniform(e, *s, calls) + "\n";
  if (block.span) out += write_span(e, *block.span);
  return out;
}

}  // namespace weft::emit::cpu
