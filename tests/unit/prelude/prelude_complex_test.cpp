// Complex functions: accuracy against glibc's long double functions, special values as C99 Annex G has them.
#include <algorithm>
#include <cfenv>
#include <random>

#include "tests/unit/prelude/prelude_calls.h"

// <complex.h>'s names are hidden by the C++ header.
extern "C" {
__extension__ typedef _Complex long double LongComplex;
LongComplex csqrtl(LongComplex), cexpl(LongComplex), clogl(LongComplex), csinl(LongComplex),
    ccosl(LongComplex), ctanl(LongComplex), csinhl(LongComplex), ccoshl(LongComplex), ctanhl(LongComplex),
    casinl(LongComplex), cacosl(LongComplex), catanl(LongComplex), casinhl(LongComplex), cacoshl(LongComplex),
    catanhl(LongComplex);
}

namespace weft::prelude_test {
namespace {

using Complex = std::complex<long double>;

template <LongComplex (*f)(LongComplex)>
Complex glibc(Complex z) {
  LongComplex in;
  __real__ in = z.real();
  __imag__ in = z.imag();
  LongComplex out = f(in);
  return {__real__ out, __imag__ out};
}

Complex log1p_reference(Complex z) {
  long double a = z.real(), b = z.imag();
  if (std::abs(a) < 0.6L && std::abs(b) < 0.6L) return {0.5L * log1pl(a * (2 + a) + b * b), atan2l(b, 1 + a)};
  return glibc<clogl>({1 + a, b});
}
Complex expm1_reference(Complex z) {
  long double a = z.real(), b = z.imag(), s = sinl(b / 2);
  Complex e = glibc<cexpl>(z);
  if (std::abs(a) < 2) return {expm1l(a) * cosl(b) - 2 * s * s, e.imag()};
  return {e.real() - 1, e.imag()};
}
// Beside an infinity the Array API standard gives zero the sign of the argument's part, where C lets it turn.
Complex tanh_reference(Complex z) {
  const Complex t = glibc<ctanhl>(z);
  return std::isinf(z.real()) ? Complex(t.real(), copysignl(t.imag(), z.imag())) : t;
}
Complex tan_reference(Complex z) {
  const Complex t = glibc<ctanl>(z);
  return std::isinf(z.imag()) ? Complex(copysignl(t.real(), z.real()), t.imag()) : t;
}
Complex reciprocal_reference(Complex z) {
  long double m = std::max(std::abs(z.real()), std::abs(z.imag())), a = z.real() / m, b = z.imag() / m,
              n = a * a + b * b;
  return {a / n / m, -b / n / m};
}
Complex square_reference(Complex z) {
  return {(z.real() - z.imag()) * (z.real() + z.imag()), 2 * z.real() * z.imag()};
}
Complex sign_reference(Complex z) { return z / hypotl(z.real(), z.imag()); }

struct Function {
  const char* name;
  Complex (*reference)(Complex);
  double ulp;  // bound, in units of the last place of |f(z)|
  double low = -100, high = 100;
  bool special = true;  // special values are those of glibc
};

constexpr long double kInfinity = HUGE_VALL;

const Function kFunctions[] = {
    {"sqrt", glibc<csqrtl>, 4},
    {"exp", glibc<cexpl>, 8, -80, 80},
    {"log", glibc<clogl>, 8},
    {"log2", [](Complex z) { return glibc<clogl>(z) / 0.693147180559945309417232121458L; }, 8},
    {"log10", [](Complex z) { return glibc<clogl>(z) / 2.302585092994045684017991454684L; }, 8},
    {"log1p", log1p_reference, 8, -100, 100, false},
    {"expm1", expm1_reference, 8, -20, 80, false},
    {"sin", glibc<csinl>, 8, -80, 80},
    {"cos", glibc<ccosl>, 8, -80, 80},
    {"tan", tan_reference, 16, -80, 80},
    {"sinh", glibc<csinhl>, 8, -80, 80},
    {"cosh", glibc<ccoshl>, 8, -80, 80},
    {"tanh", tanh_reference, 16, -80, 80},
    {"asin", glibc<casinl>, 8},
    {"acos", glibc<cacosl>, 8},
    {"atan", glibc<catanl>, 8},
    {"asinh", glibc<casinhl>, 8},
    {"acosh", glibc<cacoshl>, 8},
    {"atanh", glibc<catanhl>, 8},
    {"reciprocal", reciprocal_reference, 4, -100, 100, false},
    {"square", square_reference, 4, -100, 100, false},
    {"sign", sign_reference, 4, -100, 100, false},
};

const DType kComplexDtypes[] = {DType::C64, DType::C128};

Complex value(const Scalar& s) { return {s.re, s.im}; }

// |got - want| in units of the last place of |want|.
double ulps(const Scalar& got, Complex want) {
  const bool single = got.dtype == DType::C64;
  long double size = std::max(std::abs(want.real()), std::abs(want.imag()));
  const long double largest = single ? 0x1.fffffep127L : 0x1.fffffffffffffp1023L;
  if (size > largest) return 0;  // overflow: the parts are checked by name elsewhere
  int exponent = size == 0 ? -20000 : std::ilogb(size);
  const int digits = single ? 24 : 53, least = single ? -126 : -1022;
  long double unit = std::ldexp(1.0L, std::max(exponent, least) - digits + 1);
  return static_cast<double>(hypotl(got.re - want.real(), got.im - want.imag()) / unit);
}

// Uniform, of every size, close to the unit circle, and close to the axes.
Column draws(DType t, double low, double high, int count) {
  std::mt19937_64 random(1234);
  auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  Column out;
  for (int i = 0; i < count; ++i) {
    std::complex<double> z(uniform(low, high), uniform(low, high));
    double tiny = std::exp2(uniform(t == DType::C64 ? -60 : -400, 1));
    if (i % 4 == 1) z = {tiny * uniform(-1, 1), uniform(-1, 1) * std::exp2(uniform(-60, 3))};
    if (i % 4 == 2) z = std::polar(1 + (i % 8 < 4 ? tiny : std::exp2(uniform(-30, -1))), uniform(-3.2, 3.2));
    if (i % 4 == 3) z = {uniform(-3, 3), i % 8 < 4 ? tiny : uniform(-3, 3)};
    out.push_back(Scalar::of(z).cast(t));
  }
  return out;
}

TEST(PreludeComplex, StaysWithinItsBound) {
  for (DType t : kComplexDtypes)
    for (const Function& f : kFunctions) {
      Column in = draws(t, f.low, f.high, 20000);
      Column got = map(16, std::string("weft_") + f.name + suffix(t), t, {in});
      double worst = 0;
      size_t where = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        double e = ulps(got[i], f.reference(value(in[i])));
        if (!(e <= worst)) worst = e, where = i;
      }
      RecordProperty(std::string(f.name) + suffix(t), std::to_string(worst));
      EXPECT_LE(worst, f.ulp) << f.name << " of " << show(in[where]) << ": got " << show(got[where]);
      if (std::getenv("WEFT_SHOW_ULP"))
        std::printf("%-12s %-5s %.2f at %s\n", f.name, std::string(name(t)).c_str(), worst,
                    show(in[where]).c_str());
    }
}

TEST(PreludeComplex, StaysWithinItsBoundAtTheEndsOfTheRange) {
  for (DType t : kComplexDtypes) {
    const bool single = t == DType::C64;
    Column in;
    for (int e : single ? std::vector<int>{-149, -140, -126, -110, -100, -75, -64, -63, 12, 14, 15, 29, 31,
                                           62, 64, 100, 124, 126, 127}
                        : std::vector<int>{-1074, -1060, -1022, -1000, -901, -899, -540, -512, -270, 26, 28,
                                           29, 59, 61, 500, 520, 1000, 1021, 1023})
      for (int d : {0, 1, 8, 30})
        for (double re : {1.25, -1.75})
          for (double im : {1.5, -1.125}) {
            in.push_back(Scalar::of(std::complex<double>(std::ldexp(re, e), std::ldexp(im, e - d))).cast(t));
            in.push_back(Scalar::of(std::complex<double>(std::ldexp(re, e - d), std::ldexp(im, e))).cast(t));
            in.push_back(Scalar::of(std::complex<double>(re > 0 ? 1 : -1, std::ldexp(im, e))).cast(t));
          }
    for (const char* name :
         {"sqrt", "log", "log1p", "asin", "acos", "atan", "asinh", "acosh", "atanh", "reciprocal", "sign"}) {
      const Function& f = *std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                        [&](const Function& g) { return std::string(g.name) == name; });
      Column got = map(16, std::string("weft_") + f.name + suffix(t), t, {in});
      for (size_t i = 0; i < in.size(); ++i)
        EXPECT_LE(ulps(got[i], f.reference(value(in[i]))), f.ulp + 1)
            << f.name << " of " << show(in[i]) << ": got " << show(got[i]);
    }
  }
}

// Where C99 leaves a sign open, or speaks of either of two values.
bool sign_is_open(const std::string& f, Complex z, bool imaginary) {
  long double a = z.real(), b = z.imag();
  bool nan_a = std::isnan(a), nan_b = std::isnan(b), inf_a = std::isinf(a), inf_b = std::isinf(b);
  if (f == "sin" || f == "tan") return sign_is_open(f + "h", {-b, a}, !imaginary);
  if (f == "cos") return sign_is_open("cosh", {-b, a}, imaginary);
  if (f == "exp") return (inf_a && (nan_b || inf_b));
  if (f == "sinh") return (nan_b || inf_b) || nan_a;
  if (f == "cosh") return nan_b || inf_b || nan_a;
  if (f == "tanh") return inf_a && (nan_b || inf_b);
  if (f == "sqrt") return inf_a && nan_b;
  if (f == "asin" || f == "acos" || f == "asinh" || f == "acosh" || f == "atan" || f == "atanh")
    return nan_a || nan_b;
  return false;
}

void expect_part(double got, long double want, bool sign_open, double size, DType t,
                 const std::string& what) {
  if (std::isnan(want)) {
    EXPECT_TRUE(std::isnan(got)) << what << ": got " << got << ", want NaN";
  } else if (std::isinf(want) || want == 0) {
    EXPECT_EQ(std::abs(got), std::abs(static_cast<double>(want))) << what << " want " << want;
    if (!sign_open) {
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << what << ": got " << got << ", want " << want;
    }
  } else {
    double bound = 32 * std::max(std::abs(static_cast<double>(want)), std::isfinite(size) ? size : 0.0) *
                   (t == DType::C64 ? 0x1p-24 : 0x1p-53);
    EXPECT_NEAR(got, static_cast<double>(want), bound) << what;
  }
}

TEST(PreludeComplex, SpecialValuesBranchCutsAndSignedZerosAreAnnexG) {
  const double inf = HUGE_VAL, nan = NAN;
  const double parts[] = {0.0, -0.0, 0.5, -0.5, 1, -1, 2, -2, 1.25, -3, inf, -inf, nan};
  for (int lanes : kLanes)
    for (DType t : kComplexDtypes) {
      Column in;
      for (double re : parts)
        for (double im : parts) in.push_back(Scalar{t, 0, re, im});
      for (const Function& f : kFunctions) {
        if (!f.special) continue;
        Column got = map(lanes, std::string("weft_") + f.name + suffix(t), t, {in});
        for (size_t i = 0; i < in.size(); ++i) {
          Complex z = value(in[i]), want = f.reference(z);
          double size = static_cast<double>(std::max(std::abs(want.real()), std::abs(want.imag())));
          std::string what = std::string(f.name) + " of " + show(in[i]);
          expect_part(got[i].re, want.real(), sign_is_open(f.name, z, false), size, t, what + ", real part");
          expect_part(got[i].im, want.imag(), sign_is_open(f.name, z, true), size, t,
                      what + ", imaginary part");
        }
      }
    }
}

struct Special {
  const char* function;
  double re, im, want_re, want_im;
};

TEST(PreludeComplex, SpecialValuesOfTheArrayStandard) {
  const double inf = HUGE_VAL, nan = NAN, pi = 3.14159265358979323846;
  const Special kSpecial[] = {
      {"log1p", -1, 0, -inf, 0},
      {"log1p", 1, inf, inf, pi / 2},
      {"log1p", 1, nan, nan, nan},
      {"log1p", -inf, 1, inf, pi},
      {"log1p", inf, 1, inf, 0},
      {"log1p", -inf, inf, inf, 3 * pi / 4},
      {"log1p", inf, inf, inf, pi / 4},
      {"log1p", inf, nan, inf, nan},
      {"log1p", -inf, nan, inf, nan},
      {"log1p", nan, 1, nan, nan},
      {"log1p", nan, inf, inf, nan},
      {"log1p", nan, nan, nan, nan},
      {"log1p", 0, 0, 0, 0},
      {"expm1", 0, 0, 0, 0},
      {"expm1", -0.0, 0, 0, 0},
      {"expm1", 1, inf, nan, nan},
      {"expm1", 1, nan, nan, nan},
      {"expm1", inf, 0, inf, 0},
      {"expm1", -inf, 1, -1, 0},
      {"expm1", inf, 1, inf, inf},
      {"expm1", -inf, inf, -1, 0},
      {"expm1", inf, inf, inf, nan},
      {"expm1", -inf, nan, -1, 0},
      {"expm1", inf, nan, inf, nan},
      {"expm1", nan, 0, nan, 0},
      {"expm1", nan, 1, nan, nan},
      {"expm1", nan, nan, nan, nan},
      {"sign", 0, 0, 0, 0},
      {"sign", 0, -3, 0, -1},
      {"reciprocal", inf, 1, 0, 0},
      {"reciprocal", inf, inf, 0, -0.0},
      {"exp", -inf, inf, 0, 0},
      {"exp", inf, 0, inf, 0},
      {"sqrt", -inf, nan, nan, inf},
      {"sqrt", nan, inf, inf, inf},
      {"square", 0, 1, -1, 0},
  };
  for (DType t : kComplexDtypes)
    for (const Special& s : kSpecial) {
      Column got = map(16, std::string("weft_") + s.function + suffix(t), t, {{Scalar{t, 0, s.re, s.im}}});
      std::string what = std::string(s.function) + " of " + show(Scalar{t, 0, s.re, s.im});
      expect_part(got[0].re, s.want_re, false, 1, t, what + ", real part");
      expect_part(got[0].im, s.want_im, std::string(s.function) == "sqrt" && std::isnan(s.im), 1, t,
                  what + ", imaginary part");
    }
}

TEST(PreludeComplex, ExpAndHyperbolicsDoNotOverflowEarly) {
  for (DType t : kComplexDtypes) {
    double top = t == DType::C64 ? 89 : 710;
    Column in = {Scalar{t, 0, top, 1.57}, Scalar{t, 0, -top, 1.57}};
    for (const char* f : {"exp", "sinh", "cosh"}) {
      Column got = map(4, std::string("weft_") + f + suffix(t), t, {in});
      const Complex want = std::string(f) == "exp"    ? glibc<cexpl>(value(in[0]))
                           : std::string(f) == "sinh" ? glibc<csinhl>(value(in[0]))
                                                      : glibc<ccoshl>(value(in[0]));
      EXPECT_NEAR(got[0].re / static_cast<double>(want.real()), 1, t == DType::C64 ? 1e-4 : 1e-13) << f;
    }
  }
}

Complex quotient(Complex n, Complex d) {
  long double m = std::max(std::abs(d.real()), std::abs(d.imag()));
  Complex s = d / m;
  long double norm = s.real() * s.real() + s.imag() * s.imag();
  return {(n.real() * s.real() + n.imag() * s.imag()) / norm / m,
          (n.imag() * s.real() - n.real() * s.imag()) / norm / m};
}

TEST(PreludeComplex, TwoArguments) {
  for (DType t : kComplexDtypes) {
    Column a = draws(t, -100, 100, 20000), b = draws(t, -100, 100, 20000);
    std::rotate(b.begin(), b.begin() + 777, b.end());
    for (int e : {-1070, -1000, -500, 500, 1000, 1020})
      for (int f : {-1070, -1000, -500, 500, 1000, 1020}) {
        int half = t == DType::C64 ? 8 : 1;
        a.push_back(Scalar{t, 0, std::ldexp(1.5, e / half), std::ldexp(-1.25, e / half)}.cast(t));
        b.push_back(Scalar{t, 0, std::ldexp(1.75, f / half), std::ldexp(1.5, f / half)}.cast(t));
      }
    struct Case {
      const char* name;
      Complex (*want)(Complex, Complex);
      double ulp;
    };
    for (const Case& c : {Case{"add", [](Complex x, Complex y) { return x + y; }, 1},
                          {"subtract", [](Complex x, Complex y) { return x - y; }, 1},
                          {"multiply",
                           [](Complex x, Complex y) {
                             return Complex(x.real() * y.real() - x.imag() * y.imag(),
                                            x.real() * y.imag() + x.imag() * y.real());
                           },
                           4},
                          {"divide", quotient, 4}}) {
      Column got = map(16, std::string("weft_") + c.name + suffix(t), t, {a, b});
      double worst = 0;
      size_t where = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        double e = ulps(got[i], c.want(value(a[i]), value(b[i])));
        if (!(e <= worst)) worst = e, where = i;
      }
      EXPECT_LE(worst, c.ulp) << c.name << " of " << show(a[where]) << ", " << show(b[where]) << ": got "
                              << show(got[where]);
      if (std::getenv("WEFT_SHOW_ULP"))
        std::printf("%-12s %-5s %.2f\n", c.name, std::string(name(t)).c_str(), worst);
    }
  }
}

TEST(PreludeComplex, PowIsExactForSmallWholeExponents) {
  for (DType t : kComplexDtypes) {
    Column z, w;
    std::vector<Complex> want;
    for (int re = -3; re <= 3; ++re)
      for (int im = -3; im <= 3; ++im)
        for (int n = 0; n <= 8; ++n) {
          z.push_back(Scalar{t, 0, double(re), double(im)});
          w.push_back(Scalar{t, 0, double(n), 0});
          Complex p = 1;
          for (int i = 0; i < n; ++i)
            p = Complex(p.real() * re - p.imag() * im, p.real() * im + p.imag() * re);
          want.push_back(p);
        }
    Column got = map(16, "weft_pow" + suffix(t), t, {z, w});
    for (size_t i = 0; i < z.size(); ++i)
      EXPECT_EQ(value(got[i]), want[i]) << show(z[i]) << " to the power " << show(w[i]);
  }
}

TEST(PreludeComplex, PowFollowsTheLogarithm) {
  for (DType t : kComplexDtypes) {
    Column z = draws(t, -20, 20, 20000), w = draws(t, -3, 3, 20000);
    std::rotate(w.begin(), w.begin() + 777, w.end());
    Column got = map(16, "weft_pow" + suffix(t), t, {z, w});
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < z.size(); ++i) {
      Complex l = glibc<clogl>(value(z[i])), x = value(w[i]);
      Complex want = glibc<cexpl>(
          {x.real() * l.real() - x.imag() * l.imag(), x.real() * l.imag() + x.imag() * l.real()});
      double e = ulps(got[i], want);
      if (!(e <= worst)) worst = e, where = i;
    }
    EXPECT_LE(worst, t == DType::C64 ? 1 : 256)
        << show(z[where]) << " to the power " << show(w[where]) << ": got " << show(got[where]);
    if (std::getenv("WEFT_SHOW_ULP")) std::printf("pow %s %.2f\n", std::string(name(t)).c_str(), worst);
  }
}

TEST(PreludeComplex, PowOfZero) {
  for (DType t : kComplexDtypes) {
    Column z(4, Scalar{t, 0, 0, 0}),
        w = {Scalar{t, 0, 0, 0}, Scalar{t, 0, 2, 0}, Scalar{t, 0, -1, 0}, Scalar{t, 0, 0.5, 0}};
    Column got = map(4, "weft_pow" + suffix(t), t, {z, w});
    EXPECT_EQ(value(got[0]), Complex(1));
    EXPECT_EQ(value(got[1]), Complex(0));
    EXPECT_TRUE(is_nan(got[2]));
    EXPECT_EQ(value(got[3]), Complex(0));
  }
}

TEST(PreludeComplex, DivisionByZeroAndInfinityIsAnnexG) {
  const double inf = HUGE_VAL;
  for (DType t : kComplexDtypes) {
    auto divide = [&](double a, double b, double c, double d) {
      return map(4, "weft_divide" + suffix(t), t, {{Scalar{t, 0, a, b}}, {Scalar{t, 0, c, d}}})[0];
    };
    EXPECT_EQ(divide(1, 1, 0, 0).re, inf);
    EXPECT_EQ(divide(1, 1, 0, 0).im, inf);
    EXPECT_EQ(divide(1, 1, inf, inf).re, 0);
    EXPECT_EQ(divide(1, 1, inf, inf).im, 0);
    EXPECT_EQ(divide(1, 1, inf, 0).re, 0);
    EXPECT_EQ(divide(inf, inf, 1, 1).re, inf);
    EXPECT_TRUE(is_nan(divide(0, 0, 0, 0)));
    EXPECT_TRUE(is_nan(divide(NAN, 0, 1, 0)));
  }
}

TEST(PreludeComplex, PartsPredicatesAndComparison) {
  for (DType t : kComplexDtypes) {
    DType r = real_of(t);
    Column z = {Scalar{t, 0, 3, -4}, Scalar{t, 0, HUGE_VAL, NAN}, Scalar{t, 0, 2.5, 3.5},
                Scalar{t, 0, 0, -0.0}};
    Column abs = map(4, "weft_abs" + suffix(t), r, {z});
    EXPECT_EQ(abs[0].re, 5);
    EXPECT_EQ(abs[1].re, HUGE_VAL);
    EXPECT_EQ(map(4, "weft_real" + suffix(t), r, {z})[0].re, 3);
    EXPECT_EQ(map(4, "weft_imag" + suffix(t), r, {z})[0].re, -4);
    EXPECT_EQ(map(4, "weft_conj" + suffix(t), t, {z})[0].im, 4);
    EXPECT_EQ(map(4, "weft_negative" + suffix(t), t, {z})[0].re, -3);
    Column round = map(4, "weft_round" + suffix(t), t, {z});
    EXPECT_EQ(value(round[2]), Complex(2, 4));
    Column nan = map(4, "weft_isnan" + suffix(t), DType::Bool, {z}),
           inf = map(4, "weft_isinf" + suffix(t), DType::Bool, {z});
    Column finite = map(4, "weft_isfinite" + suffix(t), DType::Bool, {z}),
           same = map(4, "weft_equal" + suffix(t), DType::Bool, {z, z});
    Column other = map(4, "weft_not_equal" + suffix(t), DType::Bool, {z, z}),
           no = map(4, "weft_logical_not" + suffix(t), DType::Bool, {z});
    const int64_t kWant[6][4] = {{0, 1, 0, 0}, {0, 1, 0, 0}, {1, 0, 1, 1},
                                 {1, 0, 1, 1}, {0, 1, 0, 0}, {0, 0, 0, 1}};
    const Column* got[6] = {&nan, &inf, &finite, &same, &other, &no};
    for (size_t f = 0; f < 6; ++f)
      for (size_t i = 0; i < 4; ++i) EXPECT_EQ((*got[f])[i].i, kWant[f][i]) << f << " of " << show(z[i]);
  }
}

}  // namespace
}  // namespace weft::prelude_test
