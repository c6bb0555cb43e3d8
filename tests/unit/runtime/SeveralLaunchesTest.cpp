// A variant of several launches: each reads what the one in front of it wrote, through a workspace.
#include "runtime/device/Buffer.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"
#include "tests/unit/runtime/Conformance.h"
#include "tests/unit/runtime/ExampleImage.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace mxc;

namespace {

/// first: w[i] = 2 x[i]. second: y[i] = w[N - 1 - i] + 1, so every CTA reads what another one wrote.
const char *const kTwo = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry first(.param .u64 x, .param .u64 w, .param .u64 n) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %a<8>;
  ld.param.u64 %a1, [x];
  ld.param.u64 %a2, [w];
  ld.param.u64 %a3, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 32, %r2;
  cvt.u64.u32 %a4, %r3;
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  setp.ge.u64 %p, %a4, %a3;
  @%p ret;
  shl.b64 %a5, %a4, 2;
  add.u64 %a6, %a1, %a5;
  ld.global.u32 %r4, [%a6];
  add.u32 %r4, %r4, %r4;
  add.u64 %a6, %a2, %a5;
  st.global.u32 [%a6], %r4;
  ret;
}
.visible .entry second(.param .u64 w, .param .u64 y, .param .u64 n) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .b64 %a<9>;
  ld.param.u64 %a1, [w];
  ld.param.u64 %a2, [y];
  ld.param.u64 %a3, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 64, %r2;
  cvt.u64.u32 %a4, %r3;
  griddepcontrol.wait;
  setp.ge.u64 %p, %a4, %a3;
  @%p ret;
  sub.u64 %a7, %a3, %a4;
  sub.u64 %a7, %a7, 1;
  shl.b64 %a7, %a7, 2;
  add.u64 %a6, %a1, %a7;
  ld.global.u32 %r4, [%a6];
  add.u32 %r4, %r4, 1;
  shl.b64 %a5, %a4, 2;
  add.u64 %a6, %a2, %a5;
  st.global.u32 [%a6], %r4;
  ret;
}
)";

Module twoLaunches() {
  using Kind = AbiParameter::Kind;
  KernelAbi kernel;
  kernel.name = kernel.operation.name = "two";
  AbiArgument workspace{"w", "u8"};
  workspace.kind = ArgumentKind::Workspace;
  workspace.bytes = "4 * N", workspace.alignment = 16;
  kernel.arguments = {{"x", "f32", false, ArgumentLayout::RowMajor, {"1", "N"}, {}, 4},
                      {"y", "f32", true, ArgumentLayout::RowMajor, {"1", "N"}, {}, 4},
                      workspace};
  kernel.dimensions = {"N"};
  AbiVariant variant;
  variant.entry = "first";
  variant.grid[0] = "ceildiv(N, 32)";
  variant.block[0] = 32;
  variant.parameters = {{Kind::Pointer, "x", {}}, {Kind::Pointer, "w", {}}, {Kind::Dimension, "N", {}}};
  AbiLaunch second;
  second.entry = "second";
  second.grid[0] = "ceildiv(N, 64)";
  second.block[0] = 64;
  second.parameters = {{Kind::Pointer, "w", {}}, {Kind::Pointer, "y", {}}, {Kind::Dimension, "N", {}}};
  variant.following = {second};
  kernel.variants = {variant};
  ModuleAbi abi;
  abi.target = "sm_90";
  abi.compilerVersion = "0.1.0";
  abi.numericsVersion = 1;
  abi.kernels = {kernel};
  return Module::fromImage(conformanceDevice(), bytesOf(kTwo + ptxRecord(abiRecord(abi))));
}

} // namespace

TEST_CASE("the launches of a variant follow each other: checked, prepared, with PDL, without work",
          MXC_CONFORMANCE_TAGS) {
  const Kernel kernel = twoLaunches().kernel();
  const Device &device = kernel.module().device();
  const LaunchOptions options = GENERATE(LaunchOptions{}, LaunchOptions{.pdl = true});
  for (int64_t n : {1, 1000}) {
    Buffer x(device, n * 4), y(device, n * 4);
    std::vector<int32_t> host(static_cast<size_t>(n));
    std::iota(host.begin(), host.end(), 5);
    x.upload(std::as_bytes(std::span(host)));
    const Arguments arguments{{"x", x.view("f32", {1, n})}, {"y", y.view("f32", {1, n})}};
    const PreparedLaunch prepared = kernel.prepare(arguments, options);
    CHECK(prepared.plan().following.size() == 1);
    CHECK(prepared.plan().following[0].grid[0] == static_cast<uint32_t>((n + 63) / 64));
    for (bool isPrepared : {false, true}) {
      y.fill(0xA5);
      Stream stream(device);
      LaunchOptions onStream = options;
      onStream.stream = stream;
      if (isPrepared)
        prepared.launch(stream);
      else
        kernel.launch(arguments, onStream);
      stream.synchronize();
      std::vector<int32_t> found(host.size());
      y.download(std::as_writable_bytes(std::span(found)));
      for (int64_t i = 0; i < n; ++i)
        REQUIRE(found[static_cast<size_t>(i)] == 2 * host[static_cast<size_t>(n - 1 - i)] + 1);
    }
  }
  const Arguments nothing{{"x", {0, "f32", {1, 0}, {}}}, {"y", {0, "f32", {1, 0}, {}}}};
  CHECK(kernel.prepare(nothing, options).plan().isEmpty());
  kernel.launch(nothing, options);
}
