#include "runtime/checkpoint/Conversion.h"

#include "dialect/formats/Error.h"
#include "runtime/checkpoint/OutputFiles.h"
#include "runtime/checkpoint/QuantizationConfig.h"
#include "runtime/checkpoint/TensorScales.h"
#include "runtime/checkpoint/WeightRows.h"

#include <algorithm>

namespace mxc {

namespace {

class Run {
public:
  Run(const Checkpoint &checkpoint, const ConversionPlan &plan, OutputFiles &output, RowConverter &converter,
      const ConversionOptions &options)
      : checkpoint_(checkpoint), plan_(plan), output_(output), converter_(converter), options_(options) {}

  ConversionResult run() {
    bytesToRead_ = countBytesToRead();
    tensorScales_ =
        tensorScales(checkpoint_, plan_, options_.slabElements,
                     [&](const std::string &name, std::span<const std::byte> part) { done(name, part); });
    std::vector<Steps> ofShards(checkpoint_.shards().size());
    for (const auto &[module, weight] : plan_.weights) {
      const CheckpointTensor &source = *checkpoint_.find(sourceOf(weight));
      ofShards[source.shard].push_back({source.tensor, &weight});
    }
    for (const std::string &name : plan_.kept) {
      const CheckpointTensor &kept = *checkpoint_.find(name);
      ofShards[kept.shard].push_back({kept.tensor, nullptr});
    }
    for (size_t shard = 0; shard < ofShards.size(); ++shard)
      convertShard(shard, ofShards[shard]);
    return result_;
  }

private:
  /// Tensors with what they become; no weight: a copy.
  using Steps = std::vector<std::pair<const Tensor *, const QuantizedWeight *>>;

  const Tensor &tensor(const std::string &name) const { return *checkpoint_.find(name)->tensor; }

  /// The one that a weight is read from, and that says in which shard its results go.
  std::string sourceOf(const QuantizedWeight &weight) const {
    return plan_.isBack ? weight.codesName() : weight.plainName();
  }

  bool needsMagnitude(const QuantizedWeight &weight) const {
    return !plan_.isBack && !weight.tensorScaleName().empty();
  }

  uint64_t countBytesToRead() const {
    uint64_t bytes = 0;
    for (const std::string &name : plan_.kept)
      bytes += tensor(name).data.size();
    for (const auto &[module, weight] : plan_.weights)
      bytes += tensor(sourceOf(weight)).data.size() * (needsMagnitude(weight) ? 2 : 1);
    return bytes;
  }

  /// `part` of a tensor will not be read again soon.
  void done(const std::string &name, std::span<const std::byte> part) {
    checkpoint_.release(part);
    result_.bytesRead += part.size();
    if (options_.progress) options_.progress(name, result_.bytesRead, bytesToRead_);
  }

  std::string pathOf(const std::string &name) const {
    return checkpoint_.shards()[checkpoint_.find(name)->shard].path;
  }

  void convertShard(size_t shard, const Steps &steps) {
    std::vector<TensorOutline> outlines; // of what the steps make, in their order
    for (const auto &[source, weight] : steps) {
      if (!weight) {
        outlines.push_back({source->name, source->dtype, source->shape});
        continue;
      }
      for (TensorOutline &outline : outlinesOf(*weight))
        outlines.push_back(std::move(outline));
    }
    if (outlines.empty() && checkpoint_.shards().size() > 1) return; // it held scales alone
    SafetensorsWriter &file = output_.addShard(checkpoint_.shards()[shard], outlines);
    size_t next = 0; // of the outlines
    for (const auto &[source, weight] : steps) {
      if (!weight)
        copy(*source, file, next++);
      else if (plan_.isBack)
        dequantize(*weight, file, next++);
      else
        quantize(*weight, file, next), next += outlinesOf(*weight).size();
    }
    for (const TensorOutline &outline : outlines)
      result_.bytesWritten += uint64_t(tensorBytes(outline.dtype, outline.shape));
  }

  std::vector<TensorOutline> outlinesOf(const QuantizedWeight &weight) const {
    if (plan_.isBack) return {{weight.plainName(), "BF16", {weight.rows, weight.columns}}};
    std::vector<TensorOutline> outlines = {weight.codes(), weight.scales()};
    if (!weight.tensorScaleName().empty()) outlines.push_back(weight.tensorScale());
    return outlines;
  }

  void quantize(const QuantizedWeight &weight, SafetensorsWriter &file, size_t codesAt) {
    const Tensor &source = tensor(weight.plainName());
    const FloatType type = *floatTypeOfSafetensors(source.dtype);
    QuantizeRule rule;
    rule.format = weight.format;
    if (needsMagnitude(weight)) {
      const TensorScaleValue &scale = tensorScales_.at(weight.module);
      rule.tensorScale = scale.multiplier;
      file.write(codesAt + 2, 0, std::as_bytes(std::span(&scale.stored, 1)));
    }
    const size_t codesOfRow = size_t(codesOfElements(weight.format, weight.columns)),
                 scalesOfRow = size_t(info(weight.format).blocks(weight.columns));
    overSlabs(weight.rows, weight.columns, options_.slabElements, [&](int64_t first, int64_t rows) {
      const std::span<const std::byte> values = rowsOf(source, first, rows);
      if (!needsMagnitude(weight))
        largestMagnitude(source, type, weight.format, first, values, pathOf(source.name));
      codes_.resize(size_t(rows) * codesOfRow);
      scales_.resize(size_t(rows) * scalesOfRow);
      converter_.quantize({rows, weight.columns}, type, values, rule, codes_, scales_);
      file.write(codesAt, size_t(first) * codesOfRow, codes_);
      file.write(codesAt + 1, size_t(first) * scalesOfRow, scales_);
      done(source.name, values);
    });
  }

  void dequantize(const QuantizedWeight &weight, SafetensorsWriter &file, size_t at) {
    const Tensor &codes = tensor(weight.codesName()), &scales = tensor(weight.scalesName());
    const size_t bytesOfRow = size_t(weight.columns * byteSize(FloatType::BF16));
    overSlabs(weight.rows, weight.columns, options_.slabElements, [&](int64_t first, int64_t rows) {
      const std::span<const std::byte> part = rowsOf(codes, first, rows), its = rowsOf(scales, first, rows);
      values_.resize(size_t(rows) * bytesOfRow);
      converter_.dequantize({rows, weight.columns}, weight.format, tensorScales_.at(weight.module).multiplier,
                            part, its, values_);
      file.write(at, size_t(first) * bytesOfRow, values_);
      checkpoint_.release(its);
      done(codes.name, part);
    });
  }

  void copy(const Tensor &source, SafetensorsWriter &file, size_t at) {
    constexpr size_t kPiece = size_t(1) << 25;
    for (size_t first = 0; first < source.data.size(); first += kPiece) {
      const std::span<const std::byte> piece =
          source.data.subspan(first, std::min(kPiece, source.data.size() - first));
      file.write(at, first, piece);
      done(source.name, piece);
    }
  }

  const Checkpoint &checkpoint_;
  const ConversionPlan &plan_;
  OutputFiles &output_;
  RowConverter &converter_;
  const ConversionOptions &options_;
  uint64_t bytesToRead_ = 0;
  ConversionResult result_;
  std::map<std::string, TensorScaleValue> tensorScales_; // by module
  std::vector<std::byte> codes_, scales_, values_;       // of a slab
};

} // namespace

ConversionResult convertCheckpoint(const Checkpoint &checkpoint, const ConversionPlan &plan,
                                   const std::string &output, RowConverter &converter,
                                   const ConversionOptions &options) {
  OutputFiles files(checkpoint, plan, output);
  ConversionResult result = Run(checkpoint, plan, files, converter, options).run();
  files.commit(result.bytesWritten);
  result.leftOut = files.leftOut();
  return result;
}

} // namespace mxc
