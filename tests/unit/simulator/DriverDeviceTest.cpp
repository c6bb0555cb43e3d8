#include "tests/unit/simulator/DriverSession.h"

#include "runtime/simulator/driver/Chips.h"

#include <numeric>

using namespace mxc;
using namespace mxc::sim;

TEST_CASE("each chip has its facts", "[simulator][driver]") {
  struct Facts {
    std::string target;
    int major, minor, multiprocessors, optInBytes, multiprocessorBytes;
  };
  for (const Facts &facts : {Facts{"sm_90a", 9, 0, 132, 232448, 233472},
                             {"sm_100a", 10, 0, 148, 232448, 233472},
                             {"sm_103a", 10, 3, 148, 232448, 233472},
                             {"sm_107a", 10, 7, 204, 334848, 335872},
                             {"sm_120a", 12, 0, 170, 101376, 102400},
                             {"sm_121a", 12, 1, 48, 101376, 102400}}) {
    INFO(facts.target);
    DriverSession session(facts.target);
    CHECK(session.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == facts.major);
    CHECK(session.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) == facts.minor);
    CHECK(session.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == facts.multiprocessors);
    CHECK(session.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) == facts.optInBytes);
    CHECK(session.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) ==
          facts.multiprocessorBytes);
    CHECK(session.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE) == 32);
    char name[64];
    CHECK(api::cuDeviceGetName(name, sizeof name, session.device) == CUDA_SUCCESS);
    CHECK_THAT(name, Catch::EndsWith("(simulated)"));
    CUdevice device;
    CHECK(api::cuCtxGetDevice(&device) == CUDA_SUCCESS);
    CHECK(device == session.device);
  }
}

TEST_CASE("the multiprocessors can be overridden", "[simulator][driver]") {
  DriverSession session;
  Options before = simulatorOptions("sm_100a"), few = before;
  few.multiprocessors = 4;
  setSimulatorOptions("sm_100a", few);
  CHECK(session.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == 4);
  setSimulatorOptions("sm_100a", before);
}

TEST_CASE("PTX runs where CUDA says", "[simulator][driver]") {
  const Chip &b200 = *chipFor("sm_100a"), &b300 = *chipFor("sm_103a");
  CHECK((&b200 == chipFor("sm_100") && !chipFor("sm_70") && !chipFor("100")));
  for (const char *target : {"sm_100a", "sm_100f", "sm_100", "sm_90", "sm_52"})
    CHECK(runs(b200, target));
  for (const char *target : {"sm_90a", "sm_103a", "sm_103", "sm_103f", "sm_120", "", "sm_", "sm_x"})
    CHECK_FALSE(runs(b200, target));
  CHECK((runs(b300, "sm_100f") && runs(b300, "sm_100") && !runs(b300, "sm_100a")));
  const Chip &rubin = *chipFor("sm_107f");
  for (const char *target : {"sm_107a", "sm_107f", "sm_103f", "sm_100f", "sm_100"})
    CHECK(runs(rubin, target));
  CHECK((!runs(rubin, "sm_103a") && !runs(rubin, "sm_120f") && !runs(b300, "sm_107f")));
}

TEST_CASE("GPCs share the multiprocessors in pairs", "[simulator][driver]") {
  for (const Chip &chip : allChips()) {
    if (!chip.isSimulated()) continue;
    std::vector<int> gpcs = multiprocessorsPerGpc(chip, chip.device.multiprocessors);
    CHECK(std::accumulate(gpcs.begin(), gpcs.end(), 0) == chip.device.multiprocessors);
  }
  CHECK(multiprocessorsPerGpc(*chipFor("sm_90a"), 132) == std::vector<int>{18, 18, 16, 16, 16, 16, 16, 16});
}

TEST_CASE("a target that is none is a usage error", "[simulator][driver]") {
  CHECK_THROWS_WITH(Simulator::instance().open("sm_70"),
                    Catch::Contains("'sm_70'") && Catch::Contains("sm_90a"));
}

TEST_CASE("functions are found by name and version", "[simulator][driver]") {
  auto address = [](const char *name, int version) {
    void *function = nullptr;
    CUdriverProcAddressQueryResult status;
    CHECK(api::cuGetProcAddress_v2(name, &function, version, 0, &status) == CUDA_SUCCESS);
    CHECK((status == CU_GET_PROC_ADDRESS_SUCCESS) == (function != nullptr));
    return function;
  };
  CHECK(address("cuMemAlloc", 12000) == reinterpret_cast<void *>(&api::cuMemAlloc_v2));
  CHECK(address("cuCtxCreate", 12000) == reinterpret_cast<void *>(&api::cuCtxCreate_v3));
  CHECK(address("cuCtxCreate", 13000) == reinterpret_cast<void *>(&api::cuCtxCreate_v4));
  CHECK(address("cuLaunchKernelEx", 12000) == reinterpret_cast<void *>(&api::cuLaunchKernelEx));
  CHECK(address("cuNothing", 13000) == nullptr);
  void *function = nullptr;
  CHECK(api::cuGetProcAddress("cuNothing", &function, 13000, 0) == CUDA_ERROR_NOT_FOUND);
}

TEST_CASE("every result has a name and a text", "[simulator][driver]") {
  const char *text = nullptr;
  CHECK((api::cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text) == CUDA_SUCCESS));
  CHECK(text == std::string("CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK((api::cuGetErrorString(CUDA_ERROR_INVALID_CLUSTER_SIZE, &text) == CUDA_SUCCESS && text));
  CHECK((api::cuGetErrorName(static_cast<CUresult>(12345), &text) == CUDA_ERROR_INVALID_VALUE && !text));
}
