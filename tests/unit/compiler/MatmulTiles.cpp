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

MatmulTiles matmulTiles(const std::string &m, const std::string &n, const std::string &k,
                        const std::string &target) {
  Context context;
  std::string blocks = k == "?" ? "?" : std::to_string((std::stoll(k) + 31) / 32);
  std::string scales = "f8E8M0FNU, #mx.scale_layout<tcgen05>";
  std::string a = matrix(m, k, "f8E4M3FN"), sa = matrix(m, blocks, scales), b = matrix(n, k, "f8E4M3FN"),
              sb = matrix(n, blocks, scales), c = matrix(m, n, "bf16");
  std::string source = "mx.kernel @k(%a: " + a + ", %sa: " + sa + ", %b: " + b + ", %sb: " + sb +
                       ", %c: " + c + ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + a + ", " + sa + ", " + b +
                       ", " + sb + ") outs(%c : " + c + ")\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, *context);
  MatmulTiles tiles;
  if (!module) return tiles;
  module->walk([&](mx::MatmulOp op) {
    auto lowering = cast<KernelLoweringInterface>(op.getOperation());
    const Target &chip = *targetNamed(target);
    for (const TileChoice &choice : lowering.getTileChoices(chip))
      tiles.choices.push_back({choice.tile, choice.refusal});
    for (const std::string &text : lowering.getDefaultTiles(chip)) {
      auto tile = cast<mx::MatmulTileAttr>(parseAttribute(text, *context));
      tiles.defaults.push_back(
          {tile.getWhen() ? tile.getWhen().str() : "", int(tile.getN()), int(tile.getSlices()), text});
    }
  });
  return tiles;
}

double modelledMicros(const std::string &tile, const std::string &target, int64_t m, int64_t n, int64_t k) {
  Context context;
  const Target &chip = *targetNamed(target);
  auto attribute = cast<mx::MatmulTileAttr>(parseAttribute(tile, *context));
  return timeOf(TensorMemoryPlan(attribute, /*elementBytes=*/2, chip).pipeTile(), *chip.tensorRates,
                {m, n, k})
      .micros();
}

int modelledStep(const std::string &tile, const std::string &target) {
  Context context;
  const Target &chip = *targetNamed(target);
  auto attribute = cast<mx::MatmulTileAttr>(parseAttribute(tile, *context));
  return costOf(TensorMemoryPlan(attribute, /*elementBytes=*/2, chip).pipeTile(), *chip.tensorRates).multiply;
}
