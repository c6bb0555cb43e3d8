// The command line: options, their help, and which command they ask for.
#pragma once

namespace mxc {

/// Parses and runs. Returns the exit status of parsing (0 for --help and --version, 2 for a wrong usage) or 0
/// when the command is done; what the command throws passes through.
int runCommandLine(int argc, char **argv);

} // namespace mxc
