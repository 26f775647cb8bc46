// Single statements, and the code that runs once for each outer point.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

void write_statement(Entry& entry, const plan::Stmt& stmt, const Place& place);
// Those that run once for an outer point; stores only where `when` holds.
void outer_code(Entry& entry, const std::vector<plan::Stmt>& stmts, const std::string& when);

// Opens a scope with the inverses of the numbers by which the batch divides several elements of a thread.
void open_divisors(Entry& entry, const Batch& batch);
void close_divisors(Entry& entry, const Batch& batch);

// The number of the last of flattened rows, and their length.
std::string last_flat_row(Entry& entry, const FlatRows& rows);
std::string length_of(const FlatRows& rows);
// The element's place in its row, if the vector were to begin with a row.
std::string within_row(const FlatRows& rows);

}  // namespace weft::emit
