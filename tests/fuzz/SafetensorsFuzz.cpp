// Whatever the bytes, TensorFile::fromBytes gives tensors that lie inside of them, or throws mxc::Error.
#include "dialect/formats/Error.h"
#include "runtime/files/Safetensors.h"

#include <cstdlib>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mxc::FileBytes bytes{std::make_unique_for_overwrite<std::byte[]>(size), size};
  std::memcpy(bytes.data.get(), data, size);
  try {
    mxc::TensorFile file = mxc::TensorFile::fromBytes(std::move(bytes), "fuzz");
    size_t held = 0;
    for (const auto &[name, tensor] : file.tensors()) {
      if (mxc::tensorBytes(tensor.dtype, tensor.shape) != int64_t(tensor.data.size())) std::abort();
      for (std::byte byte : tensor.data) // AddressSanitizer looks at each
        held += std::to_integer<size_t>(byte) & 1;
    }
    if (held > size || file.names().size() != file.tensors().size()) std::abort();
  } catch (const mxc::Error &) {
  }
  return 0;
}
