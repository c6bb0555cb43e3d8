// A form of an instruction: those with certain modifiers.
#pragma once

#include "runtime/simulator/ptx/Ast.h"

#include <string_view>
#include <utility>
#include <vector>

namespace mxc::sim {

/// Whether the instruction has every word of `form`: "v2.b128", "v4.*64" (a star stands for any letters). ""
/// is every instruction.
bool hasForm(const ptx::Instruction &source, std::string_view form);

/// A column of a table: a value, and what stands in its place for some forms, the first that fits.
template <typename T> class ByForm {
public:
  struct Exception {
    std::string_view form;
    T value;
  };
  ByForm(T value, std::vector<Exception> exceptions = {})
      : value_(value), exceptions_(std::move(exceptions)) {}

  T of(const ptx::Instruction &source) const {
    for (const Exception &exception : exceptions_)
      if (hasForm(source, exception.form)) return exception.value;
    return value_;
  }

private:
  T value_;
  std::vector<Exception> exceptions_;
};

} // namespace mxc::sim
