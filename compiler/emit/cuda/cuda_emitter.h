// How emit_cuda works inside. Two kinds of code: outer code runs once for each outer point, and body code
// runs for a batch of row elements (pointwise: of points) that a thread handles together. A batch is `unroll`
// vectors of `lanes` elements along the lane axis, and runs in three steps that keep its loads in flight
// together: loads and whatever is the same along the lanes; the elements, one by one; vector stores.
//
// Threads whose place lies behind the end work on the last place again and only their stores and what they
// would add up twice are left out, so that nothing but those is conditional.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/cuda/cuda_dialect.h"
#include "compiler/emit/cuda/emit_cuda.h"
#include "compiler/emit/reduction.h"
#include "compiler/machine/tuning.h"
#include "compiler/plan/facts/cuda_access.h"
#include "compiler/plan/schedule/cuda/strips.h"

namespace weft::emit {

using namespace tuning;

// Lines with the indentation of their braces.
class CodeText {
 public:
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    add(fmt::format(text, std::forward<Args>(args)...));
  }
  void add(const std::string& text) {
    if (text.starts_with("}")) --depth_;
    out_ += std::string(text.starts_with("#") ? 0 : static_cast<size_t>(depth_) * 2, ' ') + text + "\n";
    if (text.ends_with("{")) ++depth_;
  }
  // A loop over a constant count whose arrays stay in registers.
  void unrolled(const char* variable, int count) {
    if (count > 1) {
      add("#pragma unroll");
      line("for (int {0} = 0; {0} < {1}; ++{0}) {{", variable, count);
    } else {
      add("{");
      line("const int {} = 0;", variable);
    }
  }
  // A loop that is not unrolled: its steps hold what is in flight together, and more of them only take longer
  // to compile.
  template <class... Args>
  void loop(fmt::format_string<Args...> text, Args&&... args) {
    add("#pragma unroll 1");
    line(text, std::forward<Args>(args)...);
  }
  const std::string& text() const { return out_; }
  explicit CodeText(int depth = 0) : depth_(depth) {}

 private:
  std::string out_;
  int depth_;
};

// How a statement of a body reaches memory.
enum class Path {
  Element,  // with the element's computation
  Same,     // once for a vector: nothing in it differs along the lanes
  Vector,   // one aligned access
  Cover,   // two aligned loads around a vector that begins at `phase` of the first; at 0 only on shelves, and
           // one
  Staged,  // element by element, but before anything is computed
  Tile,    // through shared memory, transposed
  Run,     // Same, and one vector for the row elements of a batch
  Rows,    // once for each flattened row that the vector may have elements of
};

struct Route {
  Path path = Path::Element;
  int phase = 0;
  int first = -1, second = -1;  // Cover: its aligned vectors in Batch::blocks
};

// One aligned vector that Cover loads share. On shelves, where a thread computes rows that lie one below the
// other, it is read of `span` more rows for loads of the same columns further down.
struct Block {
  const plan::Load* load;  // a load that it serves, of the first row
  int64_t shift;           // elements from that load's first element to the vector
  std::vector<plan::Value> guards;
  unsigned needed = 0;  // the elements of the batch's vector that it serves, as bits
  int span = 0;
};

// Rows along the lane axis: where a vector begins among them, each of its elements is in one of two. Where
// rows are shorter than a vector their length stands in the source, so that it is known which two.
struct FlatRows {
  plan::Num length;
  int touched = 0;  // rows that a vector may have elements of
  bool is_short = false;
};

// What one sweep's body needs.
struct Batch {
  const plan::Sweep* sweep = nullptr;
  int number = 0;
  std::vector<Route> routes;  // of each statement of the body
  std::vector<Block> blocks;
  std::set<plan::Value> late;                     // values of Same statements that elements read
  std::set<std::vector<plan::Value>> guard_sets;  // of guarded vector loads
  // What quotients and remainders of positions are found by, as row<number> and left<number>.
  std::vector<FlatRows> flat_rows;
  std::map<plan::Value, int> row_of;  // of each such value
  // Which statements a thread does for all its points when a step's other values are there, and what they
  // read of those: so ptxas interleaves what waits for results with what does not, and reads fewer registers
  // of one bank at a time. Empty where none waits.
  std::vector<bool> last;
  std::set<plan::Value> folded;
  // Which statements are folds of whole words, or there for these alone.
  std::vector<bool> by_words;
};

// Two conditions as one, of which an empty one always holds. Not by &&, which compilers follow into two
// copies of all that reads the result.
inline std::string both(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a + " & " + (b.find(' ') == std::string::npos ? b : "(" + b + ")");
}

class CudaEmitter {
 public:
  CudaEmitter(const plan::RowProgram& p, const plan::CudaSchedule& s, bool contract);
  Emitted run();

 private:
  // ---- cuda.cpp: positions and entries
  std::string entry(bool finish);
  std::string opening(const std::string& name, int threads) const;
  void pointwise();
  void rows();  // rows.cpp
  // columns.cpp
  void columns(bool finish);
  std::string place_of_part(const std::string& part) const;
  void total_parts(const std::string& first, const std::string& end, int step);
  // Parts of rows that are reduced lie among the words that the stream keeps at 0, before the counters.
  bool has_partials() const { return (s_.split > 1 && (columns_ || s_.chained)) || goes_across_; }
  // An entry of its own scans the parts of columns, or joins what rows have for each of their elements; parts
  // of what is reduced are joined by one of their blocks.
  bool has_finish() const {
    return goes_across_ || (s_.split > 1 && !s_.chained && (scans_ || s_.shares > 0));
  }
  std::string count_of(const std::vector<int>& order) const;
  int64_t steps_along(int axis) const;
  void split_position(const std::vector<int>& order, bool of_batch);
  void shift_position(bool of_batch);
  std::vector<int> order_of(bool outer) const;

  // ---- batch.cpp: the loop over batches
  void batch(const Batch& batch, const std::string& start, const std::string& step, const std::string& end,
             bool in_loop);
  void batch_steps(const Batch& batch, const std::string& start, const std::string& step,
                   const std::string& end, bool in_loop);
  void settle(const plan::Sweep& sweep);

  // ---- keep.cpp: what is in shared memory
  void shared_rows(int64_t rows, const std::string& mine);
  std::string place_in_shared(const std::string& step) const;
  void find_ahead();
  void copy_ahead(const std::string& start, const std::string& step, const std::string& end);
  void copy_strip(const std::string& end);
  std::string strip_shift(const std::string& row) const;
  void bundle_rows();
  void bundle_places();
  void copy_bundle(const std::string& first, const std::string& here);
  void copy_next_bundle();
  void unbundle_rows();
  int block_rows() const { return s_.threads / s_.threads_per_row; }
  bool bundled(const plan::Stmt& stmt) const {
    return s_.bundled && plan::bundled_buffer(p_, stmt, lane_) != nullptr;
  }
  std::string place_of(const plan::Stmt& stmt, int buffer) const;

  // ---- turns.cpp: strips of columns that blocks take in turn
  void begin_turns(const std::string& start, const std::string& end);
  void copy_turn(const std::string& strip, const std::string& start, const std::string& end);

  // ---- tile.cpp: shelves and squares of points
  void shelves();
  void tiled();
  void split_blocks(const char* begin, int axis, int size, const std::vector<int>& before);
  void shelf_loads(const Batch& batch);

  // ---- reduce.cpp: accumulators
  void declare_state(size_t sweep);
  void begin_last();
  void give_counters(int64_t words);
  void take_ticket();
  void collect_parts(int threads);
  void start_totals(size_t sweep, bool declare = true);
  void start_runs(size_t sweep);
  void flush_runs(size_t sweep);
  void fold(const plan::Fold& fold);
  void begin_cluster();
  // Whether the blocks of a cluster meet again for the next strip, or row.
  bool meets_in_turns() const { return s_.strips_at_once > 0 || (goes_across_ && s_.cluster > 1); }
  void join_row(size_t sweep, int threads);
  void join_in_block(size_t sweep, int threads);
  void meet_in_memory(size_t sweep, int threads);
  void join_columns(size_t sweep);
  void room_for_joins();
  void finish(size_t sweep);
  void conclude(const std::string& when);
  DType total_of(const plan::Accumulator& acc) const {
    return two_level_ ? total_dtype(acc) : span_dtype(acc);
  }
  bool has_run(const plan::Accumulator& acc) const { return two_level_ && adds_up(acc); }
  std::string joined(const plan::Accumulator& acc, DType t, const std::string& a, const std::string& b) const;
  // Columns: opens a loop over the columns of a thread.
  void each_column(bool open);

  // The accumulators whose folds are joined: all but running ones, or those too where the parts of a row are
  // totalled. Those of sections, of all sweeps, count as one more sweep's.
  std::vector<int> folded(size_t sweep) const;

  // ---- words.cpp: folds of whole words of elements
  const plan::Load* loaded_for(const Batch& batch, const plan::Fold& fold) const;
  void find_words(Batch& batch) const;
  void fold_words(const Batch& batch);
  std::string loaded_type(const Batch& batch, const plan::Load& load) const;

  // ---- across.cpp: totals across the points, an element of the row each
  std::vector<int> totals_across() const;
  void start_across();
  void begin_ahead();
  void take_ahead();
  void copy_row(const std::string& first);
  void fold_across(const plan::Fold& fold);
  void store_across(int threads);
  void join_across(int threads);
  std::string place_of_totals(int accumulator);
  int threads_down() const;
  void finish_across();

  // ---- section.cpp: totals of sections of a row
  void check_sections() const;
  std::vector<int> section_totals() const;
  // Threads of a block that share a section.
  int section_threads() const {
    return static_cast<int>(int64_t{s_.threads_per_row} * s_.cluster / p_.section_count());
  }
  std::string take_section();
  void store_sections();

  // ---- scan.cpp: running values
  void declare_scans(size_t sweep);
  void start_scans(size_t sweep, const std::string& from_parts);
  bool scans_rows(const Batch& batch) const { return !columns_ && !totalling_ && scans_of(batch) > 0; }
  int scans_of(const Batch& batch) const;
  // Whether a statement needs all elements of the batch before those after it.
  bool meets(const Batch& batch, const plan::Stmt& stmt) const {
    return std::holds_alternative<plan::Largest>(stmt) || at_once(stmt) ||
           (std::holds_alternative<plan::Scan>(stmt) && scans_rows(batch));
  }
  // Values of a batch's elements that statements after such a one read.
  std::set<plan::Value> across_meetings(const Batch& batch) const;
  void scan_column(const plan::Scan& scan);
  void scan_row(const plan::Scan& scan);
  void join_scan(const plan::Scan& scan);
  void finish_scan(const plan::Scan& scan);
  int scanning_threads() const { return s_.chained ? 32 : s_.threads_per_row; }
  void take_number();
  void look_back();

  // ---- rescale.cpp: sums that are relative to the largest value so far
  std::vector<int> relative_to(int accumulator) const;
  void start_bases(size_t sweep);
  void rescale(const plan::Largest& largest, size_t sweep);
  std::string joined_relative(int accumulator) const;
  std::string finished_relative(int accumulator, const std::string& state) const;

  // ---- route.cpp: how a batch's statements reach memory
  Batch plan_batch(const plan::Sweep& sweep, int number);
  Route route_load(const Batch& batch, const plan::Load& load, bool vector_guards) const;
  void find_flat_rows(Batch& batch) const;
  Route route_store(const plan::Store& store) const;
  bool slice_of(const plan::Sweep& sweep, const std::vector<plan::Value>& guards,
                std::set<plan::Value>& out) const;
  void fold_last(Batch& batch, const std::set<plan::Value>& same) const;
  int share_block(Batch& batch, const plan::Load& load, int64_t shift, unsigned needed) const;
  std::string covering(const Batch& batch, int block, const plan::Load& load, int64_t shift) const;
  // Whether a statement is done by one call for all elements of the batch.
  bool at_once(const plan::Stmt& stmt) const;

  // ---- body.cpp: the parts of a batch
  std::vector<const plan::Load*> run_loads(const Batch& batch) const;
  std::string run_type(const plan::Load& load) const;
  void flat_rows(const Batch& batch);
  void load_of_rows(const Batch& batch, const plan::Load& load);
  std::string of_rows(const Batch& batch, const plan::Load& load) const;
  void declare_runs(const Batch& batch);
  void load_runs(const Batch& batch, const std::string& step);
  void batch_arrays(const Batch& batch);
  void batch_loads(const Batch& batch);
  void guard_bits(const Batch& batch);
  void batch_elements(const Batch& batch);
  void open_elements(const Batch& batch);
  void close_elements(const Batch& batch);
  void batch_stores(const Batch& batch);
  bool stores_vectors(const Batch& batch) const;
  void store_vectors(const Batch& batch);

  // ---- statement.cpp: statements and outer code
  std::string name_of(plan::Value v) const;
  std::string index_text(const plan::Index& at, int64_t shift = 0) const;
  std::string guards_text(const std::vector<plan::Value>& guards) const;
  std::string packed(DType dtype, const std::string& value) const;
  std::string element_of(DType dtype, const std::string& vector, const std::string& e) const;
  void set_element(DType dtype, const std::string& vector, const std::string& value);
  void open_divisors(const plan::Sweep& sweep);
  void close_divisors();
  void let(const plan::Let& let);
  std::string divide(const plan::Divide& d);
  std::string within_row(const FlatRows& rows) const;
  std::string length_of(const FlatRows& rows) const;
  std::string last_flat_row(const FlatRows& rows);
  void element_load(const plan::Load& load);
  void element_store(const plan::Store& store);
  std::string is_own(const plan::Store& store) const;
  void statement(const plan::Stmt& stmt);
  void find_terms_beside_one();
  std::string normal_when(const Batch& batch);
  void lane_position();
  void outer_code(const std::vector<plan::Stmt>& stmts, const std::string& when);
  std::string vector_type(DType dtype) const {
    return fmt::format("Vec<{}, {}>", dialect_.element_type(dtype), s_.lanes);
  }
  std::string value_type(plan::Value v) const { return dialect_.value_type(p_.values[v].dtype); }
  const plan::Num& extent(int axis) const { return p_.extent(axis); }
  bool kept(plan::Value v) const { return kept_.contains(v); }
  // Vectors along the lane axis, and where an access has them: as vector_phase.
  int64_t lane_vectors() const;
  void find_sure_vectors();
  int phase_of(const plan::Index& at) const;
  // The elements of a vector with which the row begins and ends, which are those given unless it is one of
  // the sure ones.
  std::string from_first(const std::string& first) const;
  std::string until_last(const std::string& last) const;
  // Whether a load's vector is at once the one that is kept.
  bool in_place(const plan::Load& load, Path path) const {
    return kept(load.out) && (path == Path::Vector || ahead_.contains(load.out));
  }
  // Columns: how far it is from a strip to the next one.
  int own_columns() const { return s_.threads / s_.threads_per_row - s_.overlap; }
  // One more argument word after the program's own parameters.
  std::string extra(int64_t value);
  std::string inverse(const std::string& n, int64_t value);
  // Of numbers below 2^31, which x is: x by n, whose value is known, without a division. split() leaves the
  // quotient in x and is the remainder.
  std::string quotient(const std::string& x, const std::string& n, int64_t value);
  std::string remainder(const std::string& x, const std::string& n, int64_t value);
  std::string split(const std::string& x, const std::string& n, int64_t value);
  std::string part_of_block();

  const plan::RowProgram& p_;
  plan::CudaSchedule s_;
  bool contract_;
  CudaDialect dialect_;
  CodeText code_;

  int outer_axes_ = 0, lane_ = 0;
  int down_ = -1;                                  // shelves: the axis along which a thread's rows lie
  bool wide_ = false;                              // 64-bit index arithmetic
  bool columns_ = false;                           // accumulators and outer values are arrays over the lanes
  bool ragged_ = false;                            // the last vector along the lane axis is not full
  const plan::Index* reference_ = nullptr;         // shifted: what is aligned where vectors begin
  int copied_ = 0;                                 // wide_copies: elements of a vector that is copied
  bool whole_rows_ = false;                        // a batch takes the whole row
  bool exact_ = false;                             // all vectors of all batches are vectors of the row
  bool all_live_ = false;                          // every thread has a row
  bool inside_ = false;                            // shifted: where a batch has elements of the row alone
  bool every_fold_ = false, every_store_ = false;  // no element is left out of folds, of stores
  bool met_ = false;                               // the blocks of a cluster are known to run
  bool two_level_ = false;                         // runs of elements are added to totals of a wider dtype
  std::vector<bool> varies_;
  std::vector<plan::Range> ranges_;
  std::vector<Batch> batches_;
  const Batch* batch_ = nullptr;  // the one whose elements are being written
  std::map<int64_t, std::string> last_flat_rows_;
  std::map<std::string, std::string> inverses_of_;  // divisor -> what weft_quotient_by takes for it
  plan::Sweep totals_;  // split scans: the statements of which parts' totals are made
  std::map<plan::Value, const plan::Stmt*> definitions_;  // of all body statements
  std::vector<int> defined_in_;                           // value -> sweep whose body defines it, -1
  std::set<plan::Value> kept_;                            // cross sweeps in registers or shared memory
  std::vector<int> bundles_;                              // buffers that bundled rows are read from
  std::set<plan::Value> ahead_;              // loads that are in shared memory before the first sweep
  std::set<plan::Value> outer_values_;       // Columns: defined by outer code
  std::vector<std::string> axis_;            // the current spelling of each axis position
  std::set<plan::Value> settled_;            // kept values whose sweep is over
  std::map<plan::Value, std::string> home_;  // values that are read elsewhere than from their variable
  std::set<plan::Value> normal_;             // square sums that are no subnormals where normal_when() holds
  std::set<plan::Value> beside_one_;         // values that are only added to 1, or subtracted from it
  std::set<plan::Value> inverses_;           // divisors whose inverses are at hand
  bool scans_ = false, goes_across_ = false;
  bool totalling_ = false;    // split scans: the entry totals the parts that the finishing one scans
  std::string element_base_;  // of the lane axis, outside of the elements
  bool at_element_ = false;   // inside of a loop over the lanes
  bool in_outer_ = false;     // in code that runs once for an outer point

  // So many of a thread's vectors end within the row, whichever row and thread it is; 0 where a batch does
  // not take the whole row. Shifted, the very first may still begin before it.
  int sure_ = 0;
  bool skips_last_ = false;  // other vectors are not computed where they are no row's

  std::vector<int64_t> extra_;
  std::vector<int64_t> state_bytes_;  // of each sweep's accumulators
  // Columns with neighbours of the row together: where a thread that takes single ones starts.
  std::string alone_;
  int64_t joins_bytes_ = 0;          // of shared memory in which columns are joined
  plan::Strips strips_;              // of columns, in equal shares
  int64_t strip_columns_ = 1;        // columns of a block
  std::string whole_, shares_;       // how many strips are whole; what weft_take_share takes behind the block
  std::string split_, part_length_;  // how many parts the row has, and vectors (Columns: elements) of a part
  int64_t part_vectors_ = 0, part_count_ = 1;
  std::string walk_, parts_;  // rows that a block takes, some in turn, and how many blocks do so
  Launch launch_;
  int launch_threads_ = 1;  // threads of a block of the entry being written
  int64_t partial_bytes_ = 0;
  std::string functions_;
};

}  // namespace weft::emit
