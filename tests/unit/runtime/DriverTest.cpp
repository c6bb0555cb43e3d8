#include "runtime/device/Driver.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <cstdlib>

using namespace mxc;
using Catch::Contains;

TEST_CASE("a driver library that is not there is unavailable", "[driver]") {
  std::string message = failure(ErrorKind::Device, [] { loadDriver("/nonexistent/libcuda.so.1"); });
  CHECK_THAT(message, Catch::StartsWith("CUDA driver unavailable: cannot load /nonexistent/libcuda.so.1") &&
                          Contains("install the NVIDIA driver") && Contains("MXC_LIBCUDA"));
}

TEST_CASE("a library that is no driver is unavailable, and the message names the function", "[driver]") {
  std::string message = failure(ErrorKind::Device, [] { loadDriver("libm.so.6"); });
  CHECK_THAT(message, Contains("CUDA driver unavailable: libm.so.6 lacks cuInit"));
}

TEST_CASE("MXC_LIBCUDA says where the driver is", "[driver]") {
  setenv("MXC_LIBCUDA", "/nonexistent", 1);
  CHECK_THAT(failure(ErrorKind::Device, [] { cudaDriver(); }), Contains("cannot load /nonexistent"));
  CHECK_THAT(failure(ErrorKind::Device, [] { openDevice("cuda:0"); }), Contains("cannot load /nonexistent"));
  setenv("MXC_LIBCUDA", MXC_FAKE_LIBCUDA, 1);
  CHECK(cudaDriver().library == MXC_FAKE_LIBCUDA); // the failures above were not remembered
  CHECK(openDevice("cuda:0").model() == "Fake GPU");
  unsetenv("MXC_LIBCUDA");
}

TEST_CASE("a driver's failure says what was attempted, on what, the code, its name and what to try",
          "[driver]") {
  fakeState() = FakeDriverState();
  CHECK_NOTHROW(fakeDriver().check(CUDA_SUCCESS, "fly", "cuda:0"));
  std::string message = failure(ErrorKind::Device, [] {
    fakeDriver().check(CUDA_ERROR_OUT_OF_MEMORY, "allocate 4096 bytes", "cuda:0");
  });
  CHECK(message ==
        "cannot allocate 4096 bytes on cuda:0: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory; free device "
        "memory, or use smaller shapes");
}

TEST_CASE("a code that the driver has no name for is still reported", "[driver]") {
  fakeState().failing = "cuGetErrorName";
  Error error = fakeDriver().failure(static_cast<CUresult>(12345), "fly", "cuda:0");
  CHECK_THAT(error.what(), Contains("unknown error (12345)"));
  fakeState() = FakeDriverState();
}
