// What mxc says on standard error.
#pragma once

#include "dialect/formats/PrintableText.h"

#include <string_view>

namespace mxc {

void say(std::string_view message);  // made printable, and the line's end
void warn(std::string_view message); // after "mxc: warning: "

} // namespace mxc
