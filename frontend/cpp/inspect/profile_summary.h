// Where the time of a profile went, in a few sentences: what a reader is to know before any table.
#pragma once

#include <string>

#include "frontend/cpp/inspect/profile_data.h"

namespace weft::detail {

// Of the wall time, in nanoseconds. Together they are all of it.
struct TimeGroups {
  int64_t operations = 0;   // kernels, libraries, copies, what NumPy answers
  int64_t first_calls = 0;  // compiling, planning, loading, recording: the same again has none of it
  int64_t overhead = 0;     // what Weft does around these
  int64_t own = 0;          // the rest: the caller's program
};
TimeGroups time_groups(const ProfileReport& report);

// "first calls: 120 ms of 130 ms went to …: the same again takes about 10 ms"; empty where they are few.
std::string first_calls_text(const ProfileReport& report);
// "the machine was busy: this thread waited 471 ms of 1.00 s for a processor, …"; empty where that is little.
std::string busy_text(const ProfileReport& report);
// What is to be said where no advice is worth a change, beginning with "nothing here is worth changing"; else empty.
std::string conclusion_text(const ProfileReport& report);

}  // namespace weft::detail
