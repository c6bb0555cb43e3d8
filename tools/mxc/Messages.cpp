#include "tools/mxc/Messages.h"

#include <cstdio>

namespace mxc {

void say(std::string_view message) { std::fprintf(stderr, "%s\n", printable(message).c_str()); }
void warn(std::string_view message) { say("mxc: warning: " + std::string(message)); }

} // namespace mxc
