// c = a b^T in MXFP8: two bf16 matrices are quantized, and their codes and scales go to the product as they
// are.
//
//   mxc compile docs/examples/quantize.mlir --target=sm_100a --emit=ptx -o quantize.ptx    (for a GPU:
//   cubins) mxc compile docs/examples/matmul.mlir --target=sm_100a --emit=ptx -o matmul.ptx
//   build/bin/example-matmul quantize.ptx matmul.ptx simulator:sm_100a [M N K]
#include "dialect/formats/Reference.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace mxc;

/// bf16, rows x k.
static std::vector<uint16_t> randomMatrix(int64_t rows, int64_t k, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> values;
  std::vector<uint16_t> matrix(size_t(rows * k));
  for (size_t i = 0; i < matrix.size(); ++i)
    storeFloat(FloatType::BF16, matrix.data(), int64_t(i), values(generator));
  return matrix;
}

struct Operand { // in device memory
  int64_t rows, k;
  Buffer codes, scales;

  Operand(const Device &device, int64_t rows, int64_t k)
      : rows(rows), k(k), codes(device, size_t(rows * k)),
        scales(device, size_t(scaleCount(ScaleLayout::Tcgen05, rows, (k + 31) / 32))) {}
  TensorView codesView() const { return codes.view("e4m3", {rows, k}); }
  TensorView scalesView() const { return scales.view("ue8m0", {int64_t(scales.bytes())}); }

  std::vector<float> values() const {
    std::vector<uint8_t> code(codes.bytes()), scale(scales.bytes());
    codes.download(std::as_writable_bytes(std::span(code)));
    scales.download(std::as_writable_bytes(std::span(scale)));
    std::vector<float> result(code.size());
    dequantizeRows(code, scale, rows, k, BlockFormat::MXFP8_E4M3, ScaleLayout::Tcgen05, result);
    return result;
  }
};

static Operand quantized(const Kernel &quantize, const Stream &stream, int64_t rows, int64_t k,
                         unsigned seed) {
  const Device &device = quantize.module().device();
  std::vector<uint16_t> matrix = randomMatrix(rows, k, seed);
  Buffer x(device, matrix.size() * 2);
  x.upload(std::as_bytes(std::span(matrix)));
  Operand operand(device, rows, k);
  quantize.launch({{"x", x.view("bf16", {rows, k})}, {"q", operand.codesView()}, {"s", operand.scalesView()}},
                  {.stream = stream});
  stream.synchronize(); // x goes
  return operand;
}

/// The largest distance from the f64 product, as a part of what docs/semantics/product.md allows (P2).
static double worst(const Operand &a, const Operand &b, const std::vector<uint16_t> &c) {
  std::vector<float> x = a.values(), y = b.values();
  double worst = 0;
  for (int64_t m = 0; m < a.rows; ++m)
    for (int64_t n = 0; n < b.rows; ++n) {
      double exact = 0, magnitude = 0;
      for (int64_t k = 0; k < a.k; ++k) {
        double term = double(x[size_t(m * a.k + k)]) * y[size_t(n * a.k + k)];
        exact += term, magnitude += std::fabs(term);
      }
      double bound = 0x1p-12 * std::fmax(1, double(a.k) / 4096) * magnitude;
      double step = std::ldexp(1, std::ilogb(std::fabs(exact) + bound + 0x1p-126) - 7); // of bf16
      double found = loadFloat(FloatType::BF16, c.data(), m * b.rows + n);
      worst = std::fmax(worst, std::fabs(found - exact) / (bound + step));
    }
  return worst;
}

static bool multiply(const char *quantizer, const char *product, const char *deviceName, int64_t m, int64_t n,
                     int64_t k) {
  Device device = openDevice(deviceName);
  Kernel quantize = Module::load(device, quantizer).kernel("quantize"),
         matmul = Module::load(device, product).kernel("matmul");
  Stream stream(device);
  Operand a = quantized(quantize, stream, m, k, 1), b = quantized(quantize, stream, n, k, 2);
  Buffer c(device, size_t(m * n) * 2);
  matmul.launch({{"a", a.codesView()},
                 {"sa", a.scalesView()},
                 {"b", b.codesView()},
                 {"sb", b.scalesView()},
                 {"c", c.view("bf16", {m, n})}},
                {.stream = stream});
  stream.synchronize();
  std::vector<uint16_t> result(size_t(m * n));
  c.download(std::as_writable_bytes(std::span(result)));
  double part = worst(a, b, result);
  std::printf("%lld x %lld x %lld on %s: at most %.2f of the bound from the f64 product\n", (long long)m,
              (long long)n, (long long)k, deviceName, part);
  return part <= 1;
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 7) {
    std::fprintf(stderr, "usage: example-matmul QUANTIZE MATMUL DEVICE [M N K]\n");
    return 2;
  }
  auto extent = [&](int at, int64_t otherwise) { return argc > at ? std::atoll(argv[at]) : otherwise; };
  try {
    return multiply(argv[1], argv[2], argv[3], extent(4, 300), extent(5, 264), extent(6, 512)) ? 0 : 1;
  } catch (const mxc::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
