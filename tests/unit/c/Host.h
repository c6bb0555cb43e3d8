// A host of the C interface on a simulated chip, and a kernel for it.
#pragma once

#include "runtime/c/mxc/mxc.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

inline const std::string kSource =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)\n"
    "}\n";

/// An engine, the kernel, and its tensors: x of ones, 8 x 64.
class Host {
public:
  Host() {
    mxc_engine_options options = {};
    options.struct_size = sizeof options;
    options.cache_folder = ""; // none
    REQUIRE(mxc_engine_create("simulator:sm_100a", &options, &engine) == MXC_OK);
    REQUIRE(mxc_kernel_load(engine, kSource.data(), kSource.size(), nullptr, &kernel) == MXC_OK);
    REQUIRE(mxc_buffer_create(engine, 8 * 64 * 2, &x) == MXC_OK);
    REQUIRE(mxc_buffer_create(engine, 8 * 64, &q) == MXC_OK);
    REQUIRE(mxc_buffer_create(engine, 8 * 2, &s) == MXC_OK);
    const std::vector<uint16_t> ones(8 * 64, 0x3f80);
    REQUIRE(mxc_buffer_upload(x, 0, ones.data(), ones.size() * 2) == MXC_OK);
    arguments = {tensor("x", "bf16", x, matrix), tensor("q", "e4m3", q, matrix),
                 tensor("s", "ue8m0", s, scales)};
  }
  ~Host() {
    for (mxc_buffer *buffer : {x, q, s})
      mxc_buffer_destroy(buffer);
    mxc_kernel_destroy(kernel);
    mxc_engine_destroy(engine);
  }
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;

  static mxc_argument tensor(const char *name, const char *type, const mxc_buffer *buffer,
                             const std::array<int64_t, 2> &shape) {
    mxc_argument argument = {};
    argument.struct_size = sizeof argument;
    argument.name = name;
    argument.type = type;
    argument.address = mxc_buffer_address(buffer);
    argument.rank = 2;
    argument.shape = shape.data();
    return argument;
  }

  mxc_status launch() const { return mxc_kernel_launch(kernel, arguments.data(), arguments.size(), nullptr); }

  /// 1 = 256 * 2^-8; 256 is e4m3's 0x78.
  bool isQuantized() const {
    std::vector<uint8_t> codes(8 * 64), scaleCodes(16);
    REQUIRE(mxc_buffer_download(q, 0, codes.data(), codes.size()) == MXC_OK);
    REQUIRE(mxc_buffer_download(s, 0, scaleCodes.data(), scaleCodes.size()) == MXC_OK);
    return codes == std::vector<uint8_t>(8 * 64, 0x78) && scaleCodes == std::vector<uint8_t>(16, 127 - 8);
  }

  mxc_engine *engine = nullptr;
  mxc_kernel *kernel = nullptr;
  mxc_buffer *x = nullptr, *q = nullptr, *s = nullptr;
  std::array<int64_t, 2> matrix = {8, 64}, scales = {8, 2};
  std::array<mxc_argument, 3> arguments;
};
