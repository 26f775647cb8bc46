#include "compiler/derive/rules.h"

namespace weft::derive {

const Rule* rule_of(ir::Op op) {
  switch (ir::kind(op)) {
    case ir::OpKind::Source:
    case ir::OpKind::Loop:  // loops.h
    case ir::OpKind::Kernel:
      return nullptr;
    case ir::OpKind::Map:
      return rule_of_map(op);
    case ir::OpKind::View:
      return rule_of_view(op);
    case ir::OpKind::Reduce:
      return rule_of_reduction(op);
    case ir::OpKind::Scan:
      return rule_of_scan(op);
    case ir::OpKind::Gather:
    case ir::OpKind::Scatter:
    case ir::OpKind::Update:
    case ir::OpKind::Dot:
      return rule_of_indexed(op);
  }
  return nullptr;
}

}  // namespace weft::derive
