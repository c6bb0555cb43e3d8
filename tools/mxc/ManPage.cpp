// The man page: troff with the macros of man(7).
#include "tools/mxc/HelpPages.h"

namespace mxc {

/// Text in which nothing is an instruction to troff.
static std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return result.starts_with('.') || result.starts_with('\'') ? "\\&" + result : result;
}

static std::string optionText(const OptionHelp &option) {
  std::string names;
  for (const std::string &name : option.names)
    names += (names.empty() ? "\\fB" : "\\fR, \\fB") + escaped(name);
  if (!option.value.empty()) names += "\\fR \\fI" + escaped(option.value);
  return ".TP\n" + names + "\\fR" + (option.isRepeated ? " ..." : "") + "\n" + escaped(option.description) +
         "\n";
}

/// Prose, and commands as they are typed.
static std::string footerText(const std::string &footer) {
  std::string text;
  bool isCommand = false;
  for (size_t begin = 0, end; begin < footer.size(); begin = end + 1) {
    end = std::min(footer.find('\n', begin), footer.size());
    const std::string line = footer.substr(begin, end - begin);
    if (line.starts_with("  ") != isCommand) text += (isCommand = !isCommand) ? ".PP\n.nf\n" : ".fi\n.PP\n";
    text += escaped(isCommand ? line.substr(2) : line) + "\n";
  }
  return text + (isCommand ? ".fi\n" : "");
}

static std::string section(const CommandHelp &command) {
  std::string text = escaped(command.description) + ".\n";
  for (const OptionHelp &positional : command.positionals)
    text += optionText(positional);
  for (const OptionHelp &option : command.options)
    text += optionText(option);
  if (!command.footer.empty()) text += ".PP\n" + footerText(command.footer);
  for (const CommandHelp &each : command.commands)
    text += ".SS \"" + escaped(each.name) + "\"\n" + section(each);
  return text;
}

std::string manPage(const CommandHelp &program, const std::string &version) {
  std::string text = ".TH MXC 1 \"\" \"mxc " + escaped(version) + "\" \"mxc\"\n.SH NAME\nmxc \\- " +
                     escaped(program.description) + "\n.SH SYNOPSIS\n";
  for (const CommandHelp &command : program.commands) {
    text += ".B " + escaped(command.name) + "\n[\\fIOPTIONS\\fR]";
    for (const OptionHelp &positional : command.positionals)
      text += " \\fI" + escaped(positional.names.front()) + "\\fR" + (positional.isRepeated ? " ..." : "");
    text += (command.commands.empty() ? "" : " \\fISUBCOMMAND\\fR") + std::string("\n.br\n");
  }
  text += ".SH DESCRIPTION\n" + escaped(program.description) + "\n.PP\n" + footerText(program.footer);
  text += ".SH OPTIONS\n";
  for (const OptionHelp &option : program.options)
    text += optionText(option);
  text += ".SH COMMANDS\n";
  for (const CommandHelp &command : program.commands)
    text += ".SS \"" + escaped(command.name) + "\"\n" + section(command);
  return text;
}

} // namespace mxc
