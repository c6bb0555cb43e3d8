// Entries that an assembler compiles side by side.
#pragma once

#include <string>

namespace mxc {

/// "--split-compile=5" of ptxas: so many threads compile the entries of `ptx`. As many as there are entries,
/// up to 16: the number stands in the image, which must not depend on the machine, and threads without work
/// cost time. "" for one entry, and where the process cannot have the threads now: an assembler makes them at
/// once, and waits for ever where a limit (of the user, of the container) forbids one.
std::string splitCompileOption(const std::string &ptx);

} // namespace mxc
