// What the assembler puts into a kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/emit/prelude/prelude.h"

namespace weft::emit {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PreludeText, HoldsWhatIsUsedAndWhatThatNeedsFirst) {
  std::string text = prelude_for(PreludeTarget::Cpu, 16, "x = weft_cast_f64_bf16(weft_load_f64(p));");
  size_t cast = text.find("weft_cast_f64_bf16("), odd = text.find("weft_odd_f32("),
         round = text.find("weft_round_bf16(");
  ASSERT_NE(cast, std::string::npos);
  ASSERT_NE(odd, std::string::npos);
  ASSERT_NE(round, std::string::npos);
  EXPECT_LT(odd, cast);
  EXPECT_LT(round, cast);
  EXPECT_THAT(text, Not(HasSubstr("weft_round_f16")));
  EXPECT_THAT(text, Not(HasSubstr("$")));
  EXPECT_THAT(text, Not(HasSubstr("//@")));
}

TEST(PreludeText, IsEmptyWhereNothingIsUsed) {
  EXPECT_EQ(prelude_for(PreludeTarget::Cuda, 0, "out[i] = a[i] + b[i];"), "");
  EXPECT_THAT(prelude_for(PreludeTarget::Cpu, 8, "out = a + b;"), Not(HasSubstr("weft_")));
}

TEST(PreludeText, NamesInCommentsAndInsideOfLongerNamesDoNotCount) {
  EXPECT_EQ(prelude_for(PreludeTarget::Cuda, 0, "// weft_exp_f32\nmy_weft_exp_f32(x); weft_exp_f32x(y);"),
            "");
}

TEST(PreludeText, EachFunctionComesOnce) {
  std::string text = prelude_for(PreludeTarget::Cuda, 0,
                                 "weft_sqrt_c64(z); weft_log_c64(z); weft_asin_c64(z); weft_sqrt_c64(w);");
  size_t first = text.find("c64 weft_sqrt_c64(c64 z) {");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("c64 weft_sqrt_c64(c64 z) {", first + 1), std::string::npos);
}

TEST(PreludeText, IsTheSameEveryTime) {
  const char* source = "weft_pow_c128(a, weft_tan_c128(b)); weft_join_argmax_f32(v, i);";
  EXPECT_EQ(prelude_for(PreludeTarget::Cpu, 8, source), prelude_for(PreludeTarget::Cpu, 8, source));
}

TEST(PreludeText, IsTheSameForThreadsThatAskForItFirst) {
  // 32 lanes are asked for nowhere else in this program.
  const char* source = "weft_pow_c128(a, weft_tan_c128(b)); weft_sin_f32(c); weft_cast_f64_bf16(d);";
  std::vector<std::string> texts(8);
  {
    std::vector<std::jthread> threads;
    for (std::string& text : texts)
      threads.emplace_back([&text, source] { text = prelude_for(PreludeTarget::Cpu, 32, source); });
  }
  EXPECT_THAT(texts[0], HasSubstr("weft_pow_c128("));
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

TEST(PreludeText, LanesMustBeAPowerOfTwoFromFourTo64) {
  for (int lanes : {0, 2, 12, 128})
    EXPECT_THROW(prelude_for(PreludeTarget::Cpu, lanes, ""), InternalError) << lanes;
  for (int lanes : {4, 8, 16, 32, 64})
    EXPECT_THAT(prelude_for(PreludeTarget::Cpu, lanes, ""),
                HasSubstr("#define L " + std::to_string(lanes) + "\n"));
}

TEST(PreludeText, KnowsWhatItLacks) {
  EXPECT_TRUE(has_prelude(PreludeTarget::Cpu, "weft_exp_f32"));
  EXPECT_FALSE(has_prelude(PreludeTarget::Cpu, "weft_nothing_f32"));
}

size_t count(std::string_view text, std::string_view what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(PreludeText, MasksLoadAndStoreRegistersOneAfterAnother) {
  const std::string load = prelude_for(PreludeTarget::Cpu, 16, "weft_load_masked_f64");
  EXPECT_EQ(count(load, "__builtin_ia32_loaddqudi512_mask("), 2u);
  EXPECT_EQ(count(load, "__builtin_shufflevector("), 1u);
  const std::string store = prelude_for(PreludeTarget::Cpu, 32, "weft_store_first_f64");
  EXPECT_EQ(count(store, "__builtin_ia32_storedqudi512_mask("), 4u);
  EXPECT_EQ(
      count(prelude_for(PreludeTarget::Cpu, 4, "weft_load_masked_u8"), "__builtin_ia32_loaddquqi128_mask("),
      1u);
}

TEST(PreludeText, OneExpressionIsNoFunction) {
  for (const char* name :
       {"weft_less_f64", "weft_select_f64", "weft_splat_i32", "weft_pack_f32", "weft_lanes_i64"})
    EXPECT_EQ(count(prelude_for(PreludeTarget::Cpu, 16, name), "static"), 0u) << name;
}

}  // namespace
}  // namespace weft::emit
