// References of whole kernels from the ABI that the compiler records.
#include "compiler/reference/KernelReference.h"
#include "compiler/reference/OutputComparison.h"
#include "dialect/formats/Error.h"
#include "tests/unit/compiler/KernelText.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace mxc;

static std::span<const std::byte> bytesOf(const auto &values) { return std::as_bytes(std::span(values)); }

TEST_CASE("reference: quantize into tcgen05 scales, padding zero") {
  KernelAbi abi =
      abiOf("mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, "
            "%s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) { mx.quantize ins(%x : memref<?x?xbf16>) "
            "outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) }");
  std::vector<uint16_t> x(2 * 33, 0x3F80); // 1.0
  KernelReference reference = referenceOf(abi, {{"M", 2}, {"K", 33}}, {{"x", bytesOf(x)}});
  CHECK(reference.isExact);
  CHECK(reference.outputs.at("q") == std::vector<uint8_t>(2 * 33, 0x78)); // 256
  std::vector<uint8_t> scales(512);
  for (int offset : {0, 1, 16, 17}) // rows 0 and 1, blocks 0 and 1
    scales[size_t(offset)] = 119;   // 2^-8
  CHECK(reference.outputs.at("s") == scales);
}

TEST_CASE("reference: a prologue's values are quantized unrounded, and it must be given") {
  std::string source = prologueKernel("%r = arith.mulf %x, %y : f32\n");
  KernelAbi abi = abiOf(source);
  std::vector<uint16_t> a(32, 0x3F81), b(32, 0x3F81); // 1 + 2^-7, whose square needs 15 digits
  HostTensors inputs = {{"a", bytesOf(a)}, {"b", bytesOf(b)}};
  Dimensions dimensions = {{"M", 1}, {"K", 32}};
  CHECK_THROWS_WITH(referenceOf(abi, dimensions, inputs), Catch::Contains("prologue"));
  Prologue prologue = Prologue::parse(source).value();
  CHECK(referenceOf(abi, dimensions, inputs, &prologue).values ==
        std::vector<float>(32, 1 + 0x1p-6f + 0x1p-14f));
}

TEST_CASE("reference: a prologue's inputs come in the operation's order, not in the arguments'") {
  std::string source = prologueKernel("%r = arith.subf %x, %y : f32\n");
  source.replace(source.find("ins(%a, %b"), 10, "ins(%b, %a");
  std::vector<uint16_t> one(32, 0x3F80), three(32, 0x4040);
  Prologue prologue = Prologue::parse(source).value();
  CHECK(referenceOf(abiOf(source), {{"M", 1}, {"K", 32}}, {{"a", bytesOf(one)}, {"b", bytesOf(three)}},
                    &prologue)
            .values == std::vector<float>(32, 2.0f));
}

TEST_CASE("reference: dequantize, pack and unpack") {
  KernelAbi dequantize =
      abiOf("mx.kernel @k(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %y: memref<?x?xf32>) { "
            "mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%y : "
            "memref<?x?xf32>) }");
  std::vector<uint8_t> q(32, 0x78), s = {119};
  KernelReference values =
      referenceOf(dequantize, {{"M", 1}, {"K", 32}}, {{"q", bytesOf(q)}, {"s", bytesOf(s)}});
  std::vector<float> ones(32, 1.0f);
  CHECK(std::ranges::equal(bytesOf(values.outputs.at("y")), bytesOf(ones)));

  std::string dense = "memref<?x?xf8E8M0FNU>", tiled = "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>";
  auto copy = [&](const std::string &name, const std::string &from, const std::string &to) {
    return abiOf("mx.kernel @k(%a: " + from + ", %b: " + to + ") { mx." + name + " ins(%a : " + from +
                 ") outs(%b : " + to + ") }");
  };
  std::vector<uint8_t> scales(130 * 5);
  for (size_t i = 0; i < scales.size(); ++i)
    scales[i] = uint8_t(1 + i % 255);
  Dimensions dimensions = {{"M", 130}, {"KB", 5}};
  KernelReference packed =
      referenceOf(copy("pack_scales", dense, tiled), dimensions, {{"a", bytesOf(scales)}});
  const std::vector<uint8_t> &tiles = packed.outputs.at("b");
  CHECK(tiles.size() == 4 * 512);
  CHECK(std::ranges::count(tiles, 0) == 4 * 512 - 130 * 5);
  CHECK(tiles[size_t(scaleOffset(ScaleLayout::Tcgen05, 129, 4, 130, 5))] == scales[129 * 5 + 4]);
  KernelReference back =
      referenceOf(copy("unpack_scales", tiled, dense), dimensions, {{"a", bytesOf(tiles)}});
  CHECK(back.outputs.at("b") == scales);
}

// Code is not generated for them yet: the ABI of an fp8 kernel with the format put in.
static KernelAbi asMxfp4(KernelAbi abi) {
  abi.operation.attributes["format"] = "mxfp4";
  for (AbiArgument &argument : abi.arguments)
    if (argument.name == "q") argument.type = "e2m1";
  return abi;
}

TEST_CASE("reference: elements of 4 bits are packed in tensors, two a byte") {
  KernelAbi quantize = asMxfp4(
      abiOf("mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) { "
            "mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, "
            "memref<?x?xf8E8M0FNU>) }"));
  std::vector<uint16_t> x(2 * 34, 0x3F80); // 1.0
  x[0] = 0x40C0, x[1] = 0xC040;            // 6.0, -3.0
  Dimensions dimensions = {{"M", 2}, {"K", 34}};
  KernelReference reference = referenceOf(quantize, dimensions, {{"x", bytesOf(x)}});
  const std::vector<uint8_t> &q = reference.outputs.at("q");
  REQUIRE(q.size() == 34);
  CHECK(q[0] == 0xD7);  // -3 above 6
  CHECK(q[1] == 0x22);  // 1.0, 1.0
  CHECK(q[17] == 0x66); // row 1, whose scale is 2^-2: 4.0, 4.0
  CHECK(reference.outputs.at("s") == std::vector<uint8_t>{127, 125, 125, 125});

  std::vector<uint8_t> found = q;
  found[1] = 0x12;
  HostTensors outputs = {{"q", bytesOf(found)}, {"s", bytesOf(reference.outputs.at("s"))}};
  OutputComparison codes = compareOutputs(quantize, dimensions, reference, outputs).front();
  CHECK(codes.elements == 68);
  CHECK(codes.firstWrong ==
        std::vector<std::string>{"q(row 0, column 3): expected 0x02 (1), found 0x01 (0.5)"});

  KernelAbi dequantize = asMxfp4(
      abiOf("mx.kernel @k(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %y: memref<?x?xbf16>) { "
            "mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%y : "
            "memref<?x?xbf16>) }"));
  HostTensors inputs = {{"q", bytesOf(q)}, {"s", bytesOf(reference.outputs.at("s"))}};
  CHECK(std::ranges::equal(bytesOf(referenceOf(dequantize, dimensions, inputs).outputs.at("y")), bytesOf(x)));
}
