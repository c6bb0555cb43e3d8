// PTX decides how much of the host's memory a simulation takes; there is an end to it (MXC_SIM_MEMORY).
#include "DriverSession.h"
#include "RunPtx.h"

#include "dialect/formats/Error.h"
#include "runtime/environment/HostMemory.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;
using Catch::Contains;

namespace {

constexpr uint64_t kBudget = 64 << 20;

std::string limitOf(const std::string &ptx, PtxRun how = {}) {
  if (!how.memoryBytes) how.memoryBytes = kBudget;
  PtxOutcome outcome = runPtxBytes(ptx, {}, 64, how);
  if (!outcome.fault) return "";
  CHECK(outcome.fault->kind == FaultKind::Limit);
  return outcome.fault->message;
}

std::string withFunction(const std::string &function, const std::string &body) {
  std::string ptx = kernelOf(body);
  ptx.insert(ptx.find(".visible"), function);
  return ptx;
}

} // namespace

TEST_CASE("what recursion puts aside is counted, and given back") {
  const std::string head = ".func f(.param .u32 depth) { .reg .pred %p; .reg .u32 %n; .param .u32 rest;\n"
                           ".local .b8 x[100000]; ld.param.u32 %n, [depth]; setp.eq.u32 %p, %n, 0; @%p ret;\n"
                           "sub.u32 %n, %n, 1; st.param.u32 [rest], %n; call f, (rest); ret; }\n";
  const auto deep = [](const std::string &depth) {
    return ".param .u32 n; .reg .u32 %n; .reg .pred %p; .reg .u32 %i; mov.u32 %i, 0;\n"
           "again: mov.u32 %n, " +
           depth +
           "; st.param.u32 [n], %n; call f, (n); add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 20; @%p bra again;";
  };
  CHECK_THAT(limitOf(withFunction(head, deep("100"))),
             Contains("MXC_SIM_MEMORY"));               // 100 x 32 x 100,000 bytes
  CHECK(limitOf(withFunction(head, deep("10"))) == ""); // 32 MB, twenty times
}

TEST_CASE("what alloca hands out is counted, blocks of no bytes too") {
  const std::string loop = ".reg .u64 %a; .reg .u32 %i; .reg .pred %p; mov.u32 %i, 0;\n"
                           "again: alloca.u64 %a, ";
  const std::string end = "; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 1000000; @%p bra again;";
  CHECK_THAT(limitOf(kernelOf(loop + "0" + end)), Contains("MXC_SIM_MEMORY"));
  PtxRun wide;
  wide.block = {1024, 1, 1};
  CHECK_THAT(limitOf(kernelOf(".reg .u64 %a; alloca.u64 %a, 500000;"), wide), Contains("MXC_SIM_MEMORY"));
  CHECK(limitOf(kernelOf(".reg .u64 %a; alloca.u64 %a, 1000;"), wide) == "");
}

TEST_CASE("operations that nobody waits for do not pile up") {
  PtxRun lazy;
  lazy.schedule.kind = Schedule::Kind::Lazy;
  const uint64_t before = mxc::residentBytes();
  runPtxBytes(
      kernelOf(".shared .align 16 .b8 s[64]; .reg .u32 %s, %i; .reg .pred %p; mov.u32 %s, s; mov.u32 %i, 0;\n"
               "again: cp.async.ca.shared.global [%s], [%in], 4; cp.async.commit_group;\n"
               "cp.async.commit_group; cp.async.commit_group; cp.async.commit_group;\n"
               "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 100000; @%p bra again;"),
      std::vector<std::byte>(4), 4, lazy);
  CHECK(mxc::residentBytes() - before <
        400 << 20); // 32 lanes x 400,000 groups were 200 MB, and the copies a gigabyte
}

namespace {

const std::string kHead = ".version 8.8\n.target sm_100a\n.address_size 64\n";

struct Loading {
  GlobalMemory memory{uint64_t(1) << 40};
  Options options;

  explicit Loading(uint64_t budget) { options.memoryBytes = budget; }

  std::string refusal(const std::string &text, const std::vector<std::string> &kernels = {"k"}) {
    try {
      LoadedModule module(kHead + text, "test.ptx", memory, options);
      for (const std::string &kernel : kernels)
        module.kernel(kernel);
    } catch (const mxc::Error &error) {
      CHECK(memory.allocatedBytes() == 0);
      return error.what();
    }
    return "";
  }
};

} // namespace

TEST_CASE("a module's text, kernels and variables have a budget together") {
  const std::string kernel = ".visible .entry k() { ret; }\n";
  std::string words(".visible .entry k() {\n");
  for (int i = 0; i < 100000; ++i)
    words += "ret;";
  words += "}\n";
  CHECK_THAT(Loading(1 << 20).refusal(words), Contains("test.ptx:5:") && Contains("MXC_SIM_MEMORY"));
  CHECK(Loading(uint64_t(1) << 30).refusal(words) == "");
  std::string shared = ".func f() {\n";
  for (int i = 0; i < 1000; ++i)
    shared += "ret;";
  shared += "}\n";
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back("k" + std::to_string(i));
    shared += ".visible .entry " + names.back() + "() { call f; ret; }\n";
  }
  CHECK_THAT(Loading(32 << 20).refusal(shared, names), Contains("the module's kernels exceed"));
  CHECK(Loading(uint64_t(1) << 30).refusal(shared, names) == "");
  Loading small(kBudget);
  CHECK_THAT(small.refusal(".global .b8 x[20000000];\n.const .b8 y[20000000];\n" + kernel),
             Contains("variable y"));
  CHECK(small.refusal(".global .b8 x[20000000];\n" + kernel) == "");
}

TEST_CASE("device memory that the host or a kernel writes has a budget", "[simulator][driver]") {
  DriverSession session;
  const Options before = simulatorOptions("sm_100a");
  Options tight = before;
  tight.memoryBytes = mxc::residentBytes() + (uint64_t(256) << 20);
  setSimulatorOptions("sm_100a", tight);
  const uint64_t bytes = uint64_t(1) << 30;
  CUdeviceptr memory = session.allocate(bytes); // takes nothing
  CHECK(api::cuMemsetD8_v2(memory, 1, bytes) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(api::cuMemsetD8_v2(memory, 1, 1 << 20) == CUDA_SUCCESS);
  CUresult result = CUDA_SUCCESS;
  for (uint64_t at = 0; at < bytes && result == CUDA_SUCCESS; at += 16 << 20)
    result = api::cuMemsetD8_v2(memory + at, 1, 16 << 20); // piece by piece
  CHECK(result == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(api::cuMemFree_v2(memory) == CUDA_SUCCESS);
  CHECK(api::cuMemAllocManaged(&memory, bytes, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_OUT_OF_MEMORY);
  void *pointer = nullptr;
  CHECK(api::cuMemAllocHost_v2(&pointer, bytes) == CUDA_ERROR_OUT_OF_MEMORY);

  memory = session.allocate(bytes);
  CUfunction touch = session.function(session.load(kHead + R"(.visible .entry touch(.param .u64 p) {
    .reg .u64 %a, %t; .reg .u32 %i, %x; .reg .pred %p; ld.param.u64 %a, [p]; mov.u32 %i, 0;
    mov.u32 %x, %tid.x; mul.wide.u32 %t, %x, 4096; add.u64 %a, %a, %t;
    again: st.global.u32 [%a], 1; add.u64 %a, %a, 131072; add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, 8192; @%p bra again; ret; })"),
                                      "touch");
  void *parameters[] = {&memory};
  CHECK(api::cuLaunchKernel(touch, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS);
  CHECK(api::cuCtxSynchronize() == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(api::cuDevicePrimaryCtxReset_v2(session.device) == CUDA_SUCCESS);
  setSimulatorOptions("sm_100a", before);
}
