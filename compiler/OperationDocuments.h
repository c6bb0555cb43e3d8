// The documentation of the dialect's operations, as their definitions (dialect/*.td) have it.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

/// Markdown: the summary and the description of the operation of that name ("mx.matmul"); empty where there
/// is none.
std::string documentOf(std::string_view operation);

/// The sentence of a constraint by its number ("Q3"), of that operation or of another one whose constraints
/// it has, too; empty where there is none.
std::string constraintOf(std::string_view operation, std::string_view number);

} // namespace mxc
