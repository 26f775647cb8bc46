// The words that ops as text do not take for a name of the user's: types, and what C++ keeps for itself.
#pragma once

#include <string>
#include <string_view>

namespace weft::ir {

// Whether the word starts the name of a type that is always known.
bool is_type_word(std::string_view word);
// Whether a parameter's type of this name may be one that the arrays decide: one letter, or a name with a capital in
// front that is no known type's but for capitals. Misspelt types are thereby not taken for generic ones.
bool may_be_generic(std::string_view word);
// "; did you mean 'float'?" for a word that is no type, or nothing.
std::string meant_type(std::string_view word);
// Whether types of several words have this one: unsigned long.
bool joins_types(std::string_view word);
// Whether C++ keeps the word, so that nothing can have it as its name.
bool is_keyword(std::string_view word);
// What to write in place of a call of one of C's functions that are none of numbers, or that are not there; empty for others.
std::string_view instead_of_call(std::string_view function);

}  // namespace weft::ir
