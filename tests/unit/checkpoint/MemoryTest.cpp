// What a conversion holds in memory.
#include "runtime/checkpoint/Conversion.h"
#include "runtime/environment/HostMemory.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <catch2/catch.hpp>

using namespace mxc;

TEST_CASE("conversions: memory holds slabs, not tensors") {
  TemporaryFolder folder;
  constexpr int64_t kRows = 3072, kColumns = 8192; // 48 MB of zeros
  const std::string path = folder.file("model.safetensors");
  SafetensorsWriter writer(path, std::vector<TensorOutline>{{"a.weight", "BF16", {kRows, kColumns}}}, {});
  const std::vector<std::byte> row(kColumns * 2);
  for (int64_t r = 0; r < kRows; ++r)
    writer.write(0, uint64_t(r) * row.size(), row);
  writer.commit();
  const uint64_t before = residentBytes();
  uint64_t most = 0, calls = 0;
  const Checkpoint checkpoint = Checkpoint::open(path);
  const ConversionPlan plan =
      planConversion(checkpoint, {BlockFormat::NVFP4, &conventions().front(), {}, {}, {}});
  convertCheckpoint(checkpoint, plan, folder.file("output"), *hostConverter(),
                    {int64_t(1) << 20, [&](const std::string &, uint64_t bytes, uint64_t ofBytes) {
                       most = std::max(most, residentBytes());
                       ++calls;
                       CHECK(bytes <= ofBytes);
                     }});
  CHECK(calls == 2 * kRows / 128);
  CHECK(most < before + (24 << 20)); // the tensor and its codes: 62 MB
}
