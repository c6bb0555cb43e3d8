#include "runtime/measure/StreamingKernel.h"

#include "runtime/device/ElementTypes.h"
#include "runtime/launch/ArgumentShapes.h"
#include "runtime/measure/PtxImage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mxc::measure {

namespace {

struct LaunchShape {
  int threads, loads;
  bool isRows = false; // the quantizer's: four rows 32 apart
};
constexpr LaunchShape kShapes[] = {{256, 1}, {256, 2},  {256, 4},  {256, 8},  {512, 2},
                                   {512, 4}, {1024, 1}, {1024, 2}, {1024, 4}, {256, 4, true}};

std::string text(int64_t value) { return std::to_string(value); }

/// Writes one entry point as PTX.
class Entry {
public:
  Entry(const StreamTraffic &traffic, const LaunchShape &shape) : traffic_(traffic), shape_(shape) {}

  std::string ptx(const std::string &name) const {
    const size_t arrays = traffic_.bytesRead.size() + traffic_.bytesWritten.size();
    std::string text = ".visible .entry " + name + "(";
    for (size_t i = 0; i < arrays; ++i)
      text += ".param .u64 array" + std::to_string(i) + ", ";
    text += ".param .u64 rows, .param .u64 columns)\n.maxntid " + std::to_string(shape_.threads) +
            ", 1, 1\n{\n  .reg .pred %p<" + std::to_string(2 * shape_.loads + 1) + ">;\n  .reg .b32 %w<" +
            std::to_string(shape_.loads * wordsRead() + 4) + ">;\n  .reg .b32 %r<16>;\n  .reg .b64 %i<" +
            std::to_string(shape_.loads) + ">;\n  .reg .b64 %a<" + std::to_string(arrays) +
            ">;\n  .reg .b64 %d<16>;\n" + "  griddepcontrol.launch_dependents;\n  griddepcontrol.wait;\n";
    for (size_t i = 0; i < arrays; ++i)
      text += "  ld.param.u64 %a" + std::to_string(i) + ", [array" + std::to_string(i) + "];\n";
    text += "  ld.param.u64 %d0, [rows];\n  ld.param.u64 %d1, [columns];\n" +
            std::string("  mov.u32 %r0, %tid.x;\n  mov.u32 %r1, %ctaid.x;\n") +
            (shape_.isRows ? piecesOfRows() : piecesInOrder());
    for (int load = 0; load < shape_.loads; ++load)
      text += loads(load);
    for (int load = 0; load < shape_.loads; ++load)
      text += stores(load);
    return text + "  ret;\n}\n\n";
  }

private:
  /// %i: the piece of each load; %p: whether there is one.
  std::string piecesInOrder() const {
    std::string text = "  mul.lo.u64 %d2, %d0, %d1;\n  mul.wide.u32 %d3, %r1, " +
                       std::to_string(shape_.threads * shape_.loads) +
                       ";\n  cvt.u64.u32 %d4, %r0;\n  add.u64 %d3, %d3, %d4;\n";
    for (int load = 0; load < shape_.loads; ++load) {
      const std::string n = std::to_string(load);
      text += "  add.u64 %i" + n + ", %d3, " + std::to_string(load * shape_.threads) + ";\n  setp.lt.u64 %p" +
              n + ", %i" + n + ", %d2;\n";
    }
    return text;
  }

  /// Each of a CTA's 8 warps takes a row and those 32, 64 and 96 below it; four CTAs make 128 rows, and
  /// blockIdx.y counts these fours.
  std::string piecesOfRows() const {
    std::string text = "  shl.b32 %r2, %r1, 5;\n  and.b32 %r3, %r0, 31;\n  add.u32 %r2, %r2, %r3;\n"
                       "  cvt.u64.u32 %d2, %r2;\n  setp.lt.u64 %p8, %d2, %d1;\n  mov.u32 %r4, %ctaid.y;\n"
                       "  shr.u32 %r5, %r4, 2;\n  shl.b32 %r5, %r5, 7;\n  and.b32 %r6, %r4, 3;\n"
                       "  shl.b32 %r6, %r6, 3;\n  shr.u32 %r7, %r0, 5;\n  add.u32 %r5, %r5, %r6;\n"
                       "  add.u32 %r5, %r5, %r7;\n  cvt.u64.u32 %d3, %r5;\n";
    for (int load = 0; load < shape_.loads; ++load) {
      const std::string n = std::to_string(load);
      text += "  add.u64 %d4, %d3, " + std::to_string(32 * load) + ";\n  setp.lt.and.u64 %p" + n +
              ", %d4, %d0, %p8;\n  mad.lo.u64 %i" + n + ", %d4, %d1, %d2;\n";
    }
    return text;
  }

  int wordsRead() const {
    int words = 0;
    for (int bytes : traffic_.bytesRead)
      words += bytes / 4;
    return words;
  }

  static std::string vector(int bytes) {
    return bytes == 4 ? ".b32" : ".v" + std::to_string(bytes / 4) + ".b32";
  }

  static std::string registers(int first, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i ? ", %w" : "%w") + std::to_string(first + i);
    return count == 1 ? text : "{" + text + "}";
  }

  static std::string address(int array, int load, int bytes) {
    return "  mad.lo.u64 %d5, %i" + std::to_string(load) + ", " + std::to_string(bytes) + ", %a" +
           std::to_string(array) + ";\n";
  }

  std::string loads(int load) const {
    std::string text;
    int word = load * wordsRead(), array = 0;
    for (int bytes : traffic_.bytesRead) {
      text += address(array++, load, bytes) + "  @%p" + std::to_string(load) + " ld.global" + vector(bytes) +
              " " + registers(word, bytes / 4) + ", [%d5];\n";
      word += bytes / 4;
    }
    return text;
  }

  /// The stored value depends on every word that was read, so that no load can be dropped.
  std::string stores(int load) const {
    const std::string when = "  @%p" + std::to_string(load) + " ";
    std::string text;
    int array = static_cast<int>(traffic_.bytesRead.size()), out = 0;
    const int first = load * wordsRead(), read = wordsRead(), results = shape_.loads * wordsRead();
    int written = 0;
    for (int bytes : traffic_.bytesWritten)
      written += bytes / 4;
    for (int bytes : traffic_.bytesWritten) {
      for (int i = 0; i < bytes / 4; ++i, ++out) {
        const std::string result = "%w" + std::to_string(results + i);
        text += when + "mov.b32 " + result + ", %w" + std::to_string(first + out % read) + ";\n";
        for (int word = out + written; word < read; word += written)
          text += when + "xor.b32 " + result + ", " + result + ", %w" + std::to_string(first + word) + ";\n";
      }
      text += address(array++, load, bytes) + when + "st.global" + vector(bytes) + " [%d5], " +
              registers(results, bytes / 4) + ";\n";
    }
    return text;
  }

  const StreamTraffic &traffic_;
  const LaunchShape &shape_;
};

} // namespace

static std::string entryName(size_t shape) { return "stream_" + std::to_string(shape); }

static KernelAbi abiOf(const StreamTraffic &traffic) {
  KernelAbi kernel;
  kernel.name = "stream";
  kernel.operation.name = "stream";
  kernel.dimensions = {"R", "C"};
  std::vector<AbiParameter> parameters;
  auto add = [&](const std::string &name, int bytes, bool isOutput) {
    AbiArgument argument{name, "u8", isOutput};
    argument.shape = {"R", "C", ShapeExpression(text(bytes))};
    argument.alignment = bytes;
    kernel.arguments.push_back(argument);
    parameters.push_back({AbiParameter::Kind::Pointer, name});
  };
  for (size_t i = 0; i < traffic.bytesRead.size(); ++i)
    add("in" + std::to_string(i), traffic.bytesRead[i], false);
  for (size_t i = 0; i < traffic.bytesWritten.size(); ++i)
    add("out" + std::to_string(i), traffic.bytesWritten[i], true);
  auto bytes = [](const std::vector<int> &pieces) {
    return ShapeExpression("R * C * " + text(std::accumulate(pieces.begin(), pieces.end(), 0)));
  };
  kernel.work.bytesRead = bytes(traffic.bytesRead), kernel.work.bytesWritten = bytes(traffic.bytesWritten);
  parameters.push_back({AbiParameter::Kind::Dimension, "R"});
  parameters.push_back({AbiParameter::Kind::Dimension, "C"});
  for (size_t i = 0; i < std::size(kShapes); ++i) {
    const LaunchShape &shape = kShapes[i];
    AbiVariant variant;
    variant.entry = entryName(i);
    variant.tile = "threads = " + text(shape.threads) + ", loads = " + text(shape.loads) +
                   (shape.isRows ? ", by rows" : "");
    if (shape.isRows) {
      variant.grid[0] = "ceildiv(C, 32)";
      variant.grid[1] = "ceildiv(R, 128) * 4";
    } else {
      variant.grid[0] = ShapeExpression("ceildiv(R * C, " + text(shape.threads * shape.loads) + ")");
    }
    variant.block[0] = static_cast<uint32_t>(shape.threads);
    variant.parameters = parameters;
    kernel.variants.push_back(variant);
  }
  return kernel;
}

std::string streamingImage(const StreamTraffic &traffic) {
  std::string entries;
  for (size_t i = 0; i < std::size(kShapes); ++i)
    entries += Entry(traffic, kShapes[i]).ptx(entryName(i));
  return ptxImage("8.0", "sm_90", abiOf(traffic), entries);
}

/// Finds the nearest proportion of bytes that up to four arrays on one side and one on the other can make.
static StreamTraffic proportioned(double bytesRead, double bytesWritten) {
  static const std::vector<int> kArrays[] = {{4}, {8}, {16}, {16, 16}, {16, 16, 16, 16}};
  constexpr int kBytes[] = {4, 8, 16, 32, 64};
  StreamTraffic best{{16}, {16}};
  const double wanted = std::log(std::max(bytesRead, 1.0) / std::max(bytesWritten, 1.0));
  auto distance = [&](int read, int written) { return std::abs(std::log(double(read) / written) - wanted); };
  double nearest = distance(16, 16);
  for (size_t read = 0; read < std::size(kArrays); ++read)
    for (size_t written = 0; written < std::size(kArrays); ++written) {
      if (std::max(read, written) < 2 || distance(kBytes[read], kBytes[written]) >= nearest - 1e-9) continue;
      nearest = distance(kBytes[read], kBytes[written]);
      best = {kArrays[read], kArrays[written]};
    }
  return best;
}

StreamedPieces streamLike(const KernelAbi &kernel, const Dimensions &dimensions) {
  struct Matrix {
    double elements, bits;
    bool isRead, isWritten;
    std::vector<int64_t> shape;
  };
  const bool hasMatrices = std::ranges::any_of(kernel.arguments, [](const AbiArgument &argument) {
    return argument.isTensor() && argument.layout == ArgumentLayout::RowMajor;
  });
  std::vector<Matrix> matrices;
  double bytesRead = 0, bytesWritten = 0;
  for (const AbiArgument &argument : kernel.arguments) {
    if (!argument.isTensor() || (argument.layout != ArgumentLayout::RowMajor && hasMatrices)) continue;
    Matrix matrix{1, 8, argument.isInput(), argument.isOutput, argumentShape(kernel, argument, dimensions)};
    if (const ElementType *type = elementTypeNamed(argument.type)) matrix.bits = type->bits;
    for (int64_t size : matrix.shape)
      matrix.elements *= static_cast<double>(size);
    if (matrix.isRead) bytesRead += matrix.elements * matrix.bits / 8;
    if (matrix.isWritten) bytesWritten += matrix.elements * matrix.bits / 8;
    matrices.push_back(matrix);
  }
  double elements = 0, bits = 0;
  for (const Matrix &matrix : matrices)
    elements = std::max(elements, matrix.elements);
  // A row, a column or a number next to matrices does not count as traffic.
  std::erase_if(matrices, [&](const Matrix &matrix) { return matrix.elements * 16 < elements; });
  for (const Matrix &matrix : matrices)
    bits = std::max(bits, matrix.bits);
  bool isAlike = true;
  for (const Matrix &matrix : matrices)
    isAlike &= matrix.elements == elements && std::fmod(matrix.bits * 128 / bits, 32) == 0;

  StreamedPieces stream;
  const bool isBoth =
      std::ranges::any_of(matrices, &Matrix::isRead) && std::ranges::any_of(matrices, &Matrix::isWritten);
  if (isAlike && isBoth && matrices.size() <= 8) {
    const int64_t elementsOfPiece = static_cast<int64_t>(128 / bits);
    for (const Matrix &matrix : matrices) {
      const int bytes = static_cast<int>(static_cast<double>(elementsOfPiece) * matrix.bits / 8);
      if (matrix.isRead) stream.traffic.bytesRead.push_back(bytes);
      if (matrix.isWritten) stream.traffic.bytesWritten.push_back(bytes);
    }
    const std::vector<int64_t> &shape = matrices.front().shape;
    stream.columns = shape.empty() ? 1 : shape.back() / elementsOfPiece;
    if (!shape.empty() && shape.back() % elementsOfPiece == 0)
      for (size_t i = 0; i + 1 < shape.size(); ++i)
        stream.rows *= shape[i];
    else
      stream.columns = static_cast<int64_t>(elements) / elementsOfPiece;
  } else {
    stream.traffic = proportioned(bytesRead, bytesWritten);
    int bytes = 0;
    for (const std::vector<int> &arrays : {stream.traffic.bytesRead, stream.traffic.bytesWritten})
      for (int array : arrays)
        bytes += array;
    stream.columns = static_cast<int64_t>(bytesRead + bytesWritten) / bytes;
  }
  stream.columns = std::max<int64_t>(stream.columns, 1);
  return stream;
}

} // namespace mxc::measure
