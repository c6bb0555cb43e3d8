#include "runtime/launch/ArgumentChecks.h"
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
  CHECK((bound[0].abi->name == "x" && bound[0].sizes[0] == 64 && bound[0].strides[0] == 256 &&
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
  CHECK_THAT(refusal([](Arguments &, KernelAbi &k) { k.arguments[0].shape[1] = "128"; }),
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
  auto fixed = [](Arguments &, KernelAbi &k) { k.arguments[0].strides[0] = AbiStride::fixed("2 * K"); };
  CHECK_THAT(refusal(fixed), Contains("'x': row stride: expected 512, found 256 (contiguous)"));
  auto overlapping = [](Arguments &a, KernelAbi &k) {
    k.arguments[0].strides[0] = AbiStride::fixed("255");
    a[0].view.strides = {255, 1};
  };
  CHECK_THAT(refusal(overlapping),
             Contains("'x': row stride of 255, which the kernel has: expected at least 256, found 255"));

  Arguments arguments = exampleArguments();
  arguments[0].view.strides = {512, 1};
  CHECK(bindAll(arguments)[0].strides[0] == 512);
  KernelAbi kernel = exampleKernel();
  kernel.arguments[0].strides[0] = AbiStride::fixed("512");
  CHECK(bindArguments(kernel, arguments, {{"M", 64}, {"K", 256}})[0].bytes == 2 * (63 * 512 + 256));
}

TEST_CASE("strides of sizes 0 and 1 mean nothing", "[arguments]") {
  Arguments one = exampleArguments(1, 256);
  one[0].view.strides = {3, 1};
  one[1].view.strides = {7777, 1};
  CHECK(bindAll(one)[0].strides[0] == 256);
  Arguments column = exampleArguments(64, 1);
  column[0].view.strides = {5, 9};
  CHECK(bindAll(column)[0].strides[0] == 5);
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

TEST_CASE("bytes hold packed elements: their shape and strides count bytes", "[arguments]") {
  KernelAbi kernel = exampleKernel();
  kernel.arguments[1].type = "e2m1";
  Arguments arguments = exampleArguments(64, 34);
  arguments[1].view.type = "u8";
  arguments[1].view.shape = {64, 17};
  BoundArgument q = bindAll(arguments, kernel)[1];
  CHECK(q.bits == 4);
  CHECK(q.bytes == 64 * 17);
  CHECK(q.sizes[1] == 34);
  CHECK(q.strides[0] == 34);
  arguments[1].view.strides = {17, 1};
  CHECK(bindAll(arguments, kernel)[1].strides[0] == 34);
  arguments[1].view.strides = {34, 1};
  CHECK_THAT(invalidInput([&] { bindAll(arguments, kernel); }), Contains("row stride: expected 34"));
  arguments[1].view.strides = {};
  arguments[1].view.shape = {64, 34};
  CHECK_THAT(invalidInput([&] { bindAll(arguments, kernel); }), Contains("dimension K is 34"));
  kernel.arguments[1].type = "e3m2";
  arguments[1].view.shape = {64, 17};
  CHECK_THAT(invalidInput([&] { bindAll(arguments, kernel); }),
             Contains("17 bytes of u8 hold no whole number of e3m2"));
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

TEST_CASE("an output's rows may lie in the gaps of another matrix's", "[arguments]") {
  KernelAbi kernel = exampleKernel(); // x bf16 [64, 256], q e4m3 [64, 256]
  kernel.arguments[1].strides = {AbiStride::free(), AbiStride()};
  auto isRefused = [&](int64_t xStride, int64_t qStride, uint64_t q) { // in bytes from x
    Arguments arguments = exampleArguments();
    arguments[0].view.strides = {xStride / 2, 1};
    arguments[1].view.strides = {qStride, 1};
    arguments[1].view.address = arguments[0].view.address + q;
    try {
      bindAll(arguments, kernel);
      return false;
    } catch (const Error &) {
      return true;
    }
  };
  CHECK_FALSE(isRefused(768, 768, 512)); // x's 512 bytes and q's 256 fill a row of 768
  CHECK_FALSE(isRefused(768, 768, 512 + 10 * 768));
  CHECK_FALSE(isRefused(1024, 1024, 600));
  CHECK(isRefused(768, 768, 511));
  CHECK(isRefused(768, 768, 513)); // its last byte is the next row's first
  CHECK(isRefused(768, 784, 512)); // other strides
  CHECK(isRefused(768, 768, 0));
}

TEST_CASE("inputs may be the same memory", "[arguments]") {
  KernelAbi kernel = exampleKernel();
  kernel.arguments[1].isOutput = false;
  Arguments arguments = exampleArguments();
  arguments[1].view.address = arguments[0].view.address;
  CHECK_NOTHROW(bindAll(arguments, kernel));
}

static KernelAbi tensorKernel(std::vector<ShapeExpression> shape, std::vector<AbiStride> strides = {},
                              const char *type = "bf16") {
  KernelAbi kernel;
  kernel.name = "k";
  kernel.dimensions = {};
  kernel.arguments = {{"t", type, false, ArgumentLayout::RowMajor, std::move(shape), std::move(strides), 2}};
  return kernel;
}
static BoundArgument bindOne(const KernelAbi &kernel, const TensorView &view) {
  return bindArguments(kernel, {{"t", view}}, {})[0];
}

TEST_CASE("tensors of ranks 0 to 5", "[arguments]") {
  std::vector<ShapeExpression> shape;
  std::vector<int64_t> sizes;
  for (int64_t rank = 0, elements = 1; rank <= 5; ++rank) {
    BoundArgument bound = bindOne(tensorKernel(shape), {0x1000, "bf16", sizes, {}});
    CHECK((bound.rank == static_cast<size_t>(rank) && bound.bytes == 2 * elements));
    elements *= rank + 2;
    shape.push_back(std::to_string(rank + 2));
    sizes.push_back(rank + 2);
  }
  BoundArgument bound = bindOne(tensorKernel({"2", "3", "4"}), {0x1000, "bf16", {2, 3, 4}, {}});
  CHECK((bound.strides[0] == 12 && bound.strides[1] == 4 && bound.strides[2] == 1));
}

TEST_CASE("batches may lie apart, rows too, and each from the other follows", "[arguments]") {
  const auto refusal = [](const KernelAbi &kernel, std::vector<int64_t> strides) {
    return invalidInput([&] { bindOne(kernel, {0x1000, "bf16", {2, 3, 4}, strides}); });
  };
  const KernelAbi both = tensorKernel({"2", "3", "4"}, {AbiStride::free(), AbiStride::free(), {}});
  CHECK(bindOne(both, {0x1000, "bf16", {2, 3, 4}, {100, 8, 1}}).bytes == 2 * (100 + 16 + 4));
  CHECK_THAT(refusal(both, {23, 8, 1}), Contains("'t': stride 0: expected at least 24, found 23"));
  CHECK_THAT(refusal(both, {24, 3, 1}), Contains("row stride: expected at least 4, found 3"));
  // Matrices between each other's rows: those of [3, 2, 4], transposed.
  CHECK(bindOne(both, {0x1000, "bf16", {2, 3, 4}, {4, 8, 1}}).bytes == 2 * (4 + 16 + 4));
  CHECK_THAT(refusal(both, {3, 8, 1}), Contains("'t': stride 0: expected at least 24, found 3"));
  CHECK_THAT(refusal(both, {4, 7, 1}), Contains("'t': stride 0: expected at least 21, found 4"));
  // Batches at a distance that the kernel has, rows within.
  const KernelAbi fixed = tensorKernel({"2", "3", "4"}, {AbiStride::fixed("100"), AbiStride::free(), {}});
  CHECK(bindOne(fixed, {0x1000, "bf16", {2, 3, 4}, {100, 8, 1}}).strides[1] == 8);
  // Rows apart, batches right after them.
  const KernelAbi rows = tensorKernel({"2", "3", "4"}, {{}, AbiStride::free(), {}});
  CHECK(bindOne(rows, {0x1000, "bf16", {2, 3, 4}, {24, 8, 1}}).strides[0] == 24);
  CHECK_THAT(refusal(rows, {12, 8, 1}),
             Contains("stride 0: expected 24 (the kernel takes contiguous rows), found 12"));
}

TEST_CASE("the innermost dimension need not be the last", "[arguments]") {
  const KernelAbi kernel = tensorKernel({"8", "4"}, {AbiStride::fixed("1"), AbiStride::free()});
  CHECK(kernel.arguments[0].innermost() == 0);
  CHECK(bindOne(kernel, {0x1000, "bf16", {8, 4}, {1, 16}}).bytes == 2 * (3 * 16 + 8));
  CHECK_THAT(invalidInput([&] { bindOne(kernel, {0x1000, "bf16", {8, 4}, {1, 7}}); }),
             Contains("row stride: expected at least 8, found 7"));
  CHECK_THAT(invalidInput([&] { bindOne(kernel, {0x1000, "bf16", {8, 4}, {}}); }),
             Contains("row stride: expected at least 8, found 1 (contiguous)"));
}

TEST_CASE("scales of a batch are whole tiles, one matrix after the other", "[arguments]") {
  KernelAbi kernel = tensorKernel({"3", "129", "5"}, {}, "ue8m0");
  kernel.arguments[0].layout = ArgumentLayout::ScaleTcgen05;
  CHECK(bindOne(kernel, {0x1000, "u8", {3 * 2 * 2 * 512}, {}}).bytes == 6144);
  CHECK_THAT(invalidInput([&] { bindOne(kernel, {0x1000, "u8", {2048}, {}}); }),
             Contains("expected [6144] (whole 512-byte tiles of 3 x 129 x 5 scales), found [2048]"));
}

TEST_CASE("bytes stand in for both formats of scales, and e4m3 for unsigned e4m3", "[arguments]") {
  for (const char *type : {"ue4m3", "u8", "e4m3"})
    CHECK_NOTHROW(bindOne(tensorKernel({"4"}, {}, "ue4m3"), {0x1000, type, {4}, {}}));
  CHECK_THAT(invalidInput([&] { bindOne(tensorKernel({"4"}, {}, "ue8m0"), {0x1000, "e4m3", {4}, {}}); }),
             Contains("expected ue8m0, found e4m3"));
}

TEST_CASE("scalars are numbers of their type, in its range", "[arguments]") {
  const auto bits = [](const char *type, auto value) {
    KernelAbi kernel = tensorKernel({}, {}, type);
    kernel.arguments[0].kind = ArgumentKind::Scalar;
    return bindArguments(kernel, {{"t", value}}, {})[0].scalar;
  };
  CHECK(bits("f32", 0.5f) == 0x3F000000);
  CHECK(bits("f32", 0.1) == 0x3DCCCCCD); // rounded to nearest
  CHECK(bits("f32", -2) == 0xC0000000);
  CHECK(bits("f32", 3.4028235e38) == 0x7F7FFFFF);
  CHECK(bits("f32", -std::numeric_limits<double>::infinity()) == 0xFF800000);
  CHECK_THAT(invalidInput([&] { bits("f32", 1e39); }), Contains("of type f32, found 9999999"));
  CHECK(static_cast<uint32_t>(bits("i32", -1)) == 0xFFFFFFFF);
  CHECK(bits("i64", INT64_MIN) == uint64_t(1) << 63);
  CHECK(bits("i64", 7u) == 7);
  CHECK(invalidInput([&] { bits("i32", int64_t(1) << 31); }) ==
        "kernel 'k': argument 't': expected a number of type i32, found 2147483648");
  CHECK_THAT(invalidInput([&] { bits("i64", 0.5); }), Contains("of type i64, found 0.5"));
  CHECK_THAT(invalidInput([&] { bits("f32", TensorView{}); }), Contains("of type f32, found a tensor"));
  CHECK_THAT(invalidInput([&] { solveDimensions(tensorKernel({"2"}), {{"t", 3}}); }),
             Contains("'t': expected a tensor, found a number"));
}

TEST_CASE("a workspace may be left out, and overlaps nothing where it is given", "[arguments]") {
  KernelAbi kernel = exampleKernel();
  AbiArgument workspace{"w", "u8"};
  workspace.kind = ArgumentKind::Workspace;
  workspace.bytes = "64";
  kernel.arguments.push_back(workspace);
  Arguments arguments = exampleArguments();
  CHECK(bindAll(arguments, kernel).back().view == nullptr);
  arguments.push_back({"w", {0x10000000, "u8", {64}, {}}});
  CHECK_THAT(invalidInput([&] { bindAll(arguments, kernel); }),
             Contains("workspace 'w' overlaps argument 'x'"));
}
