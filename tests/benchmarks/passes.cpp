// How the compiler's own work grows: graphs of up to 100,000 ops through the passes, and through all of
// compile().
#include <benchmark/benchmark.h>

#include "compiler/compile.h"
#include "compiler/ir/build.h"

namespace {

using namespace weft;
using ir::NodeRef;
using ir::Op;

// One value, mapped over and over.
ir::Graph chain(int ops) {
  const ir::TensorType type{DType::F32, {4096}};
  const NodeRef a = ir::input(type, {}), b = ir::input(type, {});
  NodeRef y = a;
  for (int i = 0; i < ops; i += 2) {
    y = ir::map(Op::multiply, {y, b});
    y = ir::map(Op::tanh, {y});
  }
  return {{a, b}, {y}};
}

// A softmax of the value before, again and again: maps, reductions, reshapes and broadcasts.
ir::Graph softmaxes(int ops) {
  const Shape shape{64, 96};
  const NodeRef a = ir::input({DType::F32, shape}, {});
  const Dims columns{1};
  auto spread = [&](const NodeRef& x) { return ir::broadcast(ir::reshape(x, {64, 1}), shape); };
  NodeRef y = a;
  for (int i = 0; i < ops; i += 10) {
    const NodeRef e = ir::map(Op::exp, {ir::map(Op::subtract, {y, spread(ir::reduce(Op::max, y, columns))})});
    y = ir::map(Op::add, {ir::map(Op::divide, {e, spread(ir::reduce(Op::sum, e, columns))}), a});
  }
  return {{a}, {y}};
}

// What a CPU of 16 threads is told; nothing is compiled to code.
Target target() { return {TargetKind::Cpu, 16, 64, size_t{32} << 20, 0}; }

void passes(benchmark::State& state, ir::Graph (*make)(int)) {
  const ir::Graph graph = make(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(prepare(graph, target()));
}

void graph_to_sources(benchmark::State& state, ir::Graph (*make)(int)) {
  const ir::Graph graph = make(static_cast<int>(state.range(0)));
  size_t steps = 0;
  for (auto _ : state) steps = compile(graph, target()).steps.size();
  state.counters["steps"] = static_cast<double>(steps);
}

BENCHMARK_CAPTURE(passes, chain, chain)->Arg(100000)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(passes, softmaxes, softmaxes)->Arg(100000)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(graph_to_sources, chain, chain)->Arg(100000)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK_CAPTURE(graph_to_sources, softmaxes, softmaxes)
    ->Arg(1000)
    ->Arg(10000)
    ->Unit(benchmark::kSecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
