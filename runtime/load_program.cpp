#include "runtime/load_program.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

namespace weft::runtime {

namespace {

struct Trial {
  int first = 0;  // bytes that the rules' own schedule spills
  int least = 0;
  int best = 0, now = 0;  // steps of Bias::frugal
  bool done = false;
};

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
    auto loaded = std::make_unique<const Executable>(compile(choose), device, counters, queue);
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
