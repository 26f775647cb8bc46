// An inner loop along the lane axis while it is written: a function over whole vectors, and the code that
// calls it for a stretch of the lanes. A whole row is one call where it is masked (masked.cpp); else a walk
// calls it for runs of vectors, and for ends on padded copies (walked.cpp).
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

// A pointer that walks along the lanes. Read or written contiguously (`stride` empty) or with a stride.
struct Stream {
  std::string name, element, start, stride;
  bool in, out;
  size_t bytes = 0;               // of an element
  std::string rows = {};          // elements from one row of the span to the next; empty: the same for all
  std::string only_if = {};       // zeros are read where this is false
  std::vector<Value> tests = {};  // or where one of these is
  int count = 1;                  // neighbours at each position
  std::string place = {};         // masked: text that sets the pointer, where more than a row's start does
  std::string step = {};          // the member that has it, and is shared with others
  bool has_step() const { return !stride.empty() || !only_if.empty() || !tests.empty(); }
  bool owns_step() const { return has_step() && step == name + "_by"; }
};

// A member of the struct that the function gets: as it is declared, read by the function, set by its caller.
struct Member {
  std::string declared, read, set;
};

// The text, by where it stands.
struct SpanText {
  std::vector<Member> state;
  std::vector<Stream> streams;
  std::string before;             // the loop
  std::string load, body, store;  // a step of it: values come from arrays, are computed, go to arrays
  std::string widen;              // after some steps: what has been added up joins a wider sum
  std::string after;              // the loop
  std::string gather;             // what the caller takes from the struct
};

struct Span {
  Entry& entry;
  const SpanLayout& layout;
  int id;
  SpanText text = {};
  std::set<Value> imported = {};
  std::map<std::pair<std::string, int>, std::string> steps = {};  // by stride and count, of those that share
  std::map<std::string, std::string> masks = {};                  // names of those that several loads share
  std::map<std::string, std::string> calls = {};                  // names of functions' results
  struct Met {
    size_t accesses = 0;
    std::string name = {};
  };
  std::vector<Met> families = {};                 // what was met of each, and where it is
  std::string run = {};                           // of loads or stores, the one at hand
  std::string aligned = {};                       // the stream of the store that vectors are aligned to
  std::set<int> ends = {};                        // buffers whose end the struct has
  std::set<std::string> taken = {};               // what series took into the struct
  std::vector<const plan::Test*> stretches = {};  // tests that are the same for a whole stretch of the lanes
  int stores = 0;
  // The call of a function that takes many vectors at once, what is computed before it, and its operands.
  struct Packed {
    const plan::Let* let = nullptr;
    std::string call, before;
    std::vector<char> varies = {};
    std::vector<DType> results = {};
  } packed = {};

  bool masked() const { return entry.layout.lanes.masked; }
  bool many_rows() const { return layout.rows_axis >= 0; }
};

// The code that calls the function, which is added to the entry's.
std::string write_span(Entry& entry, const SpanLayout& layout);

// ---- span.cpp: what all statements need

void add_member(Span& span, const std::string& type, const std::string& name, const std::string& value);
// Returns the name of its step: one for all streams whose steps are equal wherever the walk is.
std::string add_stream(Span& span, Stream stream);
// A stream of an array at `pointer`, whose name it returns.
std::string add_array(Span& span, const std::string& name, const std::string& pointer, DType dtype, bool rows,
                      bool in, bool out);
std::string add_array(Span& span, const std::string& name, const Array& array, bool in, bool out);
// The name of a value, which comes from outside if it is none of the span's.
std::string import(Span& span, Value v);
void define(Span& span, Value v, const std::string& expression);
// An index in every lane; with its offset, which all lanes share, in a member.
std::string lanes_index(Span& span, const plan::Index& at, const std::string& name, bool with_offset);
// The lanes of a mask where a test holds, too.
std::string both(Span& span, const std::string& mask, const std::string& test);

// ---- a file for each kind of statement

void write_test(Span& span, const plan::Test& test, Way way);
void write_load(Span& span, const SpanStmt& stmt, const plan::Load& load);
void write_store(Span& span, const SpanStmt& stmt, const plan::Store& store);
void write_fold(Span& span, const plan::Fold& fold);
void write_scan(Span& span, const plan::Scan& scan);

// runs.cpp: a load's expression; a store.
std::string load_run(Span& span, const plan::Load& load);
std::string load_neighbours(Span& span, const SpanStmt& stmt, const plan::Load& load);
void store_run(Span& span, const plan::Store& store, const std::string& value);
void store_neighbours(Span& span, const SpanStmt& stmt, const plan::Store& store, const std::string& value);

// ---- masked.cpp, walked.cpp: the function around its statements, and its call

// What has been added up joins wider sums every few of `count` steps.
std::string write_loop(const Span& span, const std::string& count, const std::string& step);
// Pointers of streams as the function begins, those of a step, how a step moves them, and the names of all that it moves.
struct Pointers {
  std::string begin, step, advance;
  std::vector<std::string> moved = {};
};
// packed.cpp: whether the call is the first that a span has of functions, and one that packs; the loop around it, over several
// vectors at once.
bool takes_packed(const Span& span, const plan::Let& let, const std::string& call);
void write_packed_call(Span& span, const plan::Let& let, const std::string& call);
std::string packed_loop(const Span& span, const Pointers& pointers, const std::string& body);
// `pointers`: those of the streams, as the function begins.
std::string masked_function(Span& span, const std::string& pointers, const std::string& body);
std::string walked_function(const Span& span, const Pointers& pointers, const std::string& body);
std::string masked_call(const Span& span);
// Whether the function has a loop of its own for vectors in whose lanes all tests are what they mostly are, and what that is of one.
bool has_inside(const SpanLayout& layout);
bool holds_inside(const Entry& entry, const plan::Test& test);
std::string walked_call(const Span& span);
// The struct's members, one column of them.
std::string members(const SpanText& text, std::string Member::* column);

// masked.cpp: the load where the row goes on and its guards hold.
std::string masked_load(Span& span, const SpanStmt& stmt, const plan::Load& load);

}  // namespace weft::emit::cpu
