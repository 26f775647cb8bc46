// What the bindings note in a profile of their own work.
#pragma once

#include <cstdint>
#include <string>

namespace weft::python {

// The time now while a profile runs, else 0.
int64_t profile_time();
// A copy between devices that began then and ends now, asked for by the line that runs.
void note_copy(const std::string& from, const std::string& to, int64_t bytes, int64_t start);

}  // namespace weft::python
