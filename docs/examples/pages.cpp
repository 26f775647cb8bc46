// The C++ of the pages in docs, with what they say of it checked.
#include <weft/weft.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace weft;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "pages: does not hold: %s\n", what);
  std::exit(1);
}
#define CHECK(condition) check(condition, #condition)

void arrays() {
  std::vector<float> samples = {1, 2, 3, 4, 5, 6};
  Array a = from(samples, {2, 3});          // copies; f32 because the vector holds floats
  Array b = from<double>({0.5, 1.5, 2.5});  // f64, shape (3)
  Array c = zeros({2, 3}, DType::F32);      // zeros, ones, full, eye, arange, linspace, iota, ...
  Array d = a * 2 + sqrt(b);                // broadcasts and promotes as NumPy: f64, shape (2, 3)
  std::vector<double> out = d.to_vector<double>();
  double corner = d.at(1, -1).item<double>();
  CHECK(out.size() == 6 && out[5] == corner && d.dtype() == DType::F64 && c.shape() == (Shape{2, 3}));
}

void everyday() {
  Array a = zeros(5);
  a(Slice{0, 4}) = std::vector{-1.0, 2.0, -3.0, 4.0};
  a[a < 0] = 0;  // a mask, or an array of positions: read or written
  a[a > 0] += 1;
  Array large = a[a > 3];                   // shape (1): the 5
  for (Array row : ones({2, 5})) a += row;  // views along the first axis
  double first{a(0)};                       // or double(a(0)); not = a(0), which would compete with a + 1
  if (any(a > 6) && !(first > 2)) std::cout << a << "\n";  // [2. 5. 2. 7. 2.]
  CHECK(large.size() == 1 && to_string(a) == "[2. 5. 2. 7. 2.]");
}

void files() {
  std::string folder = std::filesystem::temp_directory_path().string();
  Array picture = from<float>({0, 0.5, 1}) * ones({2, 1}, DType::F32);
  save(folder + "/weft_page.png", picture);        // f32 in [0, 1], u8 or u16; (H, W) or (H, W, channels)
  Array pixels = load(folder + "/weft_page.png");  // u8: [[0 128 255] [0 128 255]]
  save_npz(folder + "/weft_page.npz", {{"weights", picture}, {"count", arange(3)}}, true);
  Array weights = load_npz(folder + "/weft_page.npz").at("weights");
  CHECK(pixels.dtype() == DType::U8 && pixels.at(1, 1).item<uint8_t>() == 128 && all(weights == picture));
  std::filesystem::remove(folder + "/weft_page.png");
  std::filesystem::remove(folder + "/weft_page.npz");
}

void memory_without_copies() {
  std::vector<double> mine = {1, 2, 3, 4};
  Array seen = borrow(mine.data(), DType::F64, {2, 2},
                      [] {});  // where it lies: `mine` stays, and is not written to meanwhile
  seen += 1;                   // in memory of its own
  Array filled = zeros({2, 2});
  Lent memory = lend_to_write(filled);  // a pointer, held by memory.owner
  static_cast<double*>(const_cast<void*>(memory.data))[3] = 7;
  std::span<const double> shown = filled.span<double>();  // [0, 0, 0, 7]
  CHECK(shown[3] == 7 && shown[0] == 0 && mine[0] == 1 && seen.at(0, 0).item<double>() == 2);
}

// The table of names.
void names() {
  Array x = from<double>({0.5, 2.5, 1.5, 3.0}), edges = arange(4.0);
  const auto [counts, its_edges] = histogram(x, edges);
  CHECK(to_string(counts) == "[1 1 2]" && to_string(histogram(x, 20, {{0.0, 1.0}}).counts(10)) == "1");
  CHECK(double{nanmean(x)} == 1.875 && isclose(x, 0.5, {.relative = 0, .absolute = 1e-3}).size() == 4);
  CHECK(meshgrid({x, edges}, Indexing::IJ)[0].shape() == Shape({4, 4}));
  CHECK(windows(x, 3, 0).shape() == Shape({2, 3}) && concat({x, x}, 0).size() == 8);
  CHECK(Array(x[x > 1 && x < 3]).size() == 2 && stddev(ones({2, 3}), 1, true).shape() == Shape({2, 1}));
  CHECK(name(x.dtype()) == "f64");
}

void laziness() {
  Array x = arange(1'000'000, DType::F32) / 1e6;
  Array shifted = x - mean(x);
  Array a = exp(shifted), b = sum(square(shifted));
  eval({a, b});  // one program; `shifted` is computed on the way and not kept
  CHECK(b.item<float>() > 0);
}

void writes() {
  Array a = zeros({4, 4});
  Array v = a(Slice{1, -1}, Slice{1, -1});    // a[1:-1, 1:-1], a view
  v += 1;                                     // changes a
  a(0) = 7;                                   // a[0] = 7
  a(ellipsis, Slice{{}, {}, -1}) = a.copy();  // a[..., ::-1] = a.copy()
  Array same = a;                             // the same array, as in Python
  same *= 2;                                  // changes a, too
  a = a + 1;                                  // binds the name `a` to a new array; `same` stays
  CHECK(a.at(1, 1).item<double>() == 3 && same.at(0, 0).item<double>() == 14);
}

void dtypes() {
  Array half = ones({8}, DType::F16), ints = arange(8), bytes = ones({8}, DType::U8);
  Array x = half * 0.1;   // f16: a plain number gives way to the array
  Array y = ints * 0.5;   // f64: a float exceeds the kind of integers
  Array z = half + ints;  // f64: two arrays promote
  CHECK(x.dtype() == DType::F16 && y.dtype() == DType::F64 && z.dtype() == DType::F64);
  CHECK(sum(bytes).dtype() == DType::U64 && mean(ints).dtype() == DType::F64);
  bool refused = false;
  try {
    bytes + 300;  // OverflowError: add: the number does not fit the array's dtype u8: got 300
  } catch (const Error& e) {
    refused = std::string(e.what()) == "add: the number does not fit the array's dtype u8: got 300";
  }
  CHECK(refused);
}

void reductions() {
  Array x = iota({512, 768}, 1, DType::F32) / 768;
  Array total = sum(x), rows = max(x, 1), columns = mean(x, 0, true);  // shapes (), (512), (1, 768)
  Array p = softmax(x), spread = var(x, {0, 1}), n = logsumexp(x, 1);
  CHECK(rows.shape() == (Shape{512}) && columns.shape() == (Shape{1, 768}) && spread.ndim() == 0);
  eval({total, p, n});
}

void scans() {
  Array x = iota({512, 768}, 1, DType::F32) / 768;
  Array running = cumulative_sum(x, 1), highest = cumulative_max(x, 1);
  Array shares = cumulative_sum(softmax(x, 1), 1);  // one kernel, too
  CHECK(running.at(0, 2).item<float>() == 3.0f / 768 && highest.at(3, 767).item<float>() == 767.0f / 768);
  one_kernel(shares);
}

void products() {
  Array a = ones({64, 32}), b = ones({32, 16}), bias = ones({16});
  Array y = relu(matmul(a, b) + bias);  // the product by BLAS, the rest one kernel
  CHECK(y.at(0, 0).item<double>() == 33);
}

void inspection() {
  Array x = ones({2000, 1000}, DType::F32) * 2;
  Array y = exp(x - max(x, 1, true));
  std::string why = explain(y);         // kernels, and for every edge why it was fused or not
  std::string source = show(y, "cpp");  // also graph, plan, asm, ...; cuda and ptx on a GPU
  one_kernel(y);                        // Error with the reasons when it takes more than one
  Stats s = stats();                    // kernels launched, compiles, cache hits, bytes
  CHECK(!why.empty() && !source.empty() && s.kernels_launched > 0);
}

void tuning() {
  Array x = arange(200000, DType::F32);
  Array y = sqrt(x + 1) * x;
  std::string tried = tune(y, 10);  // at most ten seconds' search of faster schedules, kept for the next time
  CHECK(tried.find("kernel 0") != std::string::npos);
}

void compiled() {
  Array u = ones({1000, 1000}, DType::F32);
  Compiled relaxed({&u, 1}, [](std::span<const Array> in) {
    const Array& a = in[0];
    return std::vector<Array>{sqrt(a + 1) * 0.5};
  });
  Array once = relaxed({&u, 1})[0];
  Array twice = relaxed({&once, 1})[0];
  CHECK(std::abs(twice.at(5, 5).item<float>() - 0.5 * std::sqrt(0.5 * std::sqrt(2.0) + 1)) < 1e-6);
  const Array other = ones({10}, DType::F32);
  CHECK(relaxed.takes({&u, 1}) && !relaxed.takes({&other, 1}));
}

void derivatives() {
  Array w = full({4, 2}, 0.5), x = iota({3, 4}, 1, DType::F64) / 10;
  auto loss = [](const Array& weights, const Array& in) { return sum(square(tanh(matmul(in, weights)))); };
  auto [value, dw] = value_and_grad(loss)(w, x);  // by the first argument
  auto [both, grads] = value_and_grad<0, 1>(loss)(w, x);
  Array second = grad([&](const Array& v) { return sum(grad(loss)(v, x) * v); })(w);
  CHECK(dw.shape() == w.shape() && grads[1].shape() == x.shape() && second.shape() == w.shape());
  CHECK(value.item<double>() == both.item<double>());

  Derivation tape;
  Array v = tape.leaf(w);
  Array result = loss(v, x) + 0.1 * sum(square(v));  // any statements, of any functions
  tape.finish({&result, 1});
  Array one = ones({});
  w -= 0.1 * tape.vjp({&one, 1})[0];
  CHECK(w.shape() == dw.shape() && loss(w, x).item<double>() < value.item<double>());
}

void loops() {
  auto step = [](std::span<const Array> carry, std::span<const Array> x) -> Scanned {
    Array state = carry[0] * 0.9 + x[0] * 0.1;
    return {{state}, {state}};
  };
  Array first = zeros({3}), samples = ones({50, 3});
  auto [last, all] = scan(step, {&first, 1}, {&samples, 1});
  std::vector<Array> power =
      fori_loop(0, 10, [](const Array&, std::span<const Array> v) { return std::vector{v[0] * 2}; }, last);
  CHECK(all.size() == 1 && all[0].shape() == (Shape{50, 3}));
  CHECK(power[0].at(0).item<double>() == 1024 * last[0].at(0).item<double>());
}

void random_numbers() {
  Array x = zeros({50, 40});
  Array key = random::key(7);
  Array noisy = x + random::normal(key, x.shape()) * 0.1;  // one kernel; the numbers need no memory
  Array keys = random::split(key, 3);                      // for more: a key is used once
  Array events = random::poisson(keys[0], exp(noisy));     // parameters are numbers or arrays
  Array weights = random::gamma(keys[1], 2.5, 1.0, Shape{1000});
  Array rows = random::choice(keys[2], x, {100});  // {.replace = false, .p = ...}: NumPy's options
  CHECK(rows.shape()[0] == 100);
  CHECK(noisy.size() == 2000 && keys.shape()[0] == 3);
  CHECK(min(events).item<int64_t>() >= 0 && weights.size() == 1000);
}

void sessions() {
  SessionOptions options = SessionOptions::from_environment();
  options.threads = 2;
  options.numerics = Numerics::Strict;
  Session session(options);
  session.make_current();  // new arrays belong to it
  for (const DeviceSummary& d : session.devices())
    std::printf("%s: %s\n", d.name.c_str(), d.description.c_str());
}

void machines() {
  MachineFacts facts = machine_facts("cpu");  // facts.speeds: none until calibrate("cpu")
  std::cout << to_string(facts);
  CHECK(facts.threads > 0);
}

void devices() {
  if (!Session::current().no_cuda_because().empty()) return;
  Array x = ones({1000, 1000}, {DType::F32, "cuda:0"});  // made there
  Array y = arange(1000, DType::F32).to("cuda:0");       // copied there
  Array z = (x * y).to("cpu");                           // computed there, copied back
  CHECK(z.device() == "cpu" && z.at(0, 999).item<float>() == 999);
}

void streams() {
  if (!Session::current().no_cuda_because().empty()) return;
  const int64_t h = 480, w = 640;
  const size_t bytes = sizeof(float) * 480 * 640;
  const auto develop = [](const Array& image) { return sqrt(image + 1); };
  Stream stream("cuda:0");
  std::shared_ptr<void> host = pinned(bytes);  // page-locked: copied beside other work
  {
    StreamScope scope(stream);
    Array image = start_from(host.get(), DType::F32, {h, w}, "cuda:0");  // may return before the copy is done
    start_copy_to(develop(image), host.get());
  }
  stream.synchronize();  // now `host` has the result
}

void errors() {
  bool refused = false;
  try {
    Array y = ones({3, 4}) + ones({5, 6});
  } catch (const Error& e) {
    refused = true;
    std::printf("%s\n", e.what());
  }
  CHECK(refused);
}

void whole_kernels() {
  const TextKernel square = define_cpu_kernel(
      "void square(long begin, long end, const double* x, double* r) {"
      "  for (long i = begin; i < end; ++i) r[i] = x[i] * x[i];"
      "}",
      "square");
  Array z = square({.grid = {5}}, {linspace(-1, 1, 5), KernelOutput{{5}, DType::F64}})[0];
  CHECK(z.to_vector<double>()[1] == 0.25);
}

void derivatives_of_ops_as_text() {
  const Map slope = define_map("slope", "T x", "T dr_dx", "dr_dx = 2 * x");
  const Map squared = define_map("squared", "T x", "T r", {"r = x * x", "r = pow(x, 2)"},
                                 {.derivative = slope, .reference = "r = x * x", .ulps = 1});
  Array dy = grad([&](const Array& v) { return sum(squared(v)); })(linspace(-1, 1, 5));
  CHECK(dy.to_vector<double>()[0] == -2);
  CHECK(verify(squared(linspace(-1, 1, 5))).text.find("squared") != std::string::npos);
}

void ops_as_text() {
  const Map elu = define_map("elu", "T x, T a", "T r", "r = x > 0 ? x : a * expm1(x)");
  Array y = elu(linspace(-1, 1, 5), 0.5);
  CHECK(y.to_vector<double>()[4] == 1);

  const TextReduction furthest = define_reduction(
      "furthest",
      {.in_params = "T x", .out_params = "T y", .map = "fabs(x)", .join = "a > b ? a : b", .identity = "0"});
  CHECK(furthest(linspace(-3, 2, 50)).item<double>() == 3);
  CHECK(furthest(linspace(-3, 2, 50).reshape({10, 5}), 1).to_vector<double>()[0] == 3);
}

void profiles() {
  Profile profile;
  Array measured = exp(ones({1000, 1000})) + 1;
  measured.eval();
  profile.stop();
  std::cout << profile.table();
  CHECK(!profile.rows().empty());
}

void exported() {
  const std::vector<std::vector<Array>> examples = {{zeros({256, 256}, DType::F32)}};
  const auto twice = [](std::span<const Array> in) { return std::vector<Array>{in[0] * 2.0f}; };
  export_function("out", "twice", twice, examples, {.arguments = {"x"}, .processor = ""});
}

// In a folder of its own, where it may write.
void exported_to_a_folder() {
  std::string folder = (std::filesystem::temp_directory_path() / "weft-pages-XXXXXX").string();
  CHECK(mkdtemp(folder.data()) != nullptr);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  exported();
  CHECK(std::filesystem::exists("out/twice.h") && std::filesystem::exists("out/libtwice.a"));
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

}  // namespace

int main() {
  ops_as_text();
  try {
    derivatives_of_ops_as_text();
    whole_kernels();
    exported_to_a_folder();
  } catch (const Error& e) {  // the library may hold no compiler
    if (std::string(e.what()).find("was built without") == std::string::npos) throw;
  }
  arrays();
  everyday();
  files();
  memory_without_copies();
  names();
  laziness();
  writes();
  dtypes();
  reductions();
  scans();
  products();
  inspection();
  profiles();
  tuning();
  compiled();
  derivatives();
  loops();
  random_numbers();
  sessions();
  machines();
  devices();
  streams();
  errors();
}
