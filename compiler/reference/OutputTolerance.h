// Which elements of a kernel's outputs are right although they differ from the reference: each operation's
// reference brings its own rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace mxc {

struct KernelReference;

/// Tensors on the host by argument name: contiguous rows, scales in their argument's layout.
using HostTensors = std::map<std::string, std::span<const std::byte>, std::less<>>;

class OutputTolerance {
public:
  virtual ~OutputTolerance() = default;
  /// Whether an element of the output `name` may have other bytes than the reference.
  virtual bool allows(const std::string &name, int64_t element) const = 0;
};

struct ToleranceRule {
  std::string name; // "the tolerance of an inexact prologue"
  /// For outputs that were found; they, and the reference, live as long as what it returns.
  std::function<std::unique_ptr<OutputTolerance>(const KernelReference &, const HostTensors &found)> make;
};

} // namespace mxc
