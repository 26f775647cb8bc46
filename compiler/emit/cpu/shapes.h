// The loops of an entry, one function for each shape whose loops are its own.
#pragma once

#include <string>

#include "compiler/emit/cpu/entry.h"

namespace weft::emit::cpu {

std::string write_points(Entry& entry);
std::string write_rows(Entry& entry);
std::string write_split_rows(Entry& entry);
std::string write_totals(Entry& entry);
std::string write_columns(Entry& entry);
std::string write_split_columns(Entry& entry);

}  // namespace weft::emit::cpu
