// Checks of options that are numbers.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace weft::cli {

// Takes numbers that fits(number) is true of, said in words by `what`. What it throws names the option, for
// which CLI11 has no name where it is hidden.
template <class T, class Fits>
CLI::Validator takes(std::string option, const std::string& what, Fits fits) {
  return CLI::Validator(
      [option = std::move(option), what, fits](std::string& text) -> std::string {
        T value{};
        if (CLI::detail::lexical_cast(text, value) && fits(value)) return {};
        throw CLI::ConversionError(fmt::format("{}: takes {}, got '{}'", option, what, text));
      },
      what);
}

// From `least` to `most`.
template <class T>
CLI::Validator takes(std::string option, T least, T most) {
  const char* kind = std::is_integral_v<T> ? "whole " : "";
  return takes<T>(std::move(option), fmt::format("a {}number from {} to {}", kind, least, most),
                  [=](T value) { return least <= value && value <= most; });
}

}  // namespace weft::cli
