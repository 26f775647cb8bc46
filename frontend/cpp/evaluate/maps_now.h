// Values of some thousand elements that maps make of memory, or of rows that are picked from it, computed op by op by the loops that are compiled
// with the library: no program is made, looked up or run, whatever the extents are. The bits are a kernel's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/ir/node.h"
#include "frontend/cpp/session/session_state.h"

namespace weft::detail {

class MapsNow {
 public:
  static constexpr int64_t kMostElements = 4096;  // of a node

  // The calling thread's, whose memory is kept between calls.
  static MapsNow& of_thread();

  // Whether the value is made by maps, views, picked rows and numbers alone, is no larger than that, and is rounded as a kernel
  // would.
  bool takes(DeviceSlot& device, const ir::NodeRef& value);
  // Computes such a value, or copies what a view shows, and tells the trace. False where it is none.
  bool compute(DeviceSlot& device, const ir::NodeRef& value);
  // The same; tell() is the caller's to call.
  bool compute_untold(DeviceSlot& device, const ir::NodeRef& value);
  // Tells the trace of what was computed since then.
  void tell(runtime::TimedOnHost& since) const;
  // The value's row-major elements, until the next call.
  const std::byte* elements() const;

  // The elements in a buffer of their own. What others hold on the way has its value from now on, too.
  runtime::BufferRef give();

  // How many references to the node the value's graph holds.
  uint32_t uses_of(const ir::Node* node) const;
  // Makes the value, and what others hold of what it is computed of, need `input` no longer: they get what was
  // computed here. False where that cannot be.
  bool let_go_of(const ir::Node* input);

 private:
  struct Entry {
    const ir::Node* node = nullptr;  // as the graph has it, and what is computed of it
    const ir::Node* value = nullptr;
    int base = -1;  // the entry whose elements a view shows; itself for others
    int from = -1;  // what a view is of
    Dims strides;   // in elements of the base, from `offset`
    int64_t offset = 0;
    int64_t count = 0;
    uint32_t uses = 0;     // in the graph
    uint32_t readers = 0;  // entries that are computed, once per operand
    int in[3] = {-1, -1, -1};
    int original = -1;    // the first entry that computes the same, as far as the passes see it
    int alike = -1;       // the first one that may
    int product = -1;     // the operand of a sum that is rounded with it
    bool within = false;  // a product that is part of a sum
    bool reaches = false;
    const std::byte* data = nullptr;
  };

  uint64_t number() const;
  runtime::TraceEvent event() const;
  int visit(const ir::Node* node, int depth);
  bool add_source(Entry& e);
  bool add_view(Entry& e);
  bool add_map(Entry& e);
  bool add_gather(Entry& e);
  bool follow(Entry& e, const Entry& of) const;
  bool find_products();
  int product_behind(const Entry& sum, int operand, bool& refused) const;
  bool unite();
  void count_readers();
  bool is_same(const Entry& x, const Entry& y) const;
  bool may_be_same(const Entry& x, const Entry& y) const;
  bool run(Entry& e);
  bool run_gather(Entry& e);
  bool show(Entry& e);
  bool run_sum(Entry& e, std::byte* out);
  bool operand(int entry, runtime::MapOperand& out);
  bool call(int loop, std::initializer_list<runtime::MapOperand> operands, const Entry& of, std::byte* out);
  std::byte* room(int64_t bytes);
  runtime::BufferRef taken(const Entry& e) const;

  DeviceSlot* device_ = nullptr;
  std::vector<Entry> entries_;
  std::vector<std::byte> memory_;
  size_t used_ = 0;
};

}  // namespace weft::detail
