// Row reductions, softmax and maps over rows of every length, every number of rows and every dtype: whether
// any shape falls off a cliff. Writes a table that sweep_map.py draws, and lists the cells that are slower
// than their neighbours.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/compile.h"
#include "compiler/ir/build.h"
#include "runtime/executor.h"
#include "runtime/progress.h"
#include "tests/benchmarks/devices.h"
#include "tests/benchmarks/sweep_cells.h"

namespace {

using namespace weft;
using namespace weft::bench;
using ir::NodeRef;
using ir::Op;
using Clock = std::chrono::steady_clock;

// A cell that is below this part of a neighbour, by bandwidth and by share of the copy, is a cliff.
constexpr double kCliff = 0.75;
constexpr int64_t kNear = 8;  // sizes that differ more are no neighbours
constexpr int kBatches = 3;   // of runs; the fastest counts
constexpr int kMeasuredAgain = 3;

struct Settings {
  std::string device = "cpu", csv, cells;
  bool quick = false;
  double seconds = 90;  // for all cells; what is left over then is said
  int64_t most_bytes = int64_t{1} << 27;
};

struct Cell : SweepCell {
  int64_t bytes = 0;  // read and written, at least
  std::unique_ptr<runtime::Executable> program;
  double seconds = 0;  // of a call; 0 where time ran out
  double of_copy = 0;
  double beside = 1;  // over the neighbour that it falls behind most
  bool measured() const { return seconds > 0; }
  bool cliff() const { return measured() && beside < kCliff; }
};

bool are_near(const Cell& a, const Cell& b) {
  return std::max(a.rows, b.rows) <= kNear * std::min(a.rows, b.rows) &&
         std::max(a.length, b.length) <= kNear * std::min(a.length, b.length);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Sweep {
 public:
  explicit Sweep(const Settings& settings)
      : settings_(settings),
        device_(open_device(settings.device == "gpu" ? "cuda" : settings.device)),
        start_(Clock::now()) {}

  void run() {
    lay_out();
    prepare();
    fill();
    measure_copies();
    {
      runtime::Progress progress("sweep: measuring cells", static_cast<int64_t>(cells_.size()));
      for (auto& cell : cells_) {
        if (seconds_since(start_) > settings_.seconds) break;
        measure(cell);
        progress.add();
      }
    }
    judge();
    // What a neighbour on the machine did must not look like a cliff.
    for (int again = 0; again < kMeasuredAgain; ++again) {
      measure_copies();
      for (auto& cell : cells_)
        if (cell.cliff() && seconds_since(start_) < 1.2 * settings_.seconds) measure(cell);
      judge();
    }
    report();
  }

 private:
  void lay_out() {
    for (auto& c : sweep_cells(settings_.quick, settings_.most_bytes))
      cells_.push_back({c, bytes_of(sweep_graph(c.op, c.dtype, c.rows, c.length)), nullptr});
    if (!settings_.cells.empty()) keep_listed();
  }

  // Leaves the cells that a table like ours has.
  void keep_listed() {
    std::ifstream table(settings_.cells);
    if (!table) throw Error(fmt::format("sweep: cannot read '{}'", settings_.cells));
    std::set<std::string> listed;
    for (std::string line; std::getline(table, line);) {
      size_t first = line.find(','), last = first;
      for (int k = 0; k < 4 && last != line.npos; ++k) last = line.find(',', last + 1);
      if (first != line.npos) listed.insert(line.substr(first + 1, last - first - 1));
    }
    std::erase_if(cells_, [&](const Cell& c) {
      return !listed.contains(fmt::format("{},{},{},{}", c.op, name(c.dtype), c.rows, c.length));
    });
  }

  // Compiles everything, on as many threads as there are.
  void prepare() {
    const Clock::time_point start = Clock::now();
    std::atomic<size_t> next{0};
    runtime::Progress progress("sweep: compiling cells", static_cast<int64_t>(cells_.size()));
    auto work = [&] {
      for (size_t k = next++; k < cells_.size(); k = next++) {
        Cell& c = cells_[k];
        Program program = compile(sweep_graph(c.op, c.dtype, c.rows, c.length), device_.target);
        c.program =
            std::make_unique<runtime::Executable>(std::move(program), device_.device, *device_.counters);
        progress.add();
      }
    };
    {
      std::vector<std::jthread> threads;
      for (unsigned k = 0; k < std::thread::hardware_concurrency(); ++k) threads.emplace_back(work);
    }
    fmt::print("{} cells, {} kernels compiled in {:.1f} s\n", cells_.size(),
               device_.counters->compiles.load(), seconds_since(start));
    start_ = Clock::now();
  }

  // The input of each dtype, as long as the longest, and the numbers of map's rows.
  void fill() {
    std::map<DType, int64_t> needed{{DType::F32, settings_.most_bytes / 2}};  // what copies read
    for (auto& c : cells_)
      needed[c.dtype] = std::max(needed[c.dtype], c.rows * c.length * static_cast<int64_t>(size_of(c.dtype)));
    for (auto& [dtype, bytes] : needed) {
      std::vector<std::byte> block(size_t{1} << 20);
      std::mt19937 draw(1);
      const size_t step = size_of(dtype);
      for (size_t at = 0; at + step <= block.size(); at += step)
        Scalar::of(static_cast<double>(draw() % 64) / 16).cast(dtype).store(block.data() + at);
      runtime::BufferRef buffer = device_.device->allocate(static_cast<size_t>(bytes));
      for (size_t at = 0; at < buffer->bytes(); at += block.size())
        device_.device->upload(*buffer, at, block.data(), std::min(block.size(), buffer->bytes() - at));
      inputs_[dtype] = std::move(buffer);
    }
  }

  // The best time of a call, by the wall clock, over a few batches of calls in flight at once.
  double time(const runtime::Executable& program, DType dtype) {
    const std::vector<runtime::BufferRef> inputs(static_cast<size_t>(program.program().inputs),
                                                 inputs_.at(dtype));
    auto batch = [&](int calls) {
      const Clock::time_point start = Clock::now();
      for (int k = 0; k < calls; ++k) program.run(inputs, {});
      device_.device->synchronize();
      return seconds_since(start) / calls;
    };
    batch(1);
    const double budget = settings_.quick ? 1e-3 : 2e-3, once = batch(1);
    const int calls = std::clamp(static_cast<int>(budget / once), 1, 400);
    double best = once;
    for (int k = 0; k < kBatches; ++k) best = std::min(best, batch(calls));
    return best;
  }

  // The yardstick: one map over one row of as many bytes. Measured as often as what is held to it.
  void measure_copies() {
    size_t k = 0;
    for (int64_t bytes = 16; bytes <= settings_.most_bytes; bytes *= 2, ++k) {
      const NodeRef x = ir::input({DType::F32, {bytes / 8}}, {nullptr, "x", {}, 0});
      const ir::Graph graph{{x}, {ir::map(Op::negative, {x})}};
      const runtime::Executable copy(compile(graph, device_.target), device_.device, *device_.counters);
      const double now = std::log2(time(copy, DType::F32));
      if (k == copies_.size()) copies_.push_back({std::log2(static_cast<double>(bytes)), now});
      copies_[k].second = std::min(copies_[k].second, now);
    }
  }

  double copy_seconds(int64_t bytes) const {
    const double at = std::log2(static_cast<double>(bytes));
    size_t k = 1;
    while (k + 1 < copies_.size() && copies_[k].first < at) ++k;
    const auto& [x0, y0] = copies_[k - 1];
    const auto& [x1, y1] = copies_[k];
    return std::exp2(y0 + (y1 - y0) * std::clamp((at - x0) / (x1 - x0), 0.0, 1.0));
  }

  void measure(Cell& cell) {
    const double now = time(*cell.program, cell.dtype);
    cell.seconds = cell.measured() ? std::min(cell.seconds, now) : now;
  }

  // By bandwidth or, where a launch or a cache makes bandwidths of arrays of different sizes incomparable, by
  // the share of the copy: the better of both. A cache that serves a neighbour faster than a copy is no
  // merit.
  static double over(const Cell& a, const Cell& b) {
    const double bandwidth =
        static_cast<double>(a.bytes) / a.seconds / (static_cast<double>(b.bytes) / b.seconds);
    return std::max(bandwidth, std::min(a.of_copy, 1.0) / std::min(b.of_copy, 1.0));
  }

  void judge() {
    std::map<std::tuple<std::string, DType, size_t, size_t>, const Cell*> at;
    for (auto& c : cells_)
      if (c.measured()) c.of_copy = copy_seconds(c.bytes) / c.seconds;
    for (auto& c : cells_)
      if (c.measured()) at[{c.op, c.dtype, c.row_place, c.length_place}] = &c;
    for (auto& c : cells_) {
      c.beside = 1;
      for (auto [row, length] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
        auto found = at.find({c.op, c.dtype, c.row_place + static_cast<size_t>(row),
                              c.length_place + static_cast<size_t>(length)});
        if (found != at.end() && are_near(c, *found->second))
          c.beside = std::min(c.beside, over(c, *found->second));
      }
    }
  }

  void report() const {
    size_t left = 0;
    std::vector<const Cell*> cliffs;
    std::map<std::pair<std::string, DType>, std::array<size_t, 2>> counts;
    std::map<std::pair<std::string, DType>, std::vector<double>> large;
    for (auto& c : cells_) {
      left += !c.measured();
      auto& [all, bad] = counts[{c.op, c.dtype}];
      ++all, bad += c.cliff();
      if (c.cliff()) cliffs.push_back(&c);
      if (c.measured() && c.bytes >= settings_.most_bytes / 4)
        large[{c.op, c.dtype}].push_back(static_cast<double>(c.bytes) / c.seconds / 1e9);
    }
    fmt::print(
        "| op | dtype | cells | cliffs | large cells, median GB/s | slowest GB/s "
        "|\n|---|---|---|---|---|---|\n");
    for (auto& [what, count] : counts) {
      const std::vector<double>& speeds = large[what];
      fmt::print(
          "| {} | {} | {} | {} | {} | {} |\n", what.first, name(what.second), count[0], count[1],
          speeds.empty() ? "" : fmt::format("{:.1f}", median(speeds)),
          speeds.empty() ? "" : fmt::format("{:.1f}", *std::min_element(speeds.begin(), speeds.end())));
    }
    std::sort(cliffs.begin(), cliffs.end(), [](auto* a, auto* b) { return a->beside < b->beside; });
    fmt::print("\n{} of {} cells reach less than {:.2f} of a neighbour's bandwidth and share of the copy:\n",
               cliffs.size(), cells_.size() - left, kCliff);
    constexpr size_t kShown = 40;
    for (size_t k = 0; k < std::min(cliffs.size(), kShown); ++k) {
      const Cell& c = *cliffs[k];
      fmt::print("  {} {}[{}, {}]: {:.2f} of the copy, {:.2f} of the neighbour; {:.2f} us, {:.2f} GB/s\n",
                 c.op, name(c.dtype), c.rows, c.length, c.of_copy, c.beside, c.seconds * 1e6,
                 static_cast<double>(c.bytes) / c.seconds / 1e9);
    }
    if (cliffs.size() > kShown) fmt::print("  and {} more\n", cliffs.size() - kShown);
    if (left > 0) fmt::print("{} cells were left out: the time was over\n", left);
    if (!settings_.csv.empty()) write_table();
  }

  void write_table() const {
    FILE* file = std::fopen(settings_.csv.c_str(), "w");
    if (!file) throw Error(fmt::format("sweep: cannot write '{}'", settings_.csv));
    fmt::print(file, "device,op,dtype,rows,length,bytes,us,GBps,of_copy,beside,cliff\n");
    for (auto& c : cells_)
      if (c.measured())
        fmt::print(file, "{},{},{},{},{},{},{:.4g},{:.4g},{:.3g},{:.3g},{}\n", settings_.device, c.op,
                   name(c.dtype), c.rows, c.length, c.bytes, c.seconds * 1e6,
                   static_cast<double>(c.bytes) / c.seconds / 1e9, c.of_copy, c.beside, c.cliff() ? 1 : 0);
    std::fclose(file);
  }

  const Settings settings_;
  OpenDevice device_;
  Clock::time_point start_;
  std::vector<Cell> cells_;
  std::map<DType, runtime::BufferRef> inputs_;
  std::vector<std::pair<double, double>> copies_;  // logarithms of bytes and seconds
};

Settings parse(int argc, char** argv) {
  Settings settings;
  auto fail = [](std::string_view what) {
    throw Error(
        fmt::format("sweep: {}\nusage: sweep [--device cpu|gpu] [--quick] [--seconds N] [--mib N] "
                    "[--csv FILE] [--cells FILE]",
                    what));
  };
  for (int k = 1; k < argc; ++k) {
    const std::string_view flag = argv[k];
    if (flag == "--quick") {
      settings.quick = true;
      continue;
    }
    if (k + 1 == argc) fail(fmt::format("'{}' is unknown or lacks its value", flag));
    const std::string value = argv[++k];
    auto number = [&] {
      double n = 0;
      auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
      if (error != std::errc() || end != value.data() + value.size() || n < 1)
        fail(fmt::format("{} takes a number of at least 1, got '{}'", flag, value));
      return n;
    };
    if (flag == "--device" && (value == "cpu" || value == "gpu"))
      settings.device = value;
    else if (flag == "--csv")
      settings.csv = value;
    else if (flag == "--cells")
      settings.cells = value;
    else if (flag == "--seconds")
      settings.seconds = number();
    else if (flag == "--mib")
      settings.most_bytes = static_cast<int64_t>(number()) << 20;
    else
      fail(fmt::format("cannot take {} {}", flag, value));
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  if (isatty(STDERR_FILENO))
    weft::runtime::Progress::show_by([](std::string_view line) { fmt::print(stderr, "\r\033[K{}", line); });
  try {
    Sweep(parse(argc, argv)).run();
  } catch (const weft::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
