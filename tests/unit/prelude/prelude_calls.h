// Calls the CPU prelude's functions by name, compiled ahead from the text that kernels get. Columns of
// scalars go in through weft_load and come out through weft_store, so that both are always part of what is
// tested.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/base/dtype.h"

namespace weft::prelude_test {

struct Entry {
  const char* name;
  void (*call)(void* const*);
};

}  // namespace weft::prelude_test

extern "C" {
extern const weft::prelude_test::Entry prelude_table_4[], prelude_table_16[], prelude_table_64[];
}

namespace weft::prelude_test {

inline constexpr int kLanes[] = {4, 16, 64};

using Column = std::vector<Scalar>;

// A value of any dtype at up to 64 lanes, or what memory holds for one.
struct Block {
  alignas(64) unsigned char bytes[1024] = {};
};

inline void call(int lanes, const std::string& name, const std::vector<void*>& arguments) {
  static const auto tables = [] {
    std::map<int, std::map<std::string, void (*)(void* const*)>> all;
    for (auto [count, entry] :
         {std::pair{4, prelude_table_4}, {16, prelude_table_16}, {64, prelude_table_64}})
      for (; entry->name; ++entry) all[count][entry->name] = entry->call;
    return all;
  }();
  auto found = tables.at(lanes).find(name);
  if (found == tables.at(lanes).end()) throw std::runtime_error("the prelude has no " + name);
  found->second(arguments.data());
}

inline std::string suffix(DType t) { return "_" + std::string(name(t)); }

// `function` applied to columns of equal length, element by element.
inline Column map(int lanes, const std::string& function, DType result, const std::vector<Column>& columns) {
  const size_t count = columns[0].size();
  Column out(count);
  for (size_t at = 0; at < count; at += static_cast<size_t>(lanes)) {
    std::vector<Block> blocks(columns.size() + 1);
    std::vector<void*> arguments;
    Block memory;
    for (size_t c = 0; c < columns.size(); ++c) {
      const DType t = columns[c][0].dtype;
      for (size_t i = 0; i < static_cast<size_t>(lanes); ++i)
        columns[c][std::min(at + i, count - 1)].store(memory.bytes + i * size_of(t));
      call(lanes, "weft_load" + suffix(t), {memory.bytes, blocks[c].bytes});
      arguments.push_back(blocks[c].bytes);
    }
    arguments.push_back(blocks.back().bytes);
    call(lanes, function, arguments);
    call(lanes, "weft_store" + suffix(result), {memory.bytes, blocks.back().bytes});
    for (size_t i = 0; i < static_cast<size_t>(lanes) && at + i < count; ++i)
      out[at + i] = Scalar::load(result, memory.bytes + i * size_of(result));
  }
  return out;
}

inline bool is_nan(const Scalar& s) { return s.re != s.re || s.im != s.im; }

inline std::string show(const Scalar& s) {
  char text[96];
  if (kind(s.dtype) <= DTypeKind::Unsigned)
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(s.i));
  else if (is_complex(s.dtype))
    std::snprintf(text, sizeof text, "(%.17g, %.17g)", s.re, s.im);
  else
    std::snprintf(text, sizeof text, "%.17g", s.re);
  return std::string(name(s.dtype)) + " " + text;
}

// Fails unless both have the same bits; any NaN is as good as another. `what` and the arguments say where.
inline void expect_same(const Scalar& got, const Scalar& want, const std::string& what,
                        std::initializer_list<Scalar> of = {}) {
  if (got.same(want) || (is_nan(got) && is_nan(want))) return;
  std::string at = what;
  for (const Scalar& argument : of) at += ", " + show(argument);
  ADD_FAILURE() << at << ": got " << show(got) << ", want " << show(want);
}

inline std::vector<DType> dtypes_where(bool (*wanted)(DType)) {
  std::vector<DType> out;
  for (int i = 0; i < kDTypeCount; ++i)
    if (wanted(static_cast<DType>(i))) out.push_back(static_cast<DType>(i));
  return out;
}

// Values at which conversions and integer ops have their corners, in the dtype.
inline Column edges(DType t) {
  Column out;
  if (kind(t) <= DTypeKind::Unsigned) {
    const int bits = t == DType::Bool ? 1 : static_cast<int>(size_of(t)) * 8;
    for (int64_t v : {0,   1,   2,   3,   5,   7,   8,    15,    16,    31,    32,    63,    64,
                      100, 127, 128, 255, 256, 257, 1000, 32767, 32768, 65504, 65519, 65520, 65535})
      for (int64_t sign : {1, -1}) out.push_back(Scalar::of(v * sign).cast(t));
    for (int p = 7; p < bits; ++p)
      for (int64_t d : {-1, 0, 1})
        for (int64_t sign : {1, -1})
          out.push_back(
              Scalar::of(static_cast<int64_t>((uint64_t{1} << p) + static_cast<uint64_t>(d)) * sign).cast(t));
    if (bits == 64)  // ties of every shorter float, with and without a bit that breaks them
      for (int p : {9, 12, 25, 30, 40, 54, 61})
        for (int below : {8, 9, 11, 12, 24, 25, 53, 54})
          for (int64_t last : {-1, 0, 1})
            if (p >= below)
              out.push_back(Scalar::of((int64_t{1} << p) + (int64_t{1} << (p - below)) + last).cast(t));
    std::sort(out.begin(), out.end(), [](const Scalar& a, const Scalar& b) { return a.i < b.i; });
    out.erase(
        std::unique(out.begin(), out.end(), [](const Scalar& a, const Scalar& b) { return a.i == b.i; }),
        out.end());
    return out;
  }
  const double inf = HUGE_VAL;
  for (double v : {0.0,
                   0.25,
                   0.5,
                   0.75,
                   1.0,
                   1.5,
                   2.0,
                   2.5,
                   3.0,
                   126.9,
                   127.0,
                   127.5,
                   128.0,
                   129.0,
                   254.9,
                   255.0,
                   255.5,
                   256.0,
                   32766.9,
                   32767.0,
                   32767.5,
                   32768.0,
                   32769.0,
                   65503.0,
                   65519.0,
                   65519.99,
                   65520.0,
                   65535.5,
                   65536.0,
                   2147483520.0,
                   2147483647.0,
                   2147483647.5,
                   2147483648.0,
                   2147483649.0,
                   4294967040.0,
                   4294967295.0,
                   4294967295.5,
                   4294967296.0,
                   9223371487098961920.0,
                   9223372036854774784.0,
                   9223372036854775808.0,
                   18446744073709549568.0,
                   18446744073709551616.0,
                   1e25,
                   3.4028234663852886e38,
                   3.4028235677973366e38,
                   3.39e38,
                   3.3961775292304957e38,
                   1e300,
                   5e-324,
                   1e-300,
                   1e-45,
                   7e-46,
                   1.2e-38,
                   6e-8,
                   3e-8,
                   2.98023223876953125e-8,
                   2.9802322387695319e-8,
                   1e-40,
                   6.1e-5,
                   1.00048828125,
                   1.0004882812500002,
                   1.00390625,
                   1.0039062500000002,
                   1.01171875,
                   inf,
                   double(NAN)})
    for (double sign : {1.0, -1.0}) {
      if (!is_complex(t))
        out.push_back(Scalar::of(v * sign).cast(t));
      else
        for (double im : {0.0, -1.5, inf})
          out.push_back(Scalar::of(std::complex<double>(v * sign, im)).cast(t));
    }
  return out;
}

}  // namespace weft::prelude_test
