// The demo: develops a photograph and rebuilds it from its singular vectors, on every device, as few fused
// kernels and once more op by op; writes the pictures and prints what fusion changed.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "docs/examples/photo.h"
#include "frontend/files/png.h"

namespace {

using namespace weft;

constexpr int64_t kRank = 20;
constexpr int kIterations = 8;

struct Flags {
  std::string photo = "docs/examples/data/astronaut.png";
  std::string out = "build/demo";
  int runs = 20;
};

// Records arrays; they are computed later, together.
using Job = std::function<std::vector<Array>()>;

struct Measured {
  int64_t kernels = 0, products = 0, bytes = 0;  // of one run; products: by the device's library
  double compile_ms = 0;                         // of the first run
  double run_ms = 0;                             // the median of the later ones
  std::vector<std::vector<float>> results;
};

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// What a run costs holds both recording and computing.
std::vector<Array> run(const Job& job) {
  std::vector<Array> results = job();
  eval(results);
  weft::sync();
  return results;
}

Measured measure(const Job& job, int runs) {
  Measured m;
  Stats before = stats();
  const std::vector<Array> results = run(job);
  m.compile_ms = static_cast<double>(stats().compile_ns - before.compile_ns) * 1e-6;
  for (const Array& r : results) m.results.push_back(r.to_vector<float>());

  before = stats();
  run(job);
  const Stats after = stats();
  m.kernels = after.kernels_launched - before.kernels_launched + after.interpreted - before.interpreted;
  m.products = after.library_calls - before.library_calls;
  m.bytes = after.bytes_read - before.bytes_read + after.bytes_written - before.bytes_written;

  std::vector<double> ms;
  for (int i = 0; i < runs; ++i) ms.push_back(milliseconds_of([&] { run(job); }));
  std::nth_element(ms.begin(), ms.begin() + runs / 2, ms.end());
  m.run_ms = ms[static_cast<size_t>(runs / 2)];
  return m;
}

// The largest difference between the results of two ways to compute a job, as a part of the largest value.
double difference(const Measured& a, const Measured& b) {
  double worst = 0;
  for (size_t i = 0; i < a.results.size(); ++i) {
    double largest = 0, apart = 0;
    for (size_t j = 0; j < a.results[i].size(); ++j) {
      const double x = a.results[i][j], y = b.results[i][j];
      largest = std::max(largest, std::abs(x));
      if (!(std::abs(x - y) <= apart)) apart = std::abs(x - y);  // NaN stays
    }
    if (!(apart / largest <= worst)) worst = apart / largest;
  }
  return worst;
}

void print_job(const std::string& device, const char* job, const Measured& apart, const Measured& fused) {
  for (const Measured* m : {&apart, &fused}) {
    std::printf("%-7s %-8s %-9s %7lld %9lld %9.2f %11.1f %8.2f\n", device.c_str(), job,
                m == &apart ? "op by op" : "fused", static_cast<long long>(m->kernels),
                static_cast<long long>(m->products), static_cast<double>(m->bytes) * 1e-6, m->compile_ms,
                m->run_ms);
  }
  std::printf("%-16s %.1f times as fast, %.1f times less memory traffic\n", "", apart.run_ms / fused.run_ms,
              static_cast<double>(apart.bytes) / static_cast<double>(fused.bytes));
}

void write(const std::filesystem::path& file, const Array& picture) {
  io::HostArray image{DType::F32, picture.shape(),
                      std::vector<std::byte>(static_cast<size_t>(picture.size()) * 4)};
  picture.copy_to(image.data.data());
  io::write_png(file.string(), image);
}

// A session whose programs start cold. `each_op`: it computes every operation when it is recorded, as NumPy
// does.
Session make_session(bool each_op) {
  SessionOptions options = SessionOptions::from_environment();
  options.cache_directory.clear();
  if (each_op) options.graph_limit = 0;
  return Session(options);
}

Array channel(const Array& samples) { return samples(ellipsis, 1).astype(DType::F32) / 255; }

std::vector<Array> developed(const Array& samples) {
  const photo::Developed d = photo::develop(samples);
  return {d.picture, d.local_mean, d.local_variance};
}
std::vector<Array> factored(const Array& a) {
  const photo::Svd f = photo::svd(a, kRank, kIterations);
  return {f.u, f.s, f.vt};
}
std::vector<Array> rebuilt(const Array& a, const photo::Svd& factors) {
  const photo::Rebuilt r = photo::rebuild(a, factors);
  return {r.picture, r.error};
}

constexpr const char* kJobs[] = {"develop", "factors", "rebuild"};

// Every job, cold and then warm, in a session of its own.
std::vector<Measured> measure_all(const io::HostArray& file, const std::string& device, bool each_op,
                                  int runs) {
  make_session(each_op).make_current();
  const Array samples = from_bytes(file.data.data(), file.dtype, file.shape, device);
  const Array a = channel(samples).eval();
  std::vector<Measured> all = {measure([&] { return developed(samples); }, runs),
                               measure([&] { return factored(a); }, runs)};
  const photo::Svd factors = photo::svd(a, kRank, kIterations);
  eval({factors.u, factors.s, factors.vt});
  all.push_back(measure([&] { return rebuilt(a, factors); }, runs));
  return all;
}

void write_pictures(const io::HostArray& file, const std::filesystem::path& out) {
  const Array samples = from_bytes(file.data.data(), file.dtype, file.shape);
  const photo::Developed d = photo::develop(samples);
  const Array a = channel(samples);
  const photo::Rebuilt r = photo::rebuild(a, photo::svd(a, kRank, kIterations));
  write(out / "developed.png", d.picture);
  write(out / "local_deviation.png", sqrt(d.local_variance) * 2);
  write(out / "green.png", a);
  write(out / "green_rank_20.png", r.picture);
  const auto numbers = static_cast<double>(kRank * (a.shape()[0] + a.shape()[1] + 1));
  std::printf(
      "The green channel from %lld singular triplets: %.1f%% of the numbers, %.2f%% of the norm lost.\n",
      static_cast<long long>(kRank), 100 * numbers / static_cast<double>(a.size()),
      100 * static_cast<double>(r.error.item<float>()));
  std::printf("Pictures in %s: developed.png, local_deviation.png, green.png, green_rank_20.png\n",
              out.string().c_str());
}

int demo(const Flags& flags) {
  const io::HostArray file = io::read_png(flags.photo);
  if (file.dtype != DType::U8 || file.shape.size() != 3 || file.shape[2] != 3)
    throw Error("demo: takes a picture of 8-bit RGB: got " + std::string(name(file.dtype)) +
                to_string(file.shape));
  std::filesystem::create_directories(flags.out);
  std::printf("%s, %lld x %lld\n", flags.photo.c_str(), static_cast<long long>(file.shape[1]),
              static_cast<long long>(file.shape[0]));

  std::vector<std::string> devices;
  const Session first = make_session(false);
  for (const DeviceSummary& d : first.devices()) {
    if (d.name == "cpu" || d.name == "cuda:0") devices.push_back(d.name);
    std::printf("%s: %s, %s\n", d.name.c_str(), d.description.c_str(), d.architecture.c_str());
  }
  if (const std::string why = first.no_cuda_because(); !why.empty()) std::printf("no GPU: %s\n", why.c_str());

  std::printf("\n%-7s %-8s %-9s %7s %9s %9s %11s %8s\n", "device", "job", "", "kernels", "products",
              "MB moved", "compile ms", "run ms");
  std::vector<Measured> reference;
  double worst = 0;
  for (const std::string& device : devices) {
    const std::vector<Measured> apart = measure_all(file, device, true, flags.runs);
    const std::vector<Measured> fused = measure_all(file, device, false, flags.runs);
    if (reference.empty()) reference = apart;
    for (size_t i = 0; i < std::size(kJobs); ++i) {
      print_job(device, kJobs[i], apart[i], fused[i]);
      for (const Measured* m : {&apart[i], &fused[i]}) {
        const double d = difference(reference[i], *m);
        if (!(d <= worst)) worst = d;
      }
    }
  }
  std::printf(R"(
develop: sRGB to light, 5 x 5 blur, sharpening, mean and variance of 9 x 9 windows, tone mapping, gamma.
factors: %lld singular triplets by subspace iteration; mostly short products, in which there is little to fuse.
rebuild: (u * s) @ vt and its error.
op by op: the same code, every operation computed when it is called, as NumPy does. products: calls of BLAS.
compile ms: in Clang or NVRTC, nothing cached. run ms: recording and computing, the median of %d.
Any two ways agree to %.1e of the largest value.

)",
              static_cast<long long>(kRank), flags.runs, worst);

  first.make_current();
  write_pictures(file, flags.out);
  return worst < 1e-3 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Develops a photograph with Weft and says what fusion changed.", "demo");
  app.add_option("--photo", flags.photo, "A PNG of 8-bit RGB")->capture_default_str();
  app.add_option("--out", flags.out, "The folder for the pictures")->capture_default_str();
  app.add_option("--runs", flags.runs, "Runs to take the median of")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return demo(flags);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "demo: %s\n", e.what());
    return 1;
  }
}
