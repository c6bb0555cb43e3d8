// A program as a child of a host that may have its own ways with children.
#pragma once

#include <cstdint>

namespace mxc {

/// Who waits for the program. How it ended is told once: where the host ignores SIGCHLD or waits for
/// whichever child ends, to nobody or to the host. A process in between has no such ways, and costs a fork of
/// the host.
enum class ToolWaiter { Host, Process };

struct ToolEnd {
  int error = 0;  // errno: it did not run; ECHILD: how it ended is not known; ETIME: it did not end
  int status = 0; // as waitpid has it
};

/// What a program may take. A compilation takes minutes at most, and what it writes is some megabytes.
struct ToolBounds {
  int tenthsOfSeconds = 6000;         // while this process runs: one that was stopped has not waited
  uint64_t bytes = uint64_t(1) << 28; // of each file that it writes; one that writes more ends by SIGXFSZ
};

/// Runs words[0], a path, with its words (the last one null), without input; its standard output and error go
/// to the file `log`. It ends with the thread that waits for it, and where its bounds are.
ToolEnd runProcess(char *const *words, const char *log, ToolWaiter waiter, const ToolBounds &bounds);

} // namespace mxc
