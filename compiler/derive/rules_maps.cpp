// Maps whose operands and results are not all of one dtype, or that are linear over the reals alone.
#include <utility>

#include "compiler/derive/functions.h"
#include "compiler/derive/nodes.h"
#include "compiler/derive/rules.h"

namespace weft::derive {
namespace {

using ir::Node;
using ir::NodeRef;
using ir::Op;
using Tangents = std::span<const NodeRef>;

const NodeRef& x_of(const Node& n) { return n.inputs[0]; }
bool of_complex(const Node& n) { return is_complex(x_of(n)->dtype()); }
NodeRef real_zeros(const NodeRef& part) { return zeros(part->type); }

// 1 / |x|, and 1 where that is infinite: what it scales is zero there.
NodeRef inverse_size(const Node& n, const NodeRef& size) {
  const NodeRef one = number(size->type, 1, n.lines);
  const NodeRef safe = choose(op(Op::equal, size, zeros(size->type), n.lines), one, size, n.lines);
  return op(Op::divide, one, safe, n.lines);
}

// ---- abs
NodeRef abs_jvp(const Node& n, Tangents t) {
  if (!of_complex(n)) return op(Op::multiply, t[0], op(Op::sign, x_of(n), n.lines), n.lines);
  const NodeRef turned = op(Op::multiply, t[0], op(Op::conj, x_of(n), n.lines), n.lines);
  return op(Op::multiply, op(Op::real, turned, n.lines), inverse_size(n, NodeRef(&n)), n.lines);
}
NodeRef abs_vjp(const Node& n, size_t, const NodeRef& c) {
  if (!of_complex(n)) return op(Op::multiply, c, op(Op::sign, x_of(n), n.lines), n.lines);
  const NodeRef scale = op(Op::multiply, c, inverse_size(n, NodeRef(&n)), n.lines);
  const NodeRef whole = op(Op::complex, scale, real_zeros(scale), n.lines);
  return op(Op::multiply, whole, op(Op::conj, x_of(n), n.lines), n.lines);
}

// ---- sign: of complex x it is s = x / |x|, whose tangent is (t - s Re(conj(s) t)) / |x|.
NodeRef turned_only(const Node& n, const NodeRef& t, const NodeRef& s) {
  const NodeRef size = op(Op::abs, x_of(n), n.lines);
  const NodeRef along = op(Op::real, op(Op::multiply, op(Op::conj, s, n.lines), t, n.lines), n.lines);
  const NodeRef outward = op(Op::multiply, s, op(Op::complex, along, real_zeros(along), n.lines), n.lines);
  const NodeRef scale = choose(op(Op::equal, size, zeros(size->type), n.lines), zeros(size->type),
                               inverse_size(n, size), n.lines);
  return op(Op::multiply, op(Op::subtract, t, outward, n.lines),
            op(Op::complex, scale, real_zeros(scale), n.lines), n.lines);
}
NodeRef sign_jvp(const Node& n, Tangents t) {
  return of_complex(n) ? turned_only(n, t[0], NodeRef(&n)) : NodeRef();
}
NodeRef sign_vjp(const Node& n, size_t, const NodeRef& c) {
  return of_complex(n) ? turned_only(n, c, op(Op::conj, NodeRef(&n), n.lines)) : NodeRef();
}

// ---- complex parts
NodeRef real_jvp(const Node& n, Tangents t) { return op(Op::real, t[0], n.lines); }
NodeRef real_vjp(const Node& n, size_t, const NodeRef& c) {
  return of_complex(n) ? op(Op::complex, c, real_zeros(c), n.lines) : c;
}
NodeRef imag_jvp(const Node& n, Tangents t) {
  return of_complex(n) ? op(Op::imag, t[0], n.lines) : NodeRef();
}
NodeRef imag_vjp(const Node& n, size_t, const NodeRef& c) {
  return of_complex(n) ? op(Op::complex, real_zeros(c), op(Op::negative, c, n.lines), n.lines) : NodeRef();
}
NodeRef complex_jvp(const Node& n, Tangents t) {
  return op(Op::complex, or_zeros(t[0], x_of(n)->type), or_zeros(t[1], x_of(n)->type), n.lines);
}
NodeRef complex_vjp(const Node& n, size_t input, const NodeRef& c) {
  const NodeRef part = op(input == 0 ? Op::real : Op::imag, c, n.lines);
  const NodeRef own = input == 0 ? part : op(Op::negative, part, n.lines);
  return ir::cast(own, x_of(n)->dtype(), n.lines);
}
NodeRef conj_jvp(const Node& n, Tangents t) { return of_complex(n) ? op(Op::conj, t[0], n.lines) : t[0]; }
NodeRef conj_vjp(const Node& n, size_t, const NodeRef& c) {
  return of_complex(n) ? op(Op::conj, c, n.lines) : c;
}

// ---- choice and conversion
NodeRef select_jvp(const Node& n, Tangents t) {
  return choose(n.inputs[0], or_zeros(t[1], n.type), or_zeros(t[2], n.type), n.lines);
}
NodeRef select_vjp(const Node& n, size_t input, const NodeRef& c) {
  return input == 1 ? choose(n.inputs[0], c, zeros(n.type), n.lines)
                    : choose(n.inputs[0], zeros(n.type), c, n.lines);
}
NodeRef cast_jvp(const Node& n, Tangents t) { return ir::cast(t[0], n.dtype(), n.lines); }
// Complex numbers lose their imaginary part either way.
NodeRef cast_vjp(const Node& n, size_t, const NodeRef& c) { return ir::cast(c, x_of(n)->dtype(), n.lines); }

// ---- functions of scalars: the derivatives of a result by each argument are functions, too
NodeRef partial(const Node& n, size_t argument, DType of) {
  const int number =
      partial_number(*ir::function_of(n), static_cast<size_t>(n.as<ir::ApplyAttr>().result), argument);
  if (number < 0) return {};
  const NodeRef found = ir::make(Op::apply, std::span<const NodeRef>(n.inputs.begin(), n.inputs.size()),
                                 ir::ApplyAttr{partials(ir::function_of(n)), number}, {}, n.lines);
  return ir::cast(found, of, n.lines);
}
NodeRef apply_jvp(const Node& n, Tangents t) {
  NodeRef total;
  for (size_t i = 0; i < t.size(); ++i) {
    const NodeRef by = t[i] ? partial(n, i, n.dtype()) : NodeRef();
    if (!by) continue;
    NodeRef part = op(Op::multiply, by, ir::cast(t[i], n.dtype(), n.lines), n.lines);
    total = total ? op(Op::add, total, part, n.lines) : std::move(part);
  }
  return total;
}
NodeRef apply_vjp(const Node& n, size_t input, const NodeRef& c) {
  const NodeRef by = partial(n, input, n.dtype());
  return by ? ir::cast(op(Op::multiply, by, c, n.lines), n.inputs[input]->dtype(), n.lines) : NodeRef();
}

}  // namespace

const Rule* rule_of_map(Op op) {
  static constexpr Rule kAbs{abs_jvp, abs_vjp}, kSign{sign_jvp, sign_vjp}, kReal{real_jvp, real_vjp},
      kImag{imag_jvp, imag_vjp}, kComplex{complex_jvp, complex_vjp}, kConj{conj_jvp, conj_vjp},
      kSelect{select_jvp, select_vjp}, kCast{cast_jvp, cast_vjp}, kApply{apply_jvp, apply_vjp};
  switch (op) {
    case Op::abs:
      return &kAbs;
    case Op::sign:
      return &kSign;
    case Op::real:
      return &kReal;
    case Op::imag:
      return &kImag;
    case Op::complex:
      return &kComplex;
    case Op::conj:
      return &kConj;
    case Op::select:
      return &kSelect;
    case Op::cast:
      return &kCast;
    case Op::apply:
      return &kApply;
    default:
      return nullptr;
  }
}

}  // namespace weft::derive
