// The formats for languages that read no C++ tables.
#include "dialect/formats/BlockFormat.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/c/mxc/mxc.h"
#include "runtime/device/ElementTypes.h"

#include <nlohmann/json.hpp>

using namespace mxc;
using json = nlohmann::ordered_json; // tables keep their order

static const char *nameOf(ScaleStorage storage) {
  switch (storage) {
  case ScaleStorage::Matrix:
    return "matrix";
  case ScaleStorage::Tiles:
    return "tiles";
  case ScaleStorage::Lines:
    return "lines";
  case ScaleStorage::Rows:
    return "rows";
  }
  return "";
}

static json namedTypes() {
  json types = json::object();
  for (const ElementType &type : elementTypes())
    if (!type.name.empty()) types[std::string(type.name)] = {{"bits", type.bits}};
  for (const ElementFormatInfo &format : elementFormats())
    types[std::string(format.name)]["mlir"] = format.mlirType;
  for (const ScaleFormatInfo &format : scaleFormats())
    types[std::string(format.name)]["mlir"] = format.mlirType;
  return types;
}

static json namedBlocks() {
  json blocks = json::object();
  for (const BlockFormatInfo &format : blockFormats())
    blocks[std::string(format.name)] = {{"element", info(format.element).name},
                                        {"scale", info(format.scale).name},
                                        {"rows", format.blockRows},
                                        {"columns", format.blockColumns},
                                        {"tensor_scale", format.tensorScale != TensorScale::None}};
  return blocks;
}

static json namedLayouts() {
  json layouts = json::object();
  for (const ScaleLayoutInfo &layout : scaleLayouts())
    layouts[std::string(layout.name)] = {{"rows", layout.tileRows},
                                         {"blocks", layout.tileBlocks},
                                         {"storage", nameOf(layout.storage)},
                                         {"scale_bits", layout.scaleBits}};
  return layouts;
}

const char *mxc_formats(void) {
  static const std::string text =
      json{{"types", namedTypes()}, {"block_formats", namedBlocks()}, {"scale_layouts", namedLayouts()}}
          .dump();
  return text.c_str();
}
