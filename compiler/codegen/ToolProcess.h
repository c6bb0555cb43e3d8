// A program as a child of a host that may have its own ways with children.
#pragma once

namespace mxc {

/// Who waits for the program. How it ended is told once: where the host ignores SIGCHLD or waits for
/// whichever child ends, to nobody or to the host. A process in between has no such ways, and costs a fork of
/// the host.
enum class ToolWaiter { Host, Process };

struct ToolEnd {
  int error = 0;  // errno: it did not run; ECHILD: how it ended is not known
  int status = 0; // as waitpid has it
};

/// Runs words[0], a path, with its words (the last one null), without input; its standard output and error go
/// to the file `log`. It ends with the thread that waits for it.
ToolEnd runProcess(char *const *words, const char *log, ToolWaiter waiter);

} // namespace mxc
