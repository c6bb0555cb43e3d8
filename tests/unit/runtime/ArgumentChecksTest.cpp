#include "runtime/ArgumentChecks.h"
#include "tests/unit/runtime/ExampleKernel.h"
#include "tests/unit/runtime/Failure.h"

using namespace mxc;
using Catch::Contains;

static std::vector<BoundArgument> bindAll(const Arguments &arguments,
                                          const KernelAbi &kernel = exampleKernel()) {
  return bindArguments(kernel, arguments, solveDimensions(kernel, arguments));
}
/// What is said of a call that differs from a good one by `bend`.
template <typename Bend> static std::string refusal(Bend bend, KernelAbi kernel = exampleKernel()) {
  Arguments arguments = exampleArguments();
  bend(arguments, kernel);
  return invalidInput([&] { bindAll(arguments, kernel); });
}

TEST_CASE("a good call is bound in the ABI's order, whatever order it came in", "[arguments]") {
  KernelAbi kernel = exampleKernel();
  Arguments given = exampleArguments();
  std::swap(given[0], given[2]);
  std::vector<BoundArgument> bound = bindArguments(kernel, given, {{"M", 64}, {"K", 256}});
  REQUIRE(bound.size() == 3);
  CHECK((bound[0].abi->name == "x" && bound[0].rows == 64 && bound[0].rowStride == 256 &&
         bound[0].bytes == 32768));
  CHECK((bound[1].abi->name == "q" && bound[1].bytes == 16384));
  CHECK((bound[2].abi->name == "s" && bound[2].bytes == 1024));
}

TEST_CASE("a missing argument is named", "[arguments]") {
  CHECK(refusal([](Arguments &a, KernelAbi &) { a.pop_back(); }) ==
        "kernel 'quantize': argument 's' is missing");
}

TEST_CASE("types must agree, with u8 standing in for ue8m0 alone", "[arguments]") {
  CHECK(refusal([](Arguments &a, KernelAbi &) { a[0].view.type = "f16"; }) ==
        "kernel 'quantize': argument 'x': type: expected bf16, found f16");
  CHECK_THAT(refusal([](Arguments &a, KernelAbi &) { a[1].view.type = "u8"; }),
             Contains("'q': type: expected e4m3, found u8"));
  CHECK_THAT(refusal([](Arguments &a, KernelAbi &) { a[0].view.type = ""; }),
             Contains("expected bf16, found none"));
  Arguments arguments = exampleArguments();
  arguments[2].view.type = "ue8m0";
  CHECK_NOTHROW(bindAll(arguments));
  CHECK_THAT(refusal([](Arguments &a, KernelAbi &k) { a[0].view.type = k.arguments[0].type = "f8"; }),
             Contains("does not know the type 'f8'"));
}

TEST_CASE("shapes must be what the dimensions make them", "[arguments]") {
  CHECK(refusal([](Arguments &a, KernelAbi &) { a[2].view.shape = {512}; }) ==
        "kernel 'quantize': argument 's': shape: expected [1024] (whole 512-byte tiles of M x ceildiv(K, 32) "
        "scales), "
        "found [512]");
  CHECK(refusal([](Arguments &a, KernelAbi &) { a[2].view.shape = {64, 9}; },
                exampleKernel(ArgumentLayout::ScaleDense)) ==
        "kernel 'quantize': argument 's': shape: expected [64, 8] (M x ceildiv(K, 32)), found [64, 9]");
  CHECK_THAT(refusal([](Arguments &, KernelAbi &k) { k.arguments[0].columns = "128"; }),
             Contains("expected [64, 128]"));
}

TEST_CASE("row strides follow the ABI: contiguous, any, or one value", "[arguments]") {
  auto stride = [](size_t argument, std::vector<int64_t> strides) {
    return [=](Arguments &a, KernelAbi &) { a[argument].view.strides = strides; };
  };
  CHECK_THAT(refusal(stride(1, {512, 1})),
             Contains("'q': row stride: expected 256 (the kernel takes contiguous rows), found 512"));
  CHECK_THAT(refusal(stride(0, {255, 1})), Contains("'x': row stride: expected at least 256, found 255"));
  CHECK_THAT(refusal(stride(0, {-256, 1})), Contains("expected at least 256, found -256"));
  CHECK_THAT(refusal(stride(0, {256, 2})), Contains("'x': innermost stride: expected 1, found 2"));
  CHECK_THAT(refusal(stride(0, {256})), Contains("'x': strides: expected 2 of them, found [256]"));
  CHECK_THAT(refusal(stride(2, {2})), Contains("'s': innermost stride: expected 1, found 2"));
  auto fixed = [](Arguments &, KernelAbi &k) { k.arguments[0].rowStride = "2 * K"; };
  CHECK_THAT(refusal(fixed), Contains("'x': row stride: expected 512, found 256 (contiguous)"));

  Arguments arguments = exampleArguments();
  arguments[0].view.strides = {512, 1};
  CHECK(bindAll(arguments)[0].rowStride == 512);
  KernelAbi kernel = exampleKernel();
  kernel.arguments[0].rowStride = "512";
  CHECK(bindArguments(kernel, arguments, {{"M", 64}, {"K", 256}})[0].bytes == 2 * (63 * 512 + 256));
}

TEST_CASE("strides of sizes 0 and 1 mean nothing", "[arguments]") {
  Arguments one = exampleArguments(1, 256);
  one[0].view.strides = {3, 1};
  one[1].view.strides = {7777, 1};
  CHECK(bindAll(one)[0].rowStride == 256);
  Arguments column = exampleArguments(64, 1);
  column[0].view.strides = {5, 9};
  CHECK(bindAll(column)[0].rowStride == 5);
  Arguments none = exampleArguments(0, 0);
  none[0].view = {0, "bf16", {0, 0}, {0, 0}};
  CHECK(bindAll(none)[0].bytes == 0);
}

TEST_CASE("addresses: alignment, null, the end of the address space", "[arguments]") {
  auto address = [](size_t argument, uint64_t value) {
    return [=](Arguments &a, KernelAbi &) { a[argument].view.address = value; };
  };
  CHECK_THAT(refusal(address(0, 0x10000001)),
             Contains("'x': address: expected a multiple of 2 bytes, found 0x10000001"));
  CHECK_THAT(refusal(address(2, 0x30000008)),
             Contains("'s': address: expected a multiple of 16 bytes, found 0x30000008"));
  CHECK_THAT(refusal(address(1, 0)), Contains("'q': null address for 16384 bytes"));
  CHECK_THAT(refusal(address(1, UINT64_MAX - 100)),
             Contains("'q': 16384 bytes at 0xffffffffffffff9b go beyond"));
  Arguments empty = exampleArguments(0, 256);
  for (Argument &argument : empty)
    argument.view.address = 0;
  CHECK_NOTHROW(bindAll(empty));
  // An element's own size counts even where the ABI asks for less.
  auto lax = [&](Arguments &a, KernelAbi &k) { k.arguments[0].alignment = 1, a[0].view.address += 1; };
  CHECK_THAT(refusal(lax), Contains("multiple of 2 bytes"));
}

TEST_CASE("an extent beyond 64 bits is refused", "[arguments]") {
  auto large = [](Arguments &a, KernelAbi &) { a[0].view.strides = {INT64_MAX / 100, 1}; };
  CHECK_THAT(refusal(large), Contains("argument 'x'") && Contains("exceeds 2^63-1 bits"));
  auto larger = [](Arguments &a, KernelAbi &) { a[0].view.strides = {INT64_MAX, 1}; };
  CHECK_THAT(refusal(larger), Contains("row stride 9223372036854775807 exceeds"));
}

TEST_CASE("rows of packed elements must start on a byte", "[arguments]") {
  KernelAbi kernel = exampleKernel();
  kernel.arguments[1].type = "e2m1";
  Arguments arguments = exampleArguments(64, 33);
  arguments[1].view.type = "e2m1";
  CHECK_THAT(invalidInput([&] { bindAll(arguments, kernel); }),
             Contains("a row of 33 e2m1 is not a whole number of bytes"));
  arguments = exampleArguments(64, 34);
  arguments[1].view.type = "e2m1";
  CHECK(bindAll(arguments, kernel)[1].bytes == 64 * 17);
}

TEST_CASE("an output overlaps nothing", "[arguments]") {
  auto move = [](size_t argument, uint64_t value) {
    return [=](Arguments &a, KernelAbi &) { a[argument].view.address = value; };
  };
  CHECK(refusal(move(1, 0x10000000)) ==
        "kernel 'quantize': output 'q' overlaps argument 'x' in memory; expected buffers of their own");
  CHECK_THAT(refusal(move(1, 0x10000000 + 32767)), Contains("'q' overlaps argument 'x'")); // its last byte
  CHECK_THAT(refusal(move(1, 0x10000000 - 16383)), Contains("'q' overlaps argument 'x'")); // its first byte
  CHECK_THAT(refusal(move(2, 0x20000010)), Contains("overlaps")); // output and output
  Arguments arguments = exampleArguments();
  arguments[1].view.address = 0x10000000 + 32768; // next to it
  CHECK_NOTHROW(bindAll(arguments));
}

TEST_CASE("inputs may be the same memory", "[arguments]") {
  KernelAbi kernel = exampleKernel();
  kernel.arguments[1].isOutput = false;
  Arguments arguments = exampleArguments();
  arguments[1].view.address = arguments[0].view.address;
  CHECK_NOTHROW(bindAll(arguments, kernel));
}
