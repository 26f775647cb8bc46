// A layout, the bodies of its entries, and around them what the bodies turned out to use.
#include "compiler/emit/cuda/emit_cuda.h"

#include "compiler/emit/cuda/entry.h"
#include "compiler/emit/cuda/layout.h"
#include "compiler/emit/cuda/shapes.h"
#include "compiler/emit/cuda/support.h"
#include "compiler/emit/cuda/totals.h"
#include "compiler/emit/function.h"
#include "compiler/emit/kernel_source.h"
#include "compiler/emit/prelude/prelude.h"

namespace weft::emit {

using namespace plan;
using fmt::format;

namespace {

// Numbers of the grid that the text reads from its arguments.
GridNumbers grid_numbers(const CudaLayout& l, Arguments& arguments) {
  GridNumbers n;
  const auto* columns = l.columns();
  if (columns && columns->has_shares) {
    const plan::cuda::Strips& s = columns->strips;
    n.whole = arguments.add(s.whole);
    n.share = n.whole;
    for (int64_t number : {s.periods, s.strips, s.shares, s.inverse, s.steps})
      n.share += ", " + arguments.add(number);
  } else if (l.parts.count > 1) {
    n.parts = arguments.add(l.parts.count);
  }
  if (l.parts.length > 0) n.part_length = arguments.add(l.parts.length);
  if (l.facts.totals_across) {
    n.rows = arguments.add(l.across.rows_of_block);
    n.blocks = arguments.add(l.across.blocks);
  }
  return n;
}

std::string body_of(Entry e) {
  struct Writing {
    Entry& e;
    void operator()(const PointsShape& s) const { write_points(e, s); }
    void operator()(const StackedShape& s) const { write_stacked(e, s); }
    void operator()(const TransposedShape& s) const { write_transposed(e, s); }
    void operator()(const RowsShape& s) const { write_rows(e, s); }
    void operator()(const ColumnsShape& s) const { write_columns(e, s); }
  };
  e.scope.axis.resize(e.program.outer.size() + e.program.row.size());
  std::visit(Writing{e}, e.layout.shape);
  return e.code.text();
}

// The argument word before the program's own numbers.
size_t first_number(const RowProgram& p, const CudaLayout& l) {
  return p.buffers.size() + (l.parts.has_partials ? 1 : 0);
}

std::string bounds_of(const CudaLayout& l, const EntryLayout& e) {
  return l.resident > 0 && e.threads == l.main.threads ? format("{}, {}", e.threads, l.resident)
                                                       : std::to_string(e.threads);
}

// An entry's opening: the arguments under the names that its body uses.
std::string opening(const RowProgram& p, const CudaLayout& l, const EntryLayout& e,
                    const Arguments& arguments, const char* name) {
  const CudaDialect dialect;
  Writer code;
  code.line("extern \"C\" __global__ void __launch_bounds__({}) {}(const __grid_constant__ Args args) {{",
            bounds_of(l, e), name);
  size_t word = 0;
  for (size_t b = 0; b < p.buffers.size(); ++b) {
    const std::string type =
        (p.buffers[b].written ? "" : "const ") + dialect.element_type(p.buffers[b].dtype);
    code.line("{}* const b{} = ({}*)args.w[{}];", type, b, type, word++);
  }
  if (l.parts.has_partials) code.line("void* const partials = (void*)args.w[{}];", word++);
  const size_t count = p.params.size() + arguments.words().size();
  if (l.launch.counters > 0)
    code.line("unsigned int* const counters = (unsigned int*)args.w[{}];",
              word + p.params.size() + static_cast<size_t>(arguments.counters()));
  if (count > 0) {
    std::string list;
    for (size_t k = 0; k < count; ++k) list += format("{}(I)args.w[{}]", k ? ", " : "", word++);
    code.line("const I p[] = {{{}}};", list);
  }
  for (size_t k = 0; k < p.scalars.size(); ++k) {
    const DType t = p.scalars[k];
    if (t == DType::C128) {
      code.line("const c128 a{0} = {{*(const double*)&args.w[{1}], *(const double*)&args.w[{2}]}};", k, word,
                word + 1);
      word += 2;
    } else {
      code.line("const {} a{} = weft_unpack_{}(*(const {}*)&args.w[{}]);", dialect.value_type(t), k,
                suffix(t), dialect.element_type(t), word++);
    }
  }
  return code.text();
}

std::string arguments_struct(const RowProgram& p, const CudaLayout& l, const Arguments& arguments) {
  size_t words = first_number(p, l) + p.params.size() + arguments.words().size();
  for (DType t : p.scalars) words += t == DType::C128 ? 2 : 1;
  return format("struct Args {{ unsigned long long w[{}]; }};\n", std::max<size_t>(words, 1));
}

// The functions that the program applies, each once.
std::string functions_of(const RowProgram& p) {
  std::string text;
  std::set<std::string> names;
  for_each_stmt(p, [&](const Stmt& s) {
    const auto* let = std::get_if<Let>(&s);
    if (let && let->function && names.insert(name_of(*let->function)).second)
      text += write_for_cuda(*let->function);
  });
  return text;
}

}  // namespace

Emitted emit_cuda(const RowProgram& p, const CudaSchedule& schedule, bool contract) {
  const CudaLayout l = lay_out(p, schedule, contract);
  Arguments arguments(p.params.size(), l.facts.wide);
  const GridNumbers numbers = grid_numbers(l, arguments);

  // Bodies first: they say which arguments the openings unpack.
  const std::string main = body_of({p, l, l.main, numbers, arguments});
  const std::string finish = l.finish ? body_of({p, l, *l.finish, numbers, arguments}) : "";

  std::string text = functions_of(p) + arguments_struct(p, l, arguments);
  if (l.shared.is_used) text += "extern __shared__ __align__(16) unsigned char weft_shared[];\n";
  text += state_structs(p, l);
  text += opening(p, l, l.main, arguments, "WEFT_NAME") + main + "}\n";
  if (l.finish) text += opening(p, l, *l.finish, arguments, "WEFT_NAME_finish") + finish + "}\n";
  text = cuda_support(text, l.facts.wide) + text;
  text = prelude_for(PreludeTarget::Cuda, 0, text) + text;

  Emitted out;
  out.source = named(std::move(text), p);
  out.launch = l.launch;
  if (l.launch.counters > 0)
    out.launch.counting = static_cast<uint32_t>(first_number(p, l) + p.params.size()) +
                          static_cast<uint32_t>(arguments.counters());
  out.params = p.params;
  out.params.insert(out.params.end(), arguments.words().begin(), arguments.words().end());
  out.partial_bytes = l.partial_bytes;
  return out;
}

}  // namespace weft::emit
