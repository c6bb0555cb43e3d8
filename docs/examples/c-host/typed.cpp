// Quantizes a matrix of ones by the launch function that mxc wrote for the kernel: typed-host cuda:0
#include <mxc_kernels/quantize.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main(int argc, char **argv) try {
  constexpr std::int64_t rows = 100, columns = 256;
  const mxc::host::Engine engine(argc > 1 ? argv[1] : "cuda:0");
  mxc_kernels::quantize quantize(engine);
  const auto scales = quantize.shape_of_s(rows, columns); // whole tiles of 512 bytes

  const std::vector<std::uint16_t> ones(rows * columns, 0x3F80); // bf16
  const mxc::host::Buffer x(engine, ones.size() * 2), q(engine, rows * columns),
      s(engine, std::size_t(scales[0]));
  const mxc::host::Stream stream(engine);
  x.upload(ones);

  quantize.launch({x, {rows, columns}}, {q, {rows, columns}}, {s, scales}, {stream});

  // Checked once, for repeated launches on the same tensors.
  const mxc::host::Launch again = quantize.prepare({x, {rows, columns}}, {q, {rows, columns}}, {s, scales});
  again.enqueue(stream);
  stream.synchronize();
  const std::vector<std::uint8_t> codes = q.download<std::uint8_t>();
  std::printf("%zu scale bytes; 1.0 became the code 0x%02x, the last one 0x%02x\n", size_t(scales[0]),
              codes.front(), codes.back());
  return 0;
} catch (const mxc::host::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status();
}
