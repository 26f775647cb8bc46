// Sums of products over named axes. tests/python/test_einsum.py compares random subscripts with NumPy.
#include <gmock/gmock.h>

#include "tests/support/test_session.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Einsum : public testing::Test {
 protected:
  TestSession session_{1 << 20};
  const Array a_ = from({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}).reshape({2, 3});
  const Array square_ = from({1.0, 2.0, 3.0, 4.0}).reshape({2, 2});
};

std::vector<double> doubles(const Array& x) { return x.astype(DType::F64).to_vector<double>(); }

TEST_F(Einsum, ProductsTracesAndSums) {
  EXPECT_THAT(doubles(einsum("ij,kj->ik", {a_, a_})), ElementsAre(14, 32, 32, 77));
  EXPECT_THAT(doubles(einsum("ij, jk", {square_, a_})), ElementsAre(9, 12, 15, 19, 26, 33));
  EXPECT_EQ(doubles(einsum("ii", {square_})), std::vector<double>{5});
  EXPECT_THAT(doubles(einsum("ij->j", {a_})), ElementsAre(5, 7, 9));
  EXPECT_THAT(doubles(einsum("...j->...", {a_})), ElementsAre(6, 15));
  EXPECT_THAT(doubles(einsum("i,j->ij", {a_[0], from({10.0, 20.0})})), ElementsAre(10, 20, 20, 40, 30, 60));
  EXPECT_THAT(doubles(einsum("ij,j,i->i", {a_, from({1.0, 0.0, 1.0}), from({2.0, 3.0})})),
              ElementsAre(8, 30));
  EXPECT_THAT(doubles(einsum("bij,bjk->bik", {ones({2, 1, 3}), ones({2, 3, 1})})), ElementsAre(3, 3));
  EXPECT_EQ(einsum("ij,jk->ik", {zeros({2, 0}), zeros({0, 3})}).shape(), (Shape{2, 3}));
  EXPECT_EQ(einsum("i,i->", {arange(3), from({0.5, 0.5, 0.5})}).dtype(), DType::F64);
}

TEST_F(Einsum, OneOperandOfWhichNothingIsSummedIsAView) {
  Array x = square_.copy();
  einsum("ii->i", {x}).assign(7.0);
  einsum("ij->ji", {x})(0, 1).assign(9.0);
  EXPECT_THAT(doubles(x), ElementsAre(7, 2, 9, 7));
}

TEST_F(Einsum, HasDerivativesAndRunsCompiled) {
  EXPECT_THAT(doubles(grad([&](const Array& x) { return einsum("ij,j->", {a_, x}); })(ones({3}))),
              ElementsAre(5, 7, 9));
  const std::vector<Array> shapes{zeros({3})}, values{ones({3})};
  const Compiled f(shapes,
                   [&](std::span<const Array> xs) { return std::vector{einsum("ij,j->i", {a_, xs[0]})}; });
  EXPECT_THAT(doubles(f(values)[0]), ElementsAre(6, 15));
}

// What is made of other operations comes from the line that asked for it.
TEST_F(Einsum, IsExplainedByItsCallersLine) {
  const auto line = std::source_location::current().line() + 1;
  const Array x = einsum("ij,ij->i", {a_, a_}) + sort(a_[0])[0] + searchsorted(a_[0], 2.5);
  const std::string text = explain(x);
  EXPECT_THAT(text, HasSubstr("einsum_test.cpp:" + std::to_string(line)));
  EXPECT_THAT(text, testing::Not(testing::AnyOf(HasSubstr("ops/einsum.cpp"), HasSubstr("ops/sorting.cpp"))));
}

TEST_F(Einsum, SaysWhatDoesNotFit) {
  EXPECT_THAT(message_of([&] { einsum("ij->i", {a_, a_}); }),
              HasSubstr("einsum: takes as many operands as terms: got 2 for 'ij->i'"));
  EXPECT_THAT(message_of([&] { einsum("ijk->i", {a_}); }),
              HasSubstr("einsum: the term 'ijk' does not name the axes of shape (2, 3)"));
  EXPECT_THAT(message_of([&] { einsum("i1->i", {a_}); }), HasSubstr("einsum: axes are named by letters"));
  EXPECT_THAT(message_of([&] { einsum("ij->k", {a_}); }),
              HasSubstr("einsum: the result's axes must be different and named"));
  EXPECT_THAT(message_of([&] { einsum("...j->j", {a_}); }),
              HasSubstr("an operand has axes that '...' stands for"));
  EXPECT_THAT(message_of([&] { einsum("ij,ij->i", {a_, square_}); }),
              HasSubstr("einsum: the extents of 'j' differ: got 3 and 2"));
  EXPECT_THAT(message_of([&] { einsum("ii", {a_}); }),
              HasSubstr("einsum: the extents of 'i' differ: got 2 and 3"));
}

}  // namespace
}  // namespace weft
