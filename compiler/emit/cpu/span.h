// One inner loop along the lane axis: a function over whole vectors (span.cpp writes its statements), and
// the code that calls it for stretches in which all tests keep their value (span_call.cpp).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/cpu/cpu_emitter.h"

namespace weft::emit {

class CpuSpan {
 public:
  CpuSpan(CpuEmitter& e, std::vector<const plan::Stmt*> stmts);
  // The code that calls the function, which is added to the emitter's.
  std::string run();

 private:
  // A pointer that walks along the lanes. Read or written contiguously (`stride` empty) or with a stride.
  struct Stream {
    std::string name, element, start, stride;
    bool in, out;
    size_t bytes = 0;          // of an element
    std::string rows = {};     // elements from one row of the span to the next; empty: the same for all
    std::string only_if = {};  // zeros are read where this is false
    std::vector<plan::Value> tests = {};  // or where one of these is
    int count = 1;                        // neighbours at each position
    std::string step = {};                // the member that has it, and is shared with others
    bool scratch = false;                 // memory of the task
    std::string place = {};  // masked: text that sets the pointer, where more than a row's start does
    bool has_step() const { return !stride.empty() || !only_if.empty() || !tests.empty(); }
    bool owns_step() const { return has_step() && step == name + "_by"; }
  };

  // Returns the name of its step: one for all streams whose steps are equal wherever the walk is.
  std::string add_stream(Stream stream);
  std::string import(plan::Value v);
  void member(const std::string& type, const std::string& name, const std::string& value);
  void define(plan::Value v, const std::string& expression);
  std::string expression(const plan::Let& let);
  // An index in every lane; with its offset, which all lanes share, in a member.
  std::string lanes_index(const plan::Index& at, const std::string& name, bool with_offset);
  std::string positions();
  std::string stream_array(const std::string& name, const CpuEmitter::Array& array, bool in, bool out);
  void export_array(plan::Value v, const CpuEmitter::Array& array);
  bool many_rows() const { return e_.rows_axis_ >= 0; }

  void write(const plan::Let& s);
  void write(const plan::Literal&) {}   // the same in every lane
  void write(const plan::Argument&) {}  // likewise
  void write(const plan::Position& s);
  void write(const plan::Divide& s);
  void write(const plan::Clamp& s);
  void write(const plan::Test& s);
  void write(const plan::Load& s);
  void write(const plan::Store& s);
  void write(const plan::Fold& f);
  void write(const plan::Scan& s);
  void write(const plan::Largest& l);
  // Asks for what a load will read, where it is the first of its array to walk on through memory.
  void prefetch(const plan::Load& s, const std::string& n);
  // The lanes of a mask where a test holds, too; named once, since many loads share theirs.
  std::string both(const std::string& mask, const std::string& test);
  // Masked schedules: the load where the row goes on and its guards hold.
  std::string masked_load(const plan::Load& s, const std::string& n);
  // window.cpp: text that sets where a masked load reads a row, whose lanes [low, high) are live.
  std::string window(const plan::Load& s, const std::string& n, const std::string& low,
                     const std::string& high);
  void write_masked_function(const std::string& pointers);
  float work() const;  // multiply-adds of a lane
  // Whether masks are nothing beside what is computed.
  bool is_heavy() const;
  // Whether a call takes a whole row of so few vectors that the text knows how many.
  bool counts_vectors() const;
  // The store that decides where whole vectors begin, before which some lanes are done alone; or nothing.
  // What lies in scratch is written in whole vectors, from where it begins.
  std::string aligned_store() const;
  std::string masked_call();
  // runs.cpp: accesses of several neighbours in each lane, which follow one another.
  bool is_run(const plan::Run& run, const plan::Index& at) const;
  std::string run_load(const plan::Load& s, const std::string& n);
  void run_store(const plan::Store& s, const std::string& value);
  std::string run_function(const char* what, DType t, const plan::Run& run);
  // Accesses that stand apart in the program, of elements that are neighbours in memory: one for all of them.
  struct Neighbours {
    const plan::Index* first;  // where they begin
    size_t length, left;       // how many they are, and how many of those were not met yet
    std::string name = {};     // of what holds them
  };
  void find_neighbours();
  std::string near_load(const plan::Load& s, const std::string& n);
  void near_store(const plan::Store& s, const std::string& value);
  std::string near_function(const char* what, DType t, size_t length);
  // A test that holds for one stretch of the lanes, whose ends the call finds.
  bool has_bounds(plan::Value v) const;
  // Stores lane by lane, in order, those lanes that are no padding.
  void scatter(const plan::Store& s, const std::string& n, const std::string& v);

  void write_function();
  std::string loop(const std::string& count, const std::string& step) const;
  std::string call();

  CpuEmitter& e_;
  std::vector<const plan::Stmt*> stmts_;
  int id_, stores_ = 0;
  std::set<plan::Value> own_, imported_;
  bool masked() const { return e_.d_.masked(); }
  std::vector<Stream> streams_;
  std::vector<Neighbours> neighbours_;
  std::map<const plan::Index*, std::pair<size_t, size_t>> near_;  // which of these, and which of its elements
  std::map<std::pair<std::string, int>, std::string> steps_;      // by stride and count, of those that share
  std::vector<const plan::Test*> tests_;
  std::string members_, locals_, sets_, before_, pre_, body_, post_, after_, gather_;
  std::string widen_;                         // what has been added up joins a wider sum
  std::map<std::string, std::string> masks_;  // what `both` named
  std::string run_;                           // of loads or stores, the one at hand
  std::string streamed_;                      // the store that decides where aligned vectors begin
  std::set<int> pasts_;                       // buffers whose end the state knows
  int streams_out_ = 0;
  bool uses_positions_ = false, folds_ = false, scans_ = false, bounded_ = false;
};

}  // namespace weft::emit
