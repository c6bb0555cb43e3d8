// What readers find a model's quantization in: config.json and hf_quant_config.json.
#pragma once

#include "runtime/checkpoint/ConversionPlan.h"

#include <map>
#include <string>

namespace mxc {

/// Files of configuration by name, and their text.
using ConfigurationFiles = std::map<std::string, std::string>;

inline constexpr std::string_view kConfig = "config.json", kModelOptConfig = "hf_quant_config.json";

/// The text of config.json's "quantization_config".
std::string quantizationConfig(const ConversionPlan &plan);

/// The files for the converted folder of a checkpoint: config.json as it was, with the plan's
/// "quantization_config", or back in bf16 without; for ModelOpt hf_quant_config.json, too. Throws mxc::Error
/// (InvalidInput) for a config.json that is no JSON object.
ConfigurationFiles configurationFiles(const Checkpoint &checkpoint, const ConversionPlan &plan);

/// Throws mxc::Error (InvalidInput) if the checkpoint's folder says that its weights are quantized.
void requireNoQuantization(const Checkpoint &checkpoint);

} // namespace mxc
