// Sources of every key: docs/checkpoints.md.
#include "runtime/checkpoint/QuantizationConfig.h"

#include "compiler/abi/Version.h"
#include "dialect/formats/Error.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace fs = std::filesystem;

namespace mxc {

using Json = nlohmann::ordered_json; // keys stay in their order

static constexpr const char *kKey = "quantization_config";

static Json readConfig(const Checkpoint &checkpoint) {
  const fs::path path = fs::path(checkpoint.folder()) / kConfig;
  std::error_code unknown;
  if (!fs::exists(path, unknown) && !unknown) return Json::object();
  constexpr size_t kMaximumBytes = 16'000'000; // a parsed one takes many times as much
  constexpr int kMaximumDepth = 100;
  const FileBytes file = readFile(path, kMaximumBytes);
  const auto *text = reinterpret_cast<const char *>(file.data.get());
  try {
    // Writing it takes a stack of its depth.
    Json config = Json::parse(text, text + file.size, [&](int depth, auto, Json &) {
      if (depth > kMaximumDepth)
        throw Error(ErrorKind::InvalidInput,
                    path.string() + ": expected at most " + std::to_string(kMaximumDepth) + " levels");
      return true;
    });
    if (config.is_object()) return config;
  } catch (const nlohmann::json::exception &error) {
    throw Error(ErrorKind::InvalidInput, path.string() + ": " + error.what());
  }
  throw Error(ErrorKind::InvalidInput, path.string() + ": expected a JSON object");
}

static const QuantizedWeight &anyOf(const ConversionPlan &plan) { return plan.weights.begin()->second; }

static bool isModelOpt(const Convention &convention) { return &convention == conventionNamed("modelopt"); }

/// compressed-tensors' QuantizationConfig: weights alone, as no calibration says how activations lie.
static Json compressedTensorsConfig(const ConversionPlan &plan) {
  const BlockFormatInfo &format = info(anyOf(plan).format);
  const CheckpointFormat &names = checkpointFormatOf(format.format);
  const Json weights = {{"num_bits", info(format.element).bits()},
                        {"type", "float"},
                        {"symmetric", true},
                        {"strategy", format.tensorScale == TensorScale::None ? "group" : "tensor_group"},
                        {"group_size", format.blockColumns},
                        {"dynamic", false},
                        {"scale_dtype", info(format.scale).rule == ScaleRule::PowerOfTwo
                                            ? "torch.uint8"
                                            : "torch.float8_e4m3fn"}};
  const Json group = {{"targets", {"Linear"}},
                      {"weights", weights},
                      {"input_activations", nullptr},
                      {"output_activations", nullptr},
                      {"format", names.compressedTensors}};
  return {{"quant_method", "compressed-tensors"}, {"format", names.compressedTensors},
          {"quantization_status", "compressed"},  {"config_groups", {{"group_0", group}}},
          {"ignore", plan.keptModules},           {"kv_cache_scheme", nullptr}};
}

static Json producer() { return {{"name", "mxc"}, {"version", kVersion}}; }

/// ModelOpt's hf_quant_config.json.
static Json modelOptConfig(const ConversionPlan &plan) {
  const BlockFormatInfo &format = info(anyOf(plan).format);
  return {{"producer", producer()},
          {"quantization",
           {{"quant_algo", checkpointFormatOf(format.format).modelOpt},
            {"kv_cache_quant_algo", nullptr},
            {"group_size", format.blockColumns},
            {"exclude_modules", plan.keptModules}}}};
}

/// The same as config.json has it (ModelOpt's convert_hf_quant_config_format).
static Json modelOptKey(const ConversionPlan &plan) {
  const BlockFormatInfo &format = info(anyOf(plan).format);
  const Json weights = {{"dynamic", false},
                        {"num_bits", info(format.element).bits()},
                        {"type", "float"},
                        {"group_size", format.blockColumns}};
  return {{"config_groups", {{"group_0", {{"weights", weights}, {"targets", {"Linear"}}}}}},
          {"ignore", plan.keptModules},
          {"quant_algo", checkpointFormatOf(format.format).modelOpt},
          {"group_size", format.blockColumns},
          {"producer", producer()},
          {"quant_method", "modelopt"}};
}

static Json keyOf(const ConversionPlan &plan) {
  return isModelOpt(*anyOf(plan).convention) ? modelOptKey(plan) : compressedTensorsConfig(plan);
}

static std::string textOf(const Json &json) { return json.dump(2) + "\n"; }

std::string quantizationConfig(const ConversionPlan &plan) { return keyOf(plan).dump(); }

ConfigurationFiles configurationFiles(const Checkpoint &checkpoint, const ConversionPlan &plan) {
  Json config = readConfig(checkpoint);
  ConfigurationFiles files;
  if (plan.isBack) {
    config.erase(kKey);
  } else {
    config[kKey] = keyOf(plan);
    if (isModelOpt(*anyOf(plan).convention))
      files[std::string(kModelOptConfig)] = textOf(modelOptConfig(plan));
  }
  if (!config.empty()) files[std::string(kConfig)] = textOf(config);
  return files;
}

void requireNoQuantization(const Checkpoint &checkpoint) {
  if (checkpoint.folder().empty()) return;
  const Json config = readConfig(checkpoint);
  std::error_code unknown;
  if (config.contains(kKey) || fs::exists(fs::path(checkpoint.folder()) / kModelOptConfig, unknown))
    throw Error(ErrorKind::InvalidInput,
                checkpoint.folder() +
                    ": its configuration says that the model is quantized already: convert it "
                    "--to bf16 first");
}

} // namespace mxc
