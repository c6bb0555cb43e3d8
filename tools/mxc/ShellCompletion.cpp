// Scripts with which shells complete mxc's command line: subcommands, their options, and files for the rest.
#include "dialect/formats/Error.h"
#include "tools/mxc/HelpPages.h"

namespace mxc {

/// "mxc cache list" without "mxc ".
static std::string pathOf(const CommandHelp &command) {
  return command.name.find(' ') == std::string::npos ? "" : command.name.substr(command.name.find(' ') + 1);
}

static std::string namesOf(const CommandHelp &command) {
  std::string names;
  for (const OptionHelp &option : command.options)
    for (const std::string &name : option.names)
      names += (names.empty() ? "" : " ") + name;
  return names;
}

static std::string subcommandsOf(const CommandHelp &command) {
  std::string names;
  for (const CommandHelp &each : command.commands)
    names += (names.empty() ? "" : " ") + each.name.substr(each.name.rfind(' ') + 1);
  return names;
}

static std::string bashCases(const CommandHelp &command) {
  std::string text = "    \"" + pathOf(command) + "\") words=\"" + subcommandsOf(command) + "\" options=\"" +
                     namesOf(command) + "\" ;;\n";
  for (const CommandHelp &each : command.commands)
    text += bashCases(each);
  return text;
}

/// The words before the one that is completed name the subcommand, as far as they are of one.
static std::string bash(const CommandHelp &program) {
  return "_mxc() {\n"
         "  local path='' next words options i current=${COMP_WORDS[COMP_CWORD]}\n"
         "  _mxc_words() {\n"
         "    case $1 in\n" +
         bashCases(program) +
         "    *) words='' options='' ;;\n"
         "    esac\n"
         "  }\n"
         "  _mxc_words ''\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    next=${COMP_WORDS[i]}\n"
         "    [[ $next == -- ]] && { compopt -o default; return; }\n"
         "    [[ \" $words \" == *\" $next \"* ]] && path=\"${path:+$path }$next\" && _mxc_words \"$path\"\n"
         "  done\n"
         "  if [[ $current == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
         "  elif [[ $words ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  else\n"
         "    compopt -o default\n"
         "  fi\n"
         "}\n"
         "complete -F _mxc mxc\n";
}

/// Without what a quoted text of a shell gives a meaning to.
static std::string plain(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '\'' || c == '[' || c == ']' || c == ':' || c == '\\' ? ' ' : c;
  return result;
}

static std::string fishLines(const CommandHelp &command) {
  const std::string path = pathOf(command), last = path.substr(path.rfind(' ') + 1);
  const std::string when = path.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + last;
  std::string text;
  for (const CommandHelp &each : command.commands) {
    const std::string name = each.name.substr(each.name.rfind(' ') + 1);
    text += "complete -c mxc -f -n '" + when + "' -a " + name + " -d '" + plain(each.description) + "'\n";
    text += fishLines(each);
  }
  for (const OptionHelp &option : command.options) {
    text += "complete -c mxc -n '" + when + "'";
    for (const std::string &name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += (option.value.empty() ? "" : " -r") + std::string(" -d '") + plain(option.description) + "'\n";
  }
  return text;
}

static std::string zshCases(const CommandHelp &command) {
  std::string text = "    '" + pathOf(command) + "') words_=(" + subcommandsOf(command) + ") options_=(";
  for (const OptionHelp &option : command.options)
    for (const std::string &name : option.names)
      text += "'" + name + ":" + plain(option.description) + "' ";
  text += ") ;;\n";
  for (const CommandHelp &each : command.commands)
    text += zshCases(each);
  return text;
}

static std::string zsh(const CommandHelp &program) {
  return "#compdef mxc\n"
         "_mxc() {\n"
         "  local path_='' next_ i\n"
         "  local -a words_ options_\n"
         "  _mxc_words() {\n"
         "    case $1 in\n" +
         zshCases(program) +
         "    *) words_=() options_=() ;;\n"
         "    esac\n"
         "  }\n"
         "  _mxc_words ''\n"
         "  for ((i = 2; i < CURRENT; i++)); do\n"
         "    next_=${words[i]}\n"
         "    [[ $next_ == -- ]] && { _normal; return; }\n"
         "    (( ${words_[(Ie)$next_]} )) && path_=\"${path_:+$path_ }$next_\" && _mxc_words \"$path_\"\n"
         "  done\n"
         "  if [[ ${words[CURRENT]} == -* ]]; then\n"
         "    _describe option options_\n"
         "  elif (( $#words_ )); then\n"
         "    compadd -- $words_\n"
         "  else\n"
         "    _files\n"
         "  fi\n"
         "}\n"
         "_mxc \"$@\"\n";
}

std::string completion(const CommandHelp &program, const std::string &shell) {
  if (shell == "bash") return bash(program);
  if (shell == "zsh") return zsh(program);
  if (shell == "fish") return fishLines(program);
  throw Error(ErrorKind::Usage, "--completion: expected bash, zsh or fish, found '" + shell + "'");
}

} // namespace mxc
