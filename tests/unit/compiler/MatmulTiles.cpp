#include "tests/unit/compiler/MatmulTiles.h"
#include "compiler/Dialects.h"
#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mxc;

namespace {
class Context {
public:
  Context() : context_(registry()) { context_.loadAllAvailableDialects(); }
  MLIRContext *operator*() { return &context_; }

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    registerKernelLowerings(registry);
    return registry;
  }
  MLIRContext context_;
};
} // namespace

static std::string matrix(std::string rows, std::string columns, std::string element) {
  return "memref<" + rows + "x" + columns + "x" + element + ">";
}

// A product whose results are bf16, in a kernel; null where the extents are no memref's.
static OwningOpRef<ModuleOp> product(MLIRContext &context, const std::string &m, const std::string &n,
                                     const std::string &k, bool isFourBits) {
  const std::string element = isFourBits ? "f4E2M1FN" : "f8E4M3FN";
  std::string blocks = k == "?" ? "?" : std::to_string((std::stoll(k) + 31) / 32);
  std::string scales = "f8E8M0FNU, #mx.scale_layout<tcgen05>";
  std::string a = matrix(m, k, element), sa = matrix(m, blocks, scales), b = matrix(n, k, element),
              sb = matrix(n, blocks, scales), c = matrix(m, n, "bf16");
  return parseSourceString<ModuleOp>("mx.kernel @k(%a: " + a + ", %sa: " + sa + ", %b: " + b + ", %sb: " +
                                         sb + ", %c: " + c + ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + a +
                                         ", " + sa + ", " + b + ", " + sb + ") outs(%c : " + c + ")\n}\n",
                                     &context);
}

MatmulTiles matmulTiles(const std::string &m, const std::string &n, const std::string &k,
                        const std::string &target, bool isFourBits) {
  Context context;
  OwningOpRef<ModuleOp> module = product(**context, m, n, k, isFourBits);
  MatmulTiles tiles;
  if (!module) return tiles;
  module->walk([&](mx::MatmulOp op) {
    auto lowering = cast<KernelLoweringInterface>(op.getOperation());
    const Target &chip = *targetNamed(target);
    for (const TileChoice &choice : lowering.getTileChoices(chip))
      tiles.choices.push_back({mx::TileAttrInterface(choice.tile).getText(), choice.refusal});
    for (mx::TileAttrInterface chosen : lowering.getDefaultTiles(chip)) {
      auto tile = cast<mx::MatmulTileAttr>(chosen);
      tiles.defaults.push_back({tile.getWhen() ? tile.getWhen().str() : "", int(tile.getN()),
                                int(tile.getSlices()), chosen.getText()});
    }
  });
  return tiles;
}

static PipeTile pipeTile(const std::string &tile, const Target &chip, bool isFourBits) {
  Context context;
  OwningOpRef<ModuleOp> module = product(**context, "?", "?", "?", isFourBits);
  PipeTile pipe;
  module->walk([&](mx::MatmulOp op) {
    pipe = TensorMemoryPlan(op, cast<mx::MatmulTileAttr>(parseAttribute(tile, *context)), chip).pipeTile();
  });
  return pipe;
}

double modelledMicros(const std::string &tile, const std::string &target, int64_t m, int64_t n, int64_t k,
                      bool isFourBits) {
  const Target &chip = *targetNamed(target);
  return timeOf(pipeTile(tile, chip, isFourBits), *chip.tensorRates, {m, n, k}).micros();
}

int modelledStep(const std::string &tile, const std::string &target, bool isFourBits) {
  const Target &chip = *targetNamed(target);
  return costOf(pipeTile(tile, chip, isFourBits), *chip.tensorRates).multiply;
}
