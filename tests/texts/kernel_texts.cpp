// Whether the compiler still emits, for a large fixed set of graphs and several machines, what it emitted
// when the digests of tests/texts/digests.txt were stored: the net under changes that are not meant to alter
// a kernel. `./dev texts` runs it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "compiler/compile.h"
#include "frontend/cpp/weft/weft.h"
#include "tests/support/targets.h"
#include "tests/texts/corpus.h"

namespace weft::test {
namespace {

struct Machine {
  const char* name;
  Target target;
};

constexpr size_t kMiB = size_t{1} << 20;
const std::vector<Machine> kMachines = {
    {"h100", card("H100")},
    {"a100", card("A100")},
    {"ada", card("RTX 4090")},
    {"avx512", {TargetKind::Cpu, 16, 64, 32 * kMiB, 0}},
    {"avx2", {TargetKind::Cpu, 2, 32, 32 * kMiB, 0}},
    {"sse", {TargetKind::Cpu, 4, 16, 8 * kMiB, 0}},
};

std::string text_of(const Dot& d) {
  return fmt::format("{} batch {} m {} n {} k {} transposed {} {} ld {} {} {} strides {} {} {}",
                     name(d.dtype), d.batch, d.m, d.n, d.k, d.transpose_a, d.transpose_b, d.lda, d.ldb, d.ldc,
                     d.stride_a, d.stride_b, d.stride_c);
}

// All that a device runs: sources, launches, arguments, memory. No words for people.
std::string text_of(const Program& program) {
  std::string out;
  auto add = [&]<typename... Args>(fmt::format_string<Args...> form, Args&&... args) {
    fmt::format_to(std::back_inserter(out), form, std::forward<Args>(args)...);
    out += '\n';
  };
  for (auto& b : program.buffers)
    add("buffer {} {} {} [{}] {} bytes", static_cast<int>(b.role), b.index, name(b.dtype),
        fmt::join(b.shape, ", "), b.bytes);
  for (auto& step : program.steps) {
    if (auto* copy = std::get_if<CopyStep>(&step)) add("copy {} to {}", copy->from, copy->to);
    if (auto* dot = std::get_if<DotStep>(&step))
      add("dot {} + {}, {} + {}, {}: {}", dot->a, dot->offset_a, dot->b, dot->offset_b, dot->c,
          text_of(dot->dot));
    if (auto* k = std::get_if<KernelStep>(&step)) {
      const Launch& l = k->launch;
      add("kernel {} of buffers {} params {} scalars {}, reads {} writes {} bytes", k->kernel,
          fmt::join(k->buffers, " "), fmt::join(k->params, " "), fmt::join(k->scalars, " "), k->bytes_read,
          k->bytes_written);
      for (auto& o : k->overwrites) add("  {} where {} was", o.written, o.read);
      add("  tasks {} grain {} scratch {} finish {} threads {} {} shared {} cluster {} meeting {} zeroed {} "
          "at {} counters {} at {}",
          l.tasks, l.grain, l.scratch_bytes, l.finish_tasks, l.threads, l.finish_threads, l.shared_bytes,
          l.cluster, l.cooperating, l.zeroed_bytes, l.zeroed, l.counters, l.counting);
    }
  }
  add("outputs {}", fmt::join(program.outputs, " "));
  for (auto& source : program.kernels) add("\n// {}\n{}", source.name, source.text);
  return out;
}

std::string emitted(const CorpusCase& one, const Target& target) {
  try {
    return text_of(compile(one.graph(), target, one.options));
  } catch (const Error& error) {
    return fmt::format("refused: {}\n", error.what());  // a refusal is an answer, too
  }
}

std::string digest(const std::string& text) { return fmt::format("{:08x}", hash_text(text).low >> 32); }

// "1f2e3d4c 5b6a7988 …  name": a line for each graph, a column for each machine.
std::map<std::string, std::vector<std::string>> stored(const std::string& path) {
  std::map<std::string, std::vector<std::string>> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    std::istringstream words(line);
    std::vector<std::string> digests(kMachines.size());
    for (auto& one : digests) words >> one;
    std::string name;
    std::getline(words >> std::ws, name);
    all[name] = digests;
  }
  return all;
}

struct Settings {
  std::string digests = "tests/texts/digests.txt", write, show, machine;
  bool update = false;
  unsigned jobs = std::thread::hardware_concurrency();
};

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw Error(fmt::format("kernel_texts: cannot write '{}'", path.string()));
}

int show(const Settings& settings, const std::vector<CorpusCase>& cases) {
  for (auto& one : cases) {
    if (one.name != settings.show) continue;
    for (auto& machine : kMachines)
      if (settings.machine.empty() || settings.machine == machine.name)
        fmt::print("// ==== {}\n{}", machine.name, emitted(one, machine.target));
    return 0;
  }
  throw Error(
      fmt::format("kernel_texts: there is no graph '{}'; {} lists them", settings.show, settings.digests));
}

// The digests of all, in order; with `write` the texts as files, too.
std::vector<std::vector<std::string>> digests_of(const std::vector<CorpusCase>& cases,
                                                 const Settings& settings) {
  std::vector<std::vector<std::string>> found(cases.size());
  std::atomic<size_t> next{0};
  std::exception_ptr failed;
  std::mutex mutex;
  const auto work = [&] {
    for (size_t k = next++; k < cases.size(); k = next++) try {
        for (auto& machine : kMachines) {
          const std::string text = emitted(cases[k], machine.target);
          found[k].push_back(digest(text));
          if (!settings.write.empty())
            write_text(std::filesystem::path(settings.write) / machine.name / (cases[k].name + ".txt"), text);
        }
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        failed = std::make_exception_ptr(InternalError(fmt::format("{}: {}", cases[k].name, error.what())));
        next = cases.size();
      }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < settings.jobs; ++k) threads.emplace_back(work);
  }
  if (failed) std::rethrow_exception(failed);
  return found;
}

void update(const Settings& settings, const std::vector<CorpusCase>& cases,
            const std::vector<std::vector<std::string>>& found) {
  std::vector<std::string> machines;
  for (auto& machine : kMachines) machines.emplace_back(machine.name);
  std::string text = fmt::format(
      "# Digests of what is emitted for each graph of tests/texts/corpus.cpp, one column a machine: {}.\n"
      "# Written by `./dev texts --update`.\n",
      fmt::join(machines, ", "));
  for (size_t k = 0; k < cases.size(); ++k)
    text += fmt::format("{}  {}\n", fmt::join(found[k], " "), cases[k].name);
  write_text(settings.digests, text);
  fmt::print("{}: {} graphs\n", settings.digests, cases.size());
}

// How many graphs have other texts than those stored, or are on one side only.
int compare(const Settings& settings, const std::vector<CorpusCase>& cases,
            const std::vector<std::vector<std::string>>& found) {
  auto before = stored(settings.digests);
  int changed = 0;
  for (size_t k = 0; k < cases.size(); ++k) {
    const auto known = before.extract(cases[k].name);
    std::vector<std::string> machines;
    for (size_t m = 0; m < kMachines.size(); ++m)
      if (known.empty() || known.mapped()[m] != found[k][m]) machines.emplace_back(kMachines[m].name);
    if (machines.empty()) continue;
    ++changed;
    fmt::print("{}: {} for {}\n", cases[k].name, known.empty() ? "is new" : "changed",
               fmt::join(machines, ", "));
  }
  for (auto& [name, digests] : before) fmt::print("{}: is in {} only\n", name, settings.digests);
  fmt::print("{} graphs for {} machines: {} changed, {} gone\n", cases.size(), kMachines.size(), changed,
             before.size());
  return changed + static_cast<int>(before.size());
}

int run(const Settings& settings) {
  const std::vector<CorpusCase> cases = corpus();
  if (!settings.show.empty()) return show(settings, cases);
  std::set<std::string> names;
  for (auto& one : cases)
    if (!names.insert(one.name).second) throw InternalError("two graphs of the corpus are named " + one.name);
  const auto found = digests_of(cases, settings);
  if (settings.update) {
    update(settings, cases, found);
    return 0;
  }
  if (compare(settings, cases, found) == 0) return 0;
  fmt::print(
      "Where kernels were meant to change, run `./dev texts --update` and say why in the commit.\n"
      "Else compare what `./dev texts --write FOLDER` writes before and after.\n");
  return 1;
}

}  // namespace
}  // namespace weft::test

int main(int argc, char** argv) {
  weft::test::Settings settings;
  CLI::App app{"Compares what is emitted for a large fixed set of graphs with stored digests."};
  app.add_flag("--update", settings.update, "Store the digests anew");
  app.add_option("--write", settings.write,
                 "Write every text into this folder, to compare with another build's");
  app.add_option("--show", settings.show, "Print what is emitted for this graph");
  app.add_option("--machine", settings.machine, "With --show: for this machine only");
  app.add_option("--digests", settings.digests, "The file that holds them");
  app.add_option("--jobs", settings.jobs, "Threads");
  CLI11_PARSE(app, argc, argv);
  try {
    weft::SessionOptions options;
    options.tier = weft::Tier::Compile;
    options.device = "cpu";
    weft::Session session(options);
    session.make_current();
    return weft::test::run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
