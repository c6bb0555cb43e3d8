#include "runtime/checkpoint/QuantizedWeight.h"

#include "dialect/formats/Error.h"
#include "runtime/device/ElementTypes.h"
#include "runtime/device/TensorView.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace mxc {

static std::string dotted(const std::string &module, std::string_view name) {
  return module + "." + std::string(name);
}

static bool isPacked(BlockFormat format) { return info(info(format).element).bits() < 8; }

static std::string_view codesNameOf(BlockFormat format, const Convention &convention) {
  return isPacked(format) ? convention.packedCodes : kPlainWeight;
}

static bool hasTensorScale(BlockFormat format) { return info(format).tensorScale != TensorScale::None; }

std::string QuantizedWeight::plainName() const { return dotted(module, kPlainWeight); }
std::string QuantizedWeight::codesName() const { return dotted(module, codesNameOf(format, *convention)); }
std::string QuantizedWeight::tensorScaleName() const {
  return hasTensorScale(format) ? dotted(module, convention->tensorScale) : "";
}

TensorOutline QuantizedWeight::codes() const {
  return {codesName(), std::string(codesType(format)), {rows, codesOfElements(format, columns)}};
}
TensorOutline QuantizedWeight::scales() const {
  return {scalesName(), std::string(scalesType(format)), {rows, info(format).blocks(columns)}};
}
TensorOutline QuantizedWeight::tensorScale() const {
  return {tensorScaleName(), std::string(info(ScaleFormat::F32).safetensorsType),
          convention->tensorScaleShape};
}

std::string moduleOfWeight(std::string_view tensor) {
  const size_t dot = tensor.rfind('.');
  return dot != tensor.npos && tensor.substr(dot + 1) == kPlainWeight ? std::string(tensor.substr(0, dot))
                                                                      : "";
}

static std::string described(const Tensor &tensor) {
  return "'" + tensor.name + "' (" + tensor.dtype + " " + shapeText(tensor.shape) + ")";
}

namespace {

class Finder {
public:
  Finder(const Checkpoint &checkpoint, const std::string &module, const Tensor &codes)
      : checkpoint_(checkpoint), module_(module), codes_(codes), scales_(find(kScales)) {}

  QuantizedWeight find() const {
    for (std::string_view other : {"weight_zero_point", "weight_g_idx"}) // asymmetric, and in another order
      if (find(other)) refuse();
    for (const Convention &convention : conventions())
      for (const CheckpointFormat &format : checkpointFormats())
        if (fits(format.format, convention)) return checked({module_, format.format, &convention});
    refuse();
  }

private:
  const Tensor *find(std::string_view name) const {
    const CheckpointTensor *found = checkpoint_.find(dotted(module_, name));
    return found ? found->tensor : nullptr;
  }

  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::InvalidInput,
                checkpoint_.path() + ": tensors " + described(codes_) + " and " +
                    (scales_ ? described(*scales_) : "no '" + dotted(module_, kScales) + "'") +
                    ": expected a weight in " + checkpointFormatNames() +
                    " of compressed-tensors or ModelOpt; leave it out with --except '" +
                    dotted(module_, kPlainWeight) + "'");
  }

  bool fits(BlockFormat format, const Convention &convention) const {
    const ScaleFormatInfo &scale = info(info(format).scale);
    return scales_ && dotted(module_, codesNameOf(format, convention)) == codes_.name &&
           codes_.dtype == codesType(format) &&
           (scales_->dtype == scalesType(format) || scales_->dtype == scale.safetensorsType) &&
           (find(convention.tensorScale) != nullptr) == hasTensorScale(format);
  }

  QuantizedWeight checked(QuantizedWeight weight) const {
    const std::string where = checkpoint_.path() + ": tensor ";
    if (codes_.shape.size() != 2)
      throw Error(ErrorKind::InvalidInput, where + described(codes_) + ": expected a matrix");
    if (codes_.shape[1] > kMostColumns)
      throw Error(ErrorKind::InvalidInput, where + described(codes_) + ": expected at most 2^56 columns");
    weight.rows = codes_.shape[0];
    weight.columns = elementsOfCodes(weight.format, codes_.shape[1]);
    const std::vector<int64_t> expected = weight.scales().shape;
    if (scales_->shape != expected)
      throw Error(ErrorKind::InvalidInput, where + described(*scales_) + ": expected " + shapeText(expected) +
                                               " for " + described(codes_) + " in blocks of " +
                                               std::to_string(info(weight.format).blockColumns));
    const Tensor *tensorScale =
        hasTensorScale(weight.format) ? find(weight.convention->tensorScale) : nullptr;
    if (tensorScale &&
        (tensorScale->dtype != weight.tensorScale().dtype || tensorScale->data.size() != sizeof(float)))
      throw Error(ErrorKind::InvalidInput,
                  where + described(*tensorScale) + ": expected one " + weight.tensorScale().dtype);
    return weight;
  }

  const Checkpoint &checkpoint_;
  const std::string &module_;
  const Tensor &codes_;
  const Tensor *scales_;
};

} // namespace

std::map<std::string, QuantizedWeight> quantizedWeights(const Checkpoint &checkpoint,
                                                        const NameSelection &selection) {
  std::map<std::string, QuantizedWeight> found;
  for (const auto &[name, place] : checkpoint.tensors()) {
    const size_t dot = name.rfind('.');
    if (dot == name.npos) continue;
    const std::string module = name.substr(0, dot), last = name.substr(dot + 1);
    const bool isCodes = std::ranges::any_of(conventions(), [&](const Convention &convention) {
      return last == convention.packedCodes && last != kPlainWeight;
    });
    if (!isCodes && !(last == kPlainWeight && checkpoint.find(dotted(module, kScales)))) continue;
    if (selection.selects(dotted(module, kPlainWeight)))
      found.insert({module, Finder(checkpoint, module, *place.tensor).find()});
  }
  return found;
}

TensorScaleValue tensorScaleOf(const Checkpoint &checkpoint, const QuantizedWeight &weight) {
  if (!hasTensorScale(weight.format)) return {};
  const std::string name = weight.tensorScaleName();
  float stored = 0;
  std::memcpy(&stored, checkpoint.find(name)->tensor->data.data(), sizeof stored);
  try {
    return storedTensorScale(stored, *weight.convention);
  } catch (const Error &error) {
    throw Error(ErrorKind::InvalidInput, checkpoint.path() + ": tensor '" + name + "': " + error.what());
  }
}

bool belongsToQuantizedWeight(const Tensor &tensor) {
  const std::string last = tensor.name.substr(tensor.name.rfind('.') + 1);
  return last.starts_with(kScales) || std::ranges::any_of(conventions(), [&](const Convention &convention) {
           return (last == convention.packedCodes && last != kPlainWeight) || last == convention.tensorScale;
         });
}

bool isNarrowFloat(const Tensor &tensor) {
  return tensor.dtype.starts_with("F") && elementTypeOfSafetensors(tensor.dtype)->bits <= 8;
}

bool mayHoldCodes(const Tensor &tensor) {
  if (tensor.data.empty()) return false;
  if (isNarrowFloat(tensor)) return true;
  static const std::set<std::string_view> kBytes = {"U8", "I8"}, kWords = {"U16", "I16", "U32", "I32"};
  if (tensor.shape.size() < 2) return false;
  const bool hasRows =
      std::any_of(tensor.shape.begin(), tensor.shape.end() - 1, [](int64_t n) { return n > 1; });
  return kBytes.contains(tensor.dtype) || (kWords.contains(tensor.dtype) && hasRows);
}

} // namespace mxc
