// Totals of rows: added up in the kernel's lanes, groups of terms and calls, so that their bits are the
// kernel's.
#include <algorithm>

#include "runtime/blocks/joins.h"
#include "runtime/blocks/run.h"

namespace weft::runtime {

namespace {

template <class Total, class Span>
Total lane_of(const char* from, int64_t k) {
  return widened<Total>(reinterpret_cast<const Span*>(from)[k]);
}

// Calls f with the types of a total's spans and sums, of those whose order tells in the result.
template <class F>
void with_types(DType span, F&& f) {
  switch (span) {
    case DType::C64:
      return f(SmallComplex{}, Complex{});
    case DType::C128:
      return f(Complex{}, Complex{});
    case DType::F32:
      return f(float{}, double{});
    default:
      return f(double{}, double{});
  }
}

}  // namespace

void fill_positions(char* to, int64_t count) {
  repeat(to, reinterpret_cast<const char*>(&kNowhere), 8, count);
}

void Run::start_total(const BlockTotal& t) {
  if (t.how == How::Any) {
    fill(lanes(t), t.none_of_span, t.span, loops_.wide.width);
    if (t.finds) fill_positions(positions(t), loops_.wide.width);
  } else if (t.how == How::Running) {
    fill(sums(t), t.none_of_total, t.total, loops_.wide.width);
  } else if (t.kept == t.total) {
    fill(sums(t), t.none_of_total, t.total, p_.walk.lanes);
  } else {
    fill(sums(t), t.none_of_span, t.span, 1);
  }
}

void Run::start_call(const BlockSweep& sweep) {
  group_ = sweep.group;
  for (int32_t k : sweep.folded) {
    const BlockTotal& t = total(k);
    if (t.how != How::Lanes) continue;
    fill(lanes(t), t.none_of_span, t.span, p_.walk.lanes);
    if (t.widens) fill(wider(t), t.none_of_total, t.total, p_.walk.lanes);
    terms_[k] = 0;
  }
}

// The lanes' sums join the wider ones.
void Run::widen(int32_t k) {
  const BlockTotal& t = total(k);
  with_types(t.span, [&](auto span, auto wide) {
    using Span = decltype(span);
    using Total = decltype(wide);
    auto* to = reinterpret_cast<Total*>(wider(t));
    for (int64_t j = 0; j < p_.walk.lanes; ++j)
      to[j] = joined(t.product, to[j], lane_of<Total, Span>(lanes(t), j));
  });
  fill(lanes(t), t.none_of_span, t.span, p_.walk.lanes);
  terms_[k] = 0;
}

template <class Span, class Total>
void Run::join_as(const BlockTotal& t) {
  Total values[kMostKernelLanes];
  for (int64_t k = 0; k < p_.walk.lanes; ++k)
    values[k] = t.widens ? reinterpret_cast<const Total*>(wider(t))[k] : lane_of<Total, Span>(lanes(t), k);
  auto* to = reinterpret_cast<Total*>(sums(t));
  if (t.lanewise)
    for (int64_t k = 0; k < p_.walk.lanes; ++k) to[k] = joined(t.product, to[k], values[k]);
  else
    *to = joined(t.product, *to, join_lanes(t.product, values, p_.walk.lanes));
}

void Run::end_call(const BlockSweep& sweep) {
  for (int32_t k : sweep.folded) {
    const BlockTotal& t = total(k);
    if (t.how != How::Lanes) continue;
    if (t.widens && terms_[k] > 0) widen(k);
    if (!t.narrow) {
      with_types(t.span, [&](auto span, auto wide) { join_as<decltype(span), decltype(wide)>(t); });
      continue;
    }
    const float sum = join_lanes(false, reinterpret_cast<float*>(lanes(t)), p_.walk.lanes);
    if (t.kept == DType::F32)
      *reinterpret_cast<float*>(sums(t)) += sum;
    else
      *reinterpret_cast<double*>(sums(t)) += static_cast<double>(sum);
  }
}

void Run::fold(const BlockInstruction& i) {
  const BlockTotal& t = total(i.out);
  const bool any = t.how == How::Any;
  const BlockFolds& folds = any || p_.walk.lanes % loops_.wide.width == 0 ? loops_.wide : loops_.narrow;
  const int64_t lanes = any ? folds.width : p_.walk.lanes;
  BlockFold* const f = folds.folds[i.arity == 2 && !t.finds ? t.fold_product : t.fold];
  const int64_t bytes[2] = {int64_t(size_of(t.value)), t.finds ? 8 : int64_t(size_of(t.value))};
  const char* in[2];
  long steps[2];
  for (int k = 0; k < i.arity; ++k)
    in[k] = where(i.in[k]), steps[k] = steps_[i.in[k]] == 0 ? 0 : folds.width * bytes[k];
  for (int64_t left = count_ / lanes; left > 0;) {
    const int64_t n = t.widens ? std::min<int64_t>(left, group_ - terms_[i.out]) : left;
    f(this->lanes(t), positions(t), in, steps, lanes, n);
    for (int k = 0; k < i.arity; ++k) in[k] += n * (lanes / folds.width) * steps[k];
    left -= n;
    if (!t.widens) continue;
    terms_[i.out] += n;
    if (terms_[i.out] == group_) widen(i.out);
  }
  const int64_t rest = count_ % lanes;
  if (rest == 0) return;
  // A vector that is in part beyond the row: what changes nothing fills it.
  if (t.widens && terms_[i.out] > 0) widen(i.out);
  alignas(64) char pads[2][kMostKernelLanes * sizeof(Bytes16)];
  for (int k = 0; k < i.arity; ++k) {
    if (k == 0)
      fill(pads[0], t.none_of_value, t.value, lanes);
    else if (t.finds)
      fill_positions(pads[1], lanes);
    else if (t.value == DType::F32)
      std::fill_n(reinterpret_cast<float*>(pads[1]), lanes, 1.0F);
    else
      std::fill_n(reinterpret_cast<double*>(pads[1]), lanes, 1.0);
    deal_in(pads[k], in[k], steps[k] == 0 ? 0 : 1, rest, static_cast<int>(bytes[k]));
    in[k] = pads[k], steps[k] = folds.width * bytes[k];
  }
  f(this->lanes(t), positions(t), in, steps, lanes, 1);
  if (t.widens) widen(i.out);
}

// Lanes and positions, or sums, become one.
void Run::join(const BlockTotal& t) {
  if (t.how == How::Any)
    loops_.wide.joins[t.fold](lanes(t), positions(t));
  else if (t.lanewise)
    with_types(t.span, [&](auto, auto wide) {
      join_lanes(t.product, reinterpret_cast<decltype(wide)*>(sums(t)), p_.walk.lanes);
    });
}

char* Run::result(const BlockTotal& t) const {
  return t.finds ? positions(t) : t.how == How::Any ? lanes(t) : sums(t);
}

// The result, of `from` in its dtype.
void Run::put_result(const BlockTotal& t, char* from) {
  if (t.finish < 0) return put(t.out, from);
  alignas(64) char repeated[kMostBlockLanes * sizeof(Bytes16)];
  const DType dtype = t.finds ? DType::I64 : t.how == How::Any ? t.span : t.kept;
  repeat(repeated, from, static_cast<int>(size_of(dtype)), kMostBlockLanes);
  const char* in = repeated;
  const long step = 0;
  loops_.loops[t.finish](where(t.out), &in, &step, kMostBlockLanes / loops_.lanes);
}

void Run::finish_total(const BlockTotal& t) {
  if (t.how == How::Running || t.how == How::Across) return;
  join(t);
  put_result(t, result(t));
}

}  // namespace weft::runtime
