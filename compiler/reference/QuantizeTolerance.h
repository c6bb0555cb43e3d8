// Which deviations an inexact prologue excuses (the rule stands at compareOutputs).
#pragma once

#include "compiler/reference/KernelReference.h"

#include <utility>

namespace mxc {

class QuantizeTolerance {
public:
  /// What was found: codes [rows, columns], packed, and scale bytes in `layout`, which live as long as this.
  QuantizeTolerance(const KernelReference &reference, HostExtent extent, ScaleLayout layout,
                    const uint8_t *codes, const uint8_t *scales);

  bool allowsScale(int64_t offset) const; // byte offset of the scale
  bool allowsCode(int64_t element) const;

private:
  bool allowsCode(float value, uint8_t scale, uint8_t code) const;
  std::pair<float, float> valuesAt(int64_t element) const; // two where an approximation may flush it or not
  std::pair<uint32_t, uint32_t> maximumRange(int64_t row, int64_t block) const; // f32 bits, the least first

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
