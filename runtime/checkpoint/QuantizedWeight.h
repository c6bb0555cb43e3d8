// A weight in a block format: which tensors of a checkpoint hold it.
#pragma once

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/CheckpointFormat.h"
#include "runtime/checkpoint/NameSelection.h"
#include "runtime/files/SafetensorsWriter.h"

namespace mxc {

struct QuantizedWeight {
  std::string module; // "model.layers.0.mlp.up_proj"
  BlockFormat format;
  const Convention *convention;
  int64_t rows = 0, columns = 0; // of elements

  std::string plainName() const; // "<module>.weight"
  std::string codesName() const;
  std::string scalesName() const { return module + "." + std::string(kScales); }
  std::string tensorScaleName() const; // "": the format has none

  TensorOutline codes() const;
  TensorOutline scales() const;
  TensorOutline tensorScale() const;
};

/// More are refused: no row has so many, and an empty matrix may claim any number.
inline constexpr int64_t kMostColumns = int64_t(1) << 56;

/// The module of a tensor "<module>.weight"; "" for other names.
std::string moduleOfWeight(std::string_view tensor);

/// The quantized weights of a checkpoint, by module: those of which it holds codes ("<module>.weight_packed",
/// or "<module>.weight" beside "<module>.weight_scale"), if `selection` takes their plain name. Throws
/// mxc::Error (InvalidInput) for one that is in no format of checkpointFormats() (with zero points, say), or
/// whose tensors do not fit together.
std::map<std::string, QuantizedWeight> quantizedWeights(const Checkpoint &checkpoint,
                                                        const NameSelection &selection);

/// The tensor scale that a checkpoint has for a weight. Throws as storedTensorScale does, with the name.
TensorScaleValue tensorScaleOf(const Checkpoint &checkpoint, const QuantizedWeight &weight);

/// Whether a tensor goes by its name with quantized weights of any format, known here or not.
bool belongsToQuantizedWeight(const Tensor &tensor);

/// Whether a tensor has floats of 8 bits or less, which are codes or scales.
bool isNarrowFloat(const Tensor &tensor);
/// Whether by type and shape it may hold codes or scales, whatever its name: narrow floats, bytes in two
/// dimensions or more, and words of 16 or 32 bits in several rows. (Counters and positions have none, or have
/// 64 bits.)
bool mayHoldCodes(const Tensor &tensor);

} // namespace mxc
