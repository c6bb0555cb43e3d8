#include "tools/mxc/HelpPages.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>

namespace mxc {

size_t helpWidth() {
  constexpr size_t kDefault = 80, kLeast = 40, kMost = 120; // longer lines are hard to read
  winsize size{};
  size_t width = kDefault;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
    width = size.ws_col;
  else if (const char *columns = std::getenv("COLUMNS"))
    std::from_chars(columns, columns + std::strlen(columns), width);
  return std::clamp(width, kLeast, kMost);
}

/// Breaks a text between words into lines of `width` columns, of which all but the first begin with `indent`
/// spaces. `column`: where the first one begins. Words longer than a line are not broken.
static std::string wrapped(const std::string &text, size_t width, size_t indent, size_t column) {
  std::string result;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (begin > 0 && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (begin > 0) {
      result += " ";
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

static std::string nameText(const OptionHelp &option) {
  std::string text;
  for (const std::string &name : option.names)
    text += (text.empty() ? "" : ",") + name;
  if (!option.value.empty()) text += " " + option.value;
  return text + (option.isRepeated ? " ..." : "");
}

/// A name on the left and what it means on the right, below each other where there is little room.
static std::string entry(const std::string &name, const std::string &meaning, size_t width) {
  constexpr size_t kColumn = 30, kNarrow = 72, kNarrowIndent = 6;
  const size_t column = width < kNarrow ? kNarrowIndent : kColumn;
  std::string text = "  " + name;
  if (text.size() + 2 > column)
    text += "\n" + std::string(column, ' ');
  else
    text += std::string(column - text.size(), ' ');
  return text + wrapped(meaning, width, column, column) + "\n";
}

static std::string usageOf(const CommandHelp &command) {
  std::string text = "Usage: " + command.name + (command.options.empty() ? "" : " [OPTIONS]");
  for (const OptionHelp &positional : command.positionals) {
    const std::string name = positional.names.front() + (positional.isRepeated ? "..." : "");
    text += " " + (positional.isRequired ? name : "[" + name + "]");
  }
  return text + (command.commands.empty() ? "" : " SUBCOMMAND") + "\n";
}

std::string helpText(const CommandHelp &command, size_t width) {
  std::string text = wrapped(command.description, width, 0, 0) + "\n" + usageOf(command);
  auto group = [&](const char *title, const std::vector<OptionHelp> &options) {
    if (options.empty()) return;
    text += std::string("\n") + title + ":\n";
    for (const OptionHelp &option : options)
      text += entry(nameText(option), option.description, width);
  };
  group("Positionals", command.positionals);
  group("Options", command.options);
  if (!command.commands.empty()) text += "\nSubcommands:\n";
  for (const CommandHelp &each : command.commands)
    text += entry(each.name.substr(each.name.rfind(' ') + 1), each.description, width);
  if (command.footer.empty()) return text;
  text += "\n";
  for (size_t begin = 0, end; begin < command.footer.size(); begin = end + 1) {
    end = std::min(command.footer.find('\n', begin), command.footer.size());
    const std::string line = command.footer.substr(begin, end - begin);
    text += (line.starts_with("  ") ? line : wrapped(line, width, 0, 0)) + "\n";
  }
  return text;
}

} // namespace mxc
