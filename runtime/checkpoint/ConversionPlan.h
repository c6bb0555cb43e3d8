// What a conversion does with each tensor of a checkpoint, from headers alone: mistakes show before anything
// is read.
#pragma once

#include "runtime/checkpoint/FusedModules.h"
#include "runtime/checkpoint/NameSelection.h"
#include "runtime/checkpoint/QuantizedWeight.h"

#include <optional>
#include <set>

namespace mxc {

struct ConversionRequest {
  std::optional<BlockFormat> to; // none: back to bf16
  const Convention *convention = &conventions().front();
  std::vector<std::string> only, except; // no `only`: linearWeights(), or all that is quantized
  std::vector<FusedSet> fused;           // beside those that fusedModule knows
};

struct ConversionPlan {
  bool isBack = false;                            // to bf16
  std::map<std::string, QuantizedWeight> weights; // that change, by module
  std::map<std::string, std::string> scaleSets;   // by module: weights of one name share a tensor scale
  std::vector<std::string> kept;                  // tensors that stay as they are
  std::vector<std::string> keptWeights;           // among them: those that no rule leaves out, but that are
                                                  // no matrices "*.weight" (experts in one tensor, say)
  std::vector<std::string> keptModules;           // of all weights that stay, as readers name them
  std::set<std::string> formats;                  // of the weights, by name
};

/// Throws mxc::Error (InvalidInput): nothing is selected, or by a pattern or by a fused set; a selected
/// tensor is no matrix of bf16, f16 or f32 or its rows are no whole blocks, or what quantizedWeights throws;
/// a new name is taken; a tensor that is asked for may hold codes (mayHoldCodes) of no weight that is known;
/// the folder's configuration says that the model is quantized already; or it is, and some weight would stay
/// so.
ConversionPlan planConversion(const Checkpoint &checkpoint, const ConversionRequest &request);

} // namespace mxc
