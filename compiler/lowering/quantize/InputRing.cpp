#include "compiler/lowering/quantize/InputRing.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

RingShape inputRing(ArrayRef<int64_t> regions) {
  RingShape ring;
  ring.name = "inputs";
  ring.regions.assign(regions.begin(), regions.end());
  ring.once = true;
  ring.alignment = nvvm::kTensorCopyAlignment;
  return ring;
}

Value beginInputs(const ValueBuilder &v, Value shared, int warps, const RingShape &ring) {
  mx::PipelineOp::create(v.b, v.loc, shared, warps, /*tensor_columns=*/0, /*allocating_warp=*/0,
                         /*pair=*/false, /*sharing=*/false, /*splits=*/1, ArrayRef<int32_t>());
  return createRing(v, ring);
}

void fillBoxes(const ValueBuilder &v, Value ring, const InputBoxes &boxes) {
  steps::fill(v, ring, [&](Value stage) {
    for (auto [region, map, bytes] : llvm::enumerate(boxes.maps, boxes.bytes))
      for (int64_t box = 0; box < boxes.count; ++box)
        steps::copyBox(v, map, {boxes.column, v.add(boxes.row, box * boxes.rowsApart)},
                       {ring, stage, int(region), box ? v.i32(box * bytes) : Value()}, bytes);
  });
}

Value inputAddress(const ValueBuilder &v, Value ring, Value stage, int part) {
  return mx::StageAddressOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), ring, stage, part);
}

} // namespace mxc
