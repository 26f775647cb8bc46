// How values, indices and the elements of vectors are spelled in an entry.
#pragma once

#include "compiler/emit/cuda/entry.h"

namespace weft::emit {

std::string name_of(const Entry& entry, plan::Value value);
std::string index_text(const Entry& entry, const plan::Index& at, int64_t shift = 0);
std::string guards_text(const Entry& entry, const std::vector<plan::Value>& guards);

// What memory holds for a value. Values of a half dtype are always rounded to it.
std::string packed(DType dtype, const std::string& value);
// Element `e` of a vector as a value, and a line that sets element e.
std::string element_of(const Entry& entry, DType dtype, const std::string& vector, const std::string& e);
void set_element(Entry& entry, DType dtype, const std::string& vector, const std::string& value);
// A value of another dtype.
std::string converted(DType from, DType to, const std::string& value);
// Where a single element is read or written.
std::string place_of(const Entry& entry, const plan::Stmt& stmt, int buffer);
// Whether a load's vector is at once the one that is kept.
bool is_kept_as_loaded(const Entry& entry, const plan::Load& load, Path path);

}  // namespace weft::emit
