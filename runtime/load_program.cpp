#include "runtime/load_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compiler/base/hash.h"

namespace weft::runtime {

namespace {

struct Trial {
  int first = 0;  // bytes that the rules' own schedule spills
  int least = 0;
  int best = 0, now = 0;  // steps of Bias::frugal
  bool done = false;
};

// The same for programs of the same ops, however many there are of each. An origin names the first eight of a step.
uint64_t hash_of_ops(const Program& program) {
  std::set<std::string_view> names;
  const auto add = [&](std::string_view ops) {
    ops = ops.substr(0, ops.find(" and "));  // "exp, add and 3 more"
    for (size_t at = 0; at < ops.size();) {
      const size_t end = std::min(ops.find(", ", at), ops.size());
      const std::string_view name = ops.substr(at, end - at);
      if (name != "cast") names.insert(name);
      at = end + 2;
    }
  };
  for (const ProgramStep& step : program.steps) {
    if (const auto* k = std::get_if<KernelStep>(&step)) add(k->origin.ops);
    if (const auto* d = std::get_if<DotStep>(&step)) add(d->origin.ops);
  }
  uint64_t hash = 0;
  for (const std::string_view name : names) hash = hash_bytes(name.data(), name.size(), hash).low;
  return hash;
}

TraceEvent planned(const Program& program) {
  TraceEvent event;
  event.work = Work::Plan, event.alike = hash_of_ops(program);
  const auto counted = [](auto count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  event.what = counted(program.ops_before, "operation") + " into " + counted(program.steps.size(), "step");
  const auto add = [&](const std::vector<SourceLine>& lines) {
    for (const SourceLine& line : lines)
      if (std::ranges::find(event.lines, line) == event.lines.end()) event.lines.push_back(line);
  };
  for (const ProgramStep& step : program.steps) {
    if (const auto* k = std::get_if<KernelStep>(&step)) add(k->origin.lines);
    if (const auto* d = std::get_if<DotStep>(&step)) add(d->origin.lines);
  }
  return event;
}

}  // namespace

std::unique_ptr<const Executable> load_program(const CompileProgram& compile,
                                               const std::shared_ptr<Device>& device, Counters& counters,
                                               Choices& choices, CompileQueue* queue) {
  std::unordered_map<Hash, Trial, HashOf> trials;
  const Choose choose = [&](const KernelKey& key) {
    auto trial = trials.find(key.source);
    if (trial == trials.end() || trial->second.done) return choices.find(key);
    return TunedBias{{.frugal = trial->second.now}, ""};
  };
  for (;;) {
    auto planning = timed(counters.trace);
    const int64_t began = Trace::now();
    Program program = compile(choose);
    counters.plan_times.add(Trace::now() - began);
    planning.end([&] { return planned(program); });
    auto loaded = std::make_unique<const Executable>(std::move(program), device, counters, queue);
    std::unordered_set<Hash, HashOf> judged;
    bool again = false;
    const auto judge = [&](const KernelStep* k, const Executable& part) {
      if (!k || k->kernel < 0 || !judged.insert(k->key.source).second) return;
      const KernelRef kernel = part.kernel(k->kernel);
      if (!kernel) return;
      const int spilled = kernel->resources().spill_bytes;
      auto known = trials.find(k->key.source);
      if (known == trials.end()) {
        if (spilled <= 0 || choices.find(k->key.source) || choices.find(k->key.shape)) return;
        trials[k->key.source] = {spilled, spilled, 0, 1};
        again = true;
        return;
      }
      Trial& trial = known->second;
      if (trial.done) return;
      if (spilled < trial.least) trial.least = spilled, trial.best = trial.now;
      again = true;
      if (spilled > 0 && trial.now < kMostFrugal) {
        ++trial.now;
        return;
      }
      trial.done = true;
      choices.keep(
          k->key.source,
          {{.frugal = trial.best},
           trial.best > 0
               ? fmt::format("the rules' own spills {} bytes a thread, this one {}", trial.first, trial.least)
               : fmt::format("it spills {} bytes a thread, and more frugal ones no less", trial.first)});
    };
    loaded->for_each_part([&](const Executable& part) {
      for (auto& step : part.program().steps) judge(std::get_if<KernelStep>(&step), part);
    });
    if (!again) return loaded;
  }
}

}  // namespace weft::runtime
