#include "runtime/jit/check_memory.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace weft::runtime {
namespace {

class Checks {
 public:
  explicit Checks(llvm::Module& module)
      : module_(module),
        pointer_(llvm::PointerType::getUnqual(module.getContext())),
        word_(llvm::Type::getInt64Ty(module.getContext())),
        address_(module.getOrInsertFunction("weft_checked_address", pointer_, pointer_, word_, word_)),
        move_(module.getOrInsertFunction("weft_checked_move", llvm::Type::getVoidTy(module.getContext()),
                                         pointer_, pointer_, word_)),
        fill_(module.getOrInsertFunction("weft_checked_fill", llvm::Type::getVoidTy(module.getContext()),
                                         pointer_, llvm::Type::getInt32Ty(module.getContext()), word_)) {}

  void add(llvm::Instruction& i) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
      check(i, llvm::LoadInst::getPointerOperandIndex(), load->getType(), false);
    else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      check(i, llvm::StoreInst::getPointerOperandIndex(), store->getValueOperand()->getType(), true);
    else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
      check(i, llvm::AtomicRMWInst::getPointerOperandIndex(), update->getType(), true);
    else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
      check(i, llvm::AtomicCmpXchgInst::getPointerOperandIndex(), exchange->getNewValOperand()->getType(),
            true);
    else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
      replace(*call);
  }

 private:
  void check(llvm::Instruction& access, unsigned operand, llvm::Type* type, bool writes) {
    llvm::Value* const address = access.getOperand(operand);
    const llvm::Value* const object = llvm::getUnderlyingObject(address);
    if (llvm::isa<llvm::AllocaInst>(object) || llvm::isa<llvm::GlobalVariable>(object)) return;
    llvm::IRBuilder<> at(&access);
    const uint64_t bytes = module_.getDataLayout().getTypeStoreSize(type).getFixedValue();
    access.setOperand(operand,
                      at.CreateCall(address_, {address, at.getInt64(bytes), at.getInt64(writes ? 1 : 0)}));
  }

  // memcpy() and its kind, which Clang mostly makes intrinsics of. Others take no address.
  void replace(llvm::CallBase& call) {
    const llvm::Function* const called = call.getCalledFunction();
    if (!called) return;
    const bool moves = llvm::isa<llvm::MemTransferInst>(call) || called->getName() == "memcpy" ||
                       called->getName() == "memmove";
    const bool fills = llvm::isa<llvm::MemSetInst>(call) || called->getName() == "memset";
    if (!moves && !fills) return;
    llvm::IRBuilder<> at(&call);
    llvm::Value* const second = call.getArgOperand(1);
    llvm::Value* const bytes = at.CreateZExt(call.getArgOperand(2), word_);
    if (moves)
      at.CreateCall(move_, {call.getArgOperand(0), second, bytes});
    else
      at.CreateCall(fill_, {call.getArgOperand(0), at.CreateZExt(second, at.getInt32Ty()), bytes});
    if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(call.getArgOperand(0));
    call.eraseFromParent();
  }

  llvm::Module& module_;
  llvm::Type *pointer_, *word_;
  llvm::FunctionCallee address_, move_, fill_;
};

}  // namespace

void check_memory(llvm::Module& module) {
  if (!module.getFunction("weft_run_checked")) return;
  Checks checks(module);
  for (llvm::Function& function : module) {
    std::vector<llvm::Instruction*> all;  // as the walk must not meet what is added
    for (llvm::Instruction& i : llvm::instructions(function)) all.push_back(&i);
    for (llvm::Instruction* i : all) checks.add(*i);
  }
}

}  // namespace weft::runtime
