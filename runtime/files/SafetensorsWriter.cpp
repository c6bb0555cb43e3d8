// writeTensorFile of runtime/files/Safetensors.h.
#include "dialect/formats/Error.h"
#include "runtime/device/ElementTypes.h"
#include "runtime/files/FileWriter.h"
#include "runtime/files/Safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace mxc {

static void checkTensor(const Tensor &tensor, const std::string &path) {
  auto refuse = [&](const std::string &why) {
    throw Error(ErrorKind::InvalidInput, "cannot write " + path + ": tensor '" + tensor.name + "': " + why);
  };
  if (tensor.name.empty() || tensor.name == "__metadata__")
    refuse("expected a name that is neither empty nor __metadata__");
  int64_t expected = 0;
  try {
    expected = tensorBytes(tensor.dtype, tensor.shape);
  } catch (const Error &error) {
    refuse(error.what());
  }
  if (static_cast<uint64_t>(expected) != tensor.data.size())
    refuse("expected " + std::to_string(expected) + " bytes of data, found " +
           std::to_string(tensor.data.size()));
}

/// Sorted by width, widest first, so that each tensor lies at a multiple of its element's size; then by name.
static std::vector<const Tensor *> inFileOrder(std::span<const Tensor> tensors, const std::string &path) {
  std::vector<const Tensor *> order;
  std::set<std::string_view> names;
  for (const Tensor &tensor : tensors) {
    checkTensor(tensor, path);
    if (!names.insert(tensor.name).second)
      throw Error(ErrorKind::InvalidInput,
                  "cannot write " + path + ": two tensors are named '" + tensor.name + "'");
    order.push_back(&tensor);
  }
  auto key = [](const Tensor *tensor) {
    return std::pair<int, std::string_view>(-elementTypeOfSafetensors(tensor->dtype)->bits, tensor->name);
  };
  std::sort(order.begin(), order.end(), [&](const Tensor *a, const Tensor *b) { return key(a) < key(b); });
  return order;
}

static std::string headerText(const std::vector<const Tensor *> &order,
                              const std::map<std::string, std::string> &metadata, const std::string &path) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  size_t offset = 0;
  for (const Tensor *tensor : order) {
    header[tensor->name] = {{"dtype", tensor->dtype},
                            {"shape", tensor->shape},
                            {"data_offsets", std::vector<size_t>{offset, offset + tensor->data.size()}}};
    offset += tensor->data.size();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception &) {
    throw Error(ErrorKind::InvalidInput, "cannot write " + path + ": a name is not valid UTF-8");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

void writeTensorFile(const std::string &path, std::span<const Tensor> tensors,
                     const std::map<std::string, std::string> &metadata) {
  std::vector<const Tensor *> order = inFileOrder(tensors, path);
  std::string header = headerText(order, metadata, path);
  std::byte length[8];
  for (size_t i = 0; i < 8; ++i)
    length[i] = static_cast<std::byte>(header.size() >> (8 * i));
  FileWriter file(path);
  file.write(length);
  file.write(std::as_bytes(std::span(header)));
  for (const Tensor *tensor : order)
    file.write(tensor->data);
  file.commit();
}

} // namespace mxc
