// What ran while a profile was running, how long it took, and which lines asked for it. All threads of the session
// are in it. One profile of a session runs at a time; where none does, nothing is noted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/cpp/weft/session.h"

namespace weft {

struct ProfileLine {
  std::string file;  // as the compiler or Python names it
  uint32_t line = 0;
};

// What looked at values, so that they were computed: a flush.
struct ProfileAsked {
  std::string by;    // "float()", "print or repr", "eval()", or a function that needs values
  ProfileLine line;  // where; no file where that is not known
  int64_t count = 0;
};

// Work of one kind, of the same ops for the same lines.
struct ProfileRow {
  // kernel, blocks, library, copy, upload, download, compile, load, plan, interpret, host, record, setup, overhead,
  // your code
  std::string kind;
  std::string what;  // ops, or a name
  std::vector<ProfileLine> lines;
  int64_t count = 0;
  int64_t total_ns = 0, least_ns = 0, most_ns = 0;
  int64_t median_ns = 0;  // half of the pieces took no longer: what a busy machine interrupts moves it little
  // Of the wall time: each moment counts once, for the innermost work, and threads that work at the same time share it.
  int64_t wall_ns = 0;
  int64_t bytes_read = 0, bytes_written = 0;  // as planned
  int64_t operations = 0;                     // of floats, in matrix products; 0 where they are not counted
  int64_t waited_ns = 0;  // of the time: a thread had work and no processor, as others had them all
  int64_t behind = 0;     // of the count: compiled while nobody waited
  std::vector<ProfileAsked>
      asked;  // of overhead, first calls and interpret: what asked for it, the most often first
};

// An avoidable cost: its cause, the lines that have it, and what to write instead.
struct ProfileAdvice {
  // widened, split reduction, host round trip, small kernels, compiled again, recorded again, stored stencil, spill,
  // denormals, thread oversubscription, copies between devices
  std::string cause;
  std::vector<ProfileLine> lines;
  std::string text;
  int64_t ns = 0;      // that it is about, at most; 0: not known
  int64_t of_ns = 0;   // of so much: first calls are left out where it is about what a second call does, too
  bool small = false;  // so little of it that it is hardly worth a change
};

class Profile {
 public:
  // Starts. Error where a profile of the session is running: profiles do not nest.
  explicit Profile(const Session& session = Session::current());
  ~Profile();
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) = delete;

  // Ends it; it may have ended. `error`: what ended early what is profiled, as "std::out_of_range at blur.cpp:12".
  void stop(const std::string& error = "");
  bool running() const;

  // All that follows is Error while it runs.
  // The most time first; last what no line of the caller's has: overhead, and the caller's own code.
  const std::vector<ProfileRow>& rows() const;
  int64_t wall_ns() const;
  // Of the wall time: when at least one thread did something that a row counts.
  int64_t accounted_ns() const;
  // Pieces of work that came after the millionth, which no row counts.
  int64_t dropped() const;
  // Of the wall time: compiling, planning, loading and recording what had not run before. The same again has none of it.
  int64_t first_calls_ns() const;
  // What could be spared, the most time first.
  const std::vector<ProfileAdvice>& advice() const;
  // The rows and the advice for a terminal.
  std::string table() const;
  // The rows as JSON: docs/seeing_inside.md has the schema.
  std::string json() const;
  // Each piece of work on its thread, for Perfetto and chrome://tracing.
  std::string trace() const;
  // Writes trace() to a file, whole or not at all; where its name ends in .html, a page for a browser, which needs no
  // network. Error where it cannot.
  void save(const std::string& path) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft
