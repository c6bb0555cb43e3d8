// What a conversion does with each tensor of a checkpoint, from headers alone: mistakes show before anything
// is read.
#pragma once

#include "runtime/checkpoint/NameSelection.h"
#include "runtime/checkpoint/QuantizedWeight.h"

#include <optional>
#include <set>

namespace mxc {

struct ConversionRequest {
  std::optional<BlockFormat> to; // none: back to bf16
  const Convention *convention = &conventions().front();
  std::vector<std::string> only, except; // no `only`: linearWeights(), or all that is quantized
};

struct ConversionPlan {
  bool isBack = false;                            // to bf16
  std::map<std::string, QuantizedWeight> weights; // that change, by module
  std::vector<std::string> kept;                  // tensors that stay as they are
  std::vector<std::string> keptModules;           // of matrices "<module>.weight" among them
  std::set<std::string> formats;                  // of the weights, by name
};

/// Throws mxc::Error (InvalidInput): nothing is selected, or by a pattern; a selected tensor is no matrix of
/// bf16, f16 or f32 or its rows are no whole blocks, or what quantizedWeights throws; a new name is taken;
/// the folder's configuration says that the model is quantized already; or it is, and some weight would stay
/// so.
ConversionPlan planConversion(const Checkpoint &checkpoint, const ConversionRequest &request);

/// Weights that readers multiply as one and so give one tensor scale: of attention q, k and v, of an MLP gate
/// and up. Returns what they have in common, or the module's own name.
std::string fusedModule(const std::string &module);

} // namespace mxc
