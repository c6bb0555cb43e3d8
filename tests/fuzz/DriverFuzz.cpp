// Any sequence of the simulated driver's functions, with handles that were never given or are gone, sizes
// without bounds and addresses in and around allocations: each call ends with a CUresult. What the API cannot
// check (a host pointer, the length of an array) is as it must be.
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Simulator.h"
#include "tests/fuzz/DriverKernels.h"
#include "tests/fuzz/SimulatedDevice.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

constexpr size_t kHostBytes = 1 << 16, kMostSmall = 4096, kMostHandles = 64, kMostCalls = 100;

template <class Handle>
constexpr bool kIsHandle = std::is_same_v<Handle, CUcontext> || std::is_same_v<Handle, CUmodule> ||
                           std::is_same_v<Handle, CUfunction> || std::is_same_v<Handle, CUstream> ||
                           std::is_same_v<Handle, CUevent> || std::is_same_v<Handle, CUgraph> ||
                           std::is_same_v<Handle, CUgraphExec> || std::is_same_v<Handle, CUlibrary> ||
                           std::is_same_v<Handle, CUkernel>;

class Session {
public:
  Session(const uint8_t *bytes, size_t size) : data_(bytes, size), host_(kHostBytes) {}

  ~Session() { // as a program ends that cleans up
    for (CUlibrary library : handles<CUlibrary>())
      mxc::sim::api::cuLibraryUnload(library);
    for (CUcontext context : handles<CUcontext>())
      mxc::sim::api::cuCtxDestroy_v2(context);
    mxc::sim::api::cuMemHostUnregister(host_.data());
    CUcontext none = nullptr;
    while (mxc::sim::api::cuCtxPopCurrent_v2(&none) == CUDA_SUCCESS) {
    }
    mxc::sim::api::cuDevicePrimaryCtxReset_v2(0);
  }

  FuzzedDataProvider &data() { return data_; }

  /// Counts and lengths are small: they are those of arrays of the caller's.
  template <class... Parameters> void call(CUresult (*function)(Parameters...), bool areSmall) {
    areSmall_ = areSmall;
    std::tuple<std::remove_const_t<Parameters>...> arguments{value(std::type_identity<Parameters>())...};
    if (std::apply(function, arguments) != CUDA_SUCCESS) return;
    std::apply([&](auto... argument) { (keep(argument), ...); }, arguments);
  }

private:
  template <class Handle> std::vector<Handle> &handles() { return std::get<std::vector<Handle>>(handles_); }

  template <class Handle> std::enable_if_t<kIsHandle<Handle>, Handle> value(std::type_identity<Handle>) {
    std::vector<Handle> &known = handles<Handle>();
    const unsigned choice = data_.ConsumeIntegralInRange<unsigned>(0, 15);
    if (choice == 0) return nullptr;
    if (choice == 1) return reinterpret_cast<Handle>(data_.ConsumeIntegral<uint64_t>());
    if (choice == 2)
      return reinterpret_cast<Handle>(uint64_t(data_.ConsumeIntegralInRange(1, 2))); // CU_STREAM_LEGACY
    return known.empty() ? nullptr : known[data_.ConsumeIntegral<uint8_t>() % known.size()];
  }

  template <class Number>
  std::enable_if_t<std::is_integral_v<Number> || std::is_enum_v<Number>, Number>
  value(std::type_identity<Number>) {
    if (std::is_same_v<Number, CUdeviceptr>) return Number(address());
    if (areSmall_ || data_.ConsumeIntegralInRange(0, 3))
      return Number(data_.ConsumeIntegralInRange<size_t>(0, kMostSmall));
    return Number(data_.ConsumeIntegral<uint64_t>());
  }

  uint64_t address() {
    if (addresses_.empty()) return 0;
    const uint64_t base = addresses_[data_.ConsumeIntegral<uint8_t>() % addresses_.size()];
    return base + (data_.ConsumeBool() ? 0 : data_.ConsumeIntegralInRange<uint64_t>(0, kHostBytes));
  }

  CUmemLocation value(std::type_identity<CUmemLocation>) { return {}; }

  const char *value(std::type_identity<const char *>) {
    static const char *const kNames[] = {"add_one", "answer",     "spin",      "",         "/nonexistent",
                                         "cuInit",  "0000:00:00", "clustered", "wide_one", "no_kernel"};
    return data_.PickValueInArray(kNames);
  }
  void *value(std::type_identity<void *>) {
    if (!data_.ConsumeIntegralInRange(0, 7)) return nullptr;
    return data_.ConsumeBool() ? reinterpret_cast<void *>(address()) : host_.data();
  }
  const void *value(std::type_identity<const void *>) {
    if (!data_.ConsumeBool()) return host_.data();
    static const std::string text = kDriverKernels + std::string(kHostBytes, '\0'); // a source of copies, too
    return text.data();
  }
  CUhostFn value(std::type_identity<CUhostFn>) {
    return [](void *) {};
  }
  CUstreamCallback value(std::type_identity<CUstreamCallback>) {
    return [](CUstream, CUresult, void *) {};
  }
  CUoccupancyB2DSize value(std::type_identity<CUoccupancyB2DSize>) {
    return data_.ConsumeBool() ? [](int threads) { return size_t(threads) * 16; } : nullptr;
  }

  void **value(std::type_identity<void **>) { // parameters of a kernel, or where a pointer goes
    const size_t step = data_.ConsumeIntegralInRange<size_t>(0, 63);
    for (size_t i = 0; i < parameters_.size(); ++i)
      parameters_[i] = host_.data() + 8 * (i * step % 64);
    for (size_t i = 0; i < 64; ++i)
      std::memcpy(host_.data() + 8 * i, i < addresses_.size() ? &addresses_[i] : &kHostBytes, 8);
    return data_.ConsumeIntegralInRange(0, 3) ? parameters_.data() : nullptr;
  }

  const CUDA_MEMCPY2D *value(std::type_identity<const CUDA_MEMCPY2D *>) {
    CUDA_MEMCPY2D &c = memory<CUDA_MEMCPY2D>();
    c = {};
    areSmall_ = true; // what reaches the host's memory
    for (size_t *size : {&c.srcXInBytes, &c.srcY, &c.dstXInBytes, &c.dstY, &c.WidthInBytes, &c.Height})
      *size = data_.ConsumeIntegralInRange<size_t>(0, 64);
    for (size_t *pitch : {&c.srcPitch, &c.dstPitch})
      *pitch = data_.ConsumeIntegralInRange<size_t>(0, 300);
    c.srcMemoryType = CUmemorytype(data_.ConsumeIntegralInRange(0, 5));
    c.dstMemoryType = CUmemorytype(data_.ConsumeIntegralInRange(0, 5));
    c.srcHost = c.dstHost = host_.data();
    c.srcDevice = address(), c.dstDevice = address();
    return &c;
  }

  const CUlaunchConfig *value(std::type_identity<const CUlaunchConfig *>) {
    CUlaunchConfig &config = memory<CUlaunchConfig>();
    auto &attributes = memory<std::array<CUlaunchAttribute, 3>>();
    const auto extent = [&] { return value(std::type_identity<unsigned>()); };
    config = {extent(),          extent(), extent(), extent(),
              extent(),          extent(), extent(), value(std::type_identity<CUstream>()),
              attributes.data(), 0};
    for (CUlaunchAttribute &attribute : attributes) {
      attribute = {};
      attribute.id = CUlaunchAttributeID(data_.ConsumeIntegralInRange(0, 12));
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        attribute.value.clusterDim = {extent(), extent(), extent()};
      else if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
        attribute.value.programmaticEvent.event = value(std::type_identity<CUevent>());
      else if (attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
        attribute.value.launchCompletionEvent.event = value(std::type_identity<CUevent>());
      else
        attribute.value.cooperative = int(data_.ConsumeBool());
    }
    config.numAttrs = data_.ConsumeIntegralInRange<unsigned>(0, 3);
    return data_.ConsumeIntegralInRange(0, 15) ? &config : nullptr;
  }

  CUtensorMap *value(std::type_identity<CUtensorMap *>) { // callers of CUDA 12 align it to 64
    return reinterpret_cast<CUtensorMap *>(&memory<std::array<char, sizeof(CUtensorMap)>>());
  }

  /// Anything else: room for many of them, filled with bytes that stand for sizes.
  template <class Pointee>
  std::enable_if_t<!kIsHandle<Pointee *> && !std::is_void_v<Pointee> && !std::is_function_v<Pointee>,
                   Pointee *>
  value(std::type_identity<Pointee *>) {
    if (!data_.ConsumeIntegralInRange(0, 15)) return nullptr;
    std::vector<uint64_t> &block = blocks_.emplace_back(2 * kMostSmall);
    for (size_t i = 0; i < 16; ++i)
      block[i] = data_.ConsumeIntegralInRange<uint64_t>(0, areSmall_ ? kMostSmall : 1 << 20);
    return reinterpret_cast<Pointee *>(block.data());
  }

  template <class T> T &memory() { // of 64-byte alignment
    std::vector<uint64_t> &block = blocks_.emplace_back(sizeof(T) / 8 + 16);
    const uint64_t begin = reinterpret_cast<uint64_t>(block.data());
    return *new (reinterpret_cast<void *>((begin + 63) / 64 * 64)) T;
  }

  /// What a function gave: handles and device memory, for later calls.
  template <class Argument> void keep(Argument argument) {
    if constexpr (std::is_pointer_v<Argument> && !kIsHandle<Argument>) {
      using Pointee = std::remove_pointer_t<Argument>;
      if constexpr (kIsHandle<Pointee>) {
        if (argument && handles<Pointee>().size() < kMostHandles) handles<Pointee>().push_back(*argument);
      } else if constexpr (std::is_same_v<Pointee, CUdeviceptr>) {
        const bool isGiven = argument && mxc::sim::Simulator::instance().deviceReserving(*argument);
        if (isGiven && addresses_.size() < kMostHandles) addresses_.push_back(*argument);
      }
    }
  }

  FuzzedDataProvider data_;
  bool areSmall_ = false;
  std::vector<std::byte> host_;
  std::array<void *, kMostSmall + 1> parameters_{};
  std::vector<std::vector<uint64_t>> blocks_;
  std::vector<uint64_t> addresses_;
  std::tuple<std::vector<CUcontext>, std::vector<CUmodule>, std::vector<CUfunction>, std::vector<CUstream>,
             std::vector<CUevent>, std::vector<CUgraph>, std::vector<CUgraphExec>, std::vector<CUlibrary>,
             std::vector<CUkernel>>
      handles_;
};

struct Function {
  void (*call)(Session &, bool);
  std::string_view name, parameters;
};
const Function kFunctions[] = {
#define MXC_SIM_FUNCTION(symbol, parameters, arguments)                                                      \
  {[](Session &session, bool areSmall) { session.call(mxc::sim::api::symbol, areSmall); }, #symbol,          \
   #parameters},
#include "runtime/simulator/driver/Functions.def"
};

/// Functions that read or write memory of the host, whose lengths the caller must know.
bool takesLengths(const Function &function) {
  constexpr std::string_view kWords[] = {"char *name", "char *pciBusId", "num",     "Host",
                                         "count",      "*data",          "cuMemcpy"};
  for (std::string_view word : kWords)
    if (function.parameters.find(word) != function.parameters.npos ||
        function.name.find(word) != function.name.npos)
      return true;
  return false;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  mxc::fuzz::setLimits();
  Session session(bytes, size);
  mxc::sim::api::cuInit(0);
  for (size_t calls = 0; calls < kMostCalls && session.data().remaining_bytes(); ++calls) {
    const Function &function = kFunctions[session.data().ConsumeIntegral<uint16_t>() % std::size(kFunctions)];
    function.call(session, takesLengths(function));
  }
  return 0;
}
