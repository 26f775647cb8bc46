// Sums of products over named axes, two operands after the other: each pair is one batched matrix product, or one of
// elements where nothing is summed.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/error.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/products.h"
#include "frontend/cpp/weft/reductions.h"
#include "frontend/cpp/weft/shaping.h"

namespace weft {
namespace {

// A letter, or below zero an axis of "...", by its place from the end.
using Label = int;
using Labels = std::vector<Label>;

bool has(const Labels& labels, Label one) {
  return std::find(labels.begin(), labels.end(), one) != labels.end();
}
size_t place_of(const Labels& labels, Label one) {
  return static_cast<size_t>(std::find(labels.begin(), labels.end(), one) - labels.begin());
}
std::string spelled(Label one) {
  return one < 0 ? "..." : "'" + std::string(1, static_cast<char>(one)) + "'";
}

Labels operator+(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
template <class F>
Labels those(const Labels& labels, F&& f) {
  Labels result;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(result), f);
  return result;
}

// An operand or what was made of some: an array and the names of its axes.
struct Named {
  Array x;
  Labels labels;
  int64_t extent(Label one) const { return x.shape()[place_of(labels, one)]; }
};

struct Parsed {
  std::vector<Labels> operands;
  Labels result;
};

class Parser {
 public:
  Parser(std::string_view subscripts, std::span<const Array> xs) : given_(subscripts) {
    std::copy_if(given_.begin(), given_.end(), std::back_inserter(text_), [](char c) { return c != ' '; });
    const size_t arrow = text_.find("->");
    const std::vector<std::string> terms = split(text_.substr(0, arrow));
    if (terms.size() != xs.size()) {
      throw Error("einsum: takes as many operands as terms: got " + std::to_string(xs.size()) + " for " +
                  quoted(given_));
    }
    for (size_t i = 0; i < terms.size(); ++i) parsed_.operands.push_back(operand(terms[i], xs[i].shape()));
    parsed_.result = arrow == std::string::npos ? once() : term(text_.substr(arrow + 2), most_);
    if (arrow != std::string::npos && most_ > 0 && text_.find("...", arrow) == std::string::npos) {
      throw Error("einsum: an operand has axes that '...' stands for, and so must the result: got " +
                  quoted(given_));
    }
    check_result();
  }
  Parsed result() && { return std::move(parsed_); }

 private:
  static std::string quoted(const std::string& text) { return "'" + text + "'"; }
  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> terms(1);
    for (const char c : text)
      if (c == ',') {
        terms.emplace_back();
      } else {
        terms.back() += c;
      }
    return terms;
  }

  // `open`: how many axes "..." stands for.
  Labels term(const std::string& text, int open) const {
    Labels labels;
    bool dots = false;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (!dots && text.compare(i, 3, "...") == 0) {
        for (int axis = -open; axis < 0; ++axis) labels.push_back(axis);
        dots = true, i += 2;
      } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        labels.push_back(c);
      } else {
        throw Error("einsum: axes are named by letters, and others stand for by '...': got " +
                    quoted(given_));
      }
    }
    return labels;
  }

  Labels operand(const std::string& text, const Shape& shape) {
    const bool dots = text.find("...") != std::string::npos;
    const auto letters = static_cast<int>(term(text, 0).size());
    const int open = static_cast<int>(shape.size()) - letters;
    if (dots ? open < 0 : open != 0) {
      throw Error("einsum: the term " + quoted(text) + " does not name the axes of shape " +
                  to_string(shape));
    }
    most_ = std::max(most_, open);
    return term(text, open);
  }

  Labels once() const {
    std::map<Label, int> times;
    for (const Labels& labels : parsed_.operands)
      for (const Label one : labels) ++times[one];
    Labels result;
    for (const auto& [label, count] : times)
      if (label < 0 || count == 1) result.push_back(label);
    return result;
  }

  void check_result() const {
    for (const Label one : parsed_.result) {
      const bool known = std::any_of(parsed_.operands.begin(), parsed_.operands.end(),
                                     [&](const Labels& labels) { return has(labels, one); });
      if (!known || std::count(parsed_.result.begin(), parsed_.result.end(), one) > 1) {
        throw Error("einsum: the result's axes must be different and named by an operand: got " +
                    quoted(given_));
      }
    }
  }

  std::string given_, text_;
  int most_ = 0;
  Parsed parsed_;
};

Named ordered(const Named& v, const Labels& labels) {
  if (labels == v.labels) return v;
  Dims axes;
  for (const Label one : labels) axes.push_back(static_cast<int64_t>(place_of(v.labels, one)));
  return {permute_dims(v.x, axes), labels};
}

// The diagonal that a label stands for which an operand has twice.
Named without_repeats(Named v) {
  for (size_t i = 0; i < v.labels.size(); ++i) {
    const Label label = v.labels[i];
    if (std::count(v.labels.begin() + static_cast<std::ptrdiff_t>(i), v.labels.end(), label) < 2) continue;
    const size_t second = static_cast<size_t>(
        std::find(v.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, v.labels.end(), label) -
        v.labels.begin());
    if (v.x.shape()[i] != v.x.shape()[second]) {
      throw Error("einsum: the extents of " + spelled(label) + " differ: got " +
                  std::to_string(v.x.shape()[i]) + " and " + std::to_string(v.x.shape()[second]));
    }
    Dims axes;
    Labels labels;
    for (size_t k = 0; k < v.labels.size(); ++k) {
      if (k == i || k == second) continue;
      axes.push_back(static_cast<int64_t>(k));
      labels.push_back(v.labels[k]);
    }
    axes.push_back(static_cast<int64_t>(i)), axes.push_back(static_cast<int64_t>(second));
    labels.push_back(label);
    v = {diagonal(permute_dims(v.x, axes)), std::move(labels)};
    i = static_cast<size_t>(-1);  // its axes have other places now
  }
  return v;
}

// Summed in the array's own dtype.
Named summed(const Named& v, const Labels& gone) {
  if (gone.empty()) return v;
  Dims axes;
  for (const Label one : gone) axes.push_back(static_cast<int64_t>(place_of(v.labels, one)));
  return {sum(v.x, Axes(axes)).astype(v.x.dtype()),
          those(v.labels, [&](Label one) { return !has(gone, one); })};
}

class Contraction {
 public:
  // `kept`: what later operands or the result need.
  Contraction(const Named& a, const Named& b, const Labels& kept)
      : a_(alone(a, b, kept)), b_(alone(b, a, kept)) {
    for (const Named* v : {&a_, &b_})
      for (const Label one : v->labels) join(one, v->extent(one));
    batch_ = those(a_.labels, [&](Label one) { return has(b_.labels, one) && has(kept, one); });
    summed_ = those(a_.labels, [&](Label one) { return has(b_.labels, one) && !has(kept, one); });
    rows_ = those(a_.labels, [&](Label one) { return !has(b_.labels, one); });
    columns_ = those(b_.labels, [&](Label one) { return !has(a_.labels, one); });
  }

  Named result() const {
    const Labels shared = batch_ + summed_;
    const bool broadcasts = std::any_of(shared.begin(), shared.end(),
                                        [&](Label one) { return a_.extent(one) != b_.extent(one); });
    if (broadcasts || summed_.empty()) {
      // A product of elements, which fuses.
      const Labels order = batch_ + rows_ + columns_ + summed_;
      return weft::summed({placed(a_, order) * placed(b_, order), order}, summed_);
    }
    const Array product = matmul(matrix(a_, rows_, summed_), matrix(b_, summed_, columns_));
    const Labels order = batch_ + rows_ + columns_;
    return {shaped(product, extents(order)), order};
  }

 private:
  static Named alone(const Named& v, const Named& other, const Labels& kept) {
    return weft::summed(
        v, those(v.labels, [&](Label one) { return !has(other.labels, one) && !has(kept, one); }));
  }

  void join(Label one, int64_t extent) {
    int64_t& known = extents_.try_emplace(one, 1).first->second;
    if (known != 1 && extent != 1 && extent != known) {
      throw Error("einsum: the extents of " + spelled(one) + " differ: got " + std::to_string(known) +
                  " and " + std::to_string(extent));
    }
    if (known == 1) known = extent;
  }

  Shape extents(const Labels& labels) const {
    Shape shape;
    for (const Label one : labels) shape.push_back(extents_.at(one));
    return shape;
  }
  static Array shaped(const Array& x, const Shape& shape) {
    return x.shape() == shape ? x : x.reshape(shape);
  }

  // The value with its axes in this order, extent 1 where it has none.
  static Array placed(const Named& v, const Labels& order) {
    Shape shape;
    for (const Label one : order) shape.push_back(has(v.labels, one) ? v.extent(one) : 1);
    return shaped(ordered(v, those(order, [&](Label one) { return has(v.labels, one); })).x, shape);
  }

  // Without a batch, a product takes vectors as they are.
  Array matrix(const Named& v, const Labels& first, const Labels& last) const {
    Shape shape = extents(batch_);
    for (const Labels* part : {&first, &last})
      if (!part->empty() || !batch_.empty()) shape.push_back(element_count(extents(*part)));
    return shaped(ordered(v, batch_ + first + last).x, shape);
  }

  Named a_, b_;
  std::map<Label, int64_t> extents_;
  Labels batch_, summed_, rows_, columns_;
};

}  // namespace

Array einsum(std::string_view subscripts, std::span<const Array> xs, Where at) {
  const LineScope scope(at);
  const Parsed parsed = Parser(subscripts, xs).result();
  DType common = xs[0].dtype();
  for (const Array& x : xs) common = promote(common, x.dtype());
  std::vector<Named> values;
  values.reserve(xs.size());
  for (size_t i = 0; i < xs.size(); ++i)
    values.push_back(
        without_repeats({xs[i].dtype() == common ? xs[i] : xs[i].astype(common), parsed.operands[i]}));
  Named result = values[0];
  for (size_t i = 1; i < values.size(); ++i) {
    Labels kept = parsed.result;
    for (size_t later = i + 1; later < values.size(); ++later) kept = kept + values[later].labels;
    result = Contraction(result, values[i], kept).result();
  }
  result = summed(result, those(result.labels, [&](Label one) { return !has(parsed.result, one); }));
  return ordered(result, parsed.result).x;
}

}  // namespace weft
