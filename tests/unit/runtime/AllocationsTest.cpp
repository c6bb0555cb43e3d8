// What a checked launch takes from the heap: its time is mostly that, and it grows unseen.
#include "runtime/launch/Kernel.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <new>

using namespace mxc;

static thread_local int allocations = 0;

void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

static CUresult CUDAAPI noLaunch(const CUlaunchConfig *, CUfunction, void **, void **) {
  return CUDA_SUCCESS;
}

TEST_CASE("a launch that repeats another one allocates nothing, whatever its addresses are", "[kernel]") {
  const Device fake = fakeDevice();
  Driver driver = fake.driver();
  driver.cuLaunchKernelEx = noLaunch; // the fake one writes down what it is given
  ModuleAbi abi;
  abi.target = "sm_90a";
  abi.compilerVersion = "0.1.0";
  abi.numericsVersion = 1;
  abi.kernels = {exampleKernel()};
  const std::string image = cubinOf({}) + abiRecord(abi);
  fakeState().parameterSizes = std::vector<size_t>(6, 8);
  const Kernel kernel = Module::fromImage(Device(driver, 0, fake.name()), bytesOf(image)).kernel();
  for (const int64_t k : {1024, 1000}) { // the first variant, and the one after it
    Arguments arguments = exampleArguments(64, k);
    kernel.launch(arguments, {.pdl = true}); // finds its entry
    for (Argument &argument : arguments)
      argument.view.address += 0x1000000;
    allocations = 0;
    kernel.launch(arguments, {.pdl = true});
    CHECK(allocations == 0);
  }
}
