#include "frontend/cli/graph_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/text/lexer.h"
#include "compiler/ir/text/parse.h"
#include "compiler/ir/text/print.h"
#include "frontend/cpp/weft/session.h"

namespace weft::cli {
namespace {

constexpr size_t kLongest = size_t{64} << 20;  // of a graph's text; what has no end, as /dev/zero, is longer

std::string read_whole(std::istream& in, const std::string& path) {
  std::string text;
  std::array<char, 1 << 16> part{};
  do {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<size_t>(in.gcount()));
    if (text.size() > kLongest)
      throw Error(fmt::format("{}: is no graph: it has more than {} bytes", path, kLongest));
  } while (in);
  if (in.bad()) throw Error(fmt::format("{}: cannot be read to its end", path));
  return text;
}

std::string read_text(const std::string& path) {
  if (path == "-") return read_whole(std::cin, "<stdin>");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(fmt::format("{}: is a folder, neither a file nor a dump", path));
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return read_whole(in, path);
}

// The values that `return` names, in text that has been parsed before.
std::vector<std::string> output_names(const std::string& text, const std::string& name) {
  std::vector<std::string> out;
  ir::TextLexer lexer(text, name);
  // Functions, maps and kernels before the graph have a `return` of their own.
  while (!lexer.peek().is("graph"))
    if (lexer.peek().is('{'))
      lexer.take_enclosed('{', '}');
    else
      lexer.take();
  while (!lexer.peek().is("return")) lexer.take();
  for (lexer.take(); lexer.peek().kind == ir::Token::Value || lexer.peek().is(',');) {
    ir::Token token = lexer.take();
    if (token.kind == ir::Token::Value) out.emplace_back(token.text.substr(1));
  }
  return out;
}

}  // namespace

GraphFile graph_of(const detail::GraphDump& dump) {
  GraphFile out{dump.graph, {}};
  out.outputs.reserve(dump.graph.outputs.size());
  const ir::ValueNames names = ir::value_names(dump.graph);
  for (const ir::NodeRef& output : dump.graph.outputs)
    out.outputs.push_back(names.at(output.get()).substr(1));
  return out;
}

std::string read_standard_input() { return std::string(std::istreambuf_iterator<char>(std::cin), {}); }

void add_definitions(CLI::App& command, std::vector<std::string>& with) {
  command
      .add_option("--with", with,
                  "A .weft file of maps, functions and kernels that the graph uses; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_graph_path(CLI::App& command, GraphPath& path, const std::string& takes) {
  command.add_option("FILE", path.file, takes + ", or - for the standard input")->required();
  add_definitions(command, path.with);
}

GraphFile read_graph(const GraphPath& path) {
  if (detail::is_dump(path.file)) return graph_of(detail::read_dump(path.file));
  ir::Definitions definitions;
  for (const std::string& file : path.with) definitions.add(read_text(file), file);
  const std::string text = read_text(path.file), name = path.file == "-" ? "<stdin>" : path.file;
  ir::Graph graph = definitions.parse(text, name);
  return {std::move(graph), output_names(text, name)};
}

void add_compile_options(CLI::App& command, CompileFlags& flags) {
  Numerics environment = SessionOptions::from_environment().numerics;
  flags.numerics = environment == Numerics::Strict ? "strict"
                   : environment == Numerics::Fast ? "fast"
                                                   : "standard";
  command.add_option("--numerics", flags.numerics, "strict, standard or fast")
      ->check(CLI::IsMember({"strict", "standard", "fast"}))
      ->type_name("LEVEL")
      ->each([&flags](const std::string&) { flags.numerics_given = true; })
      ->capture_default_str();
  std::vector<std::string> passes;
  for (auto pass : optional_passes()) passes.emplace_back(pass);
  command.add_option("--without", flags.without, "Leave out this pass; may be repeated")
      ->check(CLI::IsMember(passes))
      ->type_name("PASS")
      ->allow_extra_args(false);
  command.add_flag("--no-fuse", flags.no_fuse, "A kernel for each op");
}

Options compile_options(const CompileFlags& flags) {
  Options options;
  options.numerics = flags.numerics == "strict" ? Numerics::Strict
                     : flags.numerics == "fast" ? Numerics::Fast
                                                : Numerics::Standard;
  options.without_passes = flags.without;
  options.fuse = !flags.no_fuse;
  return options;
}

}  // namespace weft::cli
