#include "tests/unit/runtime/ExampleKernel.h"
#include "tests/unit/runtime/Failure.h"

using namespace mxc;
using Catch::Contains;

TEST_CASE("dimensions are solved from the shapes of the arguments that are there", "[dimensions]") {
  KernelAbi kernel = exampleKernel();
  Dimensions expected{{"M", 64}, {"K", 256}};
  CHECK(solveDimensions(kernel, exampleArguments()) == expected);
  CHECK(solveDimensions(kernel, {exampleArguments()[0]}) == expected);
  CHECK(solveDimensions(kernel, {}, expected) == expected);
  CHECK(solveDimensions(kernel, exampleArguments(0, 0)) == Dimensions{{"M", 0}, {"K", 0}});
}

TEST_CASE("dimensions that arguments disagree on are refused, naming both", "[dimensions]") {
  Arguments arguments = exampleArguments();
  arguments[1].view.shape = {64, 128};
  CHECK(invalidInput([&] { solveDimensions(exampleKernel(), arguments); }) ==
        "kernel 'quantize': dimension K is 256 by argument 'x' of shape [64, 256], but 128 by argument 'q' "
        "of shape [64, 128]");
  CHECK_THAT(invalidInput([&] { solveDimensions(exampleKernel(), exampleArguments(), {{"M", 65}}); }),
             Contains("M is 65 by the dimensions given, but 64 by argument 'x'"));
}

TEST_CASE("dimensions that nothing binds, or that are not there, are refused", "[dimensions]") {
  CHECK_THAT(invalidInput([&] { solveDimensions(exampleKernel(), {}); }),
             Contains("no argument says how large dimension M is"));
  CHECK_THAT(invalidInput([&] { solveDimensions(exampleKernel(), {}, {{"M", -1}}); }),
             Contains("M is negative: -1"));
  CHECK_THAT(invalidInput([&] { solveDimensions(exampleKernel(), {}, {{"N", 1}}); }),
             Contains("has no dimension 'N'"));
}

TEST_CASE("unknown and repeated arguments are refused", "[dimensions]") {
  Arguments arguments = exampleArguments();
  arguments.push_back({"y", arguments[0].view});
  CHECK(invalidInput([&] { solveDimensions(exampleKernel(), arguments); }) ==
        "kernel 'quantize' has no argument 'y'; it takes x, q, s");
  arguments.back().name = "x";
  CHECK(invalidInput([&] { solveDimensions(exampleKernel(), arguments); }) ==
        "kernel 'quantize': argument 'x': given more than once");
}

TEST_CASE("a wrong rank and a negative size are refused", "[dimensions]") {
  Arguments arguments = exampleArguments();
  arguments[0].view.shape = {64};
  CHECK_THAT(invalidInput([&] { solveDimensions(exampleKernel(), arguments); }),
             Contains("argument 'x': expected 2 dimensions, found shape [64]"));
  arguments[0].view.shape = {64, -256};
  CHECK_THAT(invalidInput([&] { solveDimensions(exampleKernel(), arguments); }),
             Contains("argument 'x': negative size in shape [64, -256]"));
  arguments = exampleArguments();
  arguments[2].view.shape = {64, 8};
  CHECK_THAT(invalidInput([&] { solveDimensions(exampleKernel(), arguments); }),
             Contains("argument 's': expected 1 dimension (whole 512-byte tiles of M x ceildiv(K, 32) "
                      "scales), found shape [64, 8]"));
}

TEST_CASE("shapes of arguments follow from the dimensions", "[dimensions]") {
  KernelAbi kernel = exampleKernel();
  Dimensions dimensions{{"M", 129}, {"K", 100}};
  using Shape = std::vector<int64_t>;
  CHECK(argumentShape(kernel, kernel.arguments[0], dimensions) == Shape{129, 100});
  CHECK(argumentShape(kernel, kernel.arguments[2], dimensions) == Shape{1024}); // 2 x 1 tiles
  KernelAbi dense = exampleKernel(ArgumentLayout::ScaleDense);
  CHECK(argumentShape(dense, dense.arguments[2], dimensions) == Shape{129, 4});
}

TEST_CASE("an argument whose shape cannot be evaluated is refused by name", "[dimensions]") {
  KernelAbi kernel = exampleKernel();
  Dimensions dimensions{{"M", INT64_MAX}, {"K", INT64_MAX}};
  CHECK_THAT(invalidInput([&] { argumentShape(kernel, kernel.arguments[2], dimensions); }),
             Contains("argument 's': "));
  kernel.arguments[0].shape[0] = "M - 2";
  CHECK_THAT(invalidInput([&] { argumentShape(kernel, kernel.arguments[0], {{"M", 1}, {"K", 1}}); }),
             Contains("size 0 is negative: M - 2 = -1"));
  kernel.arguments[0].shape[0] = "Q";
  CHECK_THAT(invalidInput([&] { argumentShape(kernel, kernel.arguments[0], {{"M", 1}, {"K", 1}}); }),
             Contains("kernel 'quantize': argument 'x': size 0: "));
}

TEST_CASE("dimensions of any name are solved from any place of a shape", "[dimensions]") {
  KernelAbi kernel;
  kernel.name = "k";
  kernel.dimensions = {"batch", "N", "groups"};
  kernel.arguments = {{"a", "f32", false, ArgumentLayout::RowMajor, {"batch", "2 * N", "3"}},
                      {"b", "f32", false, ArgumentLayout::RowMajor, {"N"}},
                      {"ends", "i32", false, ArgumentLayout::RowMajor, {"groups"}}};
  Arguments arguments{
      {"a", {0, "f32", {5, 14, 3}, {}}}, {"b", {0, "f32", {7}, {}}}, {"ends", {0, "i32", {4}, {}}}};
  CHECK(solveDimensions(kernel, arguments) == Dimensions{{"batch", 5}, {"N", 7}, {"groups", 4}});
  // Only a bare name says how large a dimension is; the rest is checked against it.
  arguments.erase(arguments.begin() + 1);
  CHECK_THAT(invalidInput([&] { solveDimensions(kernel, arguments); }), Contains("how large dimension N is"));
}
