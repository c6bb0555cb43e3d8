#include "compiler/passes/Passes.h"
#include "compiler/passes/TargetOption.h"
#include "dialect/MxOps.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXSELECTTILES
#include "compiler/passes/Passes.h.inc"

namespace {

struct SelectTiles : impl::MxSelectTilesBase<SelectTiles> {
  using MxSelectTilesBase::MxSelectTilesBase;

  void runOnOperation() override {
    const Target *chip = targetOption(getOperation(), target);
    if (!chip) return signalPassFailure();
    WalkResult result = getOperation().walk([&](Operation *op) {
      auto quantize = dyn_cast<mx::QuantizeOp>(op);
      auto dequantize = dyn_cast<mx::DequantizeOp>(op);
      if (!quantize && !dequantize) return WalkResult::advance();
      ArrayAttr written = quantize ? quantize.getTilesAttr() : dequantize.getTilesAttr();
      if (written && tile.empty()) return WalkResult::advance();
      FailureOr<ArrayAttr> tiles = select(*chip, op);
      if (failed(tiles)) return WalkResult::interrupt();
      quantize ? quantize.setTilesAttr(*tiles) : dequantize.setTilesAttr(*tiles);
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) signalPassFailure();
  }

  FailureOr<ArrayAttr> select(const Target &chip, Operation *op) {
    SmallVector<Attribute> tiles;
    if (!tile.empty()) {
      std::string text = "#mx.quantize_tile<" + tile + ">";
      auto chosen = dyn_cast_or_null<mx::QuantizeTileAttr>(parseAttribute(text, &getContext()));
      if (!chosen)
        return op->emitError() << "the tile '" << tile
                               << "' is not what stands inside #mx.quantize_tile<...>";
      tiles.push_back(chosen);
    } else {
      auto quantize = dyn_cast<mx::QuantizeOp>(op);
      bool isFused = quantize && quantize.getInputs().size() > 1;
      for (std::string_view text : isFused ? chip.fusedQuantizeTiles : chip.quantizeTiles)
        tiles.push_back(parseAttribute(StringRef(text), &getContext()));
    }
    auto last = cast<mx::QuantizeTileAttr>(tiles.back());
    if (last.getAccess() == mx::TileAccess::Vector || last.getWhen()) // what takes every shape and alignment
      tiles.push_back(
          parseAttribute("#mx.quantize_tile<rows_per_warp = 1, access = element>", &getContext()));
    return ArrayAttr::get(&getContext(), tiles);
  }
};

} // namespace
} // namespace mxc
