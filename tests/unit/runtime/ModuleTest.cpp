#include "runtime/launch/Module.h"
#include "runtime/launch/Kernel.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/FakeDevice.h"

#include <cstring>
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
  old[old.find("00000003") + 7] = '2';
  CHECK_THAT(
      invalidInput([&] { load(device, old); }),
      Contains(
          "it carries version 2 of the ABI, and this mxc reads version 3 alone: compile the kernel again"));
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

TEST_CASE("a driver that refuses an image says so with its log, and whose fault it is", "[module]") {
  Device device = fakeDevice();
  fakeState().failing = "cuModuleLoadDataEx";
  fakeState().failure = CUDA_ERROR_INVALID_PTX;
  fakeState().log = "ptxas application ptx input, line 3; fatal";
  CHECK_THAT(failure(ErrorKind::InvalidInput, [&] { load(device, ptxOf({"sm_90a"})); }),
             Contains("cannot load k on cuda:0") && Contains("(218)") &&
                 Contains("\nptxas application ptx input, line 3"));
  fakeState().failure = CUDA_ERROR_OUT_OF_MEMORY;
  failure(ErrorKind::Device, [&] { load(device, ptxOf({"sm_90a"})); });
}

// The driver takes a pointer without a length.
TEST_CASE("an image that speaks of more than its bytes is refused before the driver sees it", "[module]") {
  Device device = fakeDevice();
  const auto put = [](std::string image, size_t at, uint64_t value, size_t bytes) {
    std::memcpy(image.data() + at, &value, bytes);
    return image;
  };
  const auto refusal = [&](const std::string &image) {
    std::string message = invalidInput([&] { load(device, image); });
    CHECK(fakeState().modules == 0);
    return message;
  };
  const std::string cubin = cubinOf({"sm_90a"}), size = std::to_string(cubin.size());
  CHECK_THAT(refusal(put(cubin, 4, 1, 1)), Contains("no ELF file of 64 bits"));
  CHECK_THAT(refusal(cubin.substr(0, 40)), Contains("its ELF header of 64 bytes at 0 goes beyond the 40"));
  std::string sections = put(put(put(cubin, 40, 0, 8), 58, 64, 2), 60, 3, 2); // at 0, of 64 bytes, 3 of them
  CHECK_THAT(refusal(put(sections, 40, uint64_t(0) - 64, 8)),
             Contains("table of sections") && Contains(size));
  CHECK_THAT(refusal(put(sections, 62, 3, 2)), Contains("its names are in no section"));
  CHECK_THAT(refusal(put(sections, 58, 32, 2)), Contains("rows are not those of ELF"));
  std::string table = put(sections, 40, 64, 8); // over the record, after which are 64 bytes
  for (size_t i = 0; i < 3 * 64; ++i)
    table[64 + i] = 0;
  table += recordOf("sm_90a", 1);
  CHECK(load(device, table).abi().target == "sm_90a");
  std::string section = put(put(table, 64 + 64 + 4, 1, 4), 64 + 64 + 32, table.size() + 1, 8);
  CHECK_THAT(refusal(section),
             Contains("its section 1 of " + std::to_string(table.size() + 1) + " bytes at 0"));
  CHECK(load(device, put(section, 64 + 64 + 4, 8, 4)).abi().target == "sm_90a"); // SHT_NOBITS has no bytes
  std::string segment = put(put(put(table, 32, 64, 8), 54, 56, 2), 56, 1, 2);
  CHECK_THAT(refusal(put(segment, 64 + 8, ~uint64_t(0), 8)), Contains("its segment 0"));

  std::string fatbin = fatbinOf({"sm_90a"});
  CHECK_THAT(refusal(put(fatbin, 8, fatbin.size() - 15, 8)), Contains("its list of entries"));
  CHECK_THAT(refusal(put(fatbin, 8, ~uint64_t(0), 8)), Contains("its list of entries"));
  CHECK_THAT(refusal(put(fatbin, 6, 8, 2)), Contains("its header has 8 bytes"));
  std::string entry = fatbin.substr(0, 16) + std::string(64, '\0') + cubin;
  entry = put(put(put(entry, 8, 64 + cubin.size(), 8), 16, 2, 2), 16 + 4, 64, 4);
  entry = put(entry, 16 + 8, cubin.size(), 8);
  CHECK(load(device, entry).abi().target == "sm_90a");
  CHECK_THAT(refusal(put(entry, 16 + 8, cubin.size() + 1, 8)), Contains("its entry 0 of"));
  CHECK_THAT(refusal(put(entry, 16 + 4, 63, 4)), Contains("its entry 0 has a header of 63 bytes"));
  CHECK_THAT(refusal(put(put(entry, 80 + 60, 9999, 2), 80 + 58, 64, 2)),
             Contains("its entry 0: its table of sections"));
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
