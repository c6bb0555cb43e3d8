// What the compiler hands over to whoever launches: images and their ABI. Plain C++, no LLVM, no driver.
//
// The ABI travels inside every image as the constant symbol `__mxc_abi`: a record of 16-byte-aligned magic
// "MXC-ABI\0" and version "00000001", the payload's length (8 bytes, little endian), its CRC-32 (8 bytes),
// then JSON. abiFromImage finds it in a cubin, a fatbin or PTX text without a driver.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// Integer expression over a kernel's dimensions: "M", "128", "ceildiv(K, 256)", "min(M, 65535)",
/// "M <= 128 && K % 8 == 0". Evaluated by evaluateShape (compiler/abi/ShapeExpression.h).
using ShapeText = std::string;

enum class ArgumentLayout : uint8_t { RowMajor, ScaleDense, ScaleTcgen05 };

/// An argument as the user wrote it in mx.kernel.
struct AbiArgument {
  std::string name; // "x"
  std::string type; // "bf16" "f16" "f32" "e4m3" "e5m2" ... "ue8m0"
  bool isOutput = false;
  ArgumentLayout layout = ArgumentLayout::RowMajor;
  ShapeText rows, columns; // elements; scales: rows and blocks
  // Elements; absent = contiguous; "" = given at launch; "8192" = must be that.
  std::optional<ShapeText> rowStride;
  int64_t alignment = 1; // bytes that every variant needs the base to be a multiple of; a power of two
};

/// How a CUtensorMap for an argument is encoded (cuTensorMapEncodeTiled), innermost dimension first.
struct TensorMapRecipe {
  std::string argument;
  std::vector<uint32_t> box; // elements
  int swizzleBytes = 0;      // 0, 32, 64, 128
  bool operator==(const TensorMapRecipe &) const = default;
};

/// One kernel parameter, in order.
struct AbiParameter {
  enum class Kind : uint8_t { Pointer, RowStride, Dimension, TensorMap } kind;
  std::string name;          // the argument's, or the dimension's ("M")
  TensorMapRecipe tensorMap; // kind == TensorMap
};

/// What one variant asks of an argument: the base address and (where there is more than one row) the row
/// stride are multiples of `bytes`.
struct AbiAlignment {
  std::string argument;
  int64_t bytes;
};

/// One entry point. The first variant whose `when` and alignments hold is launched; the last one takes all.
struct AbiVariant {
  std::string entry; // symbol in the image
  std::string tile;  // printed tile attribute, for people
  ShapeText when;    // "" = always
  std::vector<AbiAlignment> alignments;
  ShapeText grid[3];
  uint32_t block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  uint32_t sharedBytes = 0; // dynamic
  std::vector<AbiParameter> parameters;
};

/// What the kernel computes, for --verify and inspect.
struct AbiOperation {
  std::string name;                              // "quantize" "dequantize" "pack_scales" "unpack_scales"
  std::map<std::string, std::string> attributes; // "rounding": "ceil", ...
  bool hasPrologue = false;
};

struct KernelAbi {
  std::string name;
  AbiOperation operation;
  std::vector<AbiArgument> arguments;
  std::vector<std::string> dimensions; // dynamic ones, in parameter order: "M", "K"
  std::vector<AbiVariant> variants;
};

/// The record of one image.
struct ModuleAbi {
  static constexpr int kVersion = 1;
  std::string compilerVersion;
  int numericsVersion = 0;
  std::string target; // "sm_90a"
  std::vector<KernelAbi> kernels;
};

/// The bytes of symbol `__mxc_abi` (header and JSON).
std::string abiRecord(const ModuleAbi &abi);

/// Reads a record's JSON. Throws mxc::Error (InvalidInput) naming the member that is missing, ill-typed or
/// out of range, what was expected and what was found. A block has up to 1024 threads, a cluster up to 16
/// blocks; expressions parse and name the kernel's dimensions only; parameters and alignments name its
/// arguments.
ModuleAbi abiFromJson(std::string_view json);
std::string abiToJson(const ModuleAbi &abi, int indent = -1);

/// Finds the records in a cubin, an uncompressed fatbin (one a target) or PTX text, in this order of kinds
/// and then of position. Damaged records are skipped; none found: empty. Any bytes are safe to pass.
std::vector<ModuleAbi> abiFromImage(std::span<const char> image);

/// A finished compilation.
enum class ImageKind : uint8_t { Ptx, Cubin, Fatbin };
struct CompiledModule {
  ImageKind kind = ImageKind::Cubin;
  std::string image;
  std::vector<ModuleAbi> abis; // one a target
};

} // namespace mxc
