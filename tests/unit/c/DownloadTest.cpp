// What a download waits for.
#include "runtime/c/mxc/mxc.h"
#include "tests/unit/runtime/FakeDriver.h"

#include <catch2/catch.hpp>
#include <dlfcn.h>

#include <cstdlib>

using Catch::Contains;

TEST_CASE("C: a download waits for all streams of the device", "[c]") {
  setenv("MXC_LIBCUDA", MXC_FAKE_LIBCUDA, 1);
  mxc_engine *engine = nullptr;
  mxc_buffer *buffer = nullptr;
  REQUIRE(mxc_engine_create("cuda:0", nullptr, &engine) == MXC_OK);
  REQUIRE(mxc_buffer_create(engine, 4, &buffer) == MXC_OK);
  int value = 7, found = 0;
  CHECK(mxc_buffer_upload(buffer, 0, &value, 4) == MXC_OK);
  CHECK(mxc_buffer_download(buffer, 0, &found, 4) == MXC_OK);
  CHECK(found == 7);

  const auto state = reinterpret_cast<FakeDriverState *(*)()>(
      dlsym(dlopen(MXC_FAKE_LIBCUDA, RTLD_NOW | RTLD_NOLOAD), "fakeDriverState"));
  state()->failing = "cuCtxSynchronize";
  state()->failure = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  CHECK(mxc_buffer_download(buffer, 0, &found, 4) == MXC_DEVICE);
  CHECK_THAT(mxc_last_error(), Contains("cannot wait for the device's work on cuda:0") &&
                                   Contains("a stream is being captured: do it before the capture begins"));
  mxc_buffer_destroy(buffer);
  mxc_engine_destroy(engine);
}
