// Whatever the image (cubin, fatbin, PTX text), the runtime and the simulated driver under it load it or
// throw mxc::Error, and read nothing past its last byte.
#include "dialect/formats/Error.h"
#include "runtime/launch/Kernel.h"
#include "tests/fuzz/SimulatedDevice.h"

#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A block of its own: what lies past it is AddressSanitizer's.
  auto image = std::make_unique_for_overwrite<std::byte[]>(size);
  std::memcpy(image.get(), data, size);
  const std::span<const std::byte> bytes(image.get(), size);
  try {
    mxc::Module module = mxc::Module::fromImage(*mxc::fuzz::device(), bytes, "fuzz");
    for (const mxc::KernelAbi &kernel : module.abi().kernels)
      module.kernel(kernel.name).prepare({});
  } catch (const mxc::Error &) {
  }
  return 0;
}
