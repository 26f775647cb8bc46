// Functions of scalars, which weft._functions makes of Python's.
#include "frontend/cpp/weft/functions.h"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>

#include "compiler/ir/ops/op.h"
#include "frontend/cpp/weft/kernels.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {

namespace {

// Of each map what a reader of Python's functions asks: the number of its operands, the kinds that it takes (bool,
// integers, floats, complex), the dtype of its result, and how it is computed on kinds that it does not take.
nb::dict rows_of_maps() {
  nb::dict rows;
  constexpr const char* kResults[] = {"same", "bool", "real", "complex", "index", "stated"};
  constexpr const char* kWhole[] = {"widened", "f64", "refused", "kept", "truncated"};
  for (int k = 0; k < ir::kOpCount; ++k) {
    const ir::OpInfo& row = ir::kOps[k];
    if (row.kind != ir::OpKind::Map || row.arity < 1 || row.result == ir::Result::Stated) continue;
    const int kinds = (row.accepts & ir::kBool ? 1 : 0) | (row.accepts & ir::kSigned ? 2 : 0) |
                      (row.accepts & ir::kFloat ? 4 : 0) | (row.accepts & ir::kComplex ? 8 : 0);
    rows[nb::str(row.name.data(), row.name.size())] = nb::make_tuple(
        row.arity, kinds, kResults[static_cast<int>(row.result)], kWhole[static_cast<int>(row.whole)]);
  }
  return rows;
}

// f(operands) of a list of Python's.
template <class F>
auto with_operands(const std::string& name, const nb::list& operands, F&& f) {
  // Each a new one: an argument that was an array keeps it.
  std::vector<Argument> arguments(operands.size());
  std::vector<Operand> given;
  given.reserve(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    arguments[k].take(operands[k].ptr());
    given.push_back(arguments[k].operand(name.c_str()));
  }
  return f(given);
}

// Of the CPU and of CUDA.
using Texts = std::pair<std::string, std::string>;
TargetTexts of(const Texts& texts) { return {texts.first, texts.second}; }

nb::list names_of(std::span<const DType> dtypes) {
  nb::list names;
  for (const DType dtype : dtypes) names.append(std::string(name(dtype)));
  return names;
}

nb::list listed(const std::vector<Array>& arrays) {
  nb::list results;
  for (const Array& x : arrays) results.append(nb::steal(wrap(x)));
  return results;
}

// What a kernel is given: an array or a number; (shape, dtype) for a result; (array,) for one that is changed.
struct KernelArguments {
  explicit KernelArguments(const std::string& name, const nb::list& given) : arguments(given.size()) {
    list.reserve(given.size());
    for (size_t k = 0; k < given.size(); ++k) {
      if (!nb::isinstance<nb::tuple>(given[k])) {
        arguments[k].take(given[k].ptr());
        list.emplace_back(arguments[k].operand(name.c_str()));
        continue;
      }
      const auto parts = nb::cast<nb::tuple>(given[k]);
      if (parts.size() == 2) {
        list.emplace_back(KernelOutput{nb::cast<Dims>(parts[0]), dtype_from(nb::object(parts[1]).ptr())});
      } else {
        arguments[k].take(parts[0].ptr());
        list.emplace_back(KernelInOut{arguments[k].operand(name.c_str())});
      }
    }
  }
  std::vector<Argument> arguments;
  std::vector<KernelArgument> list;
};

// One to three numbers of blocks, or of a block's threads.
KernelExtents extents(const std::string& op, const char* what, const Integers& given) {
  Dims all = given.all(op.c_str(), what);
  if (all.empty() || all.size() > 3)
    throw Error(fmt::format("{}: the {} has one to three extents: got {}", op, what, all.size()));
  all.resize(3, 1);
  return {all[0], all[1], all[2]};
}

void bind_launches(nb::module_& m) {
  [[maybe_unused]] const nb::class_<KernelLaunch> launches(m, "KernelLaunch");
  m.def(
      "cpu_launch",
      [](const std::string& op, Integers range, Integers grain) {
        return KernelLaunch{.grid = {range.one(op.c_str(), "range")},
                            .grain = grain.one(op.c_str(), "grain")};
      },
      "op"_a, "range"_a.none(), "grain"_a.none());
  m.def(
      "cuda_launch",
      [](const std::string& op, Integers grid, Integers block, Integers shared_mem, Integers cluster) {
        return KernelLaunch{.grid = extents(op, "grid", grid),
                            .block = extents(op, "block", block),
                            .shared_bytes = shared_mem.one(op.c_str(), "shared_mem"),
                            .cluster = cluster.one(op.c_str(), "cluster")};
      },
      "op"_a, "grid"_a.none(), "block"_a.none(), "shared_mem"_a.none(), "cluster"_a.none());
}

void bind_kernels(nb::module_& m) {
  nb::class_<TextKernel>(m, "TextKernel")
      .def_prop_ro("name", &TextKernel::name)
      .def_prop_ro("parameters",
                   [](const TextKernel& kernel) {
                     nb::list out;
                     for (const TextKernel::Parameter& p : kernel.parameters())
                       out.append(nb::make_tuple(p.name, p.type, p.is_pointer, p.is_const));
                     return out;
                   })
      .def("__call__",
           [](const TextKernel& kernel, const KernelLaunch& how, const nb::list& given,
              const std::vector<std::string>& constants, const nb::list& elements) {
             const PythonLine line;
             KernelLaunch launch = how;
             const KernelArguments arguments(kernel.name(), given);
             return with_operands(kernel.name(), elements, [&](const auto& arrays) {
               for (size_t k = 0; k < constants.size(); ++k)
                 launch.constants.emplace_back(constants[k], arrays[k]);
               return listed(kernel(launch, arguments.list));
             });
           })
      .def(
          "check",
          [](const TextKernel& kernel, Integers block) {
            kernel.check(extents(kernel.name(), "block", block));
          },
          "block"_a.none())
      .def(
          "occupancy",
          [](const TextKernel& kernel, Integers block, Integers shared_mem, const std::string& device) {
            const std::string& op = kernel.name();
            const KernelOccupancy o = kernel.occupancy(extents(op, "block", block),
                                                       shared_mem.one(op.c_str(), "shared_mem"), device);
            return nb::make_tuple(o.blocks, o.share, o.multiprocessors, o.registers, o.spilled_bytes,
                                  o.shared_bytes, o.most_shared_bytes);
          },
          "block"_a.none(), "shared_mem"_a.none(), "device"_a);
  m.def("define_cpu_kernel", &define_cpu_kernel);
  m.def("define_cuda_kernel", &define_cuda_kernel);
  m.def("is_known_header", &is_known_kernel_header);
}

}  // namespace

void bind_functions(nb::module_& m) {
  nb::class_<ScalarFunction>(m, "ScalarFunction")
      .def_prop_ro("name", &ScalarFunction::name)
      .def_prop_ro("text", &ScalarFunction::text)
      .def_prop_ro("arguments", [](const ScalarFunction& f) { return names_of(f.arguments()); })
      .def_prop_ro("results", [](const ScalarFunction& f) { return names_of(f.results()); })
      .def("derivatives", &ScalarFunction::derivatives)
      .def("with_reference", &ScalarFunction::with_reference)
      .def("__call__", [](const ScalarFunction& f, const nb::list& operands) {
        const PythonLine line;
        return with_operands(f.name(), operands, [&](const auto& given) { return listed(f(given)); });
      });
  nb::class_<Map>(m, "Map")
      .def_prop_ro("name", &Map::name)
      .def_prop_ro("results", &Map::results)
      .def("function",
           [](const Map& map, const nb::list& operands) {
             return with_operands(map.name(), operands,
                                  [&](const auto& given) { return map.function(given); });
           })
      .def("function_of",
           [](const Map& map, const std::vector<std::string>& names) {
             std::vector<DType> dtypes;
             dtypes.reserve(names.size());
             for (const std::string& one : names) dtypes.push_back(dtype_from_name(one).value());
             return map.function(std::span<const DType>(dtypes));
           })
      .def("__call__", [](const Map& map, const nb::list& operands) {
        const PythonLine line;
        return with_operands(map.name(), operands, [&](const auto& given) { return listed(map.all(given)); });
      });
  m.def(
      "define_map",
      [](const std::string& name, const std::string& in_params, const std::string& out_params,
         const Texts& operation, const Texts& preamble, const std::string& derivative,
         const std::string& reference, double ulps, nb::object reference_of) {
        MapOptions options{of(preamble), derivative, reference, ulps};
        if (!reference_of.is_none())
          options.reference_of = [made = std::move(reference_of)](std::span<const DType> dtypes) {
            return nb::cast<ScalarFunction>(made(names_of(dtypes)));
          };
        return define_map(name, in_params, out_params, of(operation), options);
      },
      "name"_a, "in_params"_a, "out_params"_a, "operation"_a, "preamble"_a, "derivative"_a, "reference"_a,
      "ulps"_a, "reference_of"_a.none());
  nb::class_<TextReduction>(m, "TextReduction")
      .def_prop_ro("name", &TextReduction::name)
      .def_prop_ro("results", &TextReduction::results)
      .def(
          "__call__",
          [](const TextReduction& f, const nb::list& operands, Integers axis, Flag keepdims) {
            const PythonLine line;
            const std::string& op = f.name();
            return with_operands(op, operands, [&](const auto& given) {
              return listed(f.all(given, axes_of(op.c_str(), axis), keepdims.is(op.c_str())));
            });
          },
          "operands"_a, "axis"_a.none(), "keepdims"_a.none());
  m.def("define_reduction", [](const std::string& name, const nb::list& texts) {
    const auto text = [&](size_t k) { return nb::cast<std::string>(texts[k]); };
    const auto both = [&](size_t k) { return of(nb::cast<Texts>(texts[k])); };
    return define_reduction(name, {text(0), text(1), both(2), both(3), both(4), text(5), text(6), both(7)});
  });
  bind_launches(m);
  bind_kernels(m);
  m.attr("map_rows") = rows_of_maps();
  m.def("scalar_function", [](const std::string& text) { return ScalarFunction::parse(text); }, "text"_a);
}

}  // namespace weft::python
