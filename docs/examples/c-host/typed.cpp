// Quantizes a matrix of ones by the launch function that mxc wrote for the kernel: typed-host cuda:0
#include <mxc_kernels/quantize.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main(int argc, char **argv) try {
  constexpr std::int64_t rows = 100, columns = 256;
  mxc::host::Engine engine = mxc::host::openEngine(argc > 1 ? argv[1] : "cuda:0");
  mxc_kernels::quantize quantize(engine);
  const auto scales = quantize.shape_of_s(rows, columns); // whole tiles of 512 bytes

  const std::vector<std::uint16_t> ones(rows * columns, 0x3F80); // bf16
  std::vector<std::uint8_t> codes(rows * columns);
  mxc::host::Buffer x = mxc::host::allocate(engine, ones.size() * 2);
  mxc::host::Buffer q = mxc::host::allocate(engine, codes.size());
  mxc::host::Buffer s = mxc::host::allocate(engine, scales[0]);
  mxc::host::Stream stream = mxc::host::makeStream(engine);
  mxc::host::check(mxc_buffer_upload(x.get(), 0, ones.data(), ones.size() * 2));

  quantize.launch({x, {rows, columns}}, {q, {rows, columns}}, {s, scales}, {mxc_stream_handle(stream.get())});

  // Checked once, for repeated launches on the same tensors.
  mxc::host::Launch again = quantize.prepare({x, {rows, columns}}, {q, {rows, columns}}, {s, scales});
  mxc::host::check(mxc_launch_enqueue(again.get(), mxc_stream_handle(stream.get())));
  mxc::host::check(mxc_stream_synchronize(stream.get()));
  mxc::host::check(mxc_buffer_download(q.get(), 0, codes.data(), codes.size()));
  std::printf("%zu scale bytes; 1.0 became the code 0x%02x, the last one 0x%02x\n", size_t(scales[0]),
              codes.front(), codes.back());
  return 0;
} catch (const mxc::host::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status();
}
