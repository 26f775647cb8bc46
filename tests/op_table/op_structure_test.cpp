// Views, pads, joins, gathers, scatters, updates, iotas and matrix products of every dtype on every device,
// exactly as the interpreter has them. Sums are of small whole numbers, which no order of adding rounds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/base/error.h"
#include "tests/fuzz/backend.h"
#include "tests/op_table/graphs.h"
#include "tests/op_table/values.h"

namespace weft::test {
namespace {

struct Case {
  std::string device;
  DType dtype;
};

class Structure : public testing::TestWithParam<Case> {};

std::vector<ir::HostTensor> inputs_of(const ir::Graph& g, bool whole_numbers) {
  std::vector<ir::HostTensor> inputs;
  for (const ir::NodeRef& in : g.inputs) {
    std::vector<Scalar> values = edge_values(in->dtype());
    if (in->dtype() == DType::I64 || whole_numbers) {
      values.clear();
      // As indices: from both ends, and beyond them.
      for (int64_t v = whole_numbers ? -2 : -20; v <= (whole_numbers ? 2 : 20); ++v)
        values.push_back(
            kind(in->dtype()) == DTypeKind::Unsigned ? Scalar::of(v * v).cast(in->dtype())
            : is_complex(in->dtype())
                ? Scalar{DType::C128, 0, static_cast<double>(v), static_cast<double>(1 - v)}.cast(in->dtype())
                : Scalar::of(v).cast(in->dtype()));
    }
    inputs.push_back(tensor_from(values, in->shape(), inputs.size() + 1));
  }
  return inputs;
}

void check(const Case& c, const ir::Graph& g, bool whole_numbers) {
  const std::vector<ir::HostTensor> inputs = inputs_of(g, whole_numbers);
  const std::vector<ir::HostTensor> want = interpret(g, inputs), got = run_on(backend(c.device), g, inputs);
  for (size_t k = 0; k < want.size(); ++k)
    EXPECT_EQ(first_difference(got[k], want[k]), "")
        << "output " << k << ", " << name(g.outputs[k]->op) << " of " << name(c.dtype) << " on " << c.device;
}

TEST_P(Structure, ViewsPadsAndJoins) { check(GetParam(), view_graph(GetParam().dtype), false); }

TEST_P(Structure, GathersScattersAndUpdates) {
  check(GetParam(), index_graph(GetParam().dtype, false), false);
  if (accepts(ir::Op::scatter_add, GetParam().dtype))
    check(GetParam(), index_graph(GetParam().dtype, true), true);
}

TEST_P(Structure, MatrixProducts) {
  const DType t = GetParam().dtype;
  if (accepts(ir::Op::dot, t)) {
    check(GetParam(), dot_graph(t), true);
  } else {
    EXPECT_THROW(dot_graph(t), TypeError);
  }
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (auto& device : backend_names())
    for (DType t : all_dtypes()) out.push_back({device, t});
  return out;
}

INSTANTIATE_TEST_SUITE_P(, Structure, testing::ValuesIn(cases()), [](auto& test) {
  return fmt::format("{}_{}", test.param.device, name(test.param.dtype));
});

}  // namespace
}  // namespace weft::test
