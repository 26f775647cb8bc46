#include "compiler/emit/packed_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/emit/cpu/cpu_dialect.h"
#include "compiler/emit/cpu_function.h"

namespace weft::emit {

using fmt::format;
using ir::Function;
using ir::Instruction;

namespace {

// Turns before lanes are moved together first; each time they are twice as many. Beside 8 and 32: a fractal of random points
// took 4.3, 4.3 and 4.8 ms, of a picture 3.8, 4.1 and 3.8 (one thread of a Zen 4, 2026-11-29).
constexpr int kFirstTurns = 16;

bool has_loop(const ir::Block& b) {
  return std::ranges::any_of(b.body, [](const Instruction& i) {
    return i.kind == Instruction::Kind::While || std::ranges::any_of(i.blocks, has_loop);
  });
}

bool is_loop(const Instruction& i) { return i.kind == Instruction::Kind::While; }

// A part of a value as it lies in an array: of integers as wide as a lane, so that one way of moving lanes serves all.
struct Stored {
  std::string name, bits;  // of the array; "32" or "64"
  std::string taken;       // the part of the value as such integers
};

class PackedFunction : public CpuFunction {
 public:
  PackedFunction(const Function& f, const Dialect& dialect, const std::vector<char>& varies)
      : CpuFunction(f, dialect),
        varies_(varies),
        loop_(*std::ranges::find_if(f.block.body, is_loop)),
        place_(static_cast<size_t>(&loop_ - f.block.body.data())) {
    const ir::Block& head = loop_.blocks[0];
    conjuncts(head, head.gives[0], tests_);
    flags_ = flags_of(loop_, tests_);
    find_state();
  }

  std::string write_all() {
    std::string params;
    for (size_t k = 0; k < f_.block.params.size(); ++k) {
      const int p = f_.block.params[k];
      params += varies_[k] ? format(", const {}* a{}", outer_type(p), p)
                           : format(", const {}& {}", outer_type(p), param_name(p));
    }
    for (size_t k = 0; k < f_.block.gives.size(); ++k)
      params += format(", {}* g{}", outer_type(f_.block.gives[k]), k);
    out_ = format("static __attribute__((noinline)) void {}(long count{}) {{\n", packed_name(f_, varies_),
                  params);
    line("int turns = 0;");
    line(format("{} m0 = {};", mask_type(), wide("weft_splat_bool(true)")));
    for (size_t k = 0; k < f_.block.params.size(); ++k)
      if (const int p = f_.block.params[k]; !varies_[k] && is_truth(p))
        line(format("{} {} = {};", mask_type(), v(p), wide(param_name(p))));
    part_of_body(0, place_, [&](const Instruction& i) { return !i.outs.empty() && !any_differs(i); });
    declare();
    start();
    rounds();
    finish();
    return out_ + "}\n";
  }

 private:
  // ---- what lies in arrays

  std::vector<Stored> parts(int value, const std::string& name) const {
    const DType t = dtype(value);
    const std::string x = v(value);
    const auto cast = [](const char* to, const std::string& of) {
      return format("__builtin_bit_cast({}, {})", to, of);
    };
    switch (t) {
      case DType::F64:
      case DType::I64:
      case DType::U64:
        return {{name, "64", cast("i64v", x)}};
      case DType::F32:
      case DType::F16:
      case DType::BF16:
      case DType::I32:
      case DType::U32:
        return {{name, "32", cast("i32v", x)}};
      case DType::C64:
        return {{name + "_re", "32", cast("i32v", x + ".re")}, {name + "_im", "32", cast("i32v", x + ".im")}};
      case DType::C128:
        return {{name + "_re", "64", cast("i64v", x + ".re")}, {name + "_im", "64", cast("i64v", x + ".im")}};
      case DType::Bool:
        return {{name, "32", format("__builtin_convertvector({}, i32v)", bits(x))}};
      default:
        return {{name, "32", format("__builtin_convertvector({}, i32v)", x)}};
    }
  }
  // The value that was stored, from element `at` on.
  std::string loaded(int value, const std::string& name, const std::string& at) const {
    const std::vector<Stored> all = parts(value, name);
    const auto load = [&](const Stored& one) {
      return format("weft_load_i{}({} + {})", one.bits, one.name, at);
    };
    const auto cast = [&](const char* to, const Stored& of) {
      return format("__builtin_bit_cast({}, {})", to, load(of));
    };
    switch (dtype(value)) {
      case DType::C64:
        return format("{{{}, {}}}", cast("f32v", all[0]), cast("f32v", all[1]));
      case DType::C128:
        return format("{{{}, {}}}", cast("f64v", all[0]), cast("f64v", all[1]));
      case DType::Bool:
        return wide(format("__builtin_convertvector({} != 0, boolv)", load(all[0])));
      case DType::I8:
      case DType::I16:
      case DType::U8:
      case DType::U16:
        return format("__builtin_convertvector({}, {})", load(all[0]), outer_type(value));
      default:
        return cast(outer_type(value).c_str(), all[0]);
    }
  }
  void store(int value, const std::string& name, const std::string& at) {
    for (const Stored& one : parts(value, name))
      line(format("weft_store_i{}({} + {}, {});", one.bits, one.name, at, one.taken));
  }
  void compress(int value, const std::string& name, const std::string& at, const std::string& lanes) {
    for (const Stored& one : parts(value, name))
      line(format("weft_compress_{}({} + {}, {}, {});", one.bits, one.name, at, one.taken, lanes));
  }
  void declare_arrays(int value, const std::string& name) {
    for (const Stored& one : parts(value, name)) declare_array(one.bits == "64" ? "long" : "int", one.name);
  }
  // What is moved together is stored in whole vectors, so that the last one reaches beyond.
  void declare_array(const char* element, const std::string& name) {
    line(format("__attribute__((aligned(64))) {} {}[{} * L];", element, name, kPackedVectors + 1));
  }

  // ---- the function's parts

  // What a lane takes along: what the loop carries, and what it reads of the values before it.
  void find_state() {
    const ir::Block& head = loop_.blocks[0];
    for (size_t k = 0; k < head.params.size(); ++k)
      if (!is_count(head.params[k]) && !flags_[k]) carried_.push_back(k);
    std::set<int> before;
    for (size_t k = 0; k < f_.block.params.size(); ++k)
      if (varies_[k]) before.insert(f_.block.params[k]);
    for (size_t k = 0; k < place_; ++k)
      for (const int o : f_.block.body[k].outs)
        if (differs(o)) before.insert(o);
    std::set<int> read;
    for (const ir::Block& b : loop_.blocks) find_read(b, read);
    std::ranges::set_intersection(before, read, std::back_inserter(taken_));
  }
  static void find_read(const ir::Block& b, std::set<int>& out) {
    for (const Instruction& i : b.body) {
      out.insert(i.args.begin(), i.args.end());
      for (const ir::Block& inner : i.blocks) find_read(inner, out);
    }
    out.insert(b.gives.begin(), b.gives.end());
  }
  bool any_differs(const Instruction& i) const {
    return std::ranges::any_of(i.outs, [&](int o) { return differs(o); });
  }
  template <class F>
  void part_of_body(size_t from, size_t to, F&& wanted) {
    ir::Block some;
    for (size_t k = from; k < to; ++k)
      if (wanted(f_.block.body[k])) some.body.push_back(f_.block.body[k]);
    body(some, "m0");
  }
  // The arguments of vector k, and what is computed of them before the loop.
  void take_vector() {
    for (size_t k = 0; k < f_.block.params.size(); ++k) {
      if (!varies_[k]) continue;
      const int p = f_.block.params[k];
      line(format("{} {} = {};", type(p), v(p),
                  is_truth(p) ? wide(format("a{}[k]", p)) : format("a{}[k]", p)));
    }
    part_of_body(0, place_, [&](const Instruction& i) { return any_differs(i); });
  }
  std::string state_name(int value) const { return format("s{}", value); }

  void declare() {
    const ir::Block& head = loop_.blocks[0];
    for (const size_t k : carried_) declare_arrays(head.params[k], state_name(head.params[k]));
    for (const int one : taken_) declare_arrays(one, state_name(one));
    // At the end of the loop: of each element, and of those that left after the first turns in the order in which they did.
    for (const int o : loop_.outs)
      if (is_read(o)) declare_arrays(o, format("r{}", o)), declare_arrays(o, format("f{}", o));
    declare_array("int", "place"), declare_array("int", "left_place");
    for (const int p : head.params)
      if (is_count(p)) line(format("{} from{} = 0;", dtype(p) == DType::I64 ? "long long" : "int", p));
  }

  void start() {
    const ir::Block& head = loop_.blocks[0];
    open("for (long k = 0; k < count; ++k) {");
    take_vector();
    for (size_t k = 0; k < loop_.args.size(); ++k) {
      const int p = head.params[k];
      if (is_count(p)) line(format("from{} = {}[0];", p, v(loop_.args[k])));
    }
    for (const size_t k : carried_) {
      const int p = head.params[k];
      open("{");
      line(format("{} {} = {};", type(p), v(p), v(loop_.args[k])));
      store(p, state_name(p), "k * L");
      close();
    }
    for (const int one : taken_) store(one, state_name(one), "k * L");
    line(
        "weft_store_i32(place + k * L, __builtin_convertvector(weft_lanes_i64(), i32v) + (i32v)((int)k * "
        "L));");
    close();
  }

  void rounds() {
    const ir::Block& head = loop_.blocks[0];
    line("long todo = count * L, done = 0;");
    line("bool first = true;");
    open(format("for (long most = {}; todo > 0; most = weft_least(2 * most, {})) {{", kFirstTurns,
                kTurnsBetweenLooks));
    line("long kept = 0;");
    for (const int p : head.params)
      if (is_count(p)) line(format("auto next{0} = from{0};", p));
    open("for (long j = 0; j < todo; j += L) {");
    round();
    close();
    for (const int p : head.params)
      if (is_count(p)) line(format("from{0} = next{0};", p));
    line("todo = kept, first = false;");
    line(format("if (most == {} && weft_leave_rest()) break;", kTurnsBetweenLooks));
    close();
    open("for (long e = 0; e < done; ++e) {");
    for (const int o : loop_.outs)
      if (is_read(o))
        for (const Stored& one : parts(o, ""))
          line(format("r{0}{1}[left_place[e]] = f{0}{1}[e];", o, one.name));
    close();
  }

  // Some turns of one vector.
  void round() {
    const ir::Block& head = loop_.blocks[0];
    const std::string alive = mask(), left = mask(), in = mask(), gone = mask();
    line(format("{} {} = {};", mask_type(), alive,
                wide("__builtin_convertvector(weft_lanes_i64() < (i64v)(todo - j), boolv)")));
    for (const size_t k : carried_) {
      const int p = head.params[k];
      line(format("{} {} = {};", type(p), v(p), loaded(p, state_name(p), "j")));
    }
    for (const int one : taken_)
      line(format("{} {} = {};", type(one), v(one), loaded(one, state_name(one), "j")));
    line("i32v at = weft_load_i32(place + j);");
    for (size_t k = 0; k < head.params.size(); ++k) {
      const int p = head.params[k], o = loop_.outs[k];
      if (flags_[k]) line(format("{} {} = {};", type(p), v(p), wide("weft_splat_bool(false)")));
      if (!is_apart(loop_, p)) continue;
      if (is_count(p)) line(format("auto {} = from{};", count(p), p));
      line(format("{} {} = {};", type(o), v(o),
                  is_count(p) ? format("weft_splat_{}(from{})", suffix(dtype(o)), p) : v(p)));
    }
    line(format("{} {} = {};", mask_type(), left, alive));
    line("bool ended = true;");
    open("for (long turn = 0; turn < most; ++turn) {");
    turn(loop_, left, tests_, flags_);
    close();
    line("ended = false;");
    for (size_t k = 0; k < head.params.size(); ++k) {
      const int p = head.params[k];
      // Its lanes would leave by the test of the next turn.
      if (flags_[k]) line(format("{0} = {0} & ~{1};", left, v(p)));
      if (is_count(p)) line(format("next{} = {};", p, count(p)));
    }
    line(format("{}_ends:;", left));
    line(format("{} {} = ended ? {} : {};", mask_type(), in, wide("weft_splat_bool(false)"), left));
    line(format("{} {} = {} & ~{};", mask_type(), gone, alive, in));
    for (size_t k = 0; k < loop_.outs.size(); ++k)
      if (const int o = loop_.outs[k]; !is_apart(loop_, head.params[k]) && is_read(o))
        line(format("{} {} = {};", type(o), v(o),
                    flags_[k] ? format("{} & ~{}", alive, left) : v(head.params[k])));
    leave(gone);
    stay(in);
  }
  // The results of those that have left: in the first round all of a vector's, as its lanes lie where their elements do.
  void leave(const std::string& gone) {
    open("if (first) {");
    for (const int o : loop_.outs)
      if (is_read(o)) store(o, format("r{}", o), "j");
    --depth_;
    open("} else {");
    for (const int o : loop_.outs)
      if (is_read(o)) compress(o, format("f{}", o), "done", bits(gone));
    line(format("weft_compress_32(left_place + done, at, {});", bits(gone)));
    line(format("done += __builtin_popcountl(weft_bits({}));", bits(gone)));
    close();
  }
  void stay(const std::string& in) {
    const ir::Block& head = loop_.blocks[0];
    open(format("if (__builtin_reduce_or({})) {{", in));
    for (const size_t k : carried_) compress(head.params[k], state_name(head.params[k]), "kept", bits(in));
    for (const int one : taken_) compress(one, state_name(one), "kept", bits(in));
    line(format("weft_compress_32(place + kept, at, {});", bits(in)));
    line(format("kept += __builtin_popcountl(weft_bits({}));", bits(in)));
    close();
  }

  // What is computed behind the loop.
  void finish() {
    open("for (long k = 0; k < count; ++k) {");
    take_vector();
    for (const int o : loop_.outs)
      if (is_read(o)) line(format("{} {} = {};", type(o), v(o), loaded(o, format("r{}", o), "k * L")));
    part_of_body(place_ + 1, f_.block.body.size(), [](const Instruction&) { return true; });
    for (size_t k = 0; k < f_.block.gives.size(); ++k)
      line(format("g{}[k] = {};", k, handed_out(f_.block.gives[k])));
    close();
  }

  const std::vector<char>& varies_;
  const Instruction& loop_;
  const size_t place_;  // of the loop in the function's body
  std::vector<int> tests_;
  std::vector<char> flags_;
  std::vector<size_t> carried_;  // which of what the loop carries a lane takes along
  std::vector<int> taken_;       // values before the loop
};

}  // namespace

bool packs(const Function& f, int lanes) {
  constexpr size_t kTwoRegisters =
      128;  // bytes: as many lanes as that are run at once where registers have 64
  if (!f.series.empty() || !f.loops || std::ranges::count_if(f.block.body, is_loop) != 1) return false;
  const auto found = std::ranges::find_if(f.block.body, is_loop);
  if (std::ranges::any_of(f.block.body, [](const Instruction& i) {
        return !is_loop(i) && std::ranges::any_of(i.blocks, has_loop);
      }))
    return false;
  size_t widest = 1;
  for (const DType t : f.values) widest = std::max(widest, is_complex(t) ? size_of(t) / 2 : size_of(t));
  if (widest * static_cast<size_t>(lanes) < kTwoRegisters) return false;
  const Variety variety(f);
  return variety.differs[static_cast<size_t>(found->blocks[0].gives[0])] != 0;
}

std::string packed_name(const Function& f, const std::vector<char>& varies) {
  std::string name = name_of(f) + "_packed_";
  for (const char one : varies) name += one ? 'v' : 's';
  return name;
}

std::string write_packed(const Function& f, const std::vector<char>& varies) {
  const CpuDialect dialect;
  return "extern \"C\" long weft_leave_rest();\n" + PackedFunction(f, dialect, varies).write_all();
}

}  // namespace weft::emit
