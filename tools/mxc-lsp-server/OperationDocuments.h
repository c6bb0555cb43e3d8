// The documentation of the dialect's operations, as their definitions (dialect/*.td) have it.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

/// Markdown: the summary and the description of the operation of that name ("mx.matmul"); empty where there
/// is none.
std::string documentOf(std::string_view operation);

} // namespace mxc
