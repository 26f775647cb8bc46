#include "compiler/emit/user_complex.h"

namespace weft::emit {
namespace {

constexpr const char* kPairs = R"(struct float2 { float x, y; };
struct double2 { double x, y; };
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline double2 make_double2(double x, double y) { return {x, y}; }
)";

// Its default constructor does nothing, as __shared__ arrays ask for. Quotients are Smith's, so that squares do not overflow.
constexpr const char* kComplex = R"(
#define WEFT_1(name) template <class T> WEFT_FN T weft_##name(T x) { return name(x); }
#define WEFT_2(name) template <class T> WEFT_FN T weft_##name(T x, T y) { return name(x, y); }
WEFT_1(exp)
WEFT_1(log)
WEFT_1(sin)
WEFT_1(cos)
WEFT_1(sinh)
WEFT_1(cosh)
WEFT_1(sqrt)
WEFT_2(hypot)
WEFT_2(atan2)
WEFT_2(copysign)
#undef WEFT_1
#undef WEFT_2
// Of its own, so that std and thrust can show it wherever all of this stands.
namespace weft_complex {
template <class T> struct complex {
  typedef T value_type;
  complex() = default;
  WEFT_FN constexpr complex(T re, T im = T(0)) : re_(re), im_(im) {}
  template <class U> WEFT_FN constexpr complex(const complex<U>& z) : re_(T(z.real())), im_(T(z.imag())) {}
  WEFT_FN constexpr T real() const { return re_; }
  WEFT_FN constexpr T imag() const { return im_; }
  WEFT_FN void real(T x) { re_ = x; }
  WEFT_FN void imag(T x) { im_ = x; }
  WEFT_FN complex operator-() const { return {-re_, -im_}; }
  WEFT_FN complex operator+() const { return *this; }
  WEFT_FN friend complex operator+(complex a, complex b) { return {a.re_ + b.re_, a.im_ + b.im_}; }
  WEFT_FN friend complex operator-(complex a, complex b) { return {a.re_ - b.re_, a.im_ - b.im_}; }
  WEFT_FN friend complex operator*(complex a, complex b) {
    return {a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_};
  }
  WEFT_FN friend complex operator*(complex a, T b) { return {a.re_ * b, a.im_ * b}; }
  WEFT_FN friend complex operator*(T a, complex b) { return {a * b.re_, a * b.im_}; }
  WEFT_FN friend complex operator/(complex a, T b) { return {a.re_ / b, a.im_ / b}; }
  WEFT_FN friend complex operator/(complex a, complex b) {
    if ((b.re_ < 0 ? -b.re_ : b.re_) >= (b.im_ < 0 ? -b.im_ : b.im_)) {
      const T r = b.im_ / b.re_, d = b.re_ + b.im_ * r;
      return {(a.re_ + a.im_ * r) / d, (a.im_ - a.re_ * r) / d};
    }
    const T r = b.re_ / b.im_, d = b.re_ * r + b.im_;
    return {(a.re_ * r + a.im_) / d, (a.im_ * r - a.re_) / d};
  }
  WEFT_FN friend bool operator==(complex a, complex b) { return a.re_ == b.re_ && a.im_ == b.im_; }
  WEFT_FN friend bool operator!=(complex a, complex b) { return !(a == b); }
  WEFT_FN complex& operator+=(complex b) { return *this = *this + b; }
  WEFT_FN complex& operator-=(complex b) { return *this = *this - b; }
  WEFT_FN complex& operator*=(complex b) { return *this = *this * b; }
  WEFT_FN complex& operator/=(complex b) { return *this = *this / b; }

 private:
  T re_, im_;
};
template <class T> WEFT_FN T real(complex<T> z) { return z.real(); }
template <class T> WEFT_FN T imag(complex<T> z) { return z.imag(); }
template <class T> WEFT_FN T norm(complex<T> z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> WEFT_FN T abs(complex<T> z) { return weft_hypot(z.real(), z.imag()); }
template <class T> WEFT_FN T arg(complex<T> z) { return weft_atan2(z.imag(), z.real()); }
template <class T> WEFT_FN complex<T> conj(complex<T> z) { return {z.real(), -z.imag()}; }
template <class T> WEFT_FN complex<T> polar(T r, T phi) { return {r * weft_cos(phi), r * weft_sin(phi)}; }
template <class T> WEFT_FN complex<T> exp(complex<T> z) { return polar(weft_exp(z.real()), z.imag()); }
template <class T> WEFT_FN complex<T> log(complex<T> z) { return {weft_log(abs(z)), arg(z)}; }
template <class T> WEFT_FN complex<T> sqrt(complex<T> z) {
  const T r = abs(z), re = weft_sqrt((r + (z.real() < 0 ? -z.real() : z.real())) / 2);
  if (re == 0) return {T(0), z.imag()};
  const T im = z.imag() / (2 * re);
  if (z.real() >= 0) return {re, im};
  return {im < 0 ? -im : im, weft_copysign(re, z.imag())};
}
template <class T> WEFT_FN complex<T> pow(complex<T> z, complex<T> e) { return exp(e * log(z)); }
template <class T> WEFT_FN complex<T> pow(complex<T> z, T e) { return exp(log(z) * e); }
template <class T> WEFT_FN complex<T> sin(complex<T> z) {
  return {weft_sin(z.real()) * weft_cosh(z.imag()), weft_cos(z.real()) * weft_sinh(z.imag())};
}
template <class T> WEFT_FN complex<T> cos(complex<T> z) {
  return {weft_cos(z.real()) * weft_cosh(z.imag()), -weft_sin(z.real()) * weft_sinh(z.imag())};
}
}
using namespace weft_complex;
)";

// The libraries' names of them.
constexpr const char* kNamespaces = R"(
using weft_complex::complex;
using weft_complex::real;
using weft_complex::imag;
using weft_complex::norm;
using weft_complex::abs;
using weft_complex::arg;
using weft_complex::conj;
using weft_complex::polar;
using weft_complex::exp;
using weft_complex::log;
using weft_complex::sqrt;
using weft_complex::pow;
using weft_complex::sin;
using weft_complex::cos;
)";

}  // namespace

std::string complex_for(const std::string& text, bool cuda) {
  std::string out;
  if (!cuda && (text.find("float2") != std::string::npos || text.find("double2") != std::string::npos))
    out += kPairs;
  if (text.find("complex<") == std::string::npos) return out;
  out += cuda ? "#define WEFT_FN __device__" : "#define WEFT_FN";
  out += kComplex;
  for (const char* name : {"std", "thrust"})
    out += std::string("namespace ") + name + " {" + kNamespaces + "}\n";
  return out + "#undef WEFT_FN\n";
}

}  // namespace weft::emit
