// Casts between all dtypes, bitcasts and select on every device, exactly as the interpreter has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/fuzz/backend.h"
#include "tests/op_table/graphs.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

struct Case {
  std::string device;
  DType dtype;
};

class Casts : public testing::TestWithParam<Case> {};

// Values of every size and sign beside those of the dtype's own edges: powers of two and their neighbours,
// where narrower dtypes round, wrap or stop.
std::vector<Scalar> values_to_cast(DType t) {
  std::vector<Scalar> values = argument_columns(t)[0];
  for (int e = -30; e <= 130; ++e)
    for (double m : {1.0, 1.5, 1.0 + 0x1p-11, 1.0 + 0x1p-8, 1.0 - 0x1p-12, 1.0 - 0x1p-24})
      for (double sign : {1.0, -1.0}) {
        const double v = sign * std::ldexp(m, e);
        values.push_back(Scalar{DType::C128, 0, v, -v}.cast(is_complex(t) ? t : DType::C128));
        if (is_complex(t)) continue;
        values.back() = Scalar::of(v).cast(t);
      }
  return values;
}

TEST_P(Casts, GiveWhatTheInterpreterGives) {
  const auto& [device, t] = GetParam();
  const std::vector<Scalar> values = values_to_cast(t);
  const auto n = static_cast<int64_t>(values.size());
  for (const Shape& shape : {Shape{n}, Shape{17}, Shape{}, Shape{0, 3}}) {
    const ir::Graph g = cast_graph(t, shape);
    const bool whole = shape == Shape{n};
    const std::vector<ir::HostTensor> inputs = {whole ? tensor_of(values) : tensor_from(values, shape, 1),
                                                tensor_from(values, shape, 2),
                                                tensor_from({Scalar::of(false), Scalar::of(true)}, shape, 3)};
    const std::vector<ir::HostTensor> want = interpret(g, inputs), got = run_on(backend(device), g, inputs);
    for (size_t k = 0; k < want.size(); ++k) {
      const ir::Op op = g.outputs[k]->op;
      const std::string what = fmt::format("{} of {}{} to {} on {}", name(op), name(t), to_string(shape),
                                           name(want[k].type.dtype), device);
      // A half is held as f32: of its NaNs neither payload nor quietness is kept.
      const bool bits = op == ir::Op::bitcast && !is_half(want[k].type.dtype);
      int failures = 0;
      const auto size = static_cast<int64_t>(size_of(want[k].type.dtype));
      for (int64_t i = 0; i < element_count(shape); ++i) {
        bool same = same_value(element(got[k], i), element(want[k], i));
        if (bits)
          same = std::memcmp(got[k].data.data() + i * size, want[k].data.data() + i * size, size) == 0;
        if (op == ir::Op::bitcast && is_half(t) && std::isnan(element(inputs[0], i).re))
          same = std::isnan(Scalar::load(t, got[k].data.data() + i * size).re);
        if (!same && failures++ < 3)
          ADD_FAILURE() << what << ", element " << i << ", " << show(element(inputs[0], i)) << ": got "
                        << show(element(got[k], i)) << ", want " << show(element(want[k], i));
      }
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (auto& device : backend_names())
    for (DType t : all_dtypes()) out.push_back({device, t});
  return out;
}

INSTANTIATE_TEST_SUITE_P(, Casts, testing::ValuesIn(cases()), [](auto& test) {
  return fmt::format("{}_{}", test.param.device, name(test.param.dtype));
});

}  // namespace
}  // namespace weft::test
