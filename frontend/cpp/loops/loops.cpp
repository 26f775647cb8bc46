#include "frontend/cpp/weft/loops.h"

#include <iterator>

#include "compiler/base/error.h"
#include "frontend/cpp/array/read.h"
#include "frontend/cpp/loops/body.h"
#include "frontend/cpp/weft/ops.h"

namespace weft {
namespace {

using ir::NodeRef;

ir::TensorType type_of(const Array& x) { return {x.dtype(), x.shape()}; }

std::vector<Array> both(std::span<const Array> a, std::span<const Array> b) {
  std::vector<Array> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// Operands, and then what the bodies captured.
std::vector<NodeRef> operands_of(std::span<const Array> arrays, const ir::Closed& closed) {
  std::vector<NodeRef> nodes;
  nodes.reserve(arrays.size() + closed.captured.size());
  for (const Array& x : arrays) nodes.push_back(detail::read(x, {}));
  nodes.insert(nodes.end(), closed.captured.begin(), closed.captured.end());
  return nodes;
}

// What a body gives for what it carries.
void check_carried(std::string_view op, std::span<const Array> made, std::span<const Array> init) {
  if (made.size() != init.size())
    throw Error(std::string(op) + ": the body gives as many values as it carries: got " +
                std::to_string(made.size()) + " for " + std::to_string(init.size()));
  const auto text = [](const Array& x) { return std::string(name(x.dtype())) + to_string(x.shape()); };
  for (size_t i = 0; i < made.size(); ++i)
    if (type_of(made[i]) != type_of(init[i]))
      throw TypeError(std::string(op) + ": what is carried keeps its dtype and its shape: carried value " +
                      std::to_string(i) + " is " + text(init[i]) + ": got " + text(made[i]));
}

int64_t length_of(std::span<const Array> xs, const ScanOptions& options) {
  std::optional<int64_t> length = options.length;
  if (length && *length < 0) throw Error("scan: length is not negative: got " + std::to_string(*length));
  for (const Array& x : xs) {
    if (x.ndim() == 0)
      throw Error("scan: what is scanned has a first axis: got a number of dtype " +
                  std::string(name(x.dtype())));
    if (length && *length != x.shape()[0])
      throw Error("scan: what is scanned has one extent along its first axis, the length: got " +
                  std::to_string(x.shape()[0]) + " for " + std::to_string(*length));
    length = x.shape()[0];
  }
  if (!length) throw Error("scan: takes something to scan, or a length: got neither");
  return *length;
}

// One value of an integer dtype that an i64 holds.
Array whole_number_of(std::string_view op, const char* what, const Array& x) {
  if (x.ndim() != 0 || !(is_integer(x.dtype()) || x.dtype() == DType::Bool))
    throw TypeError(std::string(op) + ": " + what + " is one integer: got " + std::string(name(x.dtype())) +
                    to_string(x.shape()));
  return x.dtype() == DType::I64 ? x : x.astype(DType::I64);
}

// The operands' types as inputs of bodies.
void add_places(detail::Bodies& bodies, const char* name, std::span<const Array> arrays) {
  for (size_t i = 0; i < arrays.size(); ++i) bodies.add_place(name + std::to_string(i), type_of(arrays[i]));
}

std::vector<Array> chosen(std::string_view op, const Array& index, std::span<const ArrayFunction> branches,
                          std::span<const Array> operands, Where at) {
  const std::vector<Array> all = both({&index, 1}, operands);
  detail::DeviceSlot& device = detail::loop_device(op, all);
  detail::Bodies bodies(op, device);
  add_places(bodies, "x", operands);
  for (const ArrayFunction& branch : branches) bodies.call(branch);
  ir::Closed closed = bodies.close();
  ir::Loop loop;
  loop.op = ir::Op::branch;
  loop.bodies = std::move(closed.bodies);
  return detail::run_loop(device, std::move(loop), operands_of(all, closed), detail::lines_at(at));
}

}  // namespace

Scanned scan(const ScanBody& body, std::span<const Array> init, std::span<const Array> xs,
             const ScanOptions& options, Where at) {
  ir::Loop loop;
  loop.op = ir::Op::scan;
  loop.carries = init.size(), loop.sliced = xs.size();
  loop.length = length_of(xs, options);
  loop.reverse = options.reverse;
  const std::vector<Array> all = both(init, xs);
  detail::DeviceSlot& device = detail::loop_device("scan", all);
  detail::Bodies bodies("scan", device);
  add_places(bodies, "c", init);
  for (size_t i = 0; i < xs.size(); ++i) {
    const Shape& shape = xs[i].shape();
    bodies.add_place("x" + std::to_string(i),
                     {xs[i].dtype(), Shape(std::span(shape.begin() + 1, shape.end()))});
  }
  bodies.add_turn();
  bodies.call([&](std::span<const Array> places) {
    Scanned made = body(places.first(init.size()), places.subspan(init.size(), xs.size()));
    check_carried("scan", made.carry, init);
    return both(made.carry, made.ys);
  });
  ir::Closed closed = bodies.close();
  loop.bodies = std::move(closed.bodies);
  std::vector<Array> results =
      detail::run_loop(device, std::move(loop), operands_of(all, closed), detail::lines_at(at));
  const auto end = results.begin() + static_cast<std::ptrdiff_t>(init.size());
  return {{std::make_move_iterator(results.begin()), std::make_move_iterator(end)},
          {std::make_move_iterator(end), std::make_move_iterator(results.end())}};
}

std::vector<Array> while_loop(const Condition& condition, const ArrayFunction& body,
                              std::span<const Array> init, Where at) {
  detail::DeviceSlot& device = detail::loop_device("while_loop", init);
  detail::Bodies bodies("while_loop", device);
  add_places(bodies, "c", init);
  bodies.add_turn();
  bodies.call([&](std::span<const Array> places) -> std::vector<Array> {
    const Array again = condition(places.first(init.size()));
    if (again.ndim() != 0 || again.dtype() != DType::Bool)
      throw TypeError("while_loop: the condition gives one bool: got " + std::string(name(again.dtype())) +
                      to_string(again.shape()));
    return {again};
  });
  bodies.call([&](std::span<const Array> places) {
    std::vector<Array> made = body(places.first(init.size()));
    check_carried("while_loop", made, init);
    return made;
  });
  ir::Closed closed = bodies.close();
  ir::Loop loop;
  loop.op = ir::Op::while_loop;
  loop.carries = init.size();
  loop.bodies = std::move(closed.bodies);
  return detail::run_loop(device, std::move(loop), operands_of(init, closed), detail::lines_at(at));
}

std::vector<Array> fori_loop(int64_t lower, int64_t upper, const ForBody& body, std::span<const Array> init,
                             Where at) {
  int64_t turns = 0;
  if (upper > lower && __builtin_sub_overflow(upper, lower, &turns))
    throw Error("fori_loop: has at most 2^63 - 1 turns: got " + std::to_string(lower) + " and " +
                std::to_string(upper));
  ir::Loop loop;
  loop.op = ir::Op::scan;
  loop.carries = init.size();
  loop.length = turns;
  detail::DeviceSlot& device = detail::loop_device("fori_loop", init);
  detail::Bodies bodies("fori_loop", device);
  add_places(bodies, "c", init);
  bodies.add_turn();
  bodies.call([&](std::span<const Array> places) {
    const Array& turn = places.back();
    std::vector<Array> made = body(lower == 0 ? turn : turn + lower, places.first(init.size()));
    check_carried("fori_loop", made, init);
    return made;
  });
  ir::Closed closed = bodies.close();
  loop.bodies = std::move(closed.bodies);
  return detail::run_loop(device, std::move(loop), operands_of(init, closed), detail::lines_at(at));
}

std::vector<Array> fori_loop(const Array& lower, const Array& upper, const ForBody& body,
                             std::span<const Array> init, Where at) {
  const Array first = whole_number_of("fori_loop", "lower", lower),
              last = whole_number_of("fori_loop", "upper", upper);
  std::vector<Array> carried{first};
  carried.insert(carried.end(), init.begin(), init.end());
  const auto turn = [&](std::span<const Array> c) {
    std::vector<Array> made = body(c[0].copy(), c.subspan(1));
    check_carried("fori_loop", made, init);
    made.insert(made.begin(), c[0] + 1);
    return made;
  };
  std::vector<Array> results =
      while_loop([&](std::span<const Array> c) { return less(c[0], last); }, turn, carried, at);
  results.erase(results.begin());
  return results;
}

std::vector<Array> cond(const Array& predicate, const ArrayFunction& if_true, const ArrayFunction& if_false,
                        std::span<const Array> operands, Where at) {
  if (predicate.ndim() != 0 || is_complex(predicate.dtype()))
    throw TypeError("cond: the predicate is one bool: got " + std::string(name(predicate.dtype())) +
                    to_string(predicate.shape()));
  const Array truth = predicate.dtype() == DType::Bool ? predicate : not_equal(predicate, 0);
  const ArrayFunction branches[] = {if_false, if_true};
  return chosen("cond", truth.astype(DType::I64), branches, operands, at);
}

std::vector<Array> switch_to(const Array& index, std::span<const ArrayFunction> branches,
                             std::span<const Array> operands, Where at) {
  if (branches.empty()) throw Error("switch: takes one branch at least: got none");
  return chosen("switch", whole_number_of("switch", "the index", index), branches, operands, at);
}

}  // namespace weft
