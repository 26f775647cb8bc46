// The profiler, and what Python notes in it of its own work.
#include "frontend/cpp/weft/profile.h"
#include "frontend/cpp/inspect/source_text.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/crash_notice.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/profile.h"

namespace weft::python {
namespace {

runtime::Trace& trace() { return Session::current().state().counters.trace; }

// Work of Python's that began then and ends now, asked for by the line that runs.
void note_work(const std::string& kind, const std::string& what, int64_t start, int64_t bytes_read,
               int64_t bytes_written) {
  runtime::TraceEvent event;
  event.work = kind == "host" ? runtime::Work::Host : runtime::Work::Record;
  event.what = what;
  event.lines = {python_line()};
  event.start = start, event.ns = runtime::Trace::now() - start;
  event.bytes_read = bytes_read, event.bytes_written = bytes_written;
  trace().add(std::move(event));
}

// What a recording is for that the one before was not, at the line that runs, and what to write instead, if it is known.
void note_recording(const std::string& differs, const std::string& instead) {
  if (!differs.empty())
    Session::current().state().costs_seen.add(
        {std::string(detail::kRecordedFor), {python_line()}, differs, instead});
}

}  // namespace

int64_t profile_time() { return trace().on() ? runtime::Trace::now() : 0; }

void note_copy(const std::string& from, const std::string& to, int64_t bytes, int64_t start) {
  runtime::TraceEvent event;
  event.work = runtime::Work::Copy;
  event.what = "array from " + from + " to " + to;
  event.lines = {python_line()};
  event.start = start, event.ns = runtime::Trace::now() - start;
  event.bytes_read = event.bytes_written = bytes;
  trace().add(std::move(event));
}

// A notebook's cells lie in linecache alone.
std::string source_text(const std::string& file) {
  const nb::gil_scoped_acquire lock;
  try {
    const nb::object lines = nb::module_::import_("linecache").attr("getlines")(file);
    return nb::cast<std::string>(nb::str("").attr("join")(lines));
  } catch (const nb::python_error&) {
    return {};
  }
}

void bind_profile(nb::module_& m) {
  detail::on_source(&source_text);
  nb::class_<Profile>(m, "Profile")
      .def(nb::init<>())
      .def("stop", &Profile::stop, "error"_a = "")
      .def("running", &Profile::running)
      .def("table", &Profile::table)
      .def("json", &Profile::json)
      .def("save", &Profile::save, "path"_a);
  m.def("profile_time", profile_time, "The time now while a profile runs, else 0.");
  m.def("note_recording", note_recording, "differs"_a, "instead"_a = "");
  m.def("say_at_crash", say_at_crash, "before"_a, "after"_a,
        "From now on a crash of this process says these texts, with the signal's name between them.");
  m.def("note_work", note_work, "kind"_a, "what"_a, "start"_a, "bytes_read"_a = 0, "bytes_written"_a = 0);
}

}  // namespace weft::python
