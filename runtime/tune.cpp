#include "runtime/tune.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/progress.h"

namespace weft::runtime {

namespace {

// One step in each direction; those without a meaning for the device change nothing, and are not timed.
constexpr Bias kSteps[] = {{0, 0, 1}, {0, 0, -1}, {0, -1, 0}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}};

Bias sum(const Bias& a, const Bias& b) { return {a.frugal + b.frugal, a.width + b.width, a.work + b.work}; }

bool sensible(const Bias& b) {
  return b.frugal >= 0 && b.frugal <= kMostFrugal && std::abs(b.width) <= 2 && std::abs(b.work) <= 3;
}

// What runs, of a kernel: schedules that come to the same are the same.
std::string identity(const Executable& loaded, const KernelStep& k) {
  return fmt::format("{} {} {} {}", to_string(loaded.program().kernels[static_cast<size_t>(k.kernel)].hash),
                     k.launch.tasks, k.launch.threads, fmt::join(k.params, " "));
}

const KernelStep* step_of(const Executable& loaded, const Hash& shape) {
  for (auto& step : loaded.program().steps)
    if (auto* k = std::get_if<KernelStep>(&step); k && k->key.shape == shape) return k;
  return nullptr;
}

}  // namespace

std::vector<TunedKernel> tune(const CompileProgram& compile, const std::shared_ptr<Device>& device,
                              Counters& counters, Choices& choices, const TuneClock& clock, double limit) {
  const double start = clock.seconds();
  Progress progress("tuning", static_cast<int64_t>(limit), " s at most");
  auto over = [&] { return clock.seconds() - start >= limit; };
  const auto first = load_program(compile, device, counters, choices);
  std::vector<TunedKernel> out;
  std::vector<Hash> done;
  for (auto& step : first->program().steps) {
    auto* k = std::get_if<KernelStep>(&step);
    if (k && k->kernel < 0) out.push_back({to_string(k->origin), {}, {}});
    if (!k || k->kernel < 0 || std::ranges::count(done, k->key.shape) > 0) continue;
    done.push_back(k->key.shape);
    const Hash shape = k->key.shape;
    auto with = [&](const Bias& bias) {
      return std::make_unique<const Executable>(compile([&](const KernelKey& key) {
                                                  return key.shape == shape ? TunedBias{bias, ""}
                                                                            : choices.find(key);
                                                }),
                                                device, counters);
    };
    TunedKernel& tuned = out.emplace_back(TunedKernel{to_string(k->origin), {}, k->bias});
    std::vector<std::string> seen;
    double best = 0;
    auto measure = [&](const Bias& bias) {
      const auto loaded = with(bias);
      std::string what = identity(*loaded, *step_of(*loaded, shape));
      if (std::ranges::count(seen, what) > 0) return false;
      seen.push_back(std::move(what));
      tuned.tried.push_back({bias, clock.milliseconds(*loaded)});
      progress.reach(static_cast<int64_t>(std::min(limit, clock.seconds() - start)));
      return true;
    };
    measure(k->bias);
    const double before = best = tuned.tried[0].ms;
    for (bool better = true; better;) {
      better = false;
      for (const Bias& direction : kSteps)
        for (Bias next = sum(tuned.kept, direction); sensible(next) && !over(); next = sum(next, direction)) {
          // What comes to the same as before tells nothing of the direction.
          if (!measure(next)) continue;
          if (tuned.tried.back().ms > best * (1 - kWorthwhile)) break;
          best = tuned.tried.back().ms, tuned.kept = next, better = true;
        }
    }
    if (tuned.kept != k->bias)
      choices.keep(shape,
                   {tuned.kept, fmt::format("found by tuning: {:.4f} ms instead of {:.4f}", best, before)});
  }
  return out;
}

std::string report(const std::vector<TunedKernel>& kernels) {
  std::string out;
  size_t changed = 0;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const TunedKernel& kernel = kernels[k];
    out += fmt::format("kernel {}: {}\n", k, kernel.summary);
    for (const Tried& t : kernel.tried)
      out += fmt::format("  {:<28} {:>10.4f} ms{}\n", t.bias == Bias{} ? "the rules' own" : to_string(t.bias),
                         t.ms, t.bias == kernel.kept ? "  kept" : "");
    if (kernel.tried.empty()) out += "  runs in blocks, with the rules' own schedule\n";
    changed += !kernel.tried.empty() && kernel.kept != kernel.tried[0].bias;
  }
  return out + fmt::format("changed the schedules of {} of {} kernels, for these extents alone\n", changed,
                           kernels.size());
}

}  // namespace weft::runtime
