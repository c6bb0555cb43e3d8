// What a kernel's region of scalars computes, on the host: a prologue's or an epilogue's.
#pragma once

#include "compiler/reference/PrologueOperations.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace mxc {

struct PrologueProgram;

/// The region of a kernel's operation, operation by operation: arith and math on f32, bf16, f16 and
/// integers. Copies are cheap and share the parsed region; threads may share one.
class Prologue {
public:
  /// The region of `kernelName` in MLIR text ("" where there is but one kernel); none if it has no region.
  /// Throws mxc::Error (InvalidInput): the source's diagnostics, an unknown kernel with the names there are,
  /// an operation or type that this evaluator does not know.
  static std::optional<Prologue> parse(std::string_view source, std::string_view kernelName = {});

  /// Whether every conforming implementation gives these very bits (NaN payloads apart): only correctly
  /// rounded IEEE 754 operations, none with fastmath flags. Otherwise transcendental functions were computed
  /// in f64 and rounded.
  bool isExact() const;

  /// Whether an approximation in it leaves the chip a choice that Approximation names.
  bool approximates() const;

  size_t inputCount() const;

  /// The same with values for the kernel's scalar arguments that the region uses. Throws mxc::Error
  /// (InvalidInput) if one is missing.
  using ScalarValues = std::map<std::string, std::variant<int64_t, double>>;
  Prologue withScalars(const ScalarValues &values) const;

  /// out[i] = region(inputs[0][i], inputs[1][i], ...); all spans have out's length, else mxc::Error
  /// (InvalidInput).
  void evaluate(std::span<const std::span<const float>> inputs, std::span<float> out,
                Approximation approximation = Approximation::Nearest,
                size_t result = 0) const; // which of the yielded values

private:
  explicit Prologue(std::shared_ptr<const PrologueProgram> program) : program_(std::move(program)) {}
  std::shared_ptr<const PrologueProgram> program_;
};

} // namespace mxc
