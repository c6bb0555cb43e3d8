// Element types of memrefs and lanes: which format of dialect/formats each is, and what its elements take in
// memory.
#include "dialect/attributes/MxAttributes.h"

using namespace mlir;
using namespace mxc::mx;

// The formats' tables have MLIR's spelling of their types.
static std::string spelling(Type type) {
  std::string text;
  if (isa<FloatType>(type)) llvm::raw_string_ostream(text) << type;
  return text;
}

std::optional<mxc::ElementFormat> mxc::mx::elementFormatOf(Type type) {
  std::string text = spelling(type);
  for (const ElementFormatInfo &format : elementFormats())
    if (format.mlirType == text) return format.format;
  return std::nullopt;
}

std::optional<mxc::ScaleFormat> mxc::mx::scaleFormatOf(Type type) {
  std::string text = spelling(type);
  for (const ScaleFormatInfo &format : scaleFormats())
    if (format.mlirType == text) return format.format;
  return std::nullopt;
}

int64_t mxc::mx::storageBytes(Type element, int64_t count) {
  return mxc::storageBytes(element.getIntOrFloatBitWidth(), count);
}

int64_t mxc::mx::wordsOf(Type element, int64_t count) { return (storageBytes(element, count) + 3) / 4; }
