// Scripts with which shells complete mxc's command line: subcommands, their options, the values of these, and
// files for the rest.
#include "dialect/formats/Error.h"
#include "tools/mxc/HelpPages.h"

#include <set>

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

static bool takesFile(const OptionHelp &option) {
  static const std::set<std::string> kFiles = {"FILE", "BASE", "ARG"};
  return kFiles.contains(option.value.substr(0, option.value.find('=')));
}

/// "CHIP[,CHIP]": the next value follows a comma.
static bool takesSeveral(const OptionHelp &option) { return option.value.find("[,") != std::string::npos; }

static std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// A case for each option that takes something other than a file: "compile --target") and what it may be.
static std::string valueCases(const CommandHelp &command, const std::string &before,
                              const std::string &after) {
  std::string text;
  for (const OptionHelp &option : command.options) {
    if (option.value.empty() || takesFile(option)) continue;
    std::string patterns;
    for (const std::string &name : option.names)
      patterns += (patterns.empty() ? "\"" : "|\"") + pathOf(command) + " " + name + "\"";
    text += "    " + patterns + ") " + before + joined(option.choices) + after +
            (takesSeveral(option) ? "; several=1" : "") + " ;;\n";
  }
  for (const CommandHelp &each : command.commands)
    text += valueCases(each, before, after);
  return text;
}

static std::string bashCases(const CommandHelp &command) {
  std::string text = "    \"" + pathOf(command) + "\") words=\"" + subcommandsOf(command) + "\" options=\"" +
                     namesOf(command) + "\" ;;\n";
  for (const CommandHelp &each : command.commands)
    text += bashCases(each);
  return text;
}

/// The words before the one that is completed name the subcommand, as far as they are of one. Bash breaks
/// words at = and :, so that --device=simulator:sm_90a is five, of which the last one is completed.
static std::string bash(const CommandHelp &program) {
  return "_mxc() {\n"
         "  local path='' next words options values several='' i at=$COMP_CWORD "
         "current=${COMP_WORDS[COMP_CWORD]}\n"
         "  local typed=$current option value kept\n"
         "  _mxc_words() {\n"
         "    case $1 in\n" +
         bashCases(program) +
         "    *) words='' options='' ;;\n"
         "    esac\n"
         "  }\n"
         "  _mxc_values() { # whether something else than a file follows the option\n"
         "    case \"$path $1\" in\n" +
         valueCases(program, "values=\"", "\"") +
         "    *) return 1 ;;\n"
         "    esac\n"
         "  }\n"
         "  _mxc_words ''\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    next=${COMP_WORDS[i]}\n"
         "    [[ $next == -- ]] && { compopt -o default; return; }\n"
         "    [[ \" $words \" == *\" $next \"* ]] && path=\"${path:+$path }$next\" && _mxc_words \"$path\"\n"
         "  done\n"
         "  while ((at > 1)) && [[ ${COMP_WORDS[at]} == [:=] || ${COMP_WORDS[at - 1]} == [:=] ]]; do\n"
         "    typed=${COMP_WORDS[--at]}$typed\n"
         "  done\n"
         "  option=${COMP_WORDS[at - 1]} value=$typed\n"
         "  [[ $typed == --*=* ]] && option=${typed%%=*} value=${typed#*=}\n"
         "  if _mxc_values \"$option\"; then\n"
         "    kept=${value%\"${value##*[:=]}\"}\n"
         "    [[ $several && $value == *,* ]] && values=\"${value%,*},${values// / ${value%,*},}\"\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$value\")\n"
         "    COMPREPLY=(\"${COMPREPLY[@]#\"$kept\"}\")\n"
         "  elif [[ $typed == --*=* ]]; then\n"
         "    compopt -o default\n"
         "  elif [[ $current == -* ]]; then\n"
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
    if (!option.value.empty()) text += takesFile(option) ? " -r -F" : " -x";
    if (!option.choices.empty()) text += " -a '" + joined(option.choices) + "'";
    text += " -d '" + plain(option.description) + "'\n";
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
         "  local path_='' next_ option_ several='' i\n"
         "  local -a words_ options_ values_\n"
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
         "  option_=${words[CURRENT-1]}\n"
         "  [[ ${words[CURRENT]} == --*=* ]] && option_=${words[CURRENT]%%=*} && compset -P '*='\n"
         "  case \"$path_ $option_\" in\n" +
         valueCases(program, "values_=(", ")") +
         "    *) option_='' ;;\n"
         "  esac\n"
         "  if [[ $option_ ]]; then\n"
         "    [[ $several ]] && compset -P '*,'\n"
         "    compadd -- $values_\n"
         "  elif [[ ${words[CURRENT]} == --*=* ]]; then\n"
         "    _files\n"
         "  elif [[ ${words[CURRENT]} == -* ]]; then\n"
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
