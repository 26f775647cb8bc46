// A scalar function as the CPU computes it: an argument is a vector, and truth is a mask of its lanes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/emit/function_writer.h"

namespace weft::emit {

// What a branch costs at least that is jumped over where no lane takes it: less is computed for nothing.
inline constexpr float kWorthAJump = 24;
// Turns between two looks whether somebody gave the work up: a look reads a clock.
inline constexpr int kTurnsBetweenLooks = 4096;

inline float cost_of(const ir::Block& b) {
  float cost = 0;
  for (const ir::Instruction& i : b.body) {
    if (i.kind == ir::Instruction::Kind::While) return 1e9f;
    if (i.kind == ir::Instruction::Kind::Map) cost += info(i.op).cost;
    for (const ir::Block& inner : i.blocks) cost += cost_of(inner);
  }
  return cost;
}

// Which values differ from lane to lane, and which are read at all. What a loop counts is the same in all lanes that are
// left in it.
struct Variety {
  std::vector<char> differs;
  std::vector<int> reads;  // how often

  explicit Variety(const ir::Function& f) : differs(f.values.size(), 0), reads(f.values.size(), 0) {
    count(f.block);
    for (const int p : f.block.params) at(differs, p) = 1;
    do {
      changed_ = false;
      walk(f.block);
    } while (changed_);
  }

 private:
  static char& at(std::vector<char>& flags, int value) { return flags[static_cast<size_t>(value)]; }
  void join(int value, bool also) {
    if (!also || at(differs, value)) return;
    at(differs, value) = 1;
    changed_ = true;
  }
  void count(const ir::Block& b) {
    for (const ir::Instruction& i : b.body) {
      for (const int a : i.args) ++reads[static_cast<size_t>(a)];
      for (const ir::Block& inner : i.blocks) count(inner);
    }
    for (const int g : b.gives) ++reads[static_cast<size_t>(g)];
  }
  void walk(const ir::Block& b) {
    for (const ir::Instruction& i : b.body) {
      for (const ir::Block& inner : i.blocks) walk(inner);
      for (size_t k = 0; k < i.outs.size(); ++k) join(i.outs[k], out_differs(i, k));
    }
  }
  bool out_differs(const ir::Instruction& i, size_t k) {
    bool any = std::ranges::any_of(i.args, [&](int a) { return at(differs, a); });
    if (i.kind == ir::Instruction::Kind::Read) return true;
    if (i.kind == ir::Instruction::Kind::If) return any || given(i, 0, k) || given(i, 1, k);
    if (i.kind != ir::Instruction::Kind::While) return any;
    const int param = i.blocks[0].params[k];
    join(param, at(differs, i.args[k]) || given(i, 1, k));
    return at(differs, param) || given(i, 0, 0);
  }
  bool given(const ir::Instruction& i, size_t block, size_t k) {
    return at(differs, i.blocks[block].gives[k]);
  }

  bool changed_ = false;
};

// Lanes part by masks: a branch that no lane takes is left out, a loop runs until no lane is left.
class CpuFunction : public FunctionWriter {
 public:
  CpuFunction(const ir::Function& f, const Dialect& dialect)
      : FunctionWriter(f, dialect), variety_(f), mask_bits_(has_wide_lanes(f) ? 64 : 32) {
    find_never(f.block, never_);
  }

 protected:
  // Truth is as wide as the lanes that it chooses between, mostly.
  static bool has_wide_lanes(const ir::Function& f) {
    const auto is_wide = [](DType t) { return t == DType::F64 || t == DType::C128; };
    const auto is_narrow = [](DType t) { return is_float(t) || is_complex(t); };
    return std::ranges::any_of(f.values, is_wide) || std::ranges::none_of(f.values, is_narrow);
  }
  bool is_truth(int value) const { return dtype(value) == DType::Bool; }
  std::string mask_type() const { return fmt::format("mask{}v", mask_bits_); }
  std::string wide(const std::string& truth) const {
    return fmt::format("weft_wide_{}({})", mask_bits_, truth);
  }
  static std::string bits(const std::string& mask) { return fmt::format("weft_truth({})", mask); }

  std::string type(int value) const override { return is_truth(value) ? mask_type() : outer_type(value); }
  std::string param_name(int param) const override {
    return (is_truth(param) ? "b" : "v") + std::to_string(param);
  }
  std::string mask_name() const override { return "bits"; }
  void take_params() override {
    line(fmt::format("{} m0 = {};", mask_type(), wide("bits")));
    for (int p : f_.block.params)
      if (is_truth(p)) line(fmt::format("{} {} = {};", mask_type(), v(p), wide(param_name(p))));
  }
  std::string handed_out(int value) const override { return is_truth(value) ? bits(v(value)) : v(value); }
  std::string constant(const Scalar& value) const override {
    const std::string splat = FunctionWriter::constant(value);
    return value.dtype == DType::Bool ? wide(splat) : splat;
  }
  std::string map(const ir::Instruction& i) const override {
    const bool gives_truth = is_truth(i.outs[0]);
    if (gives_truth && std::ranges::all_of(i.args, [&](int a) { return is_truth(a); }))
      if (const std::string own = map_of_truth(i); !own.empty()) return own;
    const auto name = [&](plan::Value x) { return is_truth(x) ? bits(v(x)) : v(x); };
    const std::string spelled = spell(plan::Let{i.outs[0], i.op, i.args}, program_, dialect_, name);
    return gives_truth ? wide(spelled) : spelled;
  }
  // What masks have operators for; empty: nothing.
  static std::string map_of_truth(const ir::Instruction& i) {
    const std::string a = v(i.args[0]), b = v(i.args.back());
    switch (i.op) {
      case ir::Op::logical_not:
      case ir::Op::bitwise_invert:
        return "~" + a;
      case ir::Op::logical_and:
      case ir::Op::bitwise_and:
      case ir::Op::multiply:
        return fmt::format("{} & {}", a, b);
      case ir::Op::logical_or:
      case ir::Op::bitwise_or:
        return fmt::format("{} | {}", a, b);
      case ir::Op::logical_xor:
      case ir::Op::bitwise_xor:
      case ir::Op::not_equal:
        return fmt::format("{} ^ {}", a, b);
      case ir::Op::select:
        return chosen_truth(a, v(i.args[1]), b);
      default:
        return "";
    }
  }
  static std::string chosen_truth(const std::string& mask, const std::string& a, const std::string& b) {
    return fmt::format("({0} & {1}) | (~{0} & {2})", mask, a, b);
  }
  bool differs(int value) const { return variety_.differs[static_cast<size_t>(value)]; }
  int reads(int value) const { return variety_.reads[static_cast<size_t>(value)]; }
  bool is_read(int value) const { return reads(value) > 0; }
  std::string mask() { return fmt::format("m{}", ++masks_); }
  std::string chosen(DType t, const std::string& mask, const std::string& a, const std::string& b) const {
    if (a == b) return a;
    return t == DType::Bool ? chosen_truth(mask, a, b)
                            : fmt::format("weft_select_{}({}, {}, {})", suffix(t), bits(mask), a, b);
  }

  std::string series_params(size_t k) const override {
    return fmt::format(", {0}void* s{1}, i64v at{1}, long by{1}, int how{1}",
                       f_.series[k].written ? "" : "const ", k);
  }
  std::string read_series(const ir::Instruction& i, const std::string& mask) const override {
    const std::string read = fmt::format("weft_read_{0}(s{1}, at{1}, by{1} * {2}[0], how{1}, {3})",
                                         suffix(dtype(i.outs[0])), i.series, v(i.args[0]), bits(mask));
    return is_truth(i.outs[0]) ? wide(read) : read;
  }
  std::string write_series(const ir::Instruction& i, const std::string& mask) const override {
    return fmt::format("weft_write_{0}(s{1}, at{1}, by{1} * {2}[0], how{1}, {3}, {4});",
                       suffix(dtype(i.args[1])), i.series, v(i.args[0]), bits(mask), handed_out(i.args[1]));
  }

  // The block's values: where it is light, of all lanes; else of those that take it, if any does.
  std::vector<std::string> side(const ir::Block& b, const ir::Instruction& i, const std::string& mask,
                                char mark) {
    std::vector<std::string> given;
    if (cost_of(b) < kWorthAJump) {
      body(b, mask);
      for (int g : b.gives) given.push_back(v(g));
      return given;
    }
    for (int o : i.outs) {
      given.push_back(fmt::format("{}{}", mark, o));
      line(fmt::format("{} {}{} = {{}};", type(o), mark, o));
    }
    open(fmt::format("if (__builtin_reduce_or({})) {{", mask));
    body(b, mask);
    for (size_t k = 0; k < given.size(); ++k) line(fmt::format("{} = {};", given[k], v(b.gives[k])));
    close();
    return given;
  }

  void branch(const ir::Instruction& i, const std::string& outer) override {
    const std::string taken = mask(), other = mask(), test = v(i.args[0]);
    line(fmt::format("{} {} = {} & {};", mask_type(), taken, outer, test));
    line(fmt::format("{} {} = {} & ~{};", mask_type(), other, outer, test));
    const std::vector<std::string> a = side(i.blocks[0], i, taken, 'a'), b = side(i.blocks[1], i, other, 'b');
    for (size_t k = 0; k < i.outs.size(); ++k) {
      choices_[i.outs[k]] = {outer, taken, other, a[k], b[k]};
      const auto found = stays_.find(i.outs[k]);
      const std::string either = found == stays_.end() ? chosen(dtype(i.outs[k]), test, a[k], b[k])
                                 : found->second == 0  ? a[k]
                                                       : b[k];
      line(fmt::format("{} {} = {};", type(i.outs[k]), v(i.outs[k]), either));
    }
  }

  // A value in the lanes that are left, and what was there in the others. Where it is itself a choice between that and
  // something else, the two are one: LLVM would make one of them, too, of bits.
  std::string kept(int value, int before, const std::string& left) const {
    const auto found = choices_.find(value);
    if (found != choices_.end() && found->second.outer == left) {
      const Choice& c = found->second;
      if (c.b == v(before)) return chosen(dtype(value), c.taken, c.a, c.b);
      if (c.a == v(before)) return chosen(dtype(value), c.other, c.b, c.a);
    }
    return chosen(dtype(value), left, v(value), v(before));
  }

  void loop(const ir::Instruction& i, const std::string& outer) override {
    const std::string left = mask();
    std::vector<int> tests;
    conjuncts(i.blocks[0], i.blocks[0].gives[0], tests);
    const std::vector<char> flags = flags_of(i, tests);
    take_counts(i);
    line(fmt::format("{} {} = {};", mask_type(), left, outer));
    // The call is outside of the turns: what is alive across it would be spilled in each of them.
    open("for (;;) {");
    open(fmt::format("for (; turns < {}; ++turns) {{", kTurnsBetweenLooks));
    turn(i, left, tests, flags);
    close();
    line("if (weft_leave_rest()) break;");
    line("turns = 0;");
    close();
    line(fmt::format("{}_ends:;", left));
    leave_counts(i, outer, left, flags);
  }

  // A turn of the loop by the lanes that are left; where none is, on to the label behind the turns.
  void turn(const ir::Instruction& i, const std::string& left, const std::vector<int>& tests,
            const std::vector<char>& flags) {
    const ir::Block &head = i.blocks[0], &tail = i.blocks[1];
    const bool parts = differs(head.gives[0]);  // else all lanes leave together
    splat_counts(i);
    body(head, left);
    const std::string ends = fmt::format("goto {}_ends;", left);
    for (const int one : tests)
      if (differs(one)) line(fmt::format("{0} = {0} & {1};", left, v(one)));
    if (parts) line(fmt::format("if (!__builtin_reduce_or({})) {}", left, ends));
    for (const int one : tests)
      if (!differs(one)) line(fmt::format("if (!{}[0]) {}", v(one), ends));
    find_stays(i, tests);
    body(tail, left);
    carry_kept(i, left, parts, flags);
  }

  // What the test of a loop is the conjunction of.
  static void conjuncts(const ir::Block& head, int test, std::vector<int>& out) {
    for (const ir::Instruction& one : head.body)
      if (one.kind == ir::Instruction::Kind::Map && one.outs[0] == test &&
          (one.op == ir::Op::bitwise_and || one.op == ir::Op::logical_and)) {
        for (const int a : one.args) conjuncts(head, a, out);
        return;
      }
    out.push_back(test);
  }

  // What is the same in all lanes of a loop, as a count of its turns, is carried as one number.
  bool is_count(int param) const {
    const DType t = dtype(param);
    return !differs(param) && (t == DType::I64 || t == DType::I32);
  }
  // What lanes that have left keep of it is none of what the loop carries on, which tests look at in the first lane: the two
  // are apart.
  bool is_apart(const ir::Instruction& loop, int param) const {
    return is_count(param) || (!differs(param) && differs(loop.blocks[0].gives[0]));
  }
  static std::string count(int param) { return fmt::format("c{}", param); }
  void take_counts(const ir::Instruction& i) {
    for (size_t k = 0; k < i.args.size(); ++k) {
      const int p = i.blocks[0].params[k];
      line(is_count(p) ? fmt::format("auto {} = {}[0];", count(p), v(i.args[k]))
                       : fmt::format("{} {} = {};", type(p), v(p), v(i.args[k])));
      if (is_apart(i, p)) line(fmt::format("{} {} = {};", type(i.outs[k]), v(i.outs[k]), v(i.args[k])));
    }
  }
  void splat_counts(const ir::Instruction& i) {
    for (const int p : i.blocks[0].params)
      if (is_count(p)) {
        line(fmt::format("asm(\"\" : \"+r\"({}));", count(p)));  // LLVM would carry the vector in its place
        line(fmt::format("{} {} = weft_splat_{}({});", type(p), v(p), suffix(dtype(p)), count(p)));
      }
  }
  void carry_kept(const ir::Instruction& i, const std::string& left, bool parts,
                  const std::vector<char>& flags) {
    const ir::Block &head = i.blocks[0], &tail = i.blocks[1];
    std::vector<std::string> targets, names, next;
    for (size_t k = 0; k < tail.gives.size(); ++k) {
      const int param = head.params[k], given = tail.gives[k], out = i.outs[k];
      const bool counts = is_count(param), apart = is_apart(i, param);
      if (apart && is_read(out)) {
        // At the last turn of a lane it is what the lane has next.
        line(fmt::format("{} = {};", v(out), parts ? chosen(dtype(out), left, v(given), v(out)) : v(given)));
      }
      // What nobody reads behind the loop may be anything in lanes that have left.
      const bool keeps = !apart && !flags[k] && parts && is_read(out);
      targets.push_back(counts ? count(param) : v(param));
      names.push_back(fmt::format("n{}", param));
      next.push_back(counts ? v(given) + "[0]" : keeps ? kept(given, param, left) : v(given));
    }
    for (size_t k = 0; k < next.size(); ++k) line(fmt::format("auto {} = {};", names[k], next[k]));
    for (size_t k = 0; k < next.size(); ++k) line(fmt::format("{} = {};", targets[k], names[k]));
  }
  void leave_counts(const ir::Instruction& i, const std::string& outer, const std::string& left,
                    const std::vector<char>& flags) {
    for (size_t k = 0; k < i.outs.size(); ++k)
      if (const int p = i.blocks[0].params[k]; !is_apart(i, p))
        line(fmt::format("{} {} = {};", type(i.outs[k]), v(i.outs[k]),
                         flags[k] ? fmt::format("{} & ~{}", outer, left) : v(p)));
  }

  // Which values carried are flags that need not be kept in lanes that have left, as the mask of those in the loop says it:
  // false before the loop, and read by its test alone. Behind it one is set where a lane has left, if nothing else lets
  // single lanes leave.
  std::vector<char> flags_of(const ir::Instruction& i, const std::vector<int>& tests) const {
    const ir::Block& head = i.blocks[0];
    const auto parting = std::ranges::count_if(tests, [&](int one) { return differs(one); });
    std::vector<char> flags(head.params.size(), 0);
    for (size_t k = 0; k < flags.size(); ++k)
      flags[k] = is_truth(head.params[k]) && differs(head.params[k]) && reads(head.params[k]) == 1 &&
                 is_flag(head, head.params[k], tests) && never_.contains(i.args[k]) &&
                 (parting == 1 || !is_read(i.outs[k]));
    return flags;
  }
  static void find_never(const ir::Block& b, std::unordered_set<int>& out) {
    for (const ir::Instruction& one : b.body) {
      if (one.kind == ir::Instruction::Kind::Constant && one.value.dtype == DType::Bool && one.value.i == 0)
        out.insert(one.outs[0]);
      for (const ir::Block& inner : one.blocks) find_never(inner, out);
    }
  }

  // Lanes that take a side on which a flag is set, as by break, leave the loop with it. What is chosen there for those
  // that stay alone needs no choice.
  void find_stays(const ir::Instruction& i, const std::vector<int>& tests) {
    const ir::Block &head = i.blocks[0], &tail = i.blocks[1];
    const auto is_plain = [](const ir::Instruction& one) {
      return one.kind == ir::Instruction::Kind::Map || one.kind == ir::Instruction::Kind::Constant;
    };
    if (!std::ranges::all_of(head.body, is_plain)) return;
    for (const ir::Instruction& one : tail.body) {
      if (one.kind != ir::Instruction::Kind::If) continue;
      for (size_t k = 0; k < tail.gives.size(); ++k) {
        const auto out = std::ranges::find(one.outs, tail.gives[k]);
        if (out == one.outs.end() || !is_flag(head, head.params[k], tests)) continue;
        const auto place = static_cast<size_t>(out - one.outs.begin());
        for (const size_t side : {0, 1})
          if (is_true(one.blocks[side], one.blocks[side].gives[place])) note_stays(i, one, 1 - side, tests);
      }
    }
  }
  static bool is_flag(const ir::Block& head, int param, const std::vector<int>& tests) {
    return std::ranges::any_of(head.body, [&](const ir::Instruction& one) {
      return one.kind == ir::Instruction::Kind::Map && one.op == ir::Op::logical_not &&
             one.args[0] == param && std::ranges::find(tests, one.outs[0]) != tests.end();
    });
  }
  static bool is_true(const ir::Block& b, int value) {
    return std::ranges::any_of(b.body, [&](const ir::Instruction& one) {
      return one.kind == ir::Instruction::Kind::Constant && one.outs[0] == value &&
             one.value.dtype == DType::Bool && one.value.i != 0;
    });
  }
  void note_stays(const ir::Instruction& loop, const ir::Instruction& branch, size_t side,
                  const std::vector<int>& tests) {
    const ir::Block& head = loop.blocks[0];
    const std::vector<int>& gives = loop.blocks[1].gives;
    for (const int out : branch.outs) {
      int carried = 0;
      for (size_t k = 0; k < gives.size(); ++k)
        if (gives[k] == out && !is_read(loop.outs[k]) && !is_flag(head, head.params[k], tests)) ++carried;
      if (carried > 0 && carried == reads(out)) stays_[out] = side;
    }
  }

  // What a branch gave: of lanes of `outer`, the mask and the value of either side.
  struct Choice {
    std::string outer, taken, other, a, b;
  };

  const Variety variety_;
  const int mask_bits_;
  std::unordered_set<int> never_;  // constants that are false
  std::unordered_map<int, Choice> choices_;
  std::unordered_map<int, size_t> stays_;  // of what a branch gives: the side of those that stay in the loop
  int masks_ = 0;
};

}  // namespace weft::emit
