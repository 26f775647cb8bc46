// The profiler, and what Python notes in it of its own work.
#include "frontend/cpp/weft/profile.h"
#include "frontend/cpp/evaluate/parts_seen.h"
#include "frontend/cpp/inspect/host_round_trips.h"
#include "frontend/cpp/inspect/source_text.h"
#include "frontend/cpp/session/session_state.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/crash_notice.h"
#include "frontend/python/src/line.h"
#include "frontend/python/src/module.h"
#include "frontend/python/src/profile.h"
#include "frontend/python/src/python_array.h"

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

// "numpy.interp", "numpy.linalg.svd" of a function of NumPy's, or of its name; "numpy.vectorize(f)" of a user's.
std::string name_on_host(nb::handle function) {
  if (nb::isinstance<nb::str>(function)) return "numpy." + nb::cast<std::string>(function);
  if (nb::hasattr(function, "pyfunc"))
    return "numpy.vectorize(" +
           nb::cast<std::string>(nb::str(nb::getattr(function, "__name__", nb::str("f")))) + ")";
  const nb::object module = nb::getattr(function, "__module__", nb::none());
  const bool is_part = nb::isinstance<nb::str>(module) && (nb::cast<std::string>(module) == "numpy.linalg" ||
                                                           nb::cast<std::string>(module) == "numpy.fft");
  return (is_part ? nb::cast<std::string>(module) : "numpy") + "." +
         nb::cast<std::string>(nb::getattr(function, "__name__"));
}

// The arrays that a result is, alone or in tuples and lists.
template <class F>
void for_each_array(nb::handle result, F&& f) {
  if (is_array(result.ptr())) {
    if (!number_of(result.ptr())) f(array_of(result.ptr()));
  } else if (nb::isinstance<nb::tuple>(result) || nb::isinstance<nb::list>(result)) {
    for (const nb::handle one : result) for_each_array(one, f);
  }
}

// NumPy's function gave this for the line that runs: Weft's arrays, or what it has no dtype for, or nothing.
// Whether somebody looks for NaN.
bool note_answer(nb::handle function, nb::handle result) {
  detail::SessionState& session = Session::current().state();
  session.host_answers.add();
  const SourceLine line = python_line();
  const std::string name = name_on_host(function);
  for_each_array(result, [&](const Array& x) { detail::made_on_host(x, name, line); });
  if (detail::PartsSeen* seen = detail::parts_seen()) seen->answer(name, line);
  const bool watches = session.watch.load(std::memory_order_relaxed) != Watch::Nothing;
  if (!session.log->should_log(spdlog::level::info)) return watches;
  const bool is_first = session.host_answers.is_first(name, line);
  session.log->log(is_first ? spdlog::level::info : spdlog::level::debug, "{} answered on the host for {}{}",
                   name, weft::to_string(std::span(&line, 1)),
                   is_first ? "; the next times are debug messages" : "");
  return watches;
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
  m.def(
      "line_now",
      [] {
        const SourceLine line = python_line();
        return weft::to_string(std::span(&line, 1));
      },
      "The user's line that runs: 'blur.py:12'.");
  m.def("name_on_host", name_on_host, "function"_a);
  m.def("note_answer", note_answer, "function"_a, "result"_a.none(),
        "Counts a function of NumPy's, or its name, that gave this result for the line that runs, and has "
        "explain() and the log know of it.");
  m.def("note_work", note_work, "kind"_a, "what"_a, "start"_a, "bytes_read"_a = 0, "bytes_written"_a = 0);
}

}  // namespace weft::python
