// What an editor sends, held to the limits of mxc's own reader of text.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "compiler/TextLimits.h"

namespace mxc {

/// MLIR's parser and LLVM's JSON recurse as deep as a text nests, and overflow the stack. The server sees an
/// empty document in place of one that excessOf refuses, and its diagnostics of that one say what is wrong.
/// Two threads use it: one for each direction.
class DocumentGuard {
public:
  struct Admission {
    std::string toServer; // "": nothing
    std::string toEditor; // an answer in its place; "": none
  };
  /// A message of the editor.
  Admission admit(const std::string &message);

  /// A message of the server to the editor.
  std::string explained(const std::string &message) const;

private:
  std::string substitute(const std::string &message);

  struct Document {
    std::string text;                       // as the editor has it
    bool isHidden = false;                  // from the server
    std::map<int64_t, TextExcess> excesses; // by version: the server's answers come later
  };

  mutable std::mutex mutex_;
  std::map<std::string, Document> documents_; // by URI
};

} // namespace mxc
