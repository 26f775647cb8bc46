// How `lower` computes a node at an access: the nodes of its expression become statements, each once at each
// access, with views folded into indices and guards. Which roots are computed, and in which sweep, is
// lower.cpp's.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/ir/analysis/access.h"
#include "compiler/ir/group.h"
#include "compiler/ir/node_tables.h"
#include "compiler/plan/lower/lowered.h"

namespace weft::plan {

class ExpressionLowerer {
 public:
  // Statements, buffers and scalars go to `out`. The group's own roots are computed, whatever `in_memory`
  // says; those that are reductions or scans need a result before they are read.
  ExpressionLowerer(const ir::Group& group, const std::function<bool(const ir::Node*)>& in_memory,
                    ir::Variables& vars, Lowered& out);

  // Where statements go from here on: those of values that are the same all along the row, and the others.
  void write_to(std::vector<Stmt>& once, std::vector<Stmt>& in_row) { once_ = &once, in_row_ = &in_row; }
  // What is written from here on knows none of the values computed so far, but for results.
  void forget_values();
  // What a reduction or a scan of the group gives, wherever it is read.
  void set_result(const ir::Node* node, Value v) { result_of_[node] = v; }

  Value value(const ir::Node* node, const ir::Access& at);
  // The index of an address. What it takes from other nodes has been computed by value(), with what is there.
  Index index(const ir::Linear& l);
  int buffer(const ir::Node* n, bool written);

  Value define(DType dtype, bool row);
  void emit(Stmt s, bool in_row) { (in_row ? in_row_ : once_)->push_back(std::move(s)); }
  Value let(ir::Op op, DType dtype, std::vector<Value> args);

  // The quotients and remainders that statements compute.
  const std::vector<int>& divided() const { return divided_; }

 private:
  // What is wanted: a node at an access, where the guards hold. Accesses and guard lists are numbered.
  struct Request {
    const ir::Node* node;
    int access;
    int guards;
    friend auto operator<=>(const Request&, const Request&) = default;
  };
  // What an input adds to the guards of the expression that reads it.
  struct Branch {
    Request request;
    std::vector<ir::Condition> when;
    bool never;
  };

  // ---- statements
  bool row(Value v) const { return program_.values[v].row; }
  bool row(const ir::Linear& l) const;
  Value position(const ir::Linear& l);
  Value variable(int v);
  Value test(const ir::Condition& c);
  Value all_of(const std::vector<ir::Condition>& when);

  // ---- expressions
  int access_number(const ir::Access& a);
  int guards_number(const std::vector<Value>& g);
  const Value* find(const Request& r) const;
  Branch branch(const Request& r, size_t input);
  void guard(Branch& b);
  // A node at an access, guarded where that may lie outside of it: what indices lead to is computed for all
  // that read it, whatever their guards.
  Request inside(const ir::Node* n, const ir::Access& at);
  void need_inside(const ir::Node* n, const ir::Access& at, std::vector<Request>& needs);
  void need_dynamic(const ir::Linear& l, std::vector<Request>& needs);
  bool loads(const ir::Node* n) const;
  std::vector<Branch> branches(const Request& r, std::vector<Request>& needs);
  Value load(const Request& r);
  Value applied(const ir::Node& n, std::vector<Value> args, const std::vector<Value>& guards);
  Value compute(const Request& r, const std::vector<Branch>& inputs);

  const std::function<bool(const ir::Node*)>& in_memory_;
  ir::Variables& vars_;
  Lowered& out_;
  RowProgram& program_;
  std::vector<Stmt>*once_ = nullptr, *in_row_ = nullptr;
  ir::NodeSet roots_;
  std::unordered_map<const ir::Node*, Value> result_of_;
  ir::NodeMap<int> buffer_of_, scalar_of_;
  std::map<ir::Access, int> access_numbers_;
  std::vector<const ir::Access*> accesses_;
  std::map<std::vector<Value>, int> guards_numbers_;
  std::vector<const std::vector<Value>*> guards_;
  std::map<Request, Value> known_;
  std::map<int, Value> variable_value_;
  std::vector<int> divided_;
  std::map<ir::Linear, Value> positions_;
  std::map<ir::Condition, Value> tests_;
};

}  // namespace weft::plan
