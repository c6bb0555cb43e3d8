#include "runtime/Module.h"
#include "runtime/Kernel.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace mxc;
using Catch::Contains;

static Module load(const Device &device, const std::string &image) {
  return Module::fromImage(device, bytesOf(image), "k");
}

TEST_CASE("images are told apart by their first bytes", "[module]") {
  CHECK(imageFormat(bytesOf(cubinOf({}))) == ImageFormat::Cubin);
  CHECK(imageFormat(bytesOf(fatbinOf({}))) == ImageFormat::Fatbin);
  CHECK(imageFormat(bytesOf(ptxOf({}))) == ImageFormat::Ptx);
  CHECK(imageFormat(bytesOf("\n// a comment\n/* and\nanother */ .version 8.0\n")) == ImageFormat::Ptx);
  for (std::string image : {"",
                            "\x7f"
                            "ELF",
                            "//", "/*", "/* .version", "garbage", ".versio"})
    CHECK(imageFormat(bytesOf(image)) == ImageFormat::Unknown);
}

TEST_CASE("a module keeps the record of the device's target", "[module]") {
  Device device = fakeDevice(9, 0);
  CHECK(load(device, cubinOf({"sm_90a"})).abi().target == "sm_90a");
  CHECK(load(device, fatbinOf({"sm_100a", "sm_90a", "sm_90"})).abi().target == "sm_90a");
  CHECK(load(device, ptxOf({"sm_90a"})).abi().target == "sm_90a");
  CHECK(load(device, ptxOf({"sm_80"})).abi().target == "sm_80"); // PTX of a plain target serves later devices
  CHECK(load(fakeDevice(10, 3), fatbinOf({"sm_100a", "sm_100f"})).abi().target == "sm_100f");
}

TEST_CASE("a target that the device does not run is refused, naming both", "[module]") {
  auto refusal = [](int major, int minor, const std::string &image) {
    Device device = fakeDevice(major, minor);
    std::string message = invalidInput([&] { load(device, image); });
    CHECK(fakeState().modules == 0);
    return message;
  };
  CHECK(refusal(9, 0, cubinOf({"sm_100a"})) == "cannot load k: it holds code for sm_100a, but cuda:0 is Fake "
                                               "GPU (compute capability 9.0), which takes sm_90a, "
                                               "sm_90; compile it with --target=sm_90a");
  CHECK_THAT(refusal(10, 3, fatbinOf({"sm_100a", "sm_90a"})), Contains("sm_100a, sm_90a, but"));
  CHECK_THAT(refusal(10, 0, cubinOf({"sm_103a"})), Contains("--target=sm_100a"));
  CHECK_THAT(refusal(12, 0, ptxOf({"sm_90a"})),
             Contains("--target=sm_120a")); // 'a' PTX serves no other device
  CHECK_THAT(refusal(9, 0, cubinOf({"sm_80"})), Contains("sm_80, but"));
}

TEST_CASE("what is no image, or not ours, is refused before the driver sees it", "[module]") {
  Device device = fakeDevice();
  CHECK_THAT(invalidInput([&] { load(device, ""); }), Contains("cannot load k: it is empty"));
  CHECK_THAT(invalidInput([&] { load(device, "garbage"); }),
             Contains("neither a cubin, nor a fatbin, nor PTX text"));
  std::string hostElf = cubinOf({"sm_90a"});
  hostElf[18] = 62; // EM_X86_64
  CHECK_THAT(invalidInput([&] { load(device, hostElf); }), Contains("neither a cubin"));
  CHECK_THAT(invalidInput([&] { load(device, cubinOf({})); }), Contains("was not made by mxc"));
  std::string damaged = cubinOf({"sm_90a"});
  damaged[damaged.size() - 74] ^= 1; // before 64 bytes of padding
  CHECK_THAT(invalidInput([&] { load(device, damaged); }), Contains("was not made by mxc"));
  std::string old = cubinOf({"sm_90a"});
  old[old.find("00000002") + 7] = '1';
  CHECK_THAT(
      invalidInput([&] { load(device, old); }),
      Contains(
          "it carries version 1 of the ABI, and this mxc reads version 2 alone: compile the kernel again"));
  CHECK((fakeState().modules == 0 && fakeState().image.empty()));
}

TEST_CASE("module files that cannot be read are refused", "[module]") {
  Device device = fakeDevice();
  CHECK_THAT(invalidInput([&] { Module::load(device, "/nonexistent/k.cubin"); }),
             Contains("cannot read /nonexistent/k.cubin: No such file"));
  CHECK_THAT(invalidInput([&] { Module::load(device, "/tmp"); }), Contains("it is a folder"));
  CHECK_THAT(invalidInput([&] { Module::load(device, "/dev/null"); }),
             Contains("cannot load /dev/null: it is empty"));
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("mxc-module-" + std::to_string(getpid()));
  std::ofstream(path).close();
  std::filesystem::resize_file(path, (uintmax_t(1) << 30) + 1); // sparse
  CHECK_THAT(invalidInput([&] { Module::load(device, path); }),
             Contains("at most 1073741824 bytes, found 1073741825"));
  std::ofstream(path) << cubinOf({"sm_90a"});
  CHECK(Module::load(device, path).abi().kernels.size() == 1);
  std::filesystem::remove(path);
}

TEST_CASE("PTX reaches the driver as a C string", "[module]") {
  Device device = fakeDevice();
  std::string ptx = ptxOf({"sm_90a"});
  Module module = load(device, ptx);
  CHECK(fakeState().image == ptx);
}

TEST_CASE("a driver that refuses an image is a device error with its log", "[module]") {
  Device device = fakeDevice();
  fakeState().failing = "cuModuleLoadDataEx";
  fakeState().failure = CUDA_ERROR_INVALID_PTX;
  fakeState().log = "ptxas application ptx input, line 3; fatal";
  CHECK_THAT(failure(ErrorKind::Device, [&] { load(device, ptxOf({"sm_90a"})); }),
             Contains("cannot load k on cuda:0") && Contains("(218)") &&
                 Contains("\nptxas application ptx input, line 3"));
}

TEST_CASE("kernels are found by name, or without one where there is but one", "[module]") {
  Device device = fakeDevice();
  Module module = load(device, cubinOf({"sm_90a"}));
  CHECK(module.kernel().abi().name == "quantize");
  CHECK(module.kernel("quantize").abi().name == "quantize");
  CHECK(invalidInput([&] { module.kernel("gemm"); }) == "k holds no kernel 'gemm'; it holds quantize");
  Module two = load(device, cubinOf({"sm_90a"}, 2));
  CHECK(two.kernel("quantize1").abi().name == "quantize1");
  CHECK(invalidInput([&] { two.kernel(); }) == "k holds several kernels; name one of quantize, quantize1");
  Module none = load(device, cubinOf({"sm_90a"}, 0));
  CHECK_THAT(invalidInput([&] { none.kernel(); }), Contains("no kernels"));
}

TEST_CASE("a module is unloaded with its last handle, a kernel's included", "[module]") {
  Device device = fakeDevice();
  {
    std::optional<Module> module = load(device, cubinOf({"sm_90a"}));
    Kernel kernel = module->kernel();
    module.reset();
    CHECK(fakeState().modules == 1);
  }
  CHECK(fakeState().modules == 0);
}
