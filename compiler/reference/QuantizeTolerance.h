// Which deviations an inexact prologue excuses (the rule stands at compareOutputs).
#pragma once

#include "compiler/reference/CopyShape.h"
#include "compiler/reference/KernelReference.h"

#include <functional>
#include <memory>
#include <utility>

namespace mxc {

class QuantizeTolerance {
public:
  /// What was found of a copy: codes, packed, and scale bytes in `layout`, which live as long as this.
  QuantizeTolerance(const QuantizedValues &reference, CopyShape shape, ScaleLayout layout,
                    const uint8_t *codes, const uint8_t *scales);

  bool allowsScale(int64_t offset) const; // byte offset of the scale
  bool allowsCode(int64_t element) const;

private:
  bool allowsCode(float low, float high, uint32_t scale, uint8_t code) const;
  struct Values { // what was quantized there: from low to high, or with approximations flushed
    float low, high, flushed;
  };
  Values valuesAt(int64_t line, int64_t place) const;
  /// Every element of the maximum that a block has.
  void overBlock(int64_t scaleLine, int64_t block,
                 const std::function<void(int64_t line, int64_t place)> &visit) const;
  std::pair<uint32_t, uint32_t> maximumRange(int64_t scaleLine,
                                             int64_t block) const; // f32 bits, the least first

  bool isAnywhere(int64_t line, int64_t place) const; // whatever is found there is right

  const QuantizedValues &reference_;
  CopyShape shape_;
  const BlockFormatInfo &format_;
  int64_t blocks_, scaleLines_; // of a line; lines of scales
  ScaleLayout layout_;
  std::vector<uint8_t> codes_; // one a byte
  const uint8_t *scales_;
};

/// A copy among a kernel's outputs.
struct ToleratedCopy {
  std::string data, scales; // the arguments' names
  ScaleLayout layout;
  CopyShape shape;
  std::shared_ptr<const QuantizedValues> values = nullptr; // that it is of; null: the reference's own
};

/// `bounds`: of each element of other outputs, f32, by their names.
ToleranceRule quantizeTolerance(std::vector<ToleratedCopy> copies,
                                std::map<std::string, std::vector<double>> bounds = {});

} // namespace mxc
