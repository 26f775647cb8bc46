#include "runtime/jit/late_values.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <set>
#include <string>

namespace weft::runtime {
namespace {

void refuse(llvm::Module& module, const std::string& variables, const std::string& rule) {
  module.getContext().emitError(
      variables + ": " + rule +
      ", which a kernel does not do: write its value as a number or make it constexpr");
}

std::string joined(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// The variables that a function writes to.
void add_written(const llvm::Function& function, std::set<std::string>& names) {
  for (const llvm::Instruction& one : llvm::instructions(function)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&one))
      if (const auto* variable =
              llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(store->getPointerOperand())))
        names.insert(llvm::demangle(variable->getName()));
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&one))
      if (const llvm::Function* inner = call->getCalledFunction(); inner && !inner->isDeclaration())
        add_written(*inner, names);
  }
}

void refuse_constructors(llvm::Module& module) {
  const llvm::GlobalVariable* list = module.getGlobalVariable("llvm.global_ctors");
  if (!list || !list->hasInitializer()) return;
  const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
  if (!entries) return;  // all are done
  std::set<std::string> names;
  for (const llvm::Use& entry : entries->operands())
    if (const auto* function =
            llvm::dyn_cast<llvm::Function>(llvm::cast<llvm::ConstantStruct>(entry)->getOperand(1)))
      add_written(*function, names);
  refuse(module, names.empty() ? "a variable" : joined(names),
         "C++ computes its value when a program starts");
}

void refuse_guards(llvm::Module& module) {
  static constexpr llvm::StringRef kPrefix = "guard variable for ";
  std::set<std::string> names;
  for (const llvm::GlobalVariable& one : module.globals()) {
    const std::string name = llvm::demangle(one.getName());
    if (one.getNumUses() > 0 && llvm::StringRef(name).starts_with(kPrefix))
      names.insert(name.substr(kPrefix.size()));
  }
  if (!names.empty())
    refuse(module, joined(names), "C++ computes its value when the function is first called");
}

}  // namespace

void refuse_late_values(llvm::Module& module) {
  refuse_constructors(module);
  refuse_guards(module);
}

}  // namespace weft::runtime
