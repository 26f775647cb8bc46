// Statements that are the same in every lane. Values are vectors everywhere; those that index also have their
// first lane as `x<n>`, tests as `g<n>`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

// The function that an `apply` calls, once an entry.
void add_function(const Entry& e, const plan::Let& let);
// How a series lies for the lanes whose element of turn 0 is at this position, in the prelude's words.
std::string series_of(const Entry& entry, Value at);

// Calls of functions so far, and the variables that hold their results.
using Calls = std::map<std::string, std::string>;
std::string write_uniform(const Entry& entry, const plan::Stmt& stmt, Calls& calls);

// Statements that define a value; the second one of a stored half, whose wider number is e<n>.
std::string define_uniform(const Entry& entry, Value v, const std::string& expression);
std::string define_rounded(Value v, const std::string& unrounded);
// What a store takes of a value.
std::string stored_name(const Entry& entry, Value v);

// An index as a number, without its term on the lane axis.
std::string offset(const Entry& entry, const plan::Index& at);
// The guards that are the same in every lane, as one condition.
std::string guard(const Entry& entry, const std::vector<Value>& guards);
// Where a buffer's element of an index lies, at the first position of the lanes.
std::string address(const Entry& entry, int buffer, const plan::Index& at);

}  // namespace weft::emit::cpu
