// Random graphs by the hundred thousand against the interpreter: after all passes, as kernels fused and op by
// op, and as CUDA kernels that the host runs; and in blocks against kernels, bit for bit. The same seeds give the same graphs, so that a campaign can be
// cut in parts and go on another day.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "compiler/compile.h"
#include "compiler/ir/shrink.h"
#include "compiler/ir/text/print.h"
#include "tests/fuzz/backend.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/emulated_device.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/random_graph.h"
#include "tests/fuzz/random_input.h"
#include "tests/op_table/values.h"
#include "tests/support/targets.h"

namespace weft::test {
namespace {

// A graph, and how it is asked for.
struct Drawn {
  uint64_t seed = 0;
  bool exact = false;
  ir::Graph graph;
  Target target;
  Options options;
};

// Every second graph is compared bit for bit. Sizes, targets and memory that is given away differ from seed
// to seed.
Drawn draw(uint64_t seed, const std::vector<Target>& targets, bool dots) {
  Random random(seed ^ 0x5eed);
  Drawn d;
  d.seed = seed;
  d.exact = seed % 2 == 0;
  RandomGraphOptions options;
  options.exact = d.exact;
  options.dots = dots;
  options.strided_inputs = true;
  options.ops = static_cast<int>(random.between(2, random.chance(0.1) ? 48 : 20));
  options.max_elements = random.chance(0.8) ? 2048 : 20'000;
  options.rewritten = random.chance(0.3) ? 0.3 : 0;
  options.spread = random.chance(0.5) ? 0.5 : 0;
  d.graph = random_graph(seed, options);
  d.target = random.pick(targets);
  int arrays = 0;
  for (auto& in : d.graph.inputs)
    if (in->op == ir::Op::input) {
      if (in->as<ir::InputAttr>().strides.empty() && random.chance(0.3)) d.options.donated.push_back(arrays);
      ++arrays;
    }
  return d;
}

// What one graph has to say; empty when all is well.
using Judge = std::function<std::string(const Drawn&)>;

class Campaign {
 public:
  Campaign(uint64_t first, uint64_t count, int jobs, double report)
      : next_(first), end_(first + count), jobs_(jobs), report_(report) {}

  // Asks `judge` about every seed, `batch` of them at a time, on `jobs` threads. The number of graphs that
  // failed.
  int run(const std::function<std::vector<Drawn>(const std::vector<uint64_t>&)>& drawn, size_t batch,
          const std::function<Judge(const std::vector<Drawn>&)>& judge_of) {
    const uint64_t first = next_;
    const auto work = [&] {
      for (;;) {
        const uint64_t from = next_.fetch_add(batch);
        if (from >= end_) return;
        std::vector<uint64_t> seeds(std::min<uint64_t>(batch, end_ - from));
        std::iota(seeds.begin(), seeds.end(), from);
        const std::vector<Drawn> graphs = drawn(seeds);
        const Judge judge = judge_of(graphs);
        for (auto& d : graphs) {
          if (const std::string problem = judge(d); !problem.empty()) tell(d, problem, judge_of);
        }
        progress(from - first + seeds.size());
      }
    };
    std::vector<std::jthread> threads;
    for (int k = 1; k < jobs_; ++k) threads.emplace_back(work);
    work();
    threads.clear();
    return failures_;
  }

 private:
  void tell(const Drawn& d, const std::string& problem,
            const std::function<Judge(const std::vector<Drawn>&)>& judge_of) {
    const std::lock_guard lock(mutex_);
    ++failures_;
    const auto asked = [&](const ir::Graph& graph) {
      Drawn smaller = d;
      smaller.graph = graph;
      // Inputs that went away cannot be given away.
      const auto arrays =
          std::ranges::count_if(graph.inputs, [](auto& in) { return in->op == ir::Op::input; });
      std::erase_if(smaller.options.donated, [&](int k) { return k >= arrays; });
      return judge_of({smaller})(smaller);
    };
    const ir::Graph small = shrink(d.graph, [&](const ir::Graph& graph) { return !asked(graph).empty(); });
    fmt::print("seed {}: {}\nshrunk: {}\n{}\n", d.seed, problem, asked(small), ir::print(small));
    std::fflush(stdout);
  }

  void progress(uint64_t done) {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (report_ <= 0 || std::chrono::duration<double>(now - told_).count() < report_) return;
    told_ = now;
    fmt::print("{} graphs, {} failed\n", done, failures_);
    std::fflush(stdout);
  }

  std::atomic<uint64_t> next_;
  uint64_t end_;
  int jobs_;
  double report_;
  std::mutex mutex_;
  int failures_ = 0;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

const std::vector<Target>& cuda_targets() {
  static const std::vector<Target> targets = {h200(), tiny()};
  return targets;
}

// Of these bits nothing may be asked: which NaN comes of two is the processor's choice.
bool shows_bits(const ir::Graph& graph) {
  return std::ranges::any_of(topological_order(graph.outputs), [](const ir::Node* n) {
    return n->op == ir::Op::bitcast || n->op == ir::Op::signbit || n->op == ir::Op::copysign;
  });
}

// Schedules for narrower vectors, and for so small a cache that stores stream, run on this processor, too.
std::vector<Target> cpu_targets() {
  std::vector<Target> targets;
  for (const int bytes : {64, 32, 16})
    for (const size_t cache : {size_t{32} << 20, size_t{1} << 12}) {
      Target target = backend("cpu").target;
      target.vector_bytes = std::min(target.vector_bytes, bytes);
      target.cache_bytes = cache;
      targets.push_back(target);
    }
  return targets;
}

Judge in_blocks() {
  return [](const Drawn& d) {
    if (shows_bits(d.graph)) return std::string();
    Backend b{std::make_unique<runtime::Counters>(), backend("cpu").device, d.target};
    const std::vector<ir::HostTensor> inputs = random_inputs(d.graph, d.seed);
    try {
      const auto kernels = run_on(b, d.graph, inputs, d.options);
      const auto blocks = run_in_blocks(b, d.graph, inputs, d.options);
      for (size_t k = 0; k < kernels.size(); ++k)
        if (std::string differs = first_difference(blocks[k], kernels[k]); !differs.empty())
          return fmt::format("output {}: {}", k, differs);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
}

Judge after_passes() {
  return [](const Drawn& d) {
    const Run run = [&](const ir::Graph& graph, const std::vector<ir::HostTensor>& inputs,
                        const Options& options) {
      return ir::interpret(prepare(graph, d.target, options), inputs);
    };
    return check(run, d.graph, d.seed, d.exact, d.options);
  };
}

Judge as_kernels() {
  return [](const Drawn& d) {
    const Run run = on(backend("cpu"));
    std::string problem = check(run, d.graph, d.seed, d.exact, d.options);
    if (!problem.empty()) return "fused: " + problem;
    Options unfused = d.options;
    unfused.fuse = false;
    problem = check(run, d.graph, d.seed, d.exact, unfused);
    return problem.empty() ? problem : "op by op: " + problem;
  };
}

// The kernels of all graphs are compiled together, which is what takes the time.
Judge emulated(const std::vector<Drawn>& graphs) {
  auto& counters = *new runtime::Counters;
  std::vector<Program> programs;
  for (auto& d : graphs) {
    Options options = d.options;
    if (d.exact) options.numerics = Numerics::Strict;
    try {
      programs.push_back(compile(d.graph, d.target, options));
    } catch (const std::exception&) {
      // Told by who asks for this graph.
    }
  }
  auto device = make_emulated_device(programs, counters);
  if (!device && graphs.size() == 1)
    return [](const Drawn&) { return std::string("the host's compiler refuses a kernel"); };
  if (!device) return [](const Drawn& d) { return emulated({d})(d); };
  return [device](const Drawn& d) {
    Backend b{std::make_unique<runtime::Counters>(), device, d.target};
    return check(on(b), d.graph, d.seed, d.exact, d.options);
  };
}

int run(int argc, char** argv) {
  CLI::App app("Random graphs against the interpreter");
  app.require_subcommand(1);
  app.fallthrough();
  uint64_t first = 0, count = 1000;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  double report = 30;
  app.add_option("--first", first, "the first seed");
  app.add_option("--count", count, "how many graphs");
  app.add_option("--jobs", jobs, "threads")->check(CLI::Range(1, 1024));
  app.add_option("--report", report, "seconds between lines of progress; 0: none");
  auto* passes =
      app.add_subcommand("passes", "the interpreter before and after all passes, for both targets");
  auto* kernels = app.add_subcommand("kernels", "kernels of this processor, fused and op by op");
  auto* blocks =
      app.add_subcommand("blocks", "in blocks against kernels, bit for bit, as several processors");
  auto* cuda = app.add_subcommand("cuda", "CUDA kernels, compiled and run by the host");
  CLI11_PARSE(app, argc, argv);

  const auto drawing = [](const std::vector<Target>& targets, bool dots) {
    return [=](const std::vector<uint64_t>& seeds) {
      std::vector<Drawn> graphs;
      graphs.reserve(seeds.size());
      for (const uint64_t seed : seeds) graphs.push_back(draw(seed, targets, dots));
      return graphs;
    };
  };
  const auto began = std::chrono::steady_clock::now();
  Campaign campaign(first, count, jobs, report);
  int failures = 0;
  if (passes->parsed())
    failures = campaign.run(drawing({cpu(), h200(), tiny()}, true), 64, [](auto&) { return after_passes(); });
  if (kernels->parsed())
    failures = campaign.run(drawing({cpu()}, true), 4, [](auto&) { return as_kernels(); });
  if (blocks->parsed())
    failures = campaign.run(drawing(cpu_targets(), true), 4, [](auto&) { return in_blocks(); });
  if (cuda->parsed()) failures = campaign.run(drawing(cuda_targets(), false), 16, emulated);
  fmt::print("{} graphs from seed {}, {} failed, {:.0f} s\n", count, first, failures,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::test

int main(int argc, char** argv) { return weft::test::run(argc, argv); }
