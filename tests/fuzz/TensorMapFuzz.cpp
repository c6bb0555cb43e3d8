// Whatever a tensor map says, encoded by cuTensorMapEncodeTiled's rules or written by a kernel and patched as
// tensormap.replace does, a bulk tensor copy with it is done or a fault, in bounds of the memories it names.
#include "dialect/formats/Error.h"
#include "runtime/simulator/TensorMapFormat.h"
#include "runtime/simulator/decode/LoadedModule.h"
#include "runtime/simulator/run/Engine.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <cstring>
#include <map>

using namespace mxc::sim;

namespace {

constexpr uint64_t kTensorBytes = 1 << 20;
constexpr uint32_t kSharedBytes = 200 << 10;
constexpr unsigned kRowLists = 6; // "ranks" above 5: gather4, scatter4

enum class Copy : uint8_t { Load, Store, Add, Prefetch, kMaxValue = Prefetch };

std::string instruction(Copy copy, unsigned rank) {
  const bool isList = rank >= kRowLists;
  std::string coordinates = "%c0";
  for (unsigned i = 1; i < (isList ? 5 : rank); ++i)
    coordinates += ", %c" + std::to_string(i);
  const std::string place = "[%m, {" + coordinates + "}]", name = std::to_string(isList ? 2 : rank) + "d",
                    gather = isList ? "tile::gather4" : "tile", scatter = isList ? "tile::scatter4" : "tile";
  switch (copy) {
  case Copy::Load:
    return "cp.async.bulk.tensor." + name + ".shared::cta.global." + gather +
           ".mbarrier::complete_tx::bytes [%s], " + place + ", [%b];";
  case Copy::Store:
    return "cp.async.bulk.tensor." + name + ".global.shared::cta." + scatter + ".bulk_group " + place +
           ", [%s];";
  case Copy::Add:
    return "cp.reduce.async.bulk.tensor." + std::to_string(isList ? 2 : rank) +
           "d.global.shared::cta.add.tile.bulk_group " + place + ", [%s];";
  case Copy::Prefetch:
    return "cp.async.bulk.prefetch.tensor." + name + ".L2.global." + gather + " " + place + ";";
  }
  return "";
}

std::string kernelOf(Copy copy, unsigned rank) {
  std::string loads;
  for (unsigned i = 0; i < 5; ++i)
    loads += "ld.param.s32 %c" + std::to_string(i) + ", [at+" + std::to_string(4 * i) + "];\n";
  return ".version 8.8\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n"
         ".visible .entry k(.param .align 64 .b8 map[128], .param .align 4 .b8 at[20], .param .u32 offset, "
         ".param .u32 bytes) {\n.shared .align 8 .b64 bar;\n.reg .s32 %c<5>; .reg .u32 %s, %o, %b, %n; .reg "
         ".b64 %m, "
         "%t;\n" +
         loads +
         "ld.param.u32 %o, [offset]; ld.param.u32 %n, [bytes]; mov.u32 %s, sm; add.u32 %s, %s, %o; mov.u32 "
         "%b, bar;\n"
         "mov.u64 %m, map; cvta.param.u64 %m, %m; mbarrier.init.shared.b64 [%b], 1;\n"
         "fence.mbarrier_init.release.cluster; fence.proxy.async;\n"
         "mbarrier.arrive.expect_tx.shared.b64 %t, [%b], %n;\n" +
         instruction(copy, rank) + "\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n";
}

/// One module for each kernel, in one memory with the tensor.
struct Machine {
  GlobalMemory memory{uint64_t(1) << 26};
  uint64_t tensor = memory.allocate(kTensorBytes, "tensor");
  std::map<std::pair<Copy, unsigned>, std::unique_ptr<LoadedModule>> modules;

  const Program &program(Copy copy, unsigned rank, const Options &options) {
    auto &module = modules[{copy, rank}];
    if (!module) module = std::make_unique<LoadedModule>(kernelOf(copy, rank), "fuzz", memory, options);
    return *module->kernel("k");
  }
};

TensorMap likely(FuzzedDataProvider &data, uint64_t tensor) {
  TensorMap map;
  map.address = tensor + 16 * data.ConsumeIntegralInRange<uint64_t>(0, kTensorBytes / 8);
  map.type = TensorMapType(data.ConsumeIntegralInRange<unsigned>(0, 16));
  map.rank = data.ConsumeIntegralInRange<uint8_t>(1, 5);
  map.swizzle = TensorMap::Swizzle(data.ConsumeIntegralInRange<unsigned>(0, 4));
  map.atom = TensorMap::Atom(data.ConsumeIntegralInRange<unsigned>(0, 3));
  map.fill = TensorMap::Fill(data.ConsumeBool());
  for (unsigned d = 0; d < 5; ++d) {
    map.size[d] = uint64_t(data.ConsumeIntegral<uint32_t>()) >> data.ConsumeIntegralInRange(0, 31);
    map.box[d] = data.ConsumeIntegralInRange<uint16_t>(1, 256);
    map.elementStride[d] = data.ConsumeIntegralInRange<uint8_t>(1, 8);
    if (d)
      map.strideBytes[d - 1] = 16 * (data.ConsumeIntegral<uint64_t>() >> data.ConsumeIntegralInRange(0, 63));
  }
  return map;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static Machine *machine = new Machine;
  FuzzedDataProvider data(bytes, size);
  Options options;
  options.target = "sm_100a", options.threads = 1, options.instructionLimit = 1000;
  options.checks = Checks(data.ConsumeIntegralInRange<unsigned>(0, 2));
  options.schedule.kind = Schedule::Kind(data.ConsumeIntegralInRange<unsigned>(0, 2));
  const Copy copy = data.ConsumeEnum<Copy>();
  const unsigned rank = data.ConsumeIntegralInRange<unsigned>(1, kRowLists);
  Launch launch;
  launch.dynamicSharedBytes = kSharedBytes;
  launch.parameters.resize(156);
  std::byte *map = launch.parameters.data();
  if (data.ConsumeBool())
    encodeTensorMap(likely(data, machine->tensor), map);
  else
    data.ConsumeData(map, kTensorMapBytes);
  for (unsigned patches = data.ConsumeIntegralInRange<unsigned>(0, 3); patches; --patches) {
    TensorMap patched = decodeTensorMap(map);
    const auto field = TensorMapField(data.ConsumeIntegralInRange<unsigned>(0, 10));
    const unsigned ordinal = data.ConsumeIntegralInRange<unsigned>(0, 5);
    if (replaceTensorMapField(patched, field, ordinal, data.ConsumeIntegral<uint64_t>()))
      encodeTensorMap(patched, map);
  }
  for (unsigned at = 128; at < 156; at += 4) { // coordinates, offset in shared memory, bytes expected
    uint32_t value = data.ConsumeIntegral<uint32_t>();
    if (at == 148) value = value % 1024 * 128;
    if (at == 152) value %= 1 << 20;
    std::memcpy(launch.parameters.data() + at, &value, 4);
  }
  KernelServices services(machine->memory);
  run(machine->program(copy, rank, options), launch, machine->memory, options, services);
  return 0;
}
