// What graphs move and compute, fused and op by op, counted without a clock: each_op.py --counted asks for it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/ir/text/parse.h"
#include "tests/support/counted_work.h"
#include "tests/support/targets.h"

namespace {

void count(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const weft::ir::Graph graph = weft::ir::parse(text.str());
  weft::Options fused, apart;
  apart.fuse = false;
  const auto one = weft::test::counted_work(graph, weft::test::cpu(), fused);
  const auto each = weft::test::counted_work(graph, weft::test::cpu(), apart);
  fmt::print("{} {} {} {} {} {} {} {}\n", one.steps, one.bytes, one.work, one.cost, each.steps, each.bytes,
             each.work, each.cost);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Counts what graphs move and compute, fused and op by op: steps, bytes, operations and cost of each.");
  std::vector<std::string> files;
  app.add_option("FILE", files, "graphs")->required();
  CLI11_PARSE(app, argc, argv);
  for (const std::string& file : files) {
    try {
      count(file);
    } catch (const std::exception& e) {
      fmt::print(stderr, "{}: {}\n", file, e.what());
      return 1;
    }
  }
}
