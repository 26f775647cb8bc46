// What each shape of a CUDA schedule says of a row, and its text for goldens, explain and dumps.
#include "compiler/plan/schedule/cuda/cuda_schedule.h"

#include <fmt/format.h>

namespace weft::plan {

namespace {

using namespace cuda;
using fmt::format;

// Fills in who has a row: threads of a block that has several, or whole blocks.
struct Own {
  RowDivision& d;
  int block;  // threads

  void operator()(const Threads& t) const { d.threads = t.count; }
  void operator()(const Cluster& c) const { d.threads = block, d.blocks = c.blocks; }
  void operator()(const Device& all) const { d.threads = block, d.blocks = all.blocks, d.device_wide = true; }
  void operator()(const Parts& p) const { d.threads = block, d.parts = p.count; }
  void operator()(const Totals::Bundled&) const { d.threads = 1; }
};

struct DivisionOf {
  const CudaSchedule& s;

  RowDivision operator()(const Maps& m) const { return {.vectors = m.vectors, .shifted = m.shifted}; }
  RowDivision operator()(const Stencils& n) const { return {.threads = n.across, .vectors = n.rows}; }
  RowDivision operator()(const Tiles& t) const {
    return {.vectors = t.side * t.side / (s.threads * s.lanes)};
  }

  RowDivision operator()(const Rows& r) const {
    return owned(r.owner, {.order = Order::Rows, .vectors = r.vectors, .shifted = r.shifted});
  }
  RowDivision operator()(const RegisterRows& r) const {
    return owned(r.owner, {.order = Order::Rows,
                           .residence = Residence::Registers,
                           .vectors = r.vectors,
                           .shifted = r.shifted});
  }
  RowDivision operator()(const SharedRows& r) const {
    return {.order = Order::Rows,
            .residence = Residence::Shared,
            .threads = s.threads,
            .vectors = r.vectors,
            .blocks = r.cluster,
            .shifted = r.shifted};
  }
  RowDivision operator()(const LookBackRows& r) const {
    return {.order = Order::Rows,
            .residence = r.in_shared ? Residence::Shared : Residence::Nowhere,
            .threads = s.threads,
            .vectors = r.vectors,
            .parts = r.parts,
            .shifted = r.shifted};
  }
  RowDivision operator()(const BundledRows& r) const {
    return {.order = Order::Rows,
            .residence = r.in_registers ? Residence::Registers : Residence::Nowhere,
            .threads = r.threads,
            .vectors = r.elements};
  }
  RowDivision operator()(const Totals& t) const {
    return owned(t.owner, {.order = Order::Rows, .residence = Residence::Registers, .vectors = t.vectors});
  }
  RowDivision operator()(const Sections& t) const {
    return {.order = Order::Rows,
            .residence = Residence::Registers,
            .threads = s.threads,
            .vectors = t.vectors,
            .blocks = t.cluster};
  }

  RowDivision operator()(const Columns& c) const {
    return {.order = Order::Columns, .threads = c.down, .vectors = c.elements, .parts = c.parts};
  }
  RowDivision operator()(const RegisterColumns& c) const {
    return {.order = Order::Columns, .residence = Residence::Registers, .vectors = c.elements};
  }
  RowDivision operator()(const SharedColumns& c) const {
    return {.order = Order::Columns,
            .residence = Residence::Shared,
            .threads = c.down,
            .vectors = c.elements,
            .blocks = c.cluster};
  }
  RowDivision operator()(const TurnColumns& c) const {
    return {.order = Order::Columns,
            .residence = Residence::Registers,
            .threads = c.down,
            .vectors = c.elements,
            .blocks = c.cluster};
  }
  RowDivision operator()(const Pairs& p) const {
    const auto* parts = std::get_if<Parts>(&p.strip);
    return {.order = Order::Columns,
            .threads = p.down,
            .vectors = p.neighbours,
            .parts = parts ? parts->count : 1};
  }

  template <class Owner>
  RowDivision owned(const Owner& owner, RowDivision d) const {
    std::visit(Own{d, s.threads}, owner);
    return d;
  }
};

// ---- text

struct PrintOwner {
  std::string operator()(const Threads&) const { return ""; }
  std::string operator()(const Cluster& c) const {
    return format(", {} blocks of a cluster a row", c.blocks);
  }
  std::string operator()(const Device& d) const {
    return format(", {} blocks a row, a cooperative launch", d.blocks);
  }
  std::string operator()(const Parts& p) const { return format(", row split in {}", p.count); }
  std::string operator()(const Totals::Bundled&) const { return ", rows of a block as one run"; }
  std::string operator()(const Pairs::Whole&) const { return ""; }
  std::string operator()(const Pairs::Shares& s) const {
    return format(", {} equal shares{}", s.blocks, s.shared_bytes > 0 ? ", no more at once" : "");
  }
};

std::string cluster(int blocks, const char* of) {
  return blocks > 1 ? format(", {} blocks of a cluster a {}", blocks, of) : "";
}

std::string when(bool is, const char* text) { return is ? text : ""; }

// What each shape says beside what all have.
struct PrintShape {
  std::string operator()(const Maps& m) const {
    return when(m.shifted, ", shifted to aligned vectors") + when(m.divides_at_once, ", quotients at once");
  }
  std::string operator()(const Stencils& s) const { return when(s.divides_at_once, ", quotients at once"); }
  std::string operator()(const Tiles& t) const {
    return format(", squares of {} transposed along axis {}", t.side, t.axis);
  }
  std::string operator()(const Rows& r) const {
    return std::visit(PrintOwner(), r.owner) + when(r.shifted, ", shifted to aligned vectors");
  }
  std::string operator()(const RegisterRows& r) const {
    return std::visit(PrintOwner(), r.owner) + when(r.shifted, ", shifted to aligned vectors");
  }
  std::string operator()(const SharedRows& r) const {
    return cluster(r.cluster, "row") + when(r.shifted, ", shifted to aligned vectors") +
           when(r.copied_ahead, ", copied ahead");
  }
  std::string operator()(const LookBackRows& r) const {
    return format(", row split in {}, look-back scan", r.parts) +
           when(r.shifted, ", shifted to aligned vectors") + when(r.in_shared, ", copied ahead");
  }
  std::string operator()(const BundledRows&) const { return ", rows of a block as one run"; }
  std::string operator()(const Totals& t) const {
    return std::visit(PrintOwner(), t.owner) +
           (t.rows_in_turn > 1 ? format(", {} rows one after another", t.rows_in_turn) : "") +
           when(t.copied_ahead, ", copied ahead");
  }
  std::string operator()(const Sections& s) const { return cluster(s.cluster, "row"); }
  std::string operator()(const Columns& c) const {
    return c.parts > 1 ? format(", row split in {}", c.parts) : "";
  }
  std::string operator()(const RegisterColumns&) const { return ""; }
  std::string operator()(const SharedColumns& c) const {
    return cluster(c.cluster, "strip") + when(c.copy == SharedColumns::Copy::Ahead, ", copied ahead") +
           when(c.copy == SharedColumns::Copy::Vectors, ", copied ahead, copied in aligned vectors") +
           (c.overlap > 0 ? format(", strips overlap by {} columns", c.overlap) : "");
  }
  std::string operator()(const TurnColumns& c) const {
    return cluster(c.cluster, "strip") + format(", {} strips at once, copied ahead", c.strips_at_once);
  }
  std::string operator()(const Pairs& p) const {
    return std::visit(PrintOwner(), p.strip) + format(", {} neighbours of the row together", p.neighbours) +
           format(", runs of {}", p.run) + when(p.loaded_ahead, ", loaded ahead");
  }
};

constexpr const char* kNames[] = {"maps",           "stencils",     "tiles",          "rows",
                                  "register rows",  "shared rows",  "look-back rows", "bundled rows",
                                  "totals",         "sections",     "columns",        "register columns",
                                  "shared columns", "turn columns", "pairs"};
static_assert(std::size(kNames) == std::variant_size_v<Shape>);

const char* residence(Residence r) {
  switch (r) {
    case Residence::Registers:
      return ", row kept in registers";
    case Residence::Shared:
      return ", row kept in shared";
    case Residence::Nowhere:
      break;
  }
  return "";
}

const char* caching(Caching c) {
  switch (c) {
    case Caching::Streaming:
      return ", streaming stores";
    case Caching::LoadsStay:
      return ", loads stay in the cache";
    case Caching::Plain:
      break;
  }
  return "";
}

}  // namespace

RowDivision division_of(const CudaSchedule& schedule) {
  return std::visit(DivisionOf{schedule}, schedule.shape);
}

std::string text_of(const CudaSchedule& s) {
  const RowDivision d = division_of(s);
  std::string out = format("{}: axis {} by {} lanes", kNames[s.shape.index()], s.lane_axis, s.lanes);
  out += format(", blocks of {} threads", s.threads);
  if (d.order != Order::Pointwise || std::holds_alternative<Stencils>(s.shape))
    out += format(", {} a row", d.threads);
  out += format(", {} vectors each", d.vectors);
  if (s.resident > 1) out += format(", {} blocks resident", s.resident);
  out += residence(d.residence);
  out += std::visit(PrintShape(), s.shape);
  out += caching(s.caching);
  return out;
}

}  // namespace weft::plan
