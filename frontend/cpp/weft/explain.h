// What would run and why, in as much detail as is wanted, or as data.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontend/cpp/weft/array.h"

namespace weft {

// What explain() says: how much runs, against op by op, and what to change; also each kernel; also for each value why
// it goes through memory or not; also how each kernel's loops run and what compiling made of it, for which it is
// compiled.
enum class ExplainDetail : uint8_t { Summary, Kernels, All, Compiled };
// Error for what is none of summary, kernels, all and compiled.
ExplainDetail explain_detail_named(const std::string& name);

// How one program computes the arrays, as eval would run it; one after another for several devices.
std::string explain(std::span<const Array> xs, ExplainDetail detail);
// The same as JSON: docs/seeing_inside.md has the schema. All but what compiling gives is in it in any case.
std::string explain_json(std::span<const Array> xs, ExplainDetail detail = ExplainDetail::All);

// Calls what gives some arrays and looks at values on the way: each part that it computes on this thread, with what
// caused it. Nothing fuses from one part to another.
std::string explain_call(const std::function<std::vector<Array>()>& call,
                         ExplainDetail detail = ExplainDetail::All);
std::string explain_call_json(const std::function<std::vector<Array>()>& call,
                              ExplainDetail detail = ExplainDetail::All);
// show() of each part of such a call.
std::string show_call(const std::function<std::vector<Array>()>& call, const std::string& stage = {});

// Has explain() say this line of an array that lies in memory, and of what is computed of it on this thread.
void say_of(const Array& x, std::string text);

}  // namespace weft
