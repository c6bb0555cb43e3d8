// Integer expressions over a kernel's dimensions, as in the ABI's grid rules, launch conditions and shapes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace mxc {

using Dimensions = std::map<std::string, int64_t>;

/// Evaluates `text`: integers, names, + - * / % (floor), ceildiv(a, b), min(a, b), max(a, b), comparisons, &&
/// and ||, parentheses. Conditions give 0 or 1; the unused side of && and || is not evaluated. Throws
/// mxc::Error (InvalidInput) on a syntax error, an unknown name, a division by zero, or a value beyond 64
/// bits; the message quotes the expression and points at the place.
int64_t evaluateShape(std::string_view text, const Dimensions &dimensions);

/// Checks the syntax and the names of `text` without values, with the same errors.
void checkShape(std::string_view text, std::span<const std::string> dimensions);

} // namespace mxc
