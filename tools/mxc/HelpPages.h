// What --help, the man page and the shells' completions show, made from one description of the command line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mxc {

struct OptionHelp {
  std::vector<std::string> names; // "-o", "--output"; of a positional its name alone
  std::string value;              // "FILE", "NAME=auto": what follows the name; "": a flag
  std::string description;
  bool isRequired = false, isRepeated = false;
  std::vector<std::string> choices = {}; // what shells offer for its value; none: what `value` says
};

struct CommandHelp {
  std::string name; // "mxc cache list"
  std::string description;
  std::string footer; // text; lines that begin with two spaces are commands, which are never broken
  std::vector<OptionHelp> positionals, options;
  std::vector<CommandHelp> commands;
};

/// Columns of the terminal on standard output; elsewhere $COLUMNS, else 80.
size_t helpWidth();

/// Returns the help text, with no line of prose longer than `width` columns.
std::string helpText(const CommandHelp &command, size_t width);

std::string manPage(const CommandHelp &program, const std::string &version); // troff, section 1

/// Returns a script that completes subcommands, options, their values and file names in "bash", "zsh" or
/// "fish". Throws mxc::Error (Usage) for another shell.
std::string completion(const CommandHelp &program, const std::string &shell);

} // namespace mxc
