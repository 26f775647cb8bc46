// How neighbours in memory get to the lanes of vectors, and back: each lane has as many, one lane's behind
// the other's, and each vector holds one of every lane. Loads, shuffles of two vectors and stores, as few as
// may be.
#pragma once

#include <vector>

namespace weft::plan {

struct Deal {
  struct Piece {
    int at, count;  // elements in memory, from the first lane's first
  };
  // A new register of what two hold, counted through both; -1: nobody looks.
  struct Pick {
    int a, b;
    std::vector<int> from;
  };
  std::vector<Piece> pieces;  // in: what the first registers are loaded from; out: what is stored, in order
  std::vector<Pick> picks;    // in the order of the registers that they make, the ones behind those given
  std::vector<int> ends;      // the registers, in: of each neighbour; out: of each piece

  int cost() const { return static_cast<int>(pieces.size() + picks.size()); }
};

// From memory to vectors of `lanes` (a power of two), of which each lane has `length` neighbours.
Deal deal_in(int lanes, int length);
// From `length` vectors, the first registers, to memory. Pieces may overlap: the last to be stored is right.
Deal deal_out(int lanes, int length);
// What these cost, kept for short lengths: schedules ask for every axis of a few elements.
int cost_of_deal_in(int lanes, int length);
int cost_of_deal_out(int lanes, int length);

// The same where one lane's neighbours do not follow the other's: each piece is all of one lane's. `length`
// is a power of two, at most `lanes`.
Deal deal_in_apart(int lanes, int length);
Deal deal_out_apart(int lanes, int length);

}  // namespace weft::plan
