#include "runtime/files/Safetensors.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/PackedCodes.h"
#include "runtime/device/ElementTypes.h"
#include "runtime/device/TensorView.h"
#include "runtime/files/SafetensorsHeader.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace mxc {

static constexpr uint64_t kMaximumHeaderBytes = 100'000'000; // as the reference implementation
static constexpr size_t kMaximumFileBytes = std::numeric_limits<int64_t>::max();

static Error invalid(const std::string &message) { return Error(ErrorKind::InvalidInput, message); }

int64_t tensorBytes(std::string_view dtype, std::span<const int64_t> shape) {
  const ElementType *type = elementTypeOfSafetensors(dtype);
  if (!type) {
    std::string known;
    for (const ElementType &each : elementTypes())
      known += (known.empty() ? "" : " ") + std::string(each.safetensors);
    throw invalid("unknown dtype '" + std::string(dtype) + "'; expected one of " + known);
  }
  bool isEmpty = std::find(shape.begin(), shape.end(), 0) != shape.end(), overflows = false;
  int64_t bits = type->bits;
  for (int64_t size : shape) {
    if (size < 0) throw invalid("negative size in shape " + shapeText(shape));
    if (!isEmpty) overflows |= __builtin_mul_overflow(bits, size, &bits);
  }
  if (isEmpty) return 0;
  if (overflows)
    throw invalid("shape " + shapeText(shape) + " of " + std::string(dtype) + " exceeds 2^63-1 bits");
  if (bits % 8)
    throw invalid("shape " + shapeText(shape) + " of " + std::string(dtype) +
                  ": expected whole bytes, found " + std::to_string(bits) + " bits");
  return storageBytes(1, bits);
}

static std::string range(uint64_t begin, uint64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

static Tensor tensorOf(const std::string &name, const SafetensorsEntry &entry,
                       std::span<const std::byte> data, const std::string &file) {
  auto refusal = [&](const std::string &why) { return invalid(file + ": tensor '" + name + "': " + why); };
  if (entry.begin > entry.end || entry.end > data.size())
    throw refusal("expected data within the file's " + std::to_string(data.size()) + " bytes, found " +
                  range(entry.begin, entry.end));
  int64_t expected = 0;
  try {
    expected = tensorBytes(entry.dtype, entry.shape);
  } catch (const Error &error) {
    throw refusal(error.what());
  }
  if (entry.end - entry.begin != static_cast<uint64_t>(expected))
    throw refusal("shape " + shapeText(entry.shape) + " of " + entry.dtype + ": expected " +
                  std::to_string(expected) + " bytes, found " + std::to_string(entry.end - entry.begin));
  return {name, entry.dtype, entry.shape, data.subspan(entry.begin, entry.end - entry.begin)};
}

/// Every byte after the header belongs to exactly one tensor.
static void checkCoverage(const SafetensorsHeader &header, size_t dataBytes, const std::string &file) {
  std::vector<std::pair<const SafetensorsEntry *, const std::string *>> order;
  for (const auto &[name, entry] : header.tensors)
    order.push_back({&entry, &name});
  std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
    return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
  });
  uint64_t reached = 0;
  for (const auto &[entry, name] : order) {
    if (entry->begin != reached)
      throw invalid(file + ": tensor '" + *name + "': expected data from byte " + std::to_string(reached) +
                    " on, found " + range(entry->begin, entry->end) +
                    (entry->begin < reached ? ", an overlap" : ", a hole"));
    reached = entry->end;
  }
  if (reached != dataBytes)
    throw invalid(file + ": expected " + std::to_string(reached) + " bytes of data, found " +
                  std::to_string(dataBytes));
}

TensorFile TensorFile::read(const std::string &path) {
  return fromBytes(readFile(path, kMaximumFileBytes), path);
}

TensorFile TensorFile::map(const std::string &path) {
  TensorFile file;
  file.mapped_ = MappedFile(path);
  file.parse(file.mapped_.bytes(), path);
  return file;
}

TensorFile TensorFile::fromBytes(FileBytes bytes, const std::string &name) {
  TensorFile file;
  file.bytes_ = std::move(bytes); // the heap block, and so the tensors' data, stays where it is
  file.parse(file.bytes_.bytes(), name);
  return file;
}

void TensorFile::parse(std::span<const std::byte> rest, const std::string &name) {
  if (rest.size() < 8)
    throw invalid(name + ": not a safetensors file: expected at least 8 bytes, found " +
                  std::to_string(rest.size()));
  uint64_t headerBytes = 0;
  for (int i = 7; i >= 0; --i)
    headerBytes = headerBytes << 8 | std::to_integer<uint64_t>(rest[static_cast<size_t>(i)]);
  rest = rest.subspan(8);
  if (headerBytes > kMaximumHeaderBytes || headerBytes > rest.size())
    throw invalid(name +
                  ": not a safetensors file, or a truncated one: expected a header within the file's " +
                  std::to_string(rest.size()) + " bytes (and 100 MB), found a length of " +
                  std::to_string(headerBytes));
  std::string_view json(reinterpret_cast<const char *>(rest.data()), headerBytes);
  SafetensorsHeader header = parseSafetensorsHeader(json, name);
  rest = rest.subspan(headerBytes);

  for (const auto &[tensor, entry] : header.tensors)
    tensors_[tensor] = tensorOf(tensor, entry, rest, name);
  checkCoverage(header, rest.size(), name);
  metadata_ = std::move(header.metadata);
}

const Tensor *TensorFile::find(std::string_view name) const {
  auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

std::vector<std::string> TensorFile::names() const {
  std::vector<std::string> names;
  for (const auto &[name, tensor] : tensors_)
    names.push_back(name);
  return names;
}

} // namespace mxc
