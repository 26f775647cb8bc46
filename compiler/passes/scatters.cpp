#include "compiler/passes/scatters.h"

#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "compiler/ir/build.h"
#include "compiler/machine/machine.h"
#include "compiler/machine/tuning.h"

namespace weft::passes {

using ir::Node;
using ir::NodeRef;
using ir::Op;

namespace {

// Storing without an order takes all elements once, and those of each step twice, and launches more. On a GPU, a
// row that is stored element by element takes as long as moving many bytes for each.
bool worth_steps(const Node& scatter, int64_t bytes_of_steps, int64_t steps) {
  const int64_t ordered = scatter.inputs[2]->shape()[static_cast<size_t>(scatter.as<ir::AxisAttr>().axis)];
  const int64_t moved = element_count(scatter.shape()) *
                        (2 * static_cast<int64_t>(size_of(scatter.dtype())) + 2 * bytes_of_steps);
  return ordered < INT32_MAX && ordered > (moved + steps * tuning::kLaunch) / tuning::kOrderedStore;
}

// Atomic additions to one address wait for each other. Where there are few elements, each has several words, which are
// summed afterwards: so many that this many addresses are added to, and a word for each lane of two warps at most.
constexpr int64_t kManyAddresses = 1 << 14, kMostWords = 64, kFewestOfWord = 16;
int64_t words_of_element(const Node& scatter) {
  const int64_t elements = element_count(scatter.shape()), values = element_count(scatter.inputs[2]->shape());
  int64_t words = 1;
  while (words < kMostWords && elements * words < kManyAddresses &&
         values > elements * words * 2 * kFewestOfWord)
    words *= 2;
  return words;
}

// Makes the steps of one scatter.
class Maker {
 public:
  explicit Maker(const Node& scatter)
      : n_(scatter), axis_(scatter.as<ir::AxisAttr>().axis), words_(words_of_element(scatter)) {}

  ScatterSteps claims();
  ScatterSteps sums_of_integers();
  ScatterSteps sums_of_floats();

 private:
  NodeRef map(Op op, std::initializer_list<NodeRef> inputs) const {
    return ir::map(op, std::vector<NodeRef>(inputs), n_.lines);
  }
  NodeRef cast(const NodeRef& x, DType to) const { return ir::cast(x, to, n_.lines); }
  NodeRef bitcast(const NodeRef& x, DType to) const { return ir::bitcast(x, to, n_.lines); }
  template <class T>
  NodeRef all(T value, DType dtype, const Shape& shape) const {
    return ir::broadcast(ir::constant({dtype, {}}, Scalar::of(value).cast(dtype)), shape, n_.lines);
  }
  // The same number in every element of `like`.
  template <class T>
  NodeRef number(T value, const NodeRef& like) const {
    return all(value, like->dtype(), like->shape());
  }
  // For each element of the result, the largest or the sum of what goes there; 0 where nothing does.
  NodeRef gathered(Op op, const NodeRef& values, std::string_view what, std::string_view says);
  // 2 to the power j, which is a normal number's.
  NodeRef power_of_two(const NodeRef& j) const {
    return bitcast(
        map(Op::bitwise_left_shift, {map(Op::add, {j, number(int64_t{1023}, j)}), number(int64_t{52}, j)}),
        DType::F64);
  }
  // x * 2 to the power k, whose halves are normal numbers' exponents; so a step is rounded only where it leaves the range.
  NodeRef scaled(const NodeRef& x, const NodeRef& k) const {
    const NodeRef half = map(Op::bitwise_right_shift, {k, number(int64_t{1}, k)});
    return map(Op::multiply,
               {map(Op::multiply, {x, power_of_two(half)}), power_of_two(map(Op::subtract, {k, half}))});
  }

  const Node& n_;
  int64_t axis_, words_;
  ScatterSteps out_;
};

NodeRef Maker::gathered(Op op, const NodeRef& values, std::string_view what, std::string_view says) {
  Shape shape = n_.shape();
  const auto axis = static_cast<size_t>(axis_);
  const int64_t extent = shape[axis];
  NodeRef index = n_.inputs[1];
  if (words_ > 1) {
    const NodeRef word =
        map(Op::bitwise_and, {ir::iota({DType::I64, index->shape()}, axis_), number(words_ - 1, index)});
    index = map(Op::add, {map(Op::multiply, {index, number(words_, index)}), word});
    shape[axis] = extent * words_;
  }
  NodeRef scatter = ir::scatter(op, all(int64_t{0}, values->dtype(), shape), index, values, axis_, n_.lines);
  out_.steps.push_back({scatter, what, says});
  if (words_ == 1) return scatter;
  Shape apart;
  for (size_t k = 0; k < shape.size(); ++k) {
    apart.push_back(k == axis ? extent : shape[k]);
    if (k == axis) apart.push_back(words_);
  }
  const NodeRef total = ir::reduce(op == Op::scatter_add ? Op::sum : Op::max,
                                   ir::reshape(scatter, apart, n_.lines), {axis_ + 1}, n_.lines);
  out_.steps.push_back({total, what, says});
  return total;
}

// The last of equal indices stays, whatever runs first: each element is claimed by the largest position
// whose value goes there, and takes that.
ScatterSteps Maker::claims() {
  const NodeRef &x = n_.inputs[0], &index = n_.inputs[1], &values = n_.inputs[2];
  Shape claimed = index->shape();
  claimed[static_cast<size_t>(axis_)] = n_.shape()[static_cast<size_t>(axis_)];
  const NodeRef at = ir::iota({DType::I32, index->shape()}, axis_);
  const NodeRef claims = ir::scatter(Op::scatter, all(int64_t{0}, DType::I32, claimed), index,
                                     map(Op::add, {at, number(int64_t{1}, at)}), axis_, n_.lines);
  const NodeRef before = cast(map(Op::subtract, {claims, number(int64_t{1}, claims)}), DType::I64);
  const NodeRef taken =
      ir::broadcast(map(Op::greater, {claims, number(int64_t{0}, claims)}), n_.shape(), n_.lines);
  out_.steps.push_back({claims, "claims", "which value each element of {} takes"});
  out_.result = map(Op::select, {taken, ir::gather(values, before, axis_, n_.lines), x});
  return std::move(out_);
}

// Of integers no order changes the sum. Those narrower than what a GPU adds are summed in words.
ScatterSteps Maker::sums_of_integers() {
  const DType dtype = size_of(n_.dtype()) < 4 ? DType::I32 : n_.dtype();
  const NodeRef sums = gathered(Op::scatter_add, cast(n_.inputs[2], dtype), "sums", "sums of {}");
  out_.result = map(Op::add, {n_.inputs[0], cast(sums, n_.dtype())});
  return std::move(out_);
}

// Of floats every order gives another sum, so they are added as integers: as multiples of a power of two that the largest
// exponent of what goes to an element decides. The words of 64 bits have room for the carries of `count` values above the
// bits of one; what is below the first word's bits is in a second one. So a sum has some 70 bits below the largest value's
// first, more than any order gives. Where an infinity or a NaN goes, the words count those that pull up and down.
ScatterSteps Maker::sums_of_floats() {
  const NodeRef &x = n_.inputs[0], &index = n_.inputs[1];
  const NodeRef values = cast(n_.inputs[2], DType::F64);
  const auto count = static_cast<uint64_t>(values->shape()[static_cast<size_t>(axis_)]);
  const int64_t bits = 62 - static_cast<int64_t>(std::bit_width(count));
  constexpr int64_t kBias = 1023, kSpecial = 2048;
  const NodeRef field = map(Op::bitwise_right_shift, {bitcast(map(Op::abs, {values}), DType::I64),
                                                      all(int64_t{52}, DType::I64, values->shape())});
  // 0: nothing goes there
  const NodeRef largest =
      gathered(Op::scatter, cast(map(Op::add, {field, number(int64_t{1}, field)}), DType::I32), "exponents",
               "the largest exponent of what is added to each element of {}");
  const auto exponent_for = [&](const NodeRef& own) {
    return map(Op::subtract, {number(bits + kBias, own), own});
  };
  const auto is_special = [&](const NodeRef& own) { return map(Op::equal, {own, number(kSpecial, own)}); };

  const NodeRef own = cast(ir::gather(largest, index, axis_, n_.lines), DType::I64);
  const NodeRef multiple = scaled(values, exponent_for(own));
  const NodeRef whole = map(Op::trunc, {multiple});
  const NodeRef rest = map(Op::multiply, {map(Op::subtract, {multiple, whole}),
                                          number(std::ldexp(1.0, static_cast<int>(bits)), multiple)});
  const auto pulls = [&](double where) {
    const NodeRef there = map(Op::equal, {values, number(where, values)});
    return cast(map(Op::logical_or, {there, map(Op::isnan, {values})}), DType::I64);
  };
  const auto word = [&](const NodeRef& part, double where) {
    return map(Op::select, {is_special(own), pulls(where), cast(part, DType::I64)});
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const NodeRef high =
      gathered(Op::scatter_add, word(whole, kInfinity), "sums", "sums of {}, the upper bits");
  const NodeRef low =
      gathered(Op::scatter_add, word(rest, -kInfinity), "sums below", "sums of {}, the lower bits");

  const NodeRef most = cast(largest, DType::I64);
  const NodeRef below = cast(low, DType::F64);
  const NodeRef both =
      map(Op::add, {cast(high, DType::F64),
                    map(Op::multiply, {below, number(std::ldexp(1.0, -static_cast<int>(bits)), below)})});
  const NodeRef sum = scaled(both, map(Op::negative, {exponent_for(most)}));
  const NodeRef up = map(Op::greater, {high, number(int64_t{0}, high)});
  const NodeRef down = map(Op::greater, {low, number(int64_t{0}, low)});
  const NodeRef special = map(
      Op::select,
      {up,
       map(Op::select, {down, number(std::numeric_limits<double>::quiet_NaN(), sum), number(kInfinity, sum)}),
       number(-kInfinity, sum)});
  const NodeRef added =
      map(Op::add, {cast(x, DType::F64), map(Op::select, {is_special(most), special, sum})});
  out_.result =
      map(Op::select, {map(Op::greater, {most, number(int64_t{0}, most)}), cast(added, n_.dtype()), x});
  return std::move(out_);
}

}  // namespace

// A GPU adds words of 4 and 8 bytes.
ScatterOrder scatter_order(const Node& n, const Target& target) {
  if (!machine::is_gpu(target)) return ScatterOrder::Kept;
  const auto steps_if = [](bool worth) { return worth ? ScatterOrder::Steps : ScatterOrder::Kept; };
  if (n.op == Op::scatter) return steps_if(worth_steps(n, 4, 1));
  if (n.op == Op::scatter_distinct) return ScatterOrder::Any;
  if (is_float(n.dtype())) return steps_if(worth_steps(n, 20, 3));
  if (!is_integer(n.dtype())) return ScatterOrder::Kept;
  return size_of(n.dtype()) < 4 || words_of_element(n) > 1 ? ScatterOrder::Steps : ScatterOrder::Any;
}

ScatterSteps scatter_steps(const Node& n) {
  Maker maker(n);
  if (n.op == Op::scatter) return maker.claims();
  return is_integer(n.dtype()) ? maker.sums_of_integers() : maker.sums_of_floats();
}

}  // namespace weft::passes
