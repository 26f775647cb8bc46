#include "frontend/cli/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <random>
#include <sstream>
#include <unordered_map>

#include "compiler/base/error.h"
#include "compiler/ir/text/literal.h"
#include "compiler/ir/text/print.h"
#include "frontend/files/npy.h"
#include "frontend/files/png.h"

namespace weft::cli {
namespace {

using ir::HostTensor;
using ir::Op;
using ir::TensorType;

const std::string& name_of(const ir::Node& input) {
  return input.op == Op::scalar ? input.as<ir::ScalarAttr>().name : input.as<ir::InputAttr>().name;
}

// What the host gives for an input: a scalar is one element of its dtype.
TensorType wanted_type(const ir::Node& input) {
  return {input.dtype(), input.op == Op::scalar ? Shape{} : input.shape()};
}

std::string ending(const std::string& path) {
  std::string end = std::filesystem::path(path).extension().string();
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return std::tolower(c); });
  return end;
}
bool is_png(const std::string& path) { return ending(path) == ".png"; }

io::HostArray read_array(const std::string& path) {
  if (is_png(path)) return io::read_png(path);
  if (path != "-") return io::read_npy(path);
  std::istringstream in(read_standard_input());
  return io::read_npy(in, "<stdin>");
}

bool is_number(const std::string& text) {
  ir::TextLexer lexer(text, "--in");
  return ir::starts_literal(lexer.peek());
}

HostTensor parse_number(const std::string& input, const std::string& text, DType dtype) {
  ir::TextLexer lexer(text, fmt::format("--in {}", input));
  Scalar value = to_scalar(lexer, parse_literal(lexer), dtype);
  if (lexer.peek().kind != ir::Token::End) lexer.expected("one number");
  HostTensor out{{dtype, {}}, std::vector<std::byte>(size_of(dtype))};
  value.store(out.data.data());
  return out;
}

HostTensor read_input(const ir::Node& input, const std::string& path) {
  TensorType want = wanted_type(input);
  if (input.op == Op::scalar && is_number(path)) return parse_number(name_of(input), path, want.dtype);
  if (input.op == Op::scalar && path != "-" && !std::filesystem::exists(path))
    throw Error(fmt::format("input '{}' is a scalar: takes a number or a file that holds one, got '{}'",
                            name_of(input), path));
  io::HostArray got = read_array(path);
  TensorType type{got.dtype, got.shape};
  bool one = input.op == Op::scalar && type.dtype == want.dtype && element_count(type.shape) == 1;
  if (type != want && !one)
    throw Error(fmt::format("input '{}': the graph declares {}, but {} holds {}", name_of(input),
                            to_string(want), path, to_string(type)));
  return {want, std::move(got.data)};
}

// The mixing of SplitMix64: each element is drawn by its place, whatever else is drawn.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Floats are uniform in [-1, 1), integers in [-100, 100] or [0, 100], bools even.
HostTensor draw(const ir::Node& input, uint64_t seed) {
  const TensorType type = wanted_type(input);
  int64_t n = element_count(type.shape);
  size_t step = size_of(type.dtype);
  HostTensor out = ir::zeros(type, fmt::format("input '{}' : {}", name_of(input), to_string(type)));
  auto unit = [](uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-52 - 1; };
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits = mix(seed + static_cast<uint64_t>(i));
    Scalar value;
    switch (kind(type.dtype)) {
      case DTypeKind::Bool:
        value = Scalar::of(static_cast<bool>(bits & 1));
        break;
      case DTypeKind::Signed:
        value = Scalar::of(static_cast<int64_t>(bits % 201) - 100);
        break;
      case DTypeKind::Unsigned:
        value = Scalar::of(static_cast<int64_t>(bits % 101));
        break;
      case DTypeKind::Float:
        value = Scalar::of(unit(bits));
        break;
      case DTypeKind::Complex:
        value = Scalar::of(std::complex<double>(unit(bits), unit(mix(~bits))));
        break;
    }
    value.cast(type.dtype).store(out.data.data() + static_cast<size_t>(i) * step);
  }
  return out;
}

std::string names_of(const ir::Graph& graph) {
  std::string out;
  for (auto& in : graph.inputs) out += (out.empty() ? "" : ", ") + name_of(*in);
  return out.empty() ? "it has none" : "it has " + out;
}

}  // namespace

Binding parse_binding(const std::string& option, const std::string& text) {
  size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw CLI::ValidationError(option, fmt::format("takes NAME=FILE, got '{}'", text));
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<HostTensor> gather_inputs(const ir::Graph& graph, const std::vector<Binding>& bindings,
                                      std::optional<uint64_t> seed) {
  std::unordered_map<std::string, std::string> given;
  for (const Binding& b : bindings) {
    bool known = std::any_of(graph.inputs.begin(), graph.inputs.end(),
                             [&](const ir::NodeRef& in) { return name_of(*in) == b.name; });
    if (!known) throw Error(fmt::format("the graph has no input '{}'; {}", b.name, names_of(graph)));
    if (!given.emplace(b.name, b.value).second) throw Error(fmt::format("input '{}' is given twice", b.name));
  }
  std::vector<HostTensor> out;
  for (auto& in : graph.inputs) {
    auto it = given.find(name_of(*in));
    if (it != given.end()) {
      out.push_back(read_input(*in, it->second));
    } else if (seed) {
      out.push_back(draw(*in, mix(*seed) ^ mix(out.size())));
    } else {
      throw Error(
          fmt::format("input '{0}' : {1} is not given; use --in {0}=FILE, or --random SEED for random values",
                      name_of(*in), to_string(wanted_type(*in))));
    }
  }
  return out;
}

void add_input_options(CLI::App& command, InputFlags& flags) {
  command.add_option("--in", flags.in, "An input, by the graph's name: x=x.npy, alpha=0.5 for a scalar")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  command.add_option("--random", flags.seed, "Draw the inputs that are not given from this seed")
      ->check(CLI::Validator(seed_problem, "SEED", "seed"))
      ->type_name("");
}

std::vector<ir::HostTensor> gather_inputs(const ir::Graph& graph, const InputFlags& flags) {
  std::vector<Binding> in;
  in.reserve(flags.in.size());
  for (const std::string& text : flags.in) in.push_back(parse_binding("--in", text));
  return gather_inputs(graph, in, flags.seed);
}

std::string seed_problem(const std::string& text) {
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return fmt::format("takes a whole number from 0 to {}, got '{}'", UINT64_MAX, text);
}

size_t output_number(const GraphFile& file, const std::string& name) {
  // A number is a position, also where outputs have numbers for names: those of a graph that a program wrote.
  size_t number = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size() && number < file.outputs.size()) return number;
  for (size_t i = 0; i < file.outputs.size(); ++i)
    if (file.outputs[i] == name) return i;
  throw Error(
      fmt::format("the graph has no output '{}'; it returns {}", name,
                  file.outputs.empty() ? "nothing" : fmt::format("{}", fmt::join(file.outputs, ", "))));
}

void check_output_name(const std::string& path) {
  const std::string end = ending(path);
  if (!end.empty() && end != ".npy" && end != ".png")
    throw Error(fmt::format("--out: writes .npy or .png files: got '{}'", path));
}

void write_output(const std::string& path, const HostTensor& tensor) {
  io::HostArray array{tensor.type.dtype, tensor.type.shape, tensor.data};
  if (path == "-") return io::write_npy(std::cout, array, "<stdout>");
  if (!is_png(path)) return io::write_npy(path, array);
  if (is_float(array.dtype) && array.dtype != DType::F32) {
    size_t step = size_of(array.dtype), n = array.data.size() / step;
    std::vector<std::byte> narrowed = ir::host_memory(n * sizeof(float), path);
    for (size_t i = 0; i < n; ++i)
      Scalar::load(array.dtype, array.data.data() + i * step)
          .cast(DType::F32)
          .store(narrowed.data() + i * sizeof(float));
    array.dtype = DType::F32;
    array.data = std::move(narrowed);
  }
  io::write_png(path, array);
}

std::vector<std::string> first_values(const HostTensor& tensor) {
  constexpr int64_t kShown = 8;
  const int64_t shown = std::min(element_count(tensor.type.shape), kShown);
  std::vector<std::string> out;
  out.reserve(static_cast<size_t>(shown));
  for (int64_t i = 0; i < shown; ++i) {
    const std::byte* at = tensor.data.data() + static_cast<size_t>(i) * size_of(tensor.type.dtype);
    out.push_back(ir::to_string(Scalar::load(tensor.type.dtype, at)));
  }
  return out;
}

std::string preview(const std::string& name, const HostTensor& tensor) {
  const std::vector<std::string> values = first_values(tensor);
  const bool more = element_count(tensor.type.shape) > static_cast<int64_t>(values.size());
  return fmt::format("{} : {} = {}{}", name, to_string(tensor.type), fmt::join(values, ", "),
                     more ? ", …" : "");
}

}  // namespace weft::cli
