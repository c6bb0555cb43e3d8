// Which deviations an inexact prologue excuses (the rule stands at compareOutputs).
#pragma once

#include "compiler/reference/KernelReference.h"

namespace mxc {

class QuantizeTolerance {
public:
  /// What was found: codes [rows, columns], packed, and scale bytes in `layout`, which live as long as this.
  QuantizeTolerance(const KernelReference &reference, HostExtent extent, ScaleLayout layout,
                    const uint8_t *codes, const uint8_t *scales);

  bool allowsScale(int64_t offset) const; // byte offset of the scale
  bool allowsCode(int64_t element) const;

private:
  uint32_t blockMaximum(int64_t row, int64_t block) const; // f32 bits

  const KernelReference &reference_;
  HostExtent extent_;
  const BlockFormatInfo &format_;
  int64_t blocks_;
  ScaleLayout layout_;
  std::vector<uint8_t> codes_; // one a byte
  const uint8_t *scales_;
};

/// The rule for codes `data` and their scales `scales`.
ToleranceRule quantizeTolerance(const AbiArgument &data, const AbiArgument &scales,
                                const Dimensions &dimensions);

} // namespace mxc
