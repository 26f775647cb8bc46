#include "compiler/plan/rewrite/contract.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::plan {

using ir::Op;

namespace {

class Contract {
 public:
  Contract(RowProgram& p, const std::function<DType(const Accumulator&)>& fold_dtype)
      : p_(p), fold_dtype_(fold_dtype), readers_(p.values.size(), 0) {
    for_each_stmt(p, [&](const Stmt& s) {
      for (Value v : uses(s)) ++readers_[v];
    });
  }

  void run() {
    for (auto& sweep : p_.sweeps) {
      list(sweep.before);
      list(sweep.body);
      list(sweep.after_section);
    }
    list(p_.epilogue);
    list(p_.after);
  }

 private:
  void list(std::vector<Stmt>& stmts) {
    out_.clear();
    out_.reserve(stmts.size());
    place_.assign(p_.values.size(), -1);
    for (Stmt& s : stmts) {
      if (auto* let = std::get_if<Let>(&s))
        sum(*let);
      else if (auto* f = std::get_if<Fold>(&s))
        fold(*f);
      if (const Value v = defines(s); v >= 0) {
        place_.resize(p_.values.size(), -1);
        place_[v] = static_cast<int>(out_.size());
      }
      out_.push_back(std::move(s));
    }
    std::erase_if(out_, [](const Stmt& s) {
      auto* let = std::get_if<Let>(&s);
      return let && let->args.empty();
    });
    stmts = std::move(out_);
  }

  // The product that `v` is, if nobody else reads it.
  Let* product(Value v, DType dtype) {
    if ((dtype != DType::F32 && dtype != DType::F64) || p_.values[v].dtype != dtype) return nullptr;
    if (static_cast<size_t>(v) >= readers_.size() || readers_[v] != 1 || place_[v] < 0) return nullptr;
    auto* let = std::get_if<Let>(&out_[static_cast<size_t>(place_[v])]);
    return let && (let->op == Op::multiply || let->op == Op::square) ? let : nullptr;
  }

  // Takes a product's factors; its statement is dropped at the end.
  static std::pair<Value, Value> take(Let& product) {
    const std::pair<Value, Value> factors{product.args.front(), product.args.back()};
    product.args.clear();
    return factors;
  }

  Value negative(Value v) {
    const Value out = static_cast<Value>(p_.values.size());
    p_.values.push_back(p_.values[v]);
    out_.push_back(Let{out, Op::negative, {v}});
    return out;
  }

  void sum(Let& let) {
    if (let.op != Op::add && let.op != Op::subtract) return;
    const DType dtype = p_.values[let.out].dtype;
    const bool minus = let.op == Op::subtract;
    for (const size_t k : {size_t{0}, size_t{1}}) {
      Let* const term = product(let.args[k], dtype);
      if (!term) continue;
      auto [a, b] = take(*term);
      Value rest = let.args[1 - k];
      if (minus && k == 0) rest = negative(rest);
      if (minus && k == 1) a = negative(a);
      let.op = Op::fma;
      let.args = {a, b, rest};
      return;
    }
  }

  void fold(Fold& f) {
    const Accumulator& acc = p_.accumulators[static_cast<size_t>(f.accumulator)];
    if (acc.op != Op::sum || acc.relative_to() || f.factor >= 0) return;
    if (Let* const term = product(f.value, fold_dtype_(acc))) std::tie(f.value, f.factor) = take(*term);
  }

  RowProgram& p_;
  const std::function<DType(const Accumulator&)>& fold_dtype_;
  std::vector<int> readers_;
  std::vector<int> place_;  // of a value's statement, in the list at hand
  std::vector<Stmt> out_;
};

}  // namespace

void contract(RowProgram& program, const std::function<DType(const Accumulator&)>& fold_dtype) {
  Contract(program, fold_dtype).run();
}

}  // namespace weft::plan
