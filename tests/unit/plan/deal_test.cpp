// Neighbours get to the lanes that they belong to and back, without a touch of memory behind the last lane's.
#include "compiler/plan/facts/deal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace weft::plan {
namespace {

using Registers = std::vector<std::vector<int>>;

void make_picks(const Deal& deal, Registers& registers) {
  for (auto& p : deal.picks) {
    const std::vector<int>&a = registers.at(static_cast<size_t>(p.a)),
          &b = registers.at(static_cast<size_t>(p.b));
    ASSERT_EQ(a.size(), b.size());
    std::vector<int> made;
    for (int e : p.from) {
      const auto from = static_cast<size_t>(e);
      made.push_back(e < 0 ? -1 : from < a.size() ? a.at(from) : b.at(from - a.size()));
    }
    registers.push_back(std::move(made));
  }
}

TEST(Deal, BringsNeighboursToTheirLanes) {
  for (int lanes : {4, 8, 16, 32, 64})
    for (int length = 2; length <= 24; ++length) {
      SCOPED_TRACE(testing::Message() << lanes << " lanes of " << length);
      const Deal deal = deal_in(lanes, length);
      Registers registers;
      for (auto& p : deal.pieces) {
        ASSERT_GE(p.at, 0);
        ASSERT_LE(p.at + p.count, lanes * length);
        std::vector<int>& loaded = registers.emplace_back(p.count);
        std::iota(loaded.begin(), loaded.end(), p.at);
      }
      make_picks(deal, registers);
      ASSERT_EQ(deal.ends.size(), static_cast<size_t>(length));
      for (int k = 0; k < length; ++k) {
        const std::vector<int>& got = registers.at(static_cast<size_t>(deal.ends[static_cast<size_t>(k)]));
        ASSERT_EQ(got.size(), static_cast<size_t>(lanes));
        for (int lane = 0; lane < lanes; ++lane)
          ASSERT_EQ(got[static_cast<size_t>(lane)], lane * length + k) << "neighbour " << k << " of " << lane;
      }
    }
}

TEST(Deal, BringsNeighboursBackToMemory) {
  for (int lanes : {4, 8, 16, 32, 64})
    for (int length = 2; length <= 24; ++length) {
      SCOPED_TRACE(testing::Message() << lanes << " lanes of " << length);
      const Deal deal = deal_out(lanes, length);
      Registers registers;
      for (int k = 0; k < length; ++k)
        for (int lane = 0; lane < lanes; ++lane) {
          if (lane == 0) registers.emplace_back();
          registers.back().push_back(lane * length + k);
        }
      make_picks(deal, registers);
      std::vector<int> memory(static_cast<size_t>(lanes * length), -1);
      ASSERT_EQ(deal.ends.size(), deal.pieces.size());
      for (size_t k = 0; k < deal.pieces.size(); ++k) {
        const Deal::Piece& p = deal.pieces[k];
        const std::vector<int>& from = registers.at(static_cast<size_t>(deal.ends[k]));
        ASSERT_EQ(from.size(), static_cast<size_t>(p.count));
        for (int e = 0; e < p.count; ++e)
          memory.at(static_cast<size_t>(p.at + e)) = from[static_cast<size_t>(e)];
      }
      for (int e = 0; e < lanes * length; ++e) ASSERT_EQ(memory[static_cast<size_t>(e)], e);
    }
}

// Each lane's neighbours lie where nothing is known of the others'.
TEST(Deal, TakesEachLanesNeighboursAtOnceWhereLanesAreApart) {
  for (int lanes : {2, 4, 8, 16, 32, 64})
    for (int length = 2; length <= std::min(lanes, 16); length *= 2) {
      SCOPED_TRACE(testing::Message() << lanes << " lanes of " << length);
      std::vector<std::vector<int>> neighbours;
      for (int k = 0; k < length; ++k) {
        neighbours.emplace_back();
        for (int lane = 0; lane < lanes; ++lane) neighbours.back().push_back(lane * length + k);
      }
      const auto lane_of = [&](const Deal::Piece& p) {
        EXPECT_EQ(p.at % length, 0);
        EXPECT_EQ(p.count, length);
        std::vector<int> all(static_cast<size_t>(length));
        std::iota(all.begin(), all.end(), p.at);
        return all;
      };
      const Deal in = deal_in_apart(lanes, length);
      ASSERT_EQ(in.pieces.size(), static_cast<size_t>(lanes));
      Registers loaded;
      for (auto& p : in.pieces) loaded.push_back(lane_of(p));
      make_picks(in, loaded);
      for (size_t k = 0; k < neighbours.size(); ++k)
        ASSERT_EQ(loaded.at(static_cast<size_t>(in.ends.at(k))), neighbours[k]);
      const Deal out = deal_out_apart(lanes, length);
      ASSERT_EQ(out.pieces.size(), static_cast<size_t>(lanes));
      Registers made = neighbours;
      make_picks(out, made);
      for (size_t k = 0; k < out.pieces.size(); ++k)
        ASSERT_EQ(made.at(static_cast<size_t>(out.ends.at(k))), lane_of(out.pieces[k]));
    }
}

TEST(Deal, TurnsSquaresOverWhereThatTakesFewerShuffles) {
  EXPECT_EQ(deal_in(16, 2).picks.size(), 2U);
  EXPECT_EQ(deal_in(16, 3).picks.size(), 6U);
  EXPECT_EQ(deal_in(16, 4).picks.size(), 8U);
  EXPECT_EQ(deal_in(16, 16).picks.size(), 64U);
  EXPECT_EQ(deal_out(16, 16).picks.size(), 64U);
  EXPECT_LT(deal_in(16, 13).cost(), 13 * 12 / 2);
  EXPECT_LT(deal_out(16, 13).cost(), 13 * 12 / 2 + 3);
}

}  // namespace
}  // namespace weft::plan
