// LLVM writes archives as `ar` does.
#include "runtime/jit/archive.h"

#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>

#include <vector>

#include "compiler/base/error.h"

namespace weft::runtime {

std::string archive_of(std::span<const ArchiveMember> members) {
  std::vector<llvm::NewArchiveMember> parts;
  parts.reserve(members.size());
  for (const ArchiveMember& one : members) parts.emplace_back(llvm::MemoryBufferRef(one.object, one.name));
  auto written =
      llvm::writeArchiveToBuffer(parts, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                 /*Deterministic=*/true, /*Thin=*/false);
  if (!written) throw InternalError("clang_jit: no archive: " + llvm::toString(written.takeError()));
  return (*written)->getBuffer().str();
}

}  // namespace weft::runtime
