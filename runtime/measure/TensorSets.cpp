#include "runtime/measure/TensorSets.h"

#include "runtime/device/ElementTypes.h"
#include "runtime/measure/InputValues.h"
#include "runtime/measure/PlaceValues.h"

#include <algorithm>

namespace mxc::measure {

static constexpr int64_t kAlignment = 1024; // of every tensor in its memory

/// 60 MB of an H200's: with 320 MB nothing is found again (docs/performance.md).
static int64_t bytesThatEmptyL2(const Device &device) {
  return static_cast<int64_t>(device.limits().l2Bytes) * 16 / 3;
}

static double bytesOf(const ShapeExpression &work, const Dimensions &dimensions) {
  return work.empty() ? 0 : static_cast<double>(work.evaluate(dimensions));
}

TensorSets::TensorSets(const Device &device, const KernelAbi &kernel, const Dimensions &dimensions,
                       const Arguments &scalars, const TensorSetOptions &options) {
  bytesRead_ = bytesOf(kernel.work.bytesRead, dimensions);
  bytesWritten_ = bytesOf(kernel.work.bytesWritten, dimensions);
  Arguments shapes = scalars;
  int64_t bytesOfSet = 0;
  for (const AbiArgument &argument : kernel.arguments) {
    if (!argument.isTensor()) continue;
    shapes.push_back({argument.name, {0, argument.type, argumentShape(kernel, argument, dimensions), {}}});
    const int64_t bytes = extentBytes(shapes.back().view);
    const int64_t stride = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    bytesOfSet += stride;
    tensors_.push_back(
        {argument, static_cast<size_t>(bytes), static_cast<size_t>(stride), Buffer(device, 0)});
    if (argument.isInput()) tensors_.back().places = placesOf(kernel, argument, dimensions);
  }
  const int64_t rotated = options.rotatedBytes.value_or(bytesThatEmptyL2(device));
  const int64_t wanted = bytesOfSet > 0 ? 1 + rotated / bytesOfSet : 1;
  const int64_t fitting = bytesOfSet > 0 ? device.freeBytes() / 2 / bytesOfSet : 1;
  const int64_t sets = std::max<int64_t>(1, std::min(wanted, fitting));
  for (Tensor &tensor : tensors_)
    tensor.memory = Buffer(device, tensor.stride * static_cast<size_t>(sets));
  for (int64_t set = 0; set < sets; ++set) {
    arguments_.push_back(shapes);
    for (size_t i = 0; i < tensors_.size(); ++i)
      arguments_.back()[scalars.size() + i].view.address =
          tensors_[i].memory.address() + static_cast<uint64_t>(set) * tensors_[i].stride;
  }
  fillInputs(options.seed);
}

/// Repeats the first `known` bytes of a buffer over all of it.
static void repeat(Buffer &buffer, size_t known) {
  const Device &device = buffer.device();
  ContextScope scope(device);
  for (size_t done = known; done < buffer.bytes();) {
    const size_t bytes = std::min(done, buffer.bytes() - done);
    device.check(device.driver().cuMemcpyDtoD_v2(buffer.address() + done, buffer.address(), bytes),
                 "repeat input values");
    done += bytes;
  }
}

void TensorSets::fillInputs(uint64_t seed) {
  constexpr size_t kPeriod = 64 * 131071; // bytes: whole blocks of any type, and otherwise a prime
  for (Tensor &tensor : tensors_) {
    if (!tensor.argument.isInput() || tensor.bytes == 0) continue;
    if (tensor.places) {
      for (size_t set = 0; set < tensor.memory.bytes(); set += tensor.stride)
        tensor.memory.upload(std::as_bytes(std::span(*tensor.places)), set);
      continue;
    }
    std::vector<std::byte> values(std::min(kPeriod, tensor.memory.bytes()));
    fillInput(tensor.argument, seed++, values);
    tensor.memory.upload(values);
    repeat(tensor.memory, values.size());
  }
}

void TensorSets::fillOutputs(uint8_t value) {
  for (Tensor &tensor : tensors_)
    if (!tensor.argument.isInput()) tensor.memory.fill(value);
}

std::vector<std::byte> TensorSets::download(int set, const std::string &output) const {
  for (const Tensor &tensor : tensors_)
    if (tensor.argument.name == output) {
      std::vector<std::byte> bytes(tensor.bytes);
      tensor.memory.download(bytes, static_cast<size_t>(set) * tensor.stride);
      return bytes;
    }
  throw Error(ErrorKind::InvalidInput, "there is no tensor '" + output + "'");
}

} // namespace mxc::measure
