// A kernel's PTX with one of the lines taken out that order something.
#pragma once

#include <string>
#include <vector>

struct Mutant {
  std::string removed; // what: "line 77: bar.sync 0;"
  std::string around;  // the lines beside it, some in front and some behind
  std::string ptx;
};

/// Every such line of the entry function in turn. A wait for an mbarrier becomes one that is over at once; an
/// arrival that announces bytes is taken out, and in a second mutant only the bytes are.
std::vector<Mutant> mutantsOf(const std::string &ptx, const std::string &entry);
