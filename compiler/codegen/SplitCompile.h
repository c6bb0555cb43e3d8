// Entries that an assembler compiles side by side.
#pragma once

namespace mxc {

/// Says that an assembler may compile entries side by side, on all processors. A number in place of 0 would
/// stand in the image, which would then depend on the machine.
inline constexpr const char *kSplitCompile = "--split-compile=0";

/// Whether an assembler can have a thread for every processor now. It makes them at once, and waits for ever
/// where the process may have no more (a limit on processes of the user or of the container).
bool canSplitCompile();

} // namespace mxc
