// The picture that Graphviz makes of a drawing.
#pragma once

#include <string>

namespace weft::detail {

// What `dot -Tsvg` writes of Graphviz's text. Error where that program is not there, or fails.
std::string svg_of(const std::string& drawing);

}  // namespace weft::detail
