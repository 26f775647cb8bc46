// What the cache keeps of a kernel for people.
#pragma once

#include "compiler/program/program.h"
#include "runtime/kernel_cache.h"

namespace weft::runtime {

inline KernelNote note_on(const KernelSource& source, int64_t compile_us) {
  KernelNote note{source.ops, source.facts, compile_us};
  if (!note.facts.empty()) note.facts += '\n';
  if (!source.lines.empty()) note.facts += "lines: " + to_string(source.lines) + '\n';
  return note;
}

}  // namespace weft::runtime
