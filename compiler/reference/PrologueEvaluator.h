// What a kernel's prologue computes, on the host: the reference of mx.quantize with a region.
#pragma once

#include "compiler/reference/PrologueOperations.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace mxc {

struct PrologueProgram;

/// The region of a kernel's mx.quantize, operation by operation: arith and math on f32, bf16, f16 and
/// integers. Copies are cheap and share the parsed region; threads may share one.
class Prologue {
public:
  /// The prologue of `kernelName` in MLIR text ("" where there is but one kernel); none if it has no region
  /// or does not quantize. Throws mxc::Error (InvalidInput): the source's diagnostics, an unknown kernel with
  /// the names there are, an operation or type that this evaluator does not know.
  static std::optional<Prologue> parse(std::string_view source, std::string_view kernelName = {});

  /// Whether every conforming implementation gives these very bits (NaN payloads apart): only correctly
  /// rounded IEEE 754 operations, none with fastmath flags. Otherwise transcendental functions were computed
  /// in f64 and rounded.
  bool isExact() const;

  /// Whether an approximation in it flushes subnormals, so that Flush matters.
  bool flushes() const;

  size_t inputCount() const;

  /// out[i] = region(inputs[0][i], inputs[1][i], ...); all spans have out's length, else mxc::Error
  /// (InvalidInput).
  void evaluate(std::span<const std::span<const float>> inputs, std::span<float> out,
                Flush flush = Flush::Below) const;

private:
  explicit Prologue(std::shared_ptr<const PrologueProgram> program) : program_(std::move(program)) {}
  std::shared_ptr<const PrologueProgram> program_;
};

} // namespace mxc
