// SafetensorsWriter, and writeTensorFile of runtime/files/Safetensors.h.
#include "runtime/files/SafetensorsWriter.h"

#include "dialect/formats/Error.h"
#include "runtime/device/ElementTypes.h"
#include "runtime/files/Safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <set>

namespace mxc {

static Error unwritable(const std::string &path, const std::string &why) {
  return Error(ErrorKind::InvalidInput, "cannot write " + path + ": " + why);
}
static Error unwritable(const std::string &path, const std::string &tensor, const std::string &why) {
  return unwritable(path, "tensor '" + tensor + "': " + why);
}

static uint64_t checkedBytes(const TensorOutline &tensor, const std::string &path) {
  if (tensor.name.empty() || tensor.name == "__metadata__")
    throw unwritable(path, tensor.name, "expected a name that is neither empty nor __metadata__");
  try {
    return uint64_t(tensorBytes(tensor.dtype, tensor.shape));
  } catch (const Error &error) {
    throw unwritable(path, tensor.name, error.what());
  }
}

/// Sorted by width, widest first, so that each tensor lies at a multiple of its element's size; then by name.
static std::vector<size_t> inFileOrder(std::span<const TensorOutline> tensors, const std::string &path) {
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t(0));
  auto key = [&](size_t tensor) {
    return std::pair<int, std::string_view>(-elementTypeOfSafetensors(tensors[tensor].dtype)->bits,
                                            tensors[tensor].name);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  std::set<std::string_view> names;
  for (const TensorOutline &tensor : tensors)
    if (!names.insert(tensor.name).second)
      throw unwritable(path, "two tensors are named '" + tensor.name + "'");
  return order;
}

static std::string headerText(std::span<const TensorOutline> tensors, const std::vector<size_t> &order,
                              const std::vector<uint64_t> &sizes,
                              const std::map<std::string, std::string> &metadata, const std::string &path) {
  using Json = nlohmann::ordered_json; // of a few keys: it searches them one by one
  std::string text = "{";
  uint64_t offset = 0;
  try {
    const auto add = [&](const std::string &name, const Json &value) {
      text += (text == "{" ? "" : ",") + Json(name).dump() + ":" + value.dump();
    };
    if (!metadata.empty()) add("__metadata__", metadata);
    for (size_t tensor : order) {
      add(tensors[tensor].name, {{"dtype", tensors[tensor].dtype},
                                 {"shape", tensors[tensor].shape},
                                 {"data_offsets", std::vector<uint64_t>{offset, offset + sizes[tensor]}}});
      offset += sizes[tensor];
    }
  } catch (const nlohmann::json::exception &) {
    throw unwritable(path, "a name is not valid UTF-8");
  }
  text += "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

SafetensorsWriter::SafetensorsWriter(const std::string &path, std::span<const TensorOutline> tensors,
                                     const std::map<std::string, std::string> &metadata)
    : path_(path), begins_(tensors.size()), file_(path) {
  for (const TensorOutline &tensor : tensors) {
    sizes_.push_back(checkedBytes(tensor, path));
    names_.push_back(tensor.name);
  }
  order_ = inFileOrder(tensors, path);
  const std::string header = headerText(tensors, order_, sizes_, metadata, path);
  std::byte length[8];
  for (size_t i = 0; i < sizeof length; ++i)
    length[i] = static_cast<std::byte>(header.size() >> (8 * i));
  file_.write(length);
  file_.write(std::as_bytes(std::span(header)));
  uint64_t end = sizeof length + header.size();
  for (size_t tensor : order_) {
    begins_[tensor] = end;
    end += sizes_[tensor];
    missing_ += sizes_[tensor];
  }
}

void SafetensorsWriter::write(size_t tensor, uint64_t offset, std::span<const std::byte> bytes) {
  if (offset > sizes_[tensor] || bytes.size() > sizes_[tensor] - offset)
    throw unwritable(path_, names_[tensor],
                     "expected " + std::to_string(sizes_[tensor]) + " bytes of data, found " +
                         std::to_string(offset + bytes.size()));
  file_.writeAt(begins_[tensor] + offset, bytes);
  missing_ -= bytes.size();
}

void SafetensorsWriter::commit() {
  if (missing_ != 0)
    throw unwritable(path_, std::to_string(missing_) + " bytes of its tensors were not given");
  file_.commit();
}

void writeTensorFile(const std::string &path, std::span<const Tensor> tensors,
                     const std::map<std::string, std::string> &metadata) {
  std::vector<TensorOutline> outlines;
  for (const Tensor &tensor : tensors) {
    outlines.push_back({tensor.name, tensor.dtype, tensor.shape});
    const uint64_t expected = checkedBytes(outlines.back(), path);
    if (expected != tensor.data.size())
      throw unwritable(path, tensor.name,
                       "expected " + std::to_string(expected) + " bytes of data, found " +
                           std::to_string(tensor.data.size()));
  }
  SafetensorsWriter file(path, outlines, metadata);
  for (size_t tensor : file.order())
    file.write(tensor, 0, tensors[tensor].data);
  file.commit();
}

} // namespace mxc
