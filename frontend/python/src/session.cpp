// Evaluation and looking into it.
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <mutex>

#include "frontend/cpp/evaluate/planned.h"
#include "frontend/cpp/inspect/colours.h"
#include "frontend/cpp/inspect/parts_of_run.h"
#include "frontend/cpp/session/env.h"
#include "frontend/cpp/session/log_sink.h"
#include "frontend/cpp/weft/explain.h"
#include "frontend/cpp/weft/verify.h"
#include "frontend/cpp/weft/warning.h"
#include "frontend/python/src/arguments.h"
#include "frontend/python/src/module.h"

namespace weft::python {
namespace {

nb::dict stats_dict() {
  const Stats s = stats();
  nb::dict d;
#define WEFT_FIELD(name) d[#name] = s.name
  WEFT_FIELD(kernels_launched);
  WEFT_FIELD(library_calls);
  WEFT_FIELD(compiles);
  WEFT_FIELD(compile_ns);
  WEFT_FIELD(compiles_behind);
  WEFT_FIELD(memory_hits);
  WEFT_FIELD(disk_hits);
  WEFT_FIELD(disk_misses);
  WEFT_FIELD(program_hits);
  WEFT_FIELD(program_misses);
  WEFT_FIELD(interpreted);
  WEFT_FIELD(blocks_launched);
  WEFT_FIELD(bytes_read);
  WEFT_FIELD(bytes_written);
#undef WEFT_FIELD
  d["host_answers"] = Session::current().state().host_answers.count();
  return d;
}

// Of each kind of work the bounds in seconds, how many pieces each bound has, and the seconds of all.
nb::dict times_dict() {
  const Times all = Session::current().times();
  nb::dict d;
  const auto add = [&](const char* name, const Durations& one) {
    std::vector<double> bounds;
    bounds.reserve(kDurationBounds.size());
    for (const int64_t ns : kDurationBounds) bounds.push_back(static_cast<double>(ns) * 1e-9);
    d[name] = nb::make_tuple(bounds, std::vector<int64_t>(one.counts.begin(), one.counts.end()),
                             static_cast<double>(one.ns) * 1e-9);
  };
  add("kernel_compile", all.compiles), add("kernel_load", all.loads), add("plan", all.plans);
  return d;
}

// Warnings wait for the main thread to run Python code: whoever tells them may lack the interpreter's lock,
// and hold locks that a thread with it waits for.
std::mutex warnings_mutex;
std::vector<std::string> warnings;

int show_warnings(void*) {
  std::vector<std::string> shown;
  {
    const std::lock_guard lock(warnings_mutex);
    shown.swap(warnings);
  }
  for (const std::string& warning : shown)
    if (PyErr_WarnEx(PyExc_RuntimeWarning, ("weft: " + warning).c_str(), 1) != 0) return -1;
  return 0;
}

void tell_warning(const std::string& warning) {
  const std::lock_guard lock(warnings_mutex);
  warnings.push_back(warning);
  if (warnings.size() == 1) Py_AddPendingCall(show_warnings, nullptr);
}

// Messages of the log wait likewise; so many, as a program that never runs Python code again has no use for them.
constexpr size_t kMostMessages = 10'000;
struct Message {
  std::string logger;
  int level = 0;
  std::string text;
};
std::mutex messages_mutex;
std::vector<Message> messages;

int give_messages(void*) {
  std::vector<Message> given;
  {
    const std::lock_guard lock(messages_mutex);
    given.swap(messages);
  }
  try {
    const nb::object get = nb::module_::import_("logging").attr("getLogger");
    constexpr int kOfPython[] = {5, 10, 20, 30, 40, 50};
    for (const Message& one : given)
      get(one.logger).attr("log")(kOfPython[std::clamp(one.level, 0, 5)], "%s", one.text);
  } catch (nb::python_error& error) {  // a handler's
    error.restore();
    return -1;
  }
  return 0;
}

void tell_message(const std::string& logger, int level, const std::string& text) {
  const std::lock_guard lock(messages_mutex);
  if (messages.size() == kMostMessages) return;
  messages.push_back({logger, level, text});
  if (messages.size() == 1) Py_AddPendingCall(give_messages, nullptr);
}

void bind_log(nb::module_& m) {
  m.def("log_setting", [] {
    return nb::make_tuple(Session::current().log_level(), detail::log_is_sent() ? "logging" : "stderr");
  });
  m.def(
      "set_log",
      [](const std::string& level, const std::string& to) {
        if (to != "stderr" && to != "logging")
          throw Error("set_log: the log goes to 'stderr' or to 'logging': got '" + to + "'");
        Session::current().set_log_level(level);
        detail::send_log_to(to == "logging" ? &tell_message : nullptr);
      },
      "level"_a, "to"_a);
  m.def(
      "send_log", [] { detail::send_log_to(&tell_message); },
      "From now on the log goes to Python's logging.");
  m.def(
      "give_log",
      [] {
        if (give_messages(nullptr) != 0) nb::raise_python_error();
      },
      "Gives the messages that wait to Python's logging now.");
  m.def("log_level", [] { return Session::current().log_level(); });
  m.def(
      "set_log_level", [](const std::string& level) { Session::current().set_log_level(level); }, "level"_a);
}

void bind_settings(nb::module_& m) {
  m.def("tier", [] { return to_string(Session::current().tier()); });
  m.def("set_tier", [](const std::string& name) { Session::current().set_tier(tier_named(name)); }, "tier"_a);
  m.def("threads", [] { return Session::current().threads(); });
  m.def("set_threads", [](int threads) { Session::current().set_threads(threads); }, "threads"_a);
  m.def("numerics", [] { return to_string(Session::current().numerics()); });
  m.def(
      "set_numerics", [](const std::string& name) { Session::current().set_numerics(numerics_named(name)); },
      "numerics"_a);
  m.def("watch", [] { return to_string(Session::current().watch()); });
  m.def(
      "set_watch", [](const std::string& name) { Session::current().set_watch(watch_named(name)); },
      "watch"_a);
  m.def("cache", [] {
    const Session session = Session::current();
    return nb::make_tuple(session.cache_directory(), session.cache_limit());
  });
  m.def(
      "set_cache",
      [](const std::string& directory, uint64_t limit) { Session::current().set_cache(directory, limit); },
      "directory"_a, "limit"_a);
  m.def("limits", [] {
    const SessionOptions& options = Session::current().options();
    return nb::make_tuple(options.graph_limit, options.interpret_limit, detail::checks_kernels(),
                          detail::makes_cuda_graphs());
  });
  m.def("variables", [] {
    const auto names = detail::variables();
    return std::vector<std::string>(names.begin(), names.end());
  });
  m.def("misspelt_variables", [] { return detail::misspelt_variables(); });
  m.def("refused_variables", [] { return detail::refused_variables(); });
}

// Whether results are right, and what makes them wrong: of arrays, and of what a call computes.
void bind_judges(nb::module_& m) {
  const auto tuple_of = [](const Verification& found) {
    return nb::make_tuple(found.agrees, found.text, found.json);
  };
  const auto judge_of = [&](const char* name, Verification (*judge)(std::span<const Array>)) {
    m.def(
        name,
        [=](const std::vector<Array>& arrays) {
          const PythonLine line;
          return tuple_of(judge(arrays));
        },
        "arrays"_a);
  };
  const auto judge_of_run = [&](const char* name,
                                Verification (*judge)(const std::function<std::vector<Array>()>&)) {
    m.def(
        name,
        [=](const nb::callable& run) {
          return tuple_of(judge([&] { return nb::cast<std::vector<Array>>(run()); }));
        },
        "run"_a, "Of each part that this thread computes, and of the arrays that it gives.");
  };
  judge_of("verify", verify);
  judge_of("bisect", bisect);
  judge_of_run("verify_run", verify_call);
  judge_of_run("bisect_run", bisect_call);
}

}  // namespace

void bind_session(nb::module_& m) {
  on_warning(tell_warning);
  m.def(
      "eval",
      [](const std::vector<Array>& arrays) {
        const PythonLine line;
        const PythonAsked asked("eval()");
        eval(arrays);
      },
      "arrays"_a);
  m.def(
      "eval_one",
      [](nb::handle x) {
        if (!is_array(x.ptr())) return false;
        if (number_of(x.ptr())) return true;  // it is there
        const PythonLine line;
        const PythonAsked asked("eval()");
        eval({&array_of(x.ptr()), 1});
        return true;
      },
      "x"_a.none(), "Whether it is an array, which is computed then.");
  m.def(
      "explain",
      [](const std::vector<Array>& arrays, const std::string& detail) {
        const ExplainDetail much = explain_detail_named(detail);
        return nb::make_tuple(explain(arrays, much), explain_json(arrays, much));
      },
      "arrays"_a, "detail"_a);
  m.def(
      "explain_run",
      [](const nb::callable& run, const std::string& detail) {
        detail::ExplainedRun parts(explain_detail_named(detail));
        parts.add_rest(nb::cast<std::vector<Array>>(run()));
        return nb::make_tuple(parts.text(), parts.json());
      },
      "run"_a, "detail"_a,
      "Runs what gives a list of arrays, and explains each part that it computes on this thread.");
  m.def(
      "show_run",
      [](const nb::callable& run, std::string stage) {
        detail::ShownRun parts(std::move(stage));
        parts.add_rest(nb::cast<std::vector<Array>>(run()));
        return parts.text();
      },
      "run"_a, "stage"_a, "The same of show(), of each part.");
  m.def("say_of", [](const Array& x, std::string text) { say_of(x, std::move(text)); }, "x"_a, "text"_a);
  m.def("coloured", [](const std::string& text) { return detail::coloured(text); }, "explanation"_a);
  m.def("times", times_dict);
  m.def(
      "why", [](size_t most) { return why_text(detail::last_planned(detail::current_session(), most)); },
      "most"_a);
  m.def(
      "tune", [](const std::vector<Array>& arrays, double seconds) { return tune(arrays, seconds); },
      "arrays"_a, "seconds"_a);
  m.def(
      "show", [](const std::vector<Array>& arrays, const std::string& stage) { return show(arrays, stage); },
      "arrays"_a, "stage"_a);
  bind_judges(m);
  m.def(
      "one_kernel",
      [](const std::vector<Array>& arrays) {
        const PythonAsked asked("one_kernel()");
        one_kernel(arrays);
      },
      "arrays"_a);
  m.def("stats", stats_dict);
  m.def("sync", [] { sync(); });
  bind_settings(m);
  bind_log(m);
  m.def("finish_kernels", [] { Session::current().finish_kernels(); });
}

}  // namespace weft::python
