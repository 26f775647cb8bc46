#include "tests/texts/corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/text/parse.h"
#include "tests/benchmarks/recorded.h"
#include "tests/benchmarks/sweep_cells.h"
#include "tests/fuzz/random_graph.h"
#include "tests/support/across_graphs.h"
#include "tests/texts/schedule_examples.h"

namespace weft::test {
namespace {

using ir::NodeRef;
using ir::Op;
using Cases = std::vector<CorpusCase>;

void add_text(Cases& cases, std::string name, std::string text, Options options = {}) {
  cases.push_back(
      {std::move(name), [text = std::move(text)] { return ir::parse(text); }, std::move(options)});
}

void add_workloads(Cases& cases) {
  for (auto& [label, sizes] : {std::pair{"cpu", bench::kCpuSizes}, {"gpu", bench::kGpuSizes}})
    for (auto& workload : bench::workloads()) {
      // Recording needs the session, which belongs to this thread.
      const ir::Graph graph = bench::graph_of(workload, sizes);
      cases.push_back({fmt::format("workload/{}/{}", label, workload.name), [graph] { return graph; }, {}});
    }
}

// Each as it is, op by op, and with every bias by one step, as a search for schedules asks for them.
void add_schedules(Cases& cases) {
  for (auto& [name, graph] : schedule_examples()) {
    add_text(cases, "schedule/" + name, graph);
    Options apart;
    apart.fuse = false;
    add_text(cases, "apart/" + name, graph, apart);
    for (auto& field : kBiasFields)
      for (int step : {-1, 1}) {
        if (step < field.least) continue;
        TunedBias choice;
        choice.bias.*field.value = step;
        Options options;
        options.choose = [choice](const KernelKey&) { return choice; };
        add_text(cases, fmt::format("biased/{}/{}", to_string(choice.bias), name), graph, options);
      }
  }
}

void add_sweep(Cases& cases) {
  constexpr int64_t kMostBytes = int64_t{1} << 27;
  for (auto& c : bench::sweep_cells(/*quick=*/true, kMostBytes))
    cases.push_back({fmt::format("sweep/{}/{}/{}x{}", c.op, name(c.dtype), c.rows, c.length),
                     [c] { return bench::sweep_graph(c.op, c.dtype, c.rows, c.length); },
                     {}});
}

void add_across(Cases& cases) {
  for (const char* dtype : {"f16", "f32", "f64"})
    for (auto [rows, width] :
         {std::pair{100, 5000}, {1000000, 3}, {32768, 1024}, {4096, 4095}, {16, 1 << 18}}) {
      if (!std::strcmp(dtype, "f16") && width > 1 << 15) continue;  // whose number no f16 holds
      const std::string at = fmt::format("{}/{}x{}", dtype, rows, width);
      add_text(cases, "across/layer_norm/" + at, layer_norm_gradients(dtype, rows, width));
      add_text(cases, "across/rms_norm/" + at, rms_norm_gradients(dtype, rows, width));
      add_text(cases, "across/sum_max/" + at, row_and_column_reductions("sum", "max", dtype, rows, width));
      add_text(cases, "across/sections/" + at,
               row_and_section_reductions("sum", "max", dtype, rows, 16, width));
      if (width < 1 << 17)
        add_text(cases, "across/group_norm/" + at, group_norm_gradients(dtype, rows / 16 + 1, 8, 4, width));
    }
}

// Every reduction and scan over every set of axes of some shapes, by itself and between maps.
void add_reductions(Cases& cases) {
  const std::vector<Shape> shapes = {{37},         {1 << 20},      {5, 7},        {512, 512},
                                     {3, 1 << 18}, {1 << 18, 3},   {64, 511, 32}, {16, 512, 511},
                                     {4, 3, 2, 5}, {8, 32, 4, 784}};
  for (int i = 0; i < ir::kOpCount; ++i) {
    const Op op = static_cast<Op>(i);
    const bool reduces = kind(op) == ir::OpKind::Reduce, scans = kind(op) == ir::OpKind::Scan;
    if (!reduces && !scans) continue;
    for (auto& shape : shapes)
      for (unsigned set = 1; set < 1U << shape.size(); ++set) {
        Dims axes;
        for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
          if (set >> axis & 1U) axes.push_back(axis);
        if (scans && axes.size() != 1) continue;
        const DType dtype = op == Op::any || op == Op::all ? DType::Bool : DType::F32;
        cases.push_back(
            {fmt::format("axes/{}/{}/{}", ir::info(op).name, fmt::join(shape, "x"), fmt::join(axes, "+")),
             [=] {
               const NodeRef x = ir::input({dtype, shape}, {nullptr, "x", {}, 0});
               const NodeRef y =
                   dtype == DType::Bool ? ir::map(Op::logical_not, {x}) : ir::map(Op::square, {x});
               const NodeRef r =
                   reduces ? ir::reduce(op, y, axes) : ir::scan(op, y, static_cast<int>(axes[0]));
               return ir::Graph{{x}, {r}};
             },
             {}});
      }
  }
}

// The ops of tests/texts/ops.txt: a new op would change what every seed draws, and the net would hold nothing
// while it is added.
std::vector<Op> drawn_ops() {
  std::ifstream file("tests/texts/ops.txt");
  if (!file) throw Error("tests/texts/ops.txt: cannot be read; run this from the top of the tree");
  std::vector<Op> out;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::optional<Op> op = ir::op_from_name(line);
    if (!op) throw Error("tests/texts/ops.txt: no op is called '" + line + "'");
    out.push_back(*op);
  }
  return out;
}

// Every third with strict numerics, every fifth without fusion, every second with memory that is given away.
void add_random(Cases& cases, const char* label, uint64_t first, int count, int64_t max_elements) {
  RandomGraphOptions drawn;
  drawn.drawn_from = drawn_ops();
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    drawn.max_elements = max_elements;
    drawn.strided_inputs = seed % 2 == 1;
    Options options;
    if (seed % 3 == 1) options.numerics = Numerics::Strict;
    if (seed % 3 == 2) options.numerics = Numerics::Fast;
    options.fuse = seed % 5 != 0;
    if (seed % 2 == 0) options.donated = {0};
    cases.push_back(
        {fmt::format("random/{}/{}", label, seed), [=] { return random_graph(seed, drawn); }, options});
  }
}

}  // namespace

std::vector<CorpusCase> corpus() {
  Cases cases;
  add_workloads(cases);
  add_schedules(cases);
  add_sweep(cases);
  add_across(cases);
  add_reductions(cases);
  add_random(cases, "small", 1'000'000, 1000, 2048);
  add_random(cases, "large", 2'000'000, 1000, int64_t{1} << 22);
  return cases;
}

}  // namespace weft::test
