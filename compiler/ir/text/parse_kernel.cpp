#include "compiler/ir/text/parse_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/code/kernel_text.h"
#include "compiler/ir/text/literal.h"
#include "compiler/ir/text/types.h"

namespace weft::ir {
namespace {

class KernelParser {
 public:
  explicit KernelParser(TextLexer& lexer) : lexer_(lexer) {}

  // kernel name(f32[5] x) -> (f32[5] r), range=5 { … }
  std::pair<std::string, UserKernelRef> run() {
    lexer_.take();
    const Token named = lexer_.peek();
    if (named.kind != Token::Word) lexer_.expected("a kernel's name");
    lexer_.take();
    k_.name = std::string(named.text);
    operands_ = typed();
    if (lexer_.peek().text != "-") lexer_.expected("'->'");
    lexer_.take();
    expect('>');
    results_ = typed();
    bool cpu = false, cuda = false;
    while (accept(',')) attribute(cpu, cuda);
    if (cpu == cuda)
      lexer_.fail(named, "a kernel has range=… on the CPU, or grid=[…] and block=[…] on a GPU");
    k_.target = cuda ? UserKernel::Target::Cuda : UserKernel::Target::Cpu;
    k_.title = k_.name.substr(0, k_.name.find('<'));
    if (is_of_library_) return {std::string(named.text), of_library(named)};
    k_.text = std::make_shared<const UserText>(text());
    at_token(lexer_, named, [&] { bind(read_kernel_text(k_.text->text, k_.name, cuda)); });
    return {std::string(named.text), checked(std::move(k_))};
  }

 private:
  struct Named {
    TensorType type;
    std::string name;
    bool used = false;
  };

  bool accept(char c) {
    if (!lexer_.peek().is(c)) return false;
    lexer_.take();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) lexer_.expected(fmt::format("'{}'", c));
  }

  std::vector<Named> typed() {
    std::vector<Named> out;
    expect('(');
    if (accept(')')) return out;
    do {
      const TensorType type = parse_type(lexer_);
      if (lexer_.peek().kind != Token::Word) lexer_.expected("a parameter's name");
      out.push_back({type, std::string(lexer_.take().text)});
    } while (accept(','));
    expect(')');
    return out;
  }

  UserKernelRef of_library(const Token& named) {
    const LibraryFunction* function = library_function(k_.name);
    if (!function) lexer_.fail(named, fmt::format("the library has no function {}", k_.name));
    for (const Named& one : operands_) k_.operands.push_back(one.type);
    for (const Named& one : results_) k_.results.push_back(one.type);
    UserKernelRef kernel;
    at_token(lexer_, named, [&] {
      kernel = library_kernel(*function, std::move(k_.operands), std::move(k_.results), k_.grid[0],
                              std::move(k_.numbers), k_.grain);
    });
    return kernel;
  }

  void attribute(bool& cpu, bool& cuda) {
    const Token key = lexer_.peek();
    if (key.kind != Token::Word) lexer_.expected("an attribute");
    lexer_.take();
    expect('=');
    const auto number = [&] { return to_int64(lexer_, lexer_.take()); };
    const auto extents = [&](std::array<int64_t, 3>& to) {
      const Token at = lexer_.peek();
      const Dims given = parse_dims(lexer_);
      if (given.empty() || given.size() > 3) lexer_.fail(at, "a grid and a block have one to three extents");
      std::ranges::copy(given, to.begin());
    };
    if (key.is("range")) {
      cpu = true;
      k_.grid[0] = number();
    } else if (key.is("grain")) {
      k_.grain = number();
    } else if (key.is("grid")) {
      cuda = true;
      extents(k_.grid);
    } else if (key.is("block")) {
      extents(k_.block);
    } else if (key.is("shared_bytes")) {
      k_.shared_bytes = number();
    } else if (key.is("cluster")) {
      k_.cluster = number();
    } else if (key.is("checks")) {
      k_.checks = number() != 0;
    } else if (key.is("library")) {
      is_of_library_ = true;
      const Dims numbers = parse_dims(lexer_);
      k_.numbers.assign(numbers.begin(), numbers.end());
    } else if (key.is("entry")) {
      k_.name = parse_string(lexer_, lexer_.take());
    } else {
      lexer_.fail(key, fmt::format("a kernel has no attribute {}", quoted(key)));
    }
  }

  // In braces, or in quotes where its own braces do not match.
  std::string text() {
    if (accept('=')) {
      if (lexer_.peek().kind != Token::String) lexer_.expected("the text in quotes");
      return parse_string(lexer_, lexer_.take());
    }
    return std::string(lexer_.take_enclosed('{', '}'));
  }

  void bind(const KernelText& text) {
    const bool cuda = k_.target == UserKernel::Target::Cuda;
    for (const Named& one : operands_) k_.operands.push_back(one.type);
    for (const Named& one : results_) k_.results.push_back(one.type);
    k_.starts_as.assign(results_.size(), -1);
    const size_t first = cuda ? 0 : 2;
    if (!cuda) check_range(text.parameters);
    for (size_t i = first; i < text.parameters.size(); ++i) bind(text.parameters[i]);
    for (const KernelConstantText& one : text.constants) {
      const int operand = taken(operands_, one.name);
      if (operand < 0) fail(one.name, "is a __constant__ array: write it among the operands");
      add(UserKernel::Argument::Kind::Constant, operand, one.type, one.name, one.dtype);
    }
    for (const auto* list : {&operands_, &results_})
      for (const Named& one : *list)
        if (!one.used) fail(one.name, "is no parameter of the kernel");
    if (results_.empty()) throw Error(k_.title + ": a kernel without a result does nothing that can be seen");
  }

  void check_range(const std::vector<KernelParameter>& parameters) const {
    const auto counts = [&](size_t i) {
      return i < parameters.size() && !parameters[i].is_pointer && parameters[i].dtype == DType::I64;
    };
    if (!counts(0) || !counts(1))
      throw Error(k_.title + ": the first two parameters of a kernel for the CPU are long begin, long end");
  }

  void bind(const KernelParameter& p) {
    using Kind = UserKernel::Argument::Kind;
    const int operand = taken(operands_, p.name), result = taken(results_, p.name);
    const bool is_written = p.is_pointer && !p.is_const;
    if (is_written && result < 0) fail(p.name, "is written to: write it among the results");
    if (!is_written && (operand < 0 || result >= 0))
      fail(p.name, "is read: write it among the operands alone");
    if (is_written) {
      k_.starts_as[static_cast<size_t>(result)] = operand;
      if (operand >= 0 &&
          operands_[static_cast<size_t>(operand)].type != results_[static_cast<size_t>(result)].type)
        fail(p.name, "has one type, as an operand and as a result");
      return add(Kind::Result, result, p.type + "*", p.name, p.dtype);
    }
    if (p.is_pointer) return add(Kind::Operand, operand, "const " + p.type + "*", p.name, p.dtype);
    if (!operands_[static_cast<size_t>(operand)].type.shape.empty()) fail(p.name, "is a number, of shape []");
    add(Kind::Value, operand, p.type, p.name, p.dtype);
  }

  void add(UserKernel::Argument::Kind kind, int number, const std::string& type, const std::string& name,
           std::optional<DType> dtype) {
    const auto at = static_cast<size_t>(number);
    const TensorType& given = (kind == UserKernel::Argument::Kind::Result ? results_ : operands_)[at].type;
    if (dtype && given.dtype != *dtype)
      fail(name, fmt::format("is {} in the text: got {}", weft::name(*dtype), weft::name(given.dtype)));
    k_.arguments.push_back({kind, at, type, name});
  }

  // The number of the one with this name; -1: there is none.
  static int taken(std::vector<Named>& list, const std::string& name) {
    const auto found = std::ranges::find(list, name, &Named::name);
    if (found == list.end()) return -1;
    found->used = true;
    return static_cast<int>(found - list.begin());
  }

  [[noreturn]] void fail(const std::string& parameter, const std::string& rule) const {
    throw Error(fmt::format("{}: {} {}", k_.title, parameter, rule));
  }

  TextLexer& lexer_;
  UserKernel k_;
  bool is_of_library_ = false;
  std::vector<Named> operands_, results_;
};

}  // namespace

std::pair<std::string, UserKernelRef> parse_kernel(TextLexer& lexer) { return KernelParser(lexer).run(); }

}  // namespace weft::ir
