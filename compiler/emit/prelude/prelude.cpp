// Expands the prelude's templates for dtypes and targets, and finds which sections a kernel's text needs.
#include "compiler/emit/prelude/prelude.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cctype>
#include <memory>
#include <unordered_map>
#include <utility>

#include "compiler/base/dtype.h"
#include "compiler/base/error.h"
#include "compiler/emit/prelude/texts.h"

namespace weft::emit {
namespace {

constexpr int kNone = -1;

// One section as written; a family when its header lists dtypes.
struct Template {
  std::string_view name, body;
  bool family = false;
};

struct Instance;

// A function's text for one number of lanes, and what is named in it, in order.
struct Expanded {
  std::string text;
  std::vector<const Instance*> names;
};

// One function: a section, and for which dtypes. Its texts stay once they were asked for, as most kernels name the
// same few.
struct Instance {
  const Template* text;
  int from, to;
  size_t number;  // among all
  static constexpr size_t kLaneCounts = 8;
  mutable std::array<std::atomic<const Expanded*>, kLaneCounts> expanded{};

  Instance(const Template& section, int from_dtype, int to_dtype, size_t counted)
      : text(&section), from(from_dtype), to(to_dtype), number(counted) {}
};

struct HashText {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

// The spellings of one dtype.
struct Spelling {
  std::string_view value_cpu, value_cuda;   // what an element is computed as
  std::string_view element;                 // scalar of the value type
  std::string_view storage_cpu;             // the vector that memory holds
  std::string_view component;               // scalar that memory holds, one part of a complex
  std::string_view mask;                    // signed integers as wide as a value's element
  std::string_view as_unsigned, as_signed;  // the names of the integers as wide as the storage
  std::string_view exact;           // float vector in which quotients of these integers are told apart
  std::string_view low, high, top;  // an integer's limits, and the first power of two above them
};

constexpr std::array<Spelling, kDTypeCount> kSpelling = {{
    {"boolv", "bool", "bool", "u8v", "unsigned char", "i8v", "u8", "i8", "", "", "", ""},
    {"i8v", "signed char", "signed char", "i8v", "signed char", "i8v", "u8", "i8", "f32v", "-128", "127",
     "128.0"},
    {"i16v", "short", "short", "i16v", "short", "i16v", "u16", "i16", "f32v", "-32768", "32767", "32768.0"},
    {"i32v", "int", "int", "i32v", "int", "i32v", "u32", "i32", "f64v", "(-2147483647 - 1)", "2147483647",
     "2147483648.0"},
    {"i64v", "long long", "long long", "i64v", "long long", "i64v", "u64", "i64", "",
     "(-9223372036854775807ll - 1)", "9223372036854775807ll", "9223372036854775808.0"},
    {"u8v", "unsigned char", "unsigned char", "u8v", "unsigned char", "i8v", "u8", "i8", "f32v", "0", "255",
     "256.0"},
    {"u16v", "unsigned short", "unsigned short", "u16v", "unsigned short", "i16v", "u16", "i16", "f32v", "0",
     "65535", "65536.0"},
    {"u32v", "unsigned int", "unsigned int", "u32v", "unsigned int", "i32v", "u32", "i32", "f64v", "0",
     "4294967295u", "4294967296.0"},
    {"u64v", "unsigned long long", "unsigned long long", "u64v", "unsigned long long", "i64v", "u64", "i64",
     "", "0", "18446744073709551615ull", "18446744073709551616.0"},
    {"f32v", "f16", "float", "u16v", "unsigned short", "i32v", "u16", "i16", "", "", "", ""},
    {"f32v", "float", "float", "u16v", "unsigned short", "i32v", "u16", "i16", "", "", "", ""},
    {"f32v", "float", "float", "f32v", "float", "i32v", "u32", "i32", "", "", "", ""},
    {"f64v", "double", "double", "f64v", "double", "i64v", "u64", "i64", "", "", "", ""},
    {"c64v", "c64", "float", "c64p", "float", "i32v", "u64", "i64", "", "", "", ""},
    {"c128v", "c128", "double", "c128p", "double", "i64v", "", "", "", "", "", ""},
}};

// Where the complex functions change to another formula.
struct FloatLimits {
  std::string_view large, tiny;              // beyond them |z| is scaled
  std::string_view up, up_bits;              // by this much when tiny
  std::string_view exp_limit;                // above it exp comes in two halves
  std::string_view asin_limit, atanh_limit;  // above it only the leading term is left
};
constexpr FloatLimits kLimitsF32 = {"0x1p124", "0x1p-100", "0x1p30", "30.0", "85.0", "0x1p14", "0x1p30"};
constexpr FloatLimits kLimitsF64 = {"0x1p1020", "0x1p-900", "0x1p200", "200.0", "705.0", "0x1p28", "0x1p60"};

constexpr std::string_view kCpuFunction = "static inline __attribute__((always_inline))";
constexpr std::string_view kCudaFunction = "static __device__ __forceinline__";
// What is too long to stand in a kernel more than once.
constexpr std::string_view kCpuCall = "static __attribute__((noinline))";
constexpr std::string_view kCudaCall = "static __device__ __noinline__";

// Of ASCII, whatever the locale is.
constexpr bool starts_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool in_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

// Calls `found` with every identifier of `text` outside of comments, in order.
template <class Found>
void each_identifier(std::string_view text, Found found) {
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size());
    } else if (starts_word(text[i])) {
      size_t start = i;
      while (i < text.size() && in_word(text[i])) ++i;
      found(text.substr(start, i - start));
    } else if (in_word(text[i])) {  // a number, with its suffix
      while (i < text.size() && in_word(text[i])) ++i;
    } else {
      ++i;
    }
  }
}

// The dtypes of a family's header: names of dtypes and of sets.
std::vector<int> dtypes_in(std::string_view list) {
  std::vector<int> out;
  each_identifier(list, [&](std::string_view word) {
    size_t before = out.size();
    for (int i = 0; i < kDTypeCount; ++i) {
      DType t = static_cast<DType>(i);
      bool half = is_half(t);
      if (word == name(t) || word == "all" || (word == "ints" && is_integer(t)) ||
          (word == "signed" && kind(t) == DTypeKind::Signed) ||
          (word == "unsigned" && kind(t) == DTypeKind::Unsigned) || (word == "halves" && half) ||
          (word == "floats" && is_float(t) && !half) || (word == "complex" && is_complex(t)))
        out.push_back(i);
    }
    if (out.size() == before) throw InternalError("prelude: no dtypes are called " + std::string(word));
  });
  return out;
}

std::string counted(size_t from, size_t to) {
  std::string out;
  for (size_t i = from; i < to; ++i) out += (i > from ? ", " : "") + std::to_string(i);
  return out;
}

// A vector in memory as the registers that are loaded and stored under the mask `bits`, from `p`.
struct Parts {
  const char* item;  // what a bit of the mask stands for, or half of it
  size_t bytes;      // of a part
  size_t items, whole;

  Parts(DType t, int lanes) : halves_(size_of(t) == 16) {
    const size_t size = halves_ ? 8 : size_of(t);
    const size_t all = size_of(t) * static_cast<size_t>(lanes);
    bytes = std::clamp<size_t>(all, 16, 64);
    items = bytes / size, whole = all / size;
    item = size == 1 ? "char" : size == 2 ? "short" : size == 4 ? "int" : "long long";
    tag_ = std::string(size == 1   ? "qi"
                       : size == 2 ? "hi"
                       : size == 4 ? "si"
                                   : "di") +
           std::to_string(8 * bytes);
    mask_ = items > 32   ? "unsigned long"
            : items > 16 ? "unsigned"
            : items > 8  ? "unsigned short"
                         : "unsigned char";
    pointer_ = bytes == 64 && size >= 4 ? item : "Part";
  }
  // All parts as one vector.
  std::string loaded() const {
    if (whole >= items) return joined(0, count());
    return "__builtin_shufflevector(" + part_loaded(0) + ", Part{}, " + counted(0, whole) + ")";
  }
  // Bytes that are asked for.
  size_t reach() const { return count() * bytes; }
  // The parts of a vector `v`, one after another.
  std::string stored() const {
    std::string out;
    for (size_t k = 0; k < count(); ++k) {
      std::string lanes = counted(k * items, std::min(whole, (k + 1) * items));
      for (size_t i = whole; i < items; ++i) lanes += ", -1";
      out += (k ? "\n  " : "") + ("__builtin_ia32_storedqu" + tag_) + "_mask((" + pointer_ + "*)" + place(k) +
             ", __builtin_shufflevector(v, v, " + lanes + "), " + bits(k) + ");";
    }
    return out;
  }

 private:
  size_t count() const { return std::max<size_t>(whole / items, 1); }
  std::string place(size_t k) const { return k ? "((char*)p + " + std::to_string(k * bytes) + ")" : "p"; }
  std::string bits(size_t k) const {
    const size_t before = k * items / (halves_ ? 2 : 1);
    const std::string those = before ? "bits >> " + std::to_string(before) : "bits";
    return "(" + std::string(mask_) + ")" + (halves_ ? "weft_both_halves(" : "(") + those + ")";
  }
  std::string part_loaded(size_t k) const {
    return "(Part)__builtin_ia32_loaddqu" + tag_ + "_mask((const " + pointer_ + "*)" + place(k) +
           ", Part{}, " + bits(k) + ")";
  }
  std::string joined(size_t first, size_t n) const {
    if (n == 1) return part_loaded(first);
    return "__builtin_shufflevector(" + joined(first, n / 2) + ", " + joined(first + n / 2, n / 2) + ", " +
           counted(0, n * items) + ")";
  }
  bool halves_;
  std::string tag_, pointer_;
  const char* mask_;
};

class Prelude {
 public:
  Prelude(PreludeTarget target, const std::vector<std::string_view>& texts) : target_(target) {
    for (std::string_view text : texts) parse(text);
    for (const auto& [key, t] : pending_) add(*t, key.first, key.second);
    pending_.clear();
  }

  const std::unordered_map<std::string, Instance, HashText, std::equal_to<>>& index() const { return index_; }

  std::string text_for(int lanes, std::string_view source) const {
    std::string out;
    out.reserve(kReserved);
    if (target_ == PreludeTarget::Cpu) append_vector_types(out, lanes);
    std::vector<bool> seen(index_.size());
    each_identifier(source, [&](std::string_view word) {
      const auto found = index_.find(word);
      if (found != index_.end()) append_needed(out, found->second, lanes, seen);
    });
    return out;
  }

 private:
  static constexpr size_t kReserved = 1 << 14;  // bytes: more than most kernels need

  void append_needed(std::string& out, const Instance& instance, int lanes, std::vector<bool>& seen) const {
    if (seen[instance.number]) return;
    seen[instance.number] = true;
    const Expanded& expanded = expanded_for(instance, lanes);
    for (const Instance* one : expanded.names) append_needed(out, *one, lanes, seen);
    out += expanded.text;
  }

  // Any number of threads may make it at once; the first one's stays.
  const Expanded& expanded_for(const Instance& instance, int lanes) const {
    const size_t place = target_ == PreludeTarget::Cpu ? std::bit_width(static_cast<unsigned>(lanes)) : 0;
    std::atomic<const Expanded*>& kept = instance.expanded.at(place);
    if (const Expanded* known = kept.load(std::memory_order_acquire)) return *known;
    auto made = std::make_unique<Expanded>();
    made->text = expand(instance.text->body, instance.from, instance.to, lanes);
    each_identifier(made->text, [&](std::string_view word) {
      const auto found = index_.find(word);
      if (found == index_.end()) return;
      if (std::ranges::find(made->names, &found->second) == made->names.end())
        made->names.push_back(&found->second);
    });
    const Expanded* first = nullptr;
    if (!kept.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return *first;
    return *made.release();
  }

  void parse(std::string_view text) {
    constexpr std::string_view kMark = "//@ ";
    size_t at = text.find(kMark);
    while (at != std::string_view::npos) {
      size_t line_end = std::min(text.find('\n', at), text.size());
      size_t next = text.find("\n//@ ", line_end);
      size_t body_end = next == std::string_view::npos ? text.size() : next + 1;
      std::string_view header = text.substr(at + kMark.size(), line_end - at - kMark.size());
      size_t colon = header.find(" : ");
      auto t = std::make_unique<Template>();
      t->name = header.substr(0, colon);
      while (!t->name.empty() && t->name.back() == ' ') t->name.remove_suffix(1);
      t->body = text.substr(std::min(line_end + 1, body_end), body_end - std::min(line_end + 1, body_end));
      t->family = colon != std::string_view::npos;
      if (!t->family) {
        pending_.push_back({{kNone, kNone}, t.get()});
      } else {
        std::string_view lists = header.substr(colon + 3);
        size_t arrow = lists.find("->");
        if (arrow == std::string_view::npos) {
          for (int to : dtypes_in(lists)) pending_.push_back({{kNone, to}, t.get()});
        } else {
          for (int from : dtypes_in(lists.substr(0, arrow)))
            for (int to : dtypes_in(lists.substr(arrow + 2))) pending_.push_back({{from, to}, t.get()});
        }
      }
      templates_.push_back(std::move(t));
      at = next == std::string_view::npos ? next : next + 1;
    }
  }

  void add(const Template& t, int from, int to) {
    std::string full = t.family ? expand(t.name, from, to, 0) : std::string(t.name);
    if (!index_.try_emplace(full, t, from, to, index_.size()).second)
      throw InternalError("prelude: two sections are called " + full);
  }

  static void append_vector_types(std::string& out, int lanes) {
    if (lanes < 4 || lanes > 64 || !std::has_single_bit(static_cast<unsigned>(lanes)))
      throw InternalError("prelude: lanes must be a power of two from 4 to 64, got " + std::to_string(lanes));
    static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
        {"float", "f32v"},        {"double", "f64v"},
        {"signed char", "i8v"},   {"short", "i16v"},
        {"int", "i32v"},          {"long", "i64v"},
        {"unsigned char", "u8v"}, {"unsigned short", "u16v"},
        {"unsigned int", "u32v"}, {"unsigned long", "u64v"},
        {"bool", "boolv"}};
    // A macro: an enumerator would send every expression that it is in through overload resolution.
    out += "#define L " + std::to_string(lanes) + "\n";
    for (auto [scalar, vector] : kTypes)
      ((((out += "typedef ") += scalar) += " ") += vector) += " __attribute__((ext_vector_type(L)));\n";
  }

  static void append_indices(std::string& out, int count, int pad, auto index) {
    for (int i = 0; i < count + pad; ++i) {
      if (i) out += ", ";
      out += i < count ? std::to_string(index(i)) : "-1";
    }
  }

  // What `$key` stands for, appended to `out`. "CPU" marks what only that target has.
  //   fn, call           how a function is declared that is inlined, and one that is called
  //   T                  the dtype's name
  //   V                  its value type: what an element is computed as; on the CPU a vector
  //   E                  the scalar of V
  //   S, C               the scalar that memory holds, and how many of them an element has (1 or 2)
  //   P                  what memory holds for one V; on the CPU a vector
  //   W                  the element's width in bits
  //   U, I               the names of the integers of that width
  //   UV, IV             their value types
  //   M                  CPU: the vector of signed integers as wide as V's elements
  //   D                  CPU: the float vector in which quotients of this integer are told apart
  //   R, RV              the real dtype of the parts, and its value type
  //   B, Z               the value types of bool and i64
  //   s                  the suffix of C's functions and literals: f for f32
  //   packed             CPU: the suffix of the processor's own instructions, ps or pd
  //   low, high, top     an integer's limits, and the first power of two above them
  //   large, tiny, up, upbits, explimit, asinlimit, atanhlimit
  //                      of a complex dtype: see FloatLimits
  //   lanes              CPU: how many there are
  //   evens, odds, pairevens, pairodds, zip, iota
  //                      CPU: lists of lanes
  //   item, itembytes, partbytes, reach, loadparts, storeparts
  //                      CPU: of masked loads and stores; see Parts
  //   wholebytes         CPU: bytes of a whole vector in memory
  //   align              CPU: the alignment that a streaming store needs
  //   f, fV, fE, ...     the same of the dtype that is converted from
  void append_value(std::string& out, std::string_view key, int from, int to, int lanes) const {
    bool cpu = target_ == PreludeTarget::Cpu;
    if (key == "fn") return void(out += cpu ? kCpuFunction : kCudaFunction);
    if (key == "call") return void(out += cpu ? kCpuCall : kCudaCall);
    if (key == "B") return void(out += cpu ? "boolv" : "bool");
    if (key == "Z") return void(out += cpu ? "i64v" : "long long");
    if (key == "lanes") return void(out += std::to_string(lanes));
    if (key == "evens") return append_indices(out, lanes, 0, [](int i) { return 2 * i; });
    if (key == "odds") return append_indices(out, lanes, 0, [](int i) { return 2 * i + 1; });
    if (key == "pairevens") return append_indices(out, lanes / 2, 0, [](int i) { return 2 * i; });
    if (key == "pairodds") return append_indices(out, lanes / 2, 0, [](int i) { return 2 * i + 1; });
    if (key == "zip") return append_indices(out, 2 * lanes, 0, [&](int i) { return i / 2 + i % 2 * lanes; });
    if (key == "iota") return append_indices(out, lanes, 0, [](int i) { return i; });
    int which = to;
    if (key.size() <= 2 && key[0] == 'f') {
      which = from;
      key = key.size() == 1 ? "T" : key.substr(1);
    }
    if (which == kNone) throw InternalError("prelude: no dtype for $" + std::string(key));
    DType t = static_cast<DType>(which);
    const Spelling& s = kSpelling[which];
    auto value = [&](DType d) {
      const Spelling& of = kSpelling[static_cast<int>(d)];
      return cpu ? of.value_cpu : of.value_cuda;
    };
    if (key == "T") return void(out += name(t));
    if (key == "V") return void(out += value(t));
    if (key == "E") return void(out += s.element);
    if (key == "S") return void(out += s.component);
    if (key == "C") return void(out += is_complex(t) ? "2" : "1");
    if (key == "P") return void(out += cpu ? s.storage_cpu : is_complex(t) ? s.value_cuda : s.component);
    if (key == "W") return void(out += std::to_string(8 * size_of(t)));
    if (key == "U") return void(out += s.as_unsigned);
    if (key == "I") return void(out += s.as_signed);
    if (key == "UV") return void(out += value(*dtype_named(s.as_unsigned)));
    if (key == "IV") return void(out += value(*dtype_named(s.as_signed)));
    if (key == "M") return void(out += s.mask);
    if (key == "D") return void(out += s.exact);
    if (key == "R") return void(out += name(real_of(t)));
    if (key == "RV") return void(out += value(real_of(t)));
    if (key == "s") return void(out += real_of(t) == DType::F64 ? "" : "f");
    if (key == "packed") return void(out += t == DType::F64 ? "pd" : "ps");
    if (key == "low") return void(out += s.low);
    if (key == "high") return void(out += s.high);
    if (key == "top") return void(out += s.top);
    if (const FloatLimits& limits = real_of(t) == DType::F64 ? kLimitsF64 : kLimitsF32; is_complex(t)) {
      if (key == "large") return void(out += limits.large);
      if (key == "tiny") return void(out += limits.tiny);
      if (key == "up") return void(out += limits.up);
      if (key == "upbits") return void(out += limits.up_bits);
      if (key == "explimit") return void(out += limits.exp_limit);
      if (key == "asinlimit") return void(out += limits.asin_limit);
      if (key == "atanhlimit") return void(out += limits.atanh_limit);
    }
    if (key == "item") return void(out += Parts(t, lanes).item);
    if (key == "partbytes") return void(out += std::to_string(Parts(t, lanes).bytes));
    if (key == "itembytes") return void(out += std::to_string(size_of(t)));
    if (key == "reach") return void(out += std::to_string(Parts(t, lanes).reach()));
    if (key == "wholebytes") return void(out += std::to_string(size_of(t) * static_cast<size_t>(lanes)));
    if (key == "loadparts") return void(out += Parts(t, lanes).loaded());
    if (key == "storeparts") return void(out += Parts(t, lanes).stored());
    if (key == "align") return void(out += std::to_string(std::min<size_t>(64, size_of(t) * lanes)));
    throw InternalError("prelude: unknown placeholder $" + std::string(key));
  }

  static const DType* dtype_named(std::string_view text) {
    static constexpr std::array<DType, kDTypeCount> kAll = [] {
      std::array<DType, kDTypeCount> all{};
      for (int i = 0; i < kDTypeCount; ++i) all[i] = static_cast<DType>(i);
      return all;
    }();
    for (const DType& t : kAll)
      if (name(t) == text) return &t;
    throw InternalError("prelude: no integer dtype is as wide");
  }

  // The template with its placeholders replaced. A line that opens with `$levels` is repeated for each halving
  // of the lanes. In it stand for lists of lanes, or numbers of them:
  //   K                    the list that brings the upper half down
  //   levelall, levelhalf  of vectors that shrink on the way: the lanes before and after
  //   levellow, levelhigh  the lists of either half
  //   levelback            the list that moves a second vector's lanes up by a half and fills with a first's
  std::string expand(std::string_view text, int from, int to, int lanes) const {
    std::string out;
    out.reserve(text.size() + text.size() / 4);
    constexpr std::string_view kLevels = "$levels";
    for (size_t i = 0; i < text.size();) {
      size_t dollar = std::min(text.find('$', i), text.size());
      out += text.substr(i, dollar - i);
      i = dollar;
      if (i == text.size()) break;
      if (text.substr(i, kLevels.size()) == kLevels) {
        size_t end = text.find('\n', i) + 1;
        std::string_view line = text.substr(i + kLevels.size(), end - i - kLevels.size());
        for (int half = lanes / 2; half; half /= 2) append_level(out, line, half, from, to, lanes);
        i = end;
        continue;
      }
      size_t end = i + 1;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
      append_value(out, text.substr(i + 1, end - i - 1), from, to, lanes);
      i = end;
    }
    return out;
  }

  void append_level(std::string& out, std::string_view line, int half, int from, int to, int lanes) const {
    auto skip = [&](std::string_view word) { line.remove_prefix(word.size()); };
    while (true) {
      size_t at = line.find("$level");
      size_t rotate = line.find("$K");
      size_t next = std::min(at, rotate);
      out += expand(line.substr(0, next), from, to, lanes);
      if (next == std::string_view::npos) return;
      line.remove_prefix(next);
      if (line.starts_with("$K")) {
        append_indices(out, half, lanes - half, [&](int i) { return i + half; });
        skip("$K");
      } else if (line.starts_with("$levelhalf")) {
        out += std::to_string(half);
        skip("$levelhalf");
      } else if (line.starts_with("$levelall")) {
        out += std::to_string(2 * half);
        skip("$levelall");
      } else if (line.starts_with("$levelback")) {
        append_indices(out, lanes, 0, [&](int i) { return i < half ? i : lanes + i - half; });
        skip("$levelback");
      } else if (line.starts_with("$levellow")) {
        append_indices(out, half, 0, [](int i) { return i; });
        skip("$levellow");
      } else {
        append_indices(out, half, 0, [&](int i) { return i + half; });
        skip("$levelhigh");
      }
    }
  }

  PreludeTarget target_;
  std::vector<std::unique_ptr<Template>> templates_;
  std::vector<std::pair<std::pair<int, int>, const Template*>> pending_;
  std::unordered_map<std::string, Instance, HashText, std::equal_to<>> index_;
};

const Prelude& prelude(PreludeTarget target) {
  // Never freed: destructors of globals plan kernels too.
  static const auto& cpu = *new Prelude(
      PreludeTarget::Cpu,
      {kPreludeCpuCore, kPreludeCpuMemory, kPreludeCpuIntegers, kPreludeCpuConvert, kPreludeCpuJoin,
       kPreludeCpuF32, kPreludeCpuF32Trigonometric, kPreludeCpuF32Special, kPreludeCpuF64,
       kPreludeCpuF64Trigonometric, kPreludeCpuF64Special, kPreludeComplex, kPreludeDraws});
  static const auto& cuda = *new Prelude(PreludeTarget::Cuda, {kPreludeCuda, kPreludeComplex, kPreludeDraws});
  return target == PreludeTarget::Cpu ? cpu : cuda;
}

}  // namespace

std::string prelude_for(PreludeTarget target, int lanes, std::string_view source) {
  return prelude(target).text_for(lanes, source);
}

bool has_prelude(PreludeTarget target, std::string_view name) {
  return prelude(target).index().find(name) != prelude(target).index().end();
}

std::vector<std::string> prelude_names(PreludeTarget target) {
  std::vector<std::string> names;
  for (const auto& [name, instance] : prelude(target).index()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace weft::emit
