// Functions that nvcc's code calls and no module defines.
#include "runtime/simulator/machine/PrintedText.h"
#include "tests/unit/simulator/DriverSession.h"
#include "tests/unit/simulator/RunPtx.h"

#include <numeric>

using namespace mxc::sim;

namespace {

const char *const kDeclarations = R"ptx(
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.global .align 1 .b8 format[20] = "thread %d of %s, %f";
.global .align 1 .b8 name[3] = "us";
.global .align 1 .b8 condition[6] = "x < 3";
.global .align 1 .b8 file[5] = "a.cu";
.global .align 1 .b8 function[14] = "void k(int *)";
)ptx";

PtxOutcome runWith(const std::string &body, const PtxRun &how = {}) {
  std::string ptx =
      kernelOf(".reg .b32 %t, %r<4>; .reg .b64 %rd<8>; .reg .pred %p;\n mov.u32 %t, %tid.x;\n" + body);
  ptx.insert(ptx.find(".visible"), kDeclarations);
  return runPtxBytes(ptx, std::vector<std::byte>(4096), 4096, how);
}

/// (%t, "us", 0.5) in local memory, and the call.
const std::string kPrint = R"(
.local .align 8 .b8 values[24];
st.local.b32 [values], %t; mov.u64 %rd1, name; st.local.b64 [values+8], %rd1;
st.local.b64 [values+16], 0x3fe0000000000000; mov.u64 %rd2, values; cvta.local.u64 %rd2, %rd2; mov.u64 %rd3, format;
{ .param .b64 f, a; .param .b32 r; st.param.b64 [f], %rd3; st.param.b64 [a], %rd2;
call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }
)";

const std::string kStore = "mul.wide.u32 %rd5, %t, 8; add.u64 %rd5, %out, %rd5;\n";

template <class T> std::vector<T> wordsOf(const PtxOutcome &outcome, size_t count) {
  std::vector<T> words(count);
  std::memcpy(words.data(), outcome.output.data(), count * sizeof(T));
  return words;
}

} // namespace

TEST_CASE("printf: lanes in order, one text each, and the number of arguments") {
  PtxRun how;
  how.block = {3, 1, 1};
  PtxOutcome outcome = runWith(kPrint + kStore + "st.global.u32 [%rd5], %r1;", how);
  REQUIRE_FALSE(outcome.fault);
  CHECK(outcome.printed == "thread 0 of us, 0.500000thread 1 of us, 0.500000thread 2 of us, 0.500000");
  CHECK(wordsOf<uint64_t>(outcome, 1)[0] == 3);
}

TEST_CASE("printf's buffer drops what is oldest") {
  PrintedText text;
  text.setLimit(10);
  text.add("first"), text.add("second"), text.add("x");
  CHECK(text.take() == "secondx");
  CHECK(text.take().empty());
  text.add("longer than the limit");
  CHECK(text.take().empty());
}

TEST_CASE("a failed assertion names file, line, function and thread") {
  PtxOutcome outcome = runWith(R"(
setp.lt.u32 %p, %t, 3; @%p bra right;
mov.u64 %rd1, condition; mov.u64 %rd2, file; mov.u64 %rd3, function;
{ .param .b64 m, f, n, s; .param .b32 l; st.param.b64 [m], %rd1; st.param.b64 [f], %rd2; st.param.b32 [l], 17;
st.param.b64 [n], %rd3; st.param.b64 [s], 1; call.uni __assertfail, (m, f, l, n, s); }
right:
)");
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->kind == FaultKind::Assertion);
  CHECK(outcome.fault->message ==
        "a.cu:17: void k(int *): block: [0,0,0], thread: [3,0,0] Assertion `x < 3` failed.");
}

TEST_CASE("malloc gives every lane a block of its own; free takes it back once") {
  const std::string allocate = "{ .param .b64 n, r; st.param.b64 [n], 24; call.uni (r), malloc, (n);"
                               "ld.param.b64 %rd1, [r]; }\n",
                    release = "{ .param .b64 p; st.param.b64 [p], %rd1; call.uni free, (p); }\n";
  PtxOutcome outcome =
      runWith(allocate + "st.b32 [%rd1+20], %t; bar.warp.sync -1; ld.b32 %r1, [%rd1+20];" + kStore +
              "st.global.u32 [%rd5], %r1;" + release + "mov.u64 %rd1, 0;" + release);
  REQUIRE_FALSE(outcome.fault);
  std::vector<uint64_t> found = wordsOf<uint64_t>(outcome, 32);
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(uint32_t(found[lane]) == lane);
  const std::string use = "ld.b32 %r1, [%rd1];" + kStore + "st.global.u32 [%rd5], %r1;";
  CHECK(runWith(allocate + use).fault->kind == FaultKind::Unwritten);
  CHECK(runWith(allocate + release + use).fault->kind == FaultKind::Unwritten);
  CHECK_THAT(runWith(allocate + release + release).fault->message, Catch::Contains("was freed before"));
  CHECK_THAT(runWith("mov.u64 %rd1, %in;" + release).fault->message, Catch::Contains("free of"));
}

TEST_CASE("malloc beyond the heap gives null") {
  PtxOutcome outcome = runWith("{ .param .b64 n, r; st.param.b64 [n], 4194304; call.uni (r), malloc, (n);"
                               "ld.param.b64 %rd1, [r]; } setp.ne.u64 %p, %rd1, 0; selp.b32 %r1, 1, 0, %p;" +
                               kStore + "st.global.u64 [%rd5], %rd1; st.global.u32 [%rd5], %r1;");
  REQUIRE_FALSE(outcome.fault);
  std::vector<uint32_t> found = wordsOf<uint32_t>(outcome, 64);
  uint32_t given = 0;
  for (size_t lane = 0; lane < 32; ++lane)
    given += found[2 * lane];
  CHECK(given == 2); // of 8 MiB
}

TEST_CASE("a heap of the driver lasts from launch to launch, and has the limit that is set",
          "[simulator][driver]") {
  DriverSession session;
  const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
                           ".global .align 8 .b64 kept;\n";
  CUmodule module = session.load(head + R"(
.visible .entry keep() { .reg .b64 %p; { .param .b64 n, r; st.param.b64 [n], 65536; call.uni (r), malloc, (n);
 ld.param.b64 %p, [r]; } st.global.b64 [kept], %p; st.b32 [%p], 77; ret; }
.visible .entry use(.param .u64 out) { .reg .b64 %p, %o; .reg .b32 %r; ld.global.b64 %p, [kept]; ld.b32 %r, [%p];
 ld.param.u64 %o, [out]; st.global.b32 [%o], %r; ret; }
)");
  size_t bytes = 0;
  CHECK(api::cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE) == CUDA_SUCCESS);
  CHECK(bytes == 8 << 20);
  CHECK(api::cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 65536) == CUDA_SUCCESS);
  CHECK(api::cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 4096) == CUDA_SUCCESS);
  CHECK(api::cuCtxGetLimit(&bytes, CU_LIMIT_PRINTF_FIFO_SIZE) == CUDA_SUCCESS);
  CHECK(bytes == 4096);
  CHECK(api::cuCtxSetLimit(CU_LIMIT_CIG_ENABLED, 1) == CUDA_ERROR_UNSUPPORTED_LIMIT);
  CUfunction keep = session.function(module, "keep"), use = session.function(module, "use");
  CUdeviceptr out = session.allocate(4);
  void *parameters[] = {&out};
  CHECK(api::cuLaunchKernel(keep, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS);
  CHECK(api::cuLaunchKernel(use, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr) == CUDA_SUCCESS);
  uint32_t found = 0;
  CHECK(api::cuMemcpyDtoH_v2(&found, out, 4) == CUDA_SUCCESS);
  CHECK(found == 77);
  CHECK(api::cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20) == CUDA_ERROR_INVALID_VALUE);
  CHECK(api::cuLaunchKernel(keep, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS); // null
  CHECK(api::cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
}
