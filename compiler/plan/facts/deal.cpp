#include "compiler/plan/facts/deal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

namespace weft::plan {

namespace {

using Elements = std::vector<int>;  // of memory, in the lanes of a register; -1: none that matters

constexpr int kNothing = -1;

Elements range(int first, int count) {
  Elements out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), first);
  return out;
}

bool contains(const Elements& elements, int e) {
  return std::find(elements.begin(), elements.end(), e) != elements.end();
}

class Dealer {
 public:
  Dealer(int lanes, int length, bool apart = false) : lanes_(lanes), length_(length) {
    const int blocks = (length + lanes - 1) / lanes;
    widest_ = (length + blocks - 1) / blocks;
    side_ = static_cast<int>(std::bit_ceil(static_cast<unsigned>(widest_)));
    whole_ = side_ == length && !apart;
  }

  // From and to vectors as they lie in memory, each collected from those that have some of it.
  Deal in_by_picks() {
    for (int v = 0; v < length_; ++v) load(v * lanes_, range(v * lanes_, lanes_));
    for (int k = 0; k < length_; ++k) deal_.ends.push_back(collect(neighbour(k)));
    return std::move(deal_);
  }
  Deal out_by_picks() {
    begin_out();
    for (int v = 0; v < length_; ++v) store(v * lanes_, lanes_, collect(range(v * lanes_, lanes_)));
    return std::move(deal_);
  }

  // Squares of lanes and neighbours are transposed by halves, quarters, ...: a vector begins as the
  // neighbours of one lane, or of as many lanes as it has room for.
  Deal in_by_squares() {
    std::vector<std::vector<int>> squares;
    for (int first = 0; first < length_; first += widest_) {
      std::vector<int>& v = squares.emplace_back();
      for (int j = 0; j < side_; ++j) v.push_back(whole_ ? load(j * lanes_, range(j * lanes_, lanes_)) : 0);
    }
    // Registers that are loaded are numbered before those that are made.
    std::vector<std::vector<std::vector<int>>> parts(squares.size());
    if (!whole_)
      for (size_t b = 0; b < squares.size(); ++b)
        for (int j = 0; j < side_; ++j) {
          std::vector<int>& of = parts[b].emplace_back();
          for (int lane = j; lane < lanes_; lane += side_)
            of.push_back(load_part(lane, static_cast<int>(b) * widest_));
        }
    for (size_t b = 0; b < squares.size(); ++b) {
      const int first = static_cast<int>(b) * widest_, last = std::min(length_, first + widest_);
      std::vector<int>& v = squares[b];
      if (!whole_)
        for (int j = 0; j < side_; ++j) {
          std::vector<int>& of = parts[b][static_cast<size_t>(j)];
          int lane = j;
          for (int& part : of) part = pick(part, part, part_of(lane, first)), lane += side_;
          for (; of.size() > 1; of.resize(of.size() / 2))
            for (size_t k = 0; 2 * k < of.size(); ++k) {
              Elements both = holds(of[2 * k]);
              const Elements& second = holds(of[2 * k + 1]);
              both.insert(both.end(), second.begin(), second.end());
              of[k] = pick(of[2 * k], of[2 * k + 1], both);
            }
          v[static_cast<size_t>(j)] = of[0];
        }
      for (int apart = side_ / 2; apart > 1; apart /= 2) turn(v, apart);
      for (int j = 0; j < side_; j += 2) {
        const int a = v[static_cast<size_t>(j)], c = v[static_cast<size_t>(j) + 1];
        for (int k : {j, j + 1})
          if (first + k < last) v[static_cast<size_t>(k)] = pick(a, c, neighbour(first + k));
      }
      deal_.ends.insert(deal_.ends.end(), v.begin(), v.begin() + (last - first));
    }
    return std::move(deal_);
  }

  Deal out_by_squares() {
    begin_out();
    std::vector<std::vector<int>> squares;
    for (int first = 0; first < length_; first += widest_) {
      const int count = std::min(widest_, length_ - first);
      std::vector<int>& v = squares.emplace_back(static_cast<size_t>(side_), kNothing);
      for (int j = 0; j < count; j += 2) {
        const Elements a = arranged(first + j), b = j + 1 < count ? arranged(first + j + 1) : none();
        const int second = j + 1 < count ? first + j + 1 : kNothing;
        v[static_cast<size_t>(j)] = pick(first + j, second, lower(a, b, 1));
        v[static_cast<size_t>(j) + 1] = pick(first + j, second, upper(a, b, 1));
      }
      for (int apart = 2; apart < side_; apart *= 2) turn(v, apart);
    }
    if (whole_) {
      for (int j = 0; j < side_; ++j) store(j * lanes_, lanes_, squares[0][static_cast<size_t>(j)]);
      return std::move(deal_);
    }
    // What a piece holds of nobody's is overwritten by the next; the last one begins sooner.
    int before = kNothing;
    for (int lane = 0; lane < lanes_; ++lane)
      for (size_t b = 0; b < squares.size(); ++b) {
        const int from = squares[b][static_cast<size_t>(lane % side_)], first = static_cast<int>(b) * widest_;
        const Elements part = part_of(lane, first);
        int piece = pick(from, from, part);
        const int at = lane * length_ + first, last = lanes_ * length_ - side_;
        const int whole = piece;
        if (at > last) piece = pick(before, piece, range(last, side_));
        before = whole;
        store(std::min(at, last), side_, piece);
      }
    return std::move(deal_);
  }

 private:
  const Elements& holds(int reg) const { return reg == kNothing ? none_ : holds_[static_cast<size_t>(reg)]; }
  Elements none() const { return Elements(static_cast<size_t>(lanes_), -1); }

  int load(int at, Elements held) {
    deal_.pieces.push_back({at, static_cast<int>(held.size())});
    holds_.push_back(std::move(held));
    return static_cast<int>(holds_.size()) - 1;
  }
  void store(int at, int count, int reg) {
    deal_.pieces.push_back({at, count});
    deal_.ends.push_back(reg);
  }
  void begin_out() {
    for (int k = 0; k < length_; ++k) holds_.push_back(neighbour(k));
  }

  // The register that holds what is wanted in the lanes where it is.
  int pick(int a, int b, const Elements& wanted) {
    if (a == kNothing) a = b;
    if (b == kNothing) b = a;
    if (std::all_of(wanted.begin(), wanted.end(), [](int e) { return e < 0; })) return kNothing;
    const Elements &in_a = holds(a), &in_b = holds(b);
    Elements from;
    bool moved = wanted.size() != in_a.size();
    for (size_t lane = 0; lane < wanted.size(); ++lane) {
      const int e = wanted[lane];
      if (e < 0) {
        from.push_back(-1);
        continue;
      }
      auto at = std::find(in_a.begin(), in_a.end(), e);
      const bool first = at != in_a.end();
      if (!first) at = std::find(in_b.begin(), in_b.end(), e);
      from.push_back(static_cast<int>(first ? at - in_a.begin()
                                            : at - in_b.begin() + static_cast<std::ptrdiff_t>(in_a.size())));
      moved |= from.back() != static_cast<int>(lane);
    }
    if (!moved) return a;
    deal_.picks.push_back({a, b, std::move(from)});
    holds_.push_back(wanted);
    return static_cast<int>(holds_.size()) - 1;
  }

  // The same from any of the first registers, one after the other.
  int collect(const Elements& wanted) {
    int sum = kNothing;
    Elements found(wanted.size(), -1);
    for (int reg = 0; reg < length_; ++reg) {
      bool any = false;
      for (size_t lane = 0; lane < wanted.size(); ++lane)
        if (contains(holds(reg), wanted[lane])) found[lane] = wanted[lane], any = true;
      if (any) sum = sum == kNothing ? reg : pick(sum, reg, found);
    }
    return pick(sum, sum, wanted);
  }

  // One neighbour of every lane.
  Elements neighbour(int k) const {
    Elements out;
    for (int lane = 0; lane < lanes_; ++lane) out.push_back(lane * length_ + k);
    return out;
  }
  // The same in the lanes from which squares turn it to where it lies in memory.
  Elements arranged(int k) const {
    Elements out;
    for (int l = 0; l < lanes_; ++l) {
      const int lane = whole_ ? l % side_ * (lanes_ / side_) + l / side_ : l;
      out.push_back(lane * length_ + k);
    }
    return out;
  }
  // A lane's neighbours from `first` on, as many as a square is wide.
  Elements part_of(int lane, int first) const {
    Elements out;
    for (int k = first; k < first + side_; ++k)
      out.push_back(k < std::min(length_, first + widest_) ? lane * length_ + k : -1);
    return out;
  }
  // They are loaded from where they are, or so far before that nothing behind the last lane's is touched.
  int load_part(int lane, int first) {
    const int at = std::min(lane * length_ + first, lanes_ * length_ - side_);
    const Elements part = part_of(lane, first);
    Elements held = range(at, side_);
    for (int& e : held)
      if (!contains(part, e)) e = -1;
    return load(at, std::move(held));
  }

  static Elements lower(const Elements& a, const Elements& b, int apart) {
    Elements out;
    for (int e = 0; e < static_cast<int>(a.size()); ++e)
      out.push_back(e & apart ? b[static_cast<size_t>(e - apart)] : a[static_cast<size_t>(e)]);
    return out;
  }
  static Elements upper(const Elements& a, const Elements& b, int apart) {
    Elements out;
    for (int e = 0; e < static_cast<int>(a.size()); ++e)
      out.push_back(e & apart ? b[static_cast<size_t>(e)] : a[static_cast<size_t>(e + apart)]);
    return out;
  }
  // Exchanges one bit of a vector's number with that of a lane's.
  void turn(std::vector<int>& v, int apart) {
    for (int j = 0; j < side_; ++j) {
      if (j & apart) continue;
      int &low = v[static_cast<size_t>(j)], &high = v[static_cast<size_t>(j + apart)];
      const Elements a = low == kNothing ? none() : holds(low), b = high == kNothing ? none() : holds(high);
      const int first = low, second = high;
      low = pick(first, second, lower(a, b, apart));
      high = pick(first, second, upper(a, b, apart));
    }
  }

  const int lanes_, length_;
  int widest_, side_;  // of a square: neighbours, and the power of two that they fill
  bool whole_;         // all neighbours are one square's, fill it, and follow one another in memory
  const Elements none_;
  std::vector<Elements> holds_;
  Deal deal_;
};

Deal cheaper(Deal a, Deal b) { return a.cost() <= b.cost() ? std::move(a) : std::move(b); }

// Of each power of two of lanes and of each length; 0: not yet asked for.
constexpr int kMostLength = 16, kMostLanes = 64;
using Costs = std::array<std::array<std::atomic<int>, kMostLength + 1>, std::bit_width(unsigned{kMostLanes})>;

int cost_of(Costs& costs, Deal (&deal)(int, int), int lanes, int length) {
  if (lanes > kMostLanes || length > kMostLength) return deal(lanes, length).cost();
  std::atomic<int>& cost = costs[static_cast<size_t>(std::bit_width(static_cast<unsigned>(lanes)) - 1)]
                                [static_cast<size_t>(length)];
  if (cost.load(std::memory_order_relaxed) == 0)
    cost.store(deal(lanes, length).cost(), std::memory_order_relaxed);
  return cost.load(std::memory_order_relaxed);
}

}  // namespace

Deal deal_in(int lanes, int length) {
  return cheaper(Dealer(lanes, length).in_by_picks(), Dealer(lanes, length).in_by_squares());
}

Deal deal_out(int lanes, int length) {
  return cheaper(Dealer(lanes, length).out_by_picks(), Dealer(lanes, length).out_by_squares());
}

int cost_of_deal_in(int lanes, int length) {
  static Costs costs;
  return cost_of(costs, deal_in, lanes, length);
}
int cost_of_deal_out(int lanes, int length) {
  static Costs costs;
  return cost_of(costs, deal_out, lanes, length);
}

Deal deal_in_apart(int lanes, int length) { return Dealer(lanes, length, true).in_by_squares(); }

Deal deal_out_apart(int lanes, int length) { return Dealer(lanes, length, true).out_by_squares(); }

}  // namespace weft::plan
