#include "compiler/ir/text/print.h"
#include "compiler/ir/node_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compiler/ir/function.h"
#include "compiler/ir/loop.h"
#include "compiler/ir/user_kernel.h"

namespace weft::ir {
namespace {

using Buffer = fmt::memory_buffer;

template <class... Args>
void put(Buffer& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

void put_list(Buffer& out, const Dims& dims) { put(out, "[{}]", fmt::join(dims.begin(), dims.end(), ", ")); }

void put_type(Buffer& out, const TensorType& type) { put(out, "{}", weft::to_string(type)); }

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (char c : text) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!letter) return false;
  }
  return true;
}

void put_string(Buffer& out, std::string_view text) {
  put(out, "\"");
  for (char c : text) {
    if (c == '"' || c == '\\')
      put(out, "\\{}", c);
    else if (c == '\n')
      put(out, "\\n");
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      put(out, "\\x{:02x}", static_cast<unsigned char>(c));
    else
      out.push_back(c);
  }
  put(out, "\"");
}

uint64_t bits_of(DType dtype, double value) {
  uint64_t bits = 0;
  Scalar{dtype, 0, value, 0}.store(&bits);
  return bits;
}

// Halves have no to_chars of their own: the fewest digits that read back to the same bits.
std::string_view half_digits(DType dtype, double value, char (&text)[64]) {
  double back = 0;
  for (int precision = 1; precision <= 17; ++precision) {
    auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, precision).ptr;
    std::from_chars(text, end, back);
    if (bits_of(dtype, Scalar::of(back).cast(dtype).re) == bits_of(dtype, value)) break;
  }
  // Again in whichever notation is shorter: 65500 rather than 6.55e+04.
  auto end = std::to_chars(text, text + sizeof text, back).ptr;
  return {text, static_cast<size_t>(end - text)};
}

void put_float(Buffer& out, DType dtype, double value) {
  if (std::isnan(value)) {
    const char* sign = std::signbit(value) ? "-" : "";
    double canonical = std::copysign(std::numeric_limits<double>::quiet_NaN(), value);
    uint64_t bits = bits_of(dtype, value);
    if (bits == bits_of(dtype, canonical))
      put(out, "{}nan", sign);
    else
      put(out, "nan({:#x})", bits);
    return;
  }
  if (std::isinf(value)) return put(out, "{}", value < 0 ? "-inf" : "inf");
  char text[64];
  std::string_view digits;
  if (is_half(dtype)) {
    digits = half_digits(dtype, value, text);
  } else {
    char* end = dtype == DType::F32 ? std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr
                                    : std::to_chars(text, text + sizeof text, value).ptr;
    digits = {text, static_cast<size_t>(end - text)};
  }
  bool whole = digits.find_first_of(".e") == std::string_view::npos;
  put(out, "{}{}", digits, whole ? ".0" : "");
}

void put_scalar(Buffer& out, const Scalar& value) {
  switch (weft::kind(value.dtype)) {
    case DTypeKind::Bool:
      return put(out, "{}", value.i != 0);
    case DTypeKind::Signed:
      return put(out, "{}", value.i);
    case DTypeKind::Unsigned:
      return put(out, "{}", static_cast<uint64_t>(value.i));
    case DTypeKind::Float:
      return put_float(out, value.dtype, value.re);
    case DTypeKind::Complex:
      put(out, "(");
      put_float(out, real_of(value.dtype), value.re);
      put(out, ", ");
      put_float(out, real_of(value.dtype), value.im);
      put(out, ")");
  }
}

class FunctionPrinter {
 public:
  explicit FunctionPrinter(const Function& f) : f_(f), numbers_(f.values.size()) {}

  std::string run(std::string_view name) {
    out_ = fmt::format("function {}(", name);
    rest();
    if (f_.on_cuda) behind(" cuda(", *f_.on_cuda);
    if (f_.derivative) {
      behind(" derivative(", *f_.derivative);
      if (f_.derivative->on_cuda) behind(" cuda(", *f_.derivative->on_cuda);
    }
    if (f_.reference) {
      behind(" reference(", *f_.reference);
      out_ += " ulps ";
      Buffer digits;
      put_float(digits, DType::F64, f_.ulps);
      out_.append(digits.data(), digits.size());
    }
    return out_ + "\n";
  }

 private:
  void behind(const char* opens, const Function& f) {
    FunctionPrinter own(f);
    own.out_ = opens;
    own.rest();
    out_ += own.out_;
  }
  void rest() {
    typed_list(f_.block.params);
    out_ += ") {\n";
    body(f_.block, 1);
    out_ += "  return " + list(f_.block.gives) + "\n}";
  }
  std::string number(int v) const { return fmt::format("%{}", numbers_[static_cast<size_t>(v)]); }
  std::string list(const std::vector<int>& values) const {
    std::string out;
    for (int v : values) out += (out.empty() ? "" : ", ") + number(v);
    return out;
  }
  std::string_view type(int v) const { return weft::name(f_.values[static_cast<size_t>(v)]); }
  void define(int v) { numbers_[static_cast<size_t>(v)] = next_++; }
  void typed_list(const std::vector<int>& values) {
    for (size_t k = 0; k < values.size(); ++k) {
      define(values[k]);
      out_ += fmt::format("{}{} : {}", k ? ", " : "", number(values[k]), type(values[k]));
    }
  }

  void body(const Block& b, size_t depth) {
    for (const Instruction& i : b.body) one(i, depth);
  }
  void given(const Block& b, size_t depth) {
    out_ += std::string(2 * depth, ' ') + "give" + (b.gives.empty() ? "" : " ") + list(b.gives) + "\n";
  }

  void one(const Instruction& i, size_t depth) {
    const std::string margin(2 * depth, ' ');
    using Kind = Instruction::Kind;
    if (i.kind == Kind::Map || i.kind == Kind::Constant) {
      const std::string operands = i.kind == Kind::Map ? list(i.args) : to_string(i.value);
      define(i.outs[0]);
      out_ += fmt::format("{}{} = {} {} : {}\n", margin, number(i.outs[0]),
                          i.kind == Kind::Map ? name(i.op) : "constant", operands, type(i.outs[0]));
      return;
    }
    // Results are named first, and numbered last: nothing in the blocks reads them.
    std::string before = std::move(out_);
    out_.clear();
    if (i.kind == Kind::If) {
      out_ = fmt::format("if {} {{\n", number(i.args[0]));
      body(i.blocks[0], depth + 1);
      given(i.blocks[0], depth + 1);
      out_ += margin + "} else {\n";
      body(i.blocks[1], depth + 1);
      given(i.blocks[1], depth + 1);
    } else {
      const Block& head = i.blocks[0];
      std::string carried;
      for (size_t k = 0; k < i.args.size(); ++k) {
        define(head.params[k]);
        carried += fmt::format("{} {} = {}", k ? "," : "", number(head.params[k]), number(i.args[k]));
      }
      out_ = fmt::format("while{} {{\n", carried);
      body(head, depth + 1);
      out_ += fmt::format("{}  test {}\n", margin, number(head.gives[0]));
      body(i.blocks[1], depth + 1);
      given(i.blocks[1], depth + 1);
    }
    out_ += margin + "}\n";
    std::string inside = std::exchange(out_, std::move(before));
    out_ += margin;
    typed_list(i.outs);
    out_ += (i.outs.empty() ? "" : " = ") + inside;
  }

  const Function& f_;
  std::vector<int> numbers_;
  int next_ = 0;
  std::string out_;
};

// The bodies of a text's loops, each once, before those that use it.
class Bodies {
 public:
  explicit Bodies(const Graph& graph) { add(graph); }
  const std::vector<std::pair<std::string, const Graph*>>& all() const { return all_; }
  const std::vector<std::string>& names(const Loop& loop) const { return names_.at(loop.hash); }
  const std::vector<std::pair<std::string, const Function*>>& functions() const { return functions_; }
  const std::string& name(const Function& function) const { return function_names_.at(function.hash); }
  const std::vector<std::pair<std::string, const UserKernel*>>& kernels() const { return kernels_; }
  const std::string& name(const UserKernel& kernel) const {
    return std::ranges::find(kernels_, kernel.hash, [](auto& one) { return one.second->hash; })->first;
  }

 private:
  void add(const Graph& graph) {
    for (const Node* node : topological_order(graph.outputs)) {
      if (is_apply(*node)) add(*function_of(*node));
      if (is_user_kernel(*node)) add(*user_kernel_of(*node));
      if (!is_loop(*node) || names_.contains(loop_of(*node)->hash)) continue;
      std::vector<std::string> names;
      names.reserve(loop_of(*node)->bodies.size());
      for (const Graph& body : loop_of(*node)->bodies) names.push_back(name_of(body));
      names_.emplace(loop_of(*node)->hash, std::move(names));
    }
  }
  // By its own name where that is an identifier and not taken.
  void add(const Function& function) {
    if (function_names_.contains(function.hash)) return;
    const bool taken = !is_identifier(function.name) || std::ranges::any_of(functions_, [&](auto& other) {
      return other.first == function.name;
    });
    std::string name = taken ? fmt::format("function_{}", functions_.size()) : function.name;
    function_names_.emplace(function.hash, name);
    functions_.emplace_back(std::move(name), &function);
  }
  void add(const UserKernel& kernel) {
    if (std::ranges::any_of(kernels_, [&](auto& other) { return other.second->hash == kernel.hash; })) return;
    const bool taken = !is_identifier(kernel.title) || std::ranges::any_of(kernels_, [&](auto& other) {
      return other.first == kernel.title;
    });
    kernels_.emplace_back(taken ? fmt::format("kernel_{}", kernels_.size()) : kernel.title, &kernel);
  }
  std::string name_of(const Graph& body) {
    const Hash hash = hash_graph(body);
    if (auto known = bodies_.find(hash); known != bodies_.end()) return known->second;
    add(body);
    std::string name = fmt::format("f{}", all_.size());
    all_.emplace_back(name, &body);
    bodies_.emplace(hash, name);
    return name;
  }

  std::vector<std::pair<std::string, const Function*>> functions_;
  std::unordered_map<Hash, std::string, HashOf> function_names_;
  std::vector<std::pair<std::string, const UserKernel*>> kernels_;
  std::vector<std::pair<std::string, const Graph*>> all_;
  std::unordered_map<Hash, std::string, HashOf> bodies_;
  std::unordered_map<Hash, std::vector<std::string>, HashOf> names_;
};

// Writes what stands between the op's name and its type: literal, operands, then `key=value` for each
// attribute.
class Arguments {
 public:
  // Without `bodies` loops show their numbers alone.
  explicit Arguments(Buffer& out, const Bodies* bodies = nullptr) : out_(out), bodies_(bodies) {}

  Buffer& next() {
    put(out_, "{}", first_ ? " " : ", ");
    first_ = false;
    return out_;
  }

  void attribute(const Node& node) {
    std::visit([&](const auto& a) { one(node, a); }, node.attr);
  }

 private:
  void list(std::string_view key, const Dims& dims) {
    put(next(), "{}=", key);
    put_list(out_, dims);
  }
  void one(const Node&, std::monostate) {}
  void one(const Node&, const InputAttr& a) {
    put_string(next(), a.name);
    if (!a.strides.empty()) list("strides", a.strides);
    if (a.offset != 0) put(next(), "offset={}", a.offset);
  }
  void one(const Node&, const ScalarAttr& a) { put_string(next(), a.name); }
  void one(const Node&, const ConstantAttr& a) { put_scalar(next(), a.value); }
  void one(const Node&, const AxisAttr& a) { put(next(), "axis={}", a.axis); }
  void one(const Node&, const AxesAttr& a) { list("axes", a.axes); }
  void one(const Node&, const SliceAttr& a) {
    list("starts", a.starts);
    list("steps", a.steps);
  }
  void one(const Node&, const PadAttr& a) {
    list("before", a.before);
    list("after", a.after);
  }
  void one(const Node&, const LoopAttr& a) {
    const Loop& loop = *a.loop;
    if (bodies_) {
      const auto& names = bodies_->names(loop);
      if (loop.op == Op::scan) put(next(), "body={}", names[0]);
      if (loop.op == Op::while_loop) put(next(), "condition={}, body={}", names[0], names[1]);
      if (loop.op == Op::branch) put(next(), "bodies=[{}]", fmt::join(names, ", "));
    }
    if (loop.op == Op::scan) put(next(), "carries={}, length={}", loop.carries, loop.length);
    if (loop.sliced > 0) put(next(), "sliced={}", loop.sliced);
    if (loop.reverse) put(next(), "reverse=1");
    put(next(), "result={}", a.result);
  }

  void one(const Node&, const ApplyAttr& a) {
    put(next(), "function={}", bodies_ ? bodies_->name(*a.function) : a.function->name);
    put(next(), "result={}", a.result);
  }

  void one(const Node&, const KernelAttr& a) {
    if (bodies_)
      put(next(), "function={}", bodies_->name(*a.kernel));
    else
      put_string(next(), a.kernel->title);
    put(next(), "result={}", a.result);
  }

  Buffer& out_;
  const Bodies* bodies_;
  bool first_ = true;
};

std::string_view name_in(const ValueNames& names, const Node* node) {
  auto found = names.find(node);
  return found == names.end() ? std::string_view("%?") : found->second;
}

void put_node(Buffer& out, const Node& node, const ValueNames& names, const Bodies* bodies = nullptr) {
  put(out, "{} = {}", name_in(names, &node), name(node.op));
  Arguments arguments(out, bodies);
  for (const NodeRef& in : node.inputs) put(arguments.next(), "{}", name_in(names, in.get()));
  arguments.attribute(node);
  put(out, " : ");
  put_type(out, node.type);
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

ValueNames names_in_order(const std::vector<const Node*>& order) {
  ValueNames names;
  names.reserve(order.size());
  std::unordered_set<std::string_view> taken;
  int64_t next = 0;
  for (const Node* node : order) {
    const std::string* own = nullptr;
    if (auto* attr = std::get_if<InputAttr>(&node->attr)) own = &attr->name;
    if (auto* attr = std::get_if<ScalarAttr>(&node->attr)) own = &attr->name;
    bool keeps = own && is_identifier(*own) && taken.insert(*own).second;
    names.emplace(node, keeps ? "%" + *own : fmt::format("%{}", next++));
  }
  return names;
}

}  // namespace

std::vector<const Node*> text_order(const Graph& graph) {
  std::vector<const Node*> order;
  NodeSet listed;
  for (const NodeRef& in : graph.inputs)
    if (listed.insert(in.get()).second) order.push_back(in.get());
  for (const Node* node : topological_order(graph.outputs))
    if (!listed.count(node)) order.push_back(node);
  return order;
}

ValueNames value_names(const Graph& graph) { return names_in_order(text_order(graph)); }

namespace {

void put_graph(Buffer& out, const std::string& head, const Graph& graph, const Bodies& bodies,
               PrintOptions options) {
  std::vector<const Node*> order = text_order(graph);
  ValueNames names = names_in_order(order);
  put(out, "{} {{\n", head);
  for (const Node* node : order) {
    put(out, "  ");
    put_node(out, *node, names, &bodies);
    if (options.lines && !node->lines.empty()) put(out, "  # {}", one_line(to_string(node->lines)));
    put(out, "\n");
  }
  put(out, "  return");
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    put(out, "{}{}", i ? ", " : " ", name_in(names, graph.outputs[i].get()));
  put(out, "\n}}\n");
}

}  // namespace

namespace {

// Of operands and results, as the text's parameters and __constant__ arrays are called.
struct KernelNames {
  explicit KernelNames(const UserKernel& k) : operands(k.operands.size()), results(k.results.size()) {
    for (const UserKernel::Argument& one : k.arguments)
      (one.kind == UserKernel::Argument::Kind::Result ? results : operands)[one.number] = one.name;
    for (size_t i = 0; i < results.size(); ++i)
      if (k.starts_as[i] >= 0) operands[static_cast<size_t>(k.starts_as[i])] = results[i];
  }
  std::vector<std::string> operands, results;
};

// Whether its braces match, so that it can stand in braces.
bool has_matching_braces(std::string_view text) {
  int64_t depth = 0;
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}' && --depth < 0) return false;
  }
  return depth == 0;
}

void put_kernel(Buffer& out, std::string_view name, const UserKernel& k) {
  const KernelNames names(k);
  const auto put_typed = [&](const std::vector<TensorType>& types, const std::vector<std::string>& called) {
    for (size_t i = 0; i < types.size(); ++i) {
      put(out, "{}", i ? ", " : "");
      put_type(out, types[i]);
      put(out, " {}", called[i]);
    }
  };
  put(out, "kernel {}(", name);
  put_typed(k.operands, names.operands);
  put(out, ") -> (");
  put_typed(k.results, names.results);
  if (k.target == UserKernel::Target::Cpu)
    put(out, "), range={}, grain={}", k.grid[0], k.grain);
  else
    put(out, "), grid=[{}], block=[{}]", fmt::join(k.grid, ", "), fmt::join(k.block, ", "));
  if (k.shared_bytes != 0) put(out, ", shared_bytes={}", k.shared_bytes);
  if (k.cluster != 1) put(out, ", cluster={}", k.cluster);
  if (k.checks) put(out, ", checks=1");
  if (k.name != name) {
    put(out, ", entry=");
    put_string(out, k.name);
  }
  if (k.library) {
    put(out, ", library=[{}]\n\n", fmt::join(k.numbers, ", "));
  } else if (has_matching_braces(k.text->text)) {
    put(out, " {{{}}}\n\n", k.text->text);
  } else {
    put(out, " = ");
    put_string(out, k.text->text);
    put(out, "\n\n");
  }
}

}  // namespace

std::string print(const Function& function, std::string_view name) {
  return FunctionPrinter(function).run(name);
}

std::string print(const Graph& graph, PrintOptions options) {
  const Bodies bodies(graph);
  Buffer out;
  for (const auto& [name, function] : bodies.functions()) put(out, "{}\n", print(*function, name));
  for (const auto& [name, kernel] : bodies.kernels()) put_kernel(out, name, *kernel);
  for (const auto& [name, body] : bodies.all()) {
    put_graph(out, "body " + name, *body, bodies, options);
    put(out, "\n");
  }
  put_graph(out, "graph", graph, bodies, options);
  return fmt::to_string(out);
}

std::string print(const Node& node, const ValueNames& names) {
  Buffer out;
  put_node(out, node, names);
  return fmt::to_string(out);
}

std::string describe(const Node& node) {
  Buffer out;
  put(out, "{}", name(node.op));
  Arguments arguments(out);
  for (const NodeRef& in : node.inputs) put(arguments.next(), "{}", in ? to_string(in->type) : "?");
  arguments.attribute(node);
  return fmt::to_string(out);
}

std::string label(const Node& node) {
  Buffer out;
  put(out, "{}", name(node.op));
  Arguments(out).attribute(node);
  return fmt::to_string(out);
}

std::string to_string(const Scalar& value) {
  Buffer out;
  put_scalar(out, value);
  return fmt::to_string(out);
}

}  // namespace weft::ir
