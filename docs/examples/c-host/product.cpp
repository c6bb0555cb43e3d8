// Quantizes two matrices, multiplies them and verifies the product; kernels are compiled when they are
// loaded, and launched by their arguments' names: product-host docs/examples simulator:sm_90a
#include <mxc/mxc.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

using namespace mxc::host;

constexpr std::int64_t m = 192, n = 160, k = 128;

/// Whole numbers from -1 to 1: every value, code and sum of them is exact.
static int number(std::int64_t row, std::int64_t column) {
  return int((row * 7 + column * 5 + row * column) % 3) - 1;
}

struct Operand {
  Buffer codes, scales;
  View codesView, scalesView;
};

static Operand quantized(const Engine &engine, const Kernel &quantize, std::int64_t rows,
                         const Stream &stream) {
  std::vector<std::uint16_t> values;
  for (std::int64_t i = 0; i < rows * k; ++i) {
    const int value = number(i / k, i % k);
    values.push_back(value < 0 ? 0xBF80 : value > 0 ? 0x3F80 : 0); // bf16
  }
  const Buffer x(engine, values.size() * 2);
  x.upload(values);
  Buffer codes(engine, std::size_t(rows * k));
  const View input = x.view("bf16", {rows, k}), q = codes.view("e4m3", {rows, k});
  const std::vector<std::int64_t> shape =
      quantize.shape("s", {{"x", input}, {"q", q}}); // whole tiles of 512 bytes
  Buffer scales(engine, std::size_t(shape[0]));
  const View s = scales.view("ue8m0", shape);
  quantize.launch({{"x", input}, {"q", q}, {"s", s}}, {stream});
  stream.synchronize(); // x goes
  return {std::move(codes), std::move(scales), q, s};
}

int main(int argc, char **argv) try {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const Engine engine(argc > 2 ? argv[2] : "cuda:0");
  const Kernel quantize = engine.loadFile(folder + "/quantize.mlir"),
               matmul = engine.loadFile(folder + "/matmul.mlir");
  const Stream stream(engine);
  const Operand a = quantized(engine, quantize, m, stream), b = quantized(engine, quantize, n, stream);
  const Buffer c(engine, m * n * 2);
  matmul.launch({{"a", a.codesView},
                 {"sa", a.scalesView},
                 {"b", b.codesView},
                 {"sb", b.scalesView},
                 {"c", c.view("bf16", {m, n})}},
                {stream});
  stream.synchronize();

  const std::vector<std::uint16_t> products = c.download<std::uint16_t>();
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < m * n; ++i) {
    int sum = 0;
    for (std::int64_t j = 0; j < k; ++j)
      sum += number(i / n, j) * number(i % n, j);
    const std::uint32_t bits = std::uint32_t(products[std::size_t(i)]) << 16; // as f32
    float found;
    std::memcpy(&found, &bits, sizeof found);
    right += found == float(sum);
  }
  std::printf("%lld of %lld sums are right\n", (long long)right, (long long)(m * n));
  return right != m * n;
} catch (const Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status();
}
