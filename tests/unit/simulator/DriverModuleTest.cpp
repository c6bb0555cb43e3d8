// Images: PTX, fatbins, and what is refused.
#include "tests/unit/simulator/DriverSession.h"

#include "runtime/simulator/driver/Decompress.h"
#include "runtime/simulator/driver/Image.h"

#include <cstring>

using namespace mxc::sim;
using Catch::Contains;

namespace {
struct Entry {
  uint16_t kind = 1; // 1 PTX, 2 machine code
  std::string data;
  uint64_t flags = 0, decompressedBytes = 0;
};
} // namespace

template <class Integer> static void put(std::string &to, size_t at, Integer value) {
  std::memcpy(&to[at], &value, sizeof value);
}

static std::string fatbin(const std::vector<Entry> &entries) {
  std::string body;
  for (const Entry &entry : entries) {
    std::string header(64, '\0'), data = entry.data + std::string(16 - entry.data.size() % 16, '\0');
    put<uint16_t>(header, 0, entry.kind), put<uint32_t>(header, 4, 64), put<uint64_t>(header, 8, data.size());
    put<uint32_t>(header, 16, static_cast<uint32_t>(entry.data.size())),
        put<uint64_t>(header, 40, entry.flags);
    put<uint64_t>(header, 56, entry.decompressedBytes);
    body += header + data;
  }
  std::string header(16, '\0');
  put<uint32_t>(header, 0, 0xBA55ED50), put<uint16_t>(header, 4, 1), put<uint16_t>(header, 6, 16);
  put<uint64_t>(header, 8, body.size());
  return header + body;
}

static std::string ptxFor(const std::string &target) {
  return "// x\n.version 8.8\n.target " + target + ", debug\n";
}

static std::string chosen(const std::string &image, const char *chip) {
  return targetOfPtx(chosenPtx(ptxOf(Image(image.data())), *chipFor(chip)));
}

TEST_CASE("of a fatbin the most specific PTX is taken", "[simulator][driver]") {
  std::string image = fatbin({{1, ptxFor("sm_80")},
                              {2, "machine code"},
                              {1, ptxFor("sm_90")},
                              {1, ptxFor("sm_100f")},
                              {1, ptxFor("sm_90a")},
                              {1, ptxFor("sm_100a")}});
  CHECK(chosen(image, "sm_90a") == "sm_90a");
  CHECK(chosen(image, "sm_100a") == "sm_100a");
  CHECK(chosen(image, "sm_103a") == "sm_100f");
  CHECK(chosen(image, "sm_120a") == "sm_90");
  CHECK_THROWS_WITH(chosen(fatbin({{1, ptxFor("sm_90a")}}), "sm_100a"), Contains("PTX for sm_90a"));
  CHECK_THROWS_WITH(ptxOf(Image(fatbin({{2, "machine code"}}))),
                    Contains("holds no PTX") && Contains("--emit=ptx"));
}

TEST_CASE("a damaged fatbin is refused", "[simulator][driver]") {
  std::string image = fatbin({{1, ptxFor("sm_90")}}), beyond = image,
              compressed = fatbin({{1, "xyz", 0x2000, 99}});
  put<uint64_t>(beyond, 16 + 8, 1 << 20);
  CHECK_THROWS_WITH(ptxOf(Image(beyond.data())), Contains("beyond its end"));
  CHECK_THROWS_WITH(ptxOf(Image(compressed.data())), Contains("does not decompress"));
  compressed = fatbin({{1, "xyz", 0x8000, 99}});
  CHECK_THROWS_AS(ptxOf(Image(compressed.data())), ImageError);
}

TEST_CASE("a file is no longer than it is", "[simulator][driver]") {
  const auto refused = [](const std::string &file, const std::string &why) {
    CHECK_THROWS_WITH(ptxOf(Image(file)), Contains(why));
  };
  const std::string whole = fatbin({{1, ptxFor("sm_90")}});
  CHECK(ptxOf(Image(whole)).size() == 1);
  refused(whole.substr(0, 15), "it has no whole header");
  refused(whole.substr(0, whole.size() - 1), "its entries have");
  std::string endless = whole, wrapper(24, '\0');
  put<uint64_t>(endless, 8, ~uint64_t(0));
  refused(endless, "its entries have 18446744073709551615 bytes");
  put<uint32_t>(wrapper, 0, 0x466243B1), put<uint64_t>(wrapper, 8, 0x4141414141414141);
  refused(wrapper, "a wrapper's pointer means nothing in a file");
  refused(fatbin({{1, "xyz", 0x2000, uint64_t(1) << 29}}),
          "does not decompress"); // LZ4 cannot: nothing is made ready
  refused(fatbin({{1, "xyz", 0x8000, uint64_t(1) << 31}}), "more than 1 GiB");
}

TEST_CASE("an LZ4 block is literals and matches", "[simulator][driver]") {
  std::string text(20, ' ');
  CHECK(decompressLz4(std::string_view("\x4b"
                                       "abcd"
                                       "\x04\x00"
                                       "\x10"
                                       "!",
                                       9),
                      text)); // abcd, 15 of them again, !
  CHECK(text == "abcdabcdabcdabcdabc!");
  text.resize(21);
  CHECK_FALSE(decompressLz4(std::string_view("\x4b"
                                             "abcd"
                                             "\x04\x00"
                                             "\x10"
                                             "!",
                                             9),
                            text)); // too short
  CHECK_FALSE(decompressLz4(std::string_view("\x4b"
                                             "abcd"
                                             "\x05\x00"
                                             "\x10"
                                             "!",
                                             9),
                            text)); // before the beginning
}

TEST_CASE("machine code is refused, with advice in the log", "[simulator][driver]") {
  DriverSession session;
  char log[1024] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  CUmodule module = nullptr;
  CHECK(api::cuModuleLoadDataEx(&module,
                                "\x7f"
                                "ELF......",
                                2, options, values) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK_THAT(log, Contains("cubin") && Contains("mxc compile --emit=ptx"));
  CHECK(values[1] == reinterpret_cast<void *>(std::strlen(log)));
  CHECK(api::cuModuleLoadData(&module, "\x01\x02garbage") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(api::cuModuleLoadData(&module, "") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(api::cuModuleLoadData(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuModuleLoad(&module, "/nowhere/k.ptx") == CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_CASE("PTX errors are in the log, with line and column", "[simulator][driver]") {
  DriverSession session;
  char log[1024] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  std::string ptx = kAddOne;
  ptx.replace(ptx.find("%r5, %r5, 1"), 3, "%zz");
  CUmodule module = nullptr;
  CHECK(api::cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values) == CUDA_ERROR_INVALID_PTX);
  CHECK_THAT(log, Contains("ptx:18:") && Contains("%zz"));
  values[1] = reinterpret_cast<void *>(uintptr_t(10)); // a short buffer
  CHECK(api::cuModuleLoadDataEx(&module, ptx.c_str(), 2, options, values) == CUDA_ERROR_INVALID_PTX);
  CHECK(std::strlen(log) == 9);
}

TEST_CASE("a module gives its functions and variables", "[simulator][driver]") {
  DriverSession session;
  CUmodule module = session.load(kAddOne), owner = nullptr;
  CUfunction function = session.function(module, "add_one"), none = nullptr;
  CHECK(session.function(module, "add_one") == function);
  CHECK(api::cuModuleGetFunction(&none, module, "add_two") == CUDA_ERROR_NOT_FOUND);
  CHECK((api::cuFuncGetModule(&owner, function) == CUDA_SUCCESS && owner == module));
  unsigned count = 0;
  CHECK((api::cuModuleGetFunctionCount(&count, module) == CUDA_SUCCESS && count == 1));
  size_t offset = 0, bytes = 0;
  CHECK((api::cuFuncGetParamInfo(function, 1, &offset, &bytes) == CUDA_SUCCESS && offset == 8 && bytes == 8));
  CHECK(api::cuFuncGetParamInfo(function, 2, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE);
  int version = 0;
  CHECK((api::cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function) == CUDA_SUCCESS &&
         version == 90));

  CUdeviceptr address = 0;
  int answer = 0;
  CHECK((api::cuModuleGetGlobal_v2(&address, &bytes, module, "answer") == CUDA_SUCCESS && bytes == 4));
  CHECK((api::cuMemcpyDtoH_v2(&answer, address, 4) == CUDA_SUCCESS && answer == 42));
  CHECK(api::cuModuleGetGlobal_v2(&address, &bytes, module, "question") == CUDA_ERROR_NOT_FOUND);
  CHECK(api::cuMemFree_v2(address) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuModuleUnload(module) == CUDA_SUCCESS);
}

TEST_CASE("a library's kernel is a function in each context", "[simulator][driver]") {
  DriverSession session;
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  std::string image = fatbin({{1, kAddOne}});
  REQUIRE(api::cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) ==
          CUDA_SUCCESS);
  CHECK(api::cuLibraryGetKernel(&kernel, library, "add_two") == CUDA_ERROR_NOT_FOUND);
  REQUIRE(api::cuLibraryGetKernel(&kernel, library, "add_one") == CUDA_SUCCESS);
  CHECK(api::cuKernelGetFunction(&function, kernel) == CUDA_SUCCESS);
  CHECK(api::cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 99999, kernel,
                                  session.device) == CUDA_SUCCESS);
  int bytes = 0;
  CHECK(api::cuFuncGetAttribute(&bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function) ==
        CUDA_SUCCESS);
  CHECK(bytes == 99999);
  {
    DriverSession other("sm_90a");
    CUfunction there = nullptr;
    CHECK((api::cuKernelGetFunction(&there, kernel) == CUDA_SUCCESS && there != function));
  }
  CHECK(api::cuLibraryUnload(library) == CUDA_SUCCESS);
  CHECK(api::cuKernelGetFunction(&function, kernel) == CUDA_ERROR_INVALID_HANDLE);
}
