#include "compiler/lowering/product/fewrows/FewRowsPlan.h"
#include "compiler/lowering/product/ProductMachine.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

using namespace mlir;

namespace mxc {

FewRowsPlan::FewRowsPlan(mx::ProductOpInterface op, mx::SwapTileAttr tile)
    : operandBits(narrowestBits(op)), tile(tile), gathers(bool(op.getGather())),
      products(int(op.getPartCount())) {
  weights = {"weights", int(tile.getStages()), {rowsOfB() * kStepK, products * kScaleTileBytes}};
  codes = {"codes",
           int(tile.getCodeStages()),
           {int64_t(tile.getTokens()) * kStepK, tokenScaleTiles() * kScaleTileBytes}};
  tokens = {"tokens", int(tile.getTokenStages()), {int64_t(tile.getTokens()) * 2 * kStepKBf16}};
  SmallVector<RingShape> rings; // of a part one after the other: sums take the place of codes and tokens
  for (int part = 0; part < parts(); ++part) {
    rings.push_back(weights);
    if (!usesCopies()) rings.push_back(codes);
    rings.append({tokens, tokens});
  }
  placeRings(shared, rings);
}

// Whole warpgroups: two multiply, then one loads, the rest convert.
ArrayRef<int32_t> FewRowsPlan::registers() const {
  static constexpr int32_t kOfCopies[] = {216, 216, 72}, kOfCodes[] = {152, 152, 40, 64, 64},
                           kOfManyCodes[] = {184, 184, 40, 104};
  const int tokens = tile.getTokens();
  if (multiplyingWarps() != 8 || tokens <= 64) return {};
  if (usesCopies()) return tokens > 128 ? ArrayRef(kOfCopies) : ArrayRef<int32_t>();
  return tokens > 128 ? ArrayRef(kOfManyCodes) : ArrayRef(kOfCodes);
}

int FewRowsPlan::firstDequantizing() const {
  return multiplyingWarps() + (!usesCopies() && !registers().empty() ? 4 : 2);
}

int FewRowsPlan::dequantizingWarps() const {
  if (usesCopies()) return 2;
  if (tile.getTokens() > 128) return 2; // sums leave registers for four warpgroups alone
  const int groups = tile.getTokens() / 16;
  return groups % 4 == 0 ? 4 : groups % 3 == 0 ? 3 : groups;
}

// Without a number nvJitLink takes 96 registers where ptxas takes 67: one CTA is resident where two would be.
int FewRowsPlan::residentCtas() const {
  if (int ctas = int(tile.getCtasPerSm())) return ctas;
  if (!registers().empty()) return 0; // warpgroups ask for theirs
  constexpr int64_t kShared = 228 * 1024, kSharedOfLaunch = 1024, kRegisters = 64 * 1024;
  const int64_t ofThread = tile.getTokens() <= 32 ? 80 : 104; // with fewer the products are serialized
  const int64_t ctas =
      std::min(kShared / (shared.bytes() + kSharedOfLaunch), kRegisters / (ofThread * 32 * warps()));
  return ctas > 1 ? int(ctas) : 0;
}

std::string FewRowsPlan::refusal(const Target &) const { // emitEntry counts shared memory
  if (operandBits == 8) return "";
  return "is for elements of 8 bits, found " + std::to_string(operandBits);
}

SmallVector<std::string> FewRowsPlan::conditions(mx::ProductOpInterface op) const {
  SmallVector<std::string> conditions = {"K > 0", "K % 16 == 0"};
  if (op.hasGroups()) conditions.push_back("M <= " + std::to_string(kGroupEdge));
  return conditions;
}

EntryPlan FewRowsPlan::entry(mx::ProductOpInterface op, const KernelSignature &signature) const {
  const ProductExtents at(op, signature);
  constexpr uint32_t kTileUnits = kScaleTileBytes / 2;
  EntryPlan entry;
  entry.shared = shared;
  const int boxParts = products == 1 ? 0 : products; // of b
  entry.maps = {matrixMap(op.getB(), signature, at.ofB(), at.n, at.k, columns(), boxParts),
                scaleMap(op.getScalesB(), signature, at.ofB(), at.n, kTileUnits, 1, kStepK, boxParts)};
  if (usesCopies()) {
    entry.workspaces = {nameOfCopies(CopiedOperands::A).str(), kCounts.str()};
    entry.maps.push_back(operandCopyMap(op, signature, /*isB=*/false, tile.getTokens()));
  } else if (!gathers) {
    entry.maps.push_back(rowsMap(op.getA(), signature, at, at.k, tile.getTokens()));
    entry.maps.push_back(
        scaleMap(op.getScalesA(), signature, at, at.scaleRowsA(), kTileUnits, tokenScaleTiles()));
  }
  AbiVariant &variant = entry.variant;
  variant.tile = tile.getText();
  for (Value operand : {op.getA(), op.getScalesA(), op.getB(), op.getScalesB()})
    variant.alignments.push_back({signature.argument(operand).name, 16});
  variant.grid[0] = tile.getSplits() * at.tiles(tile.getTokens(), columns());
  variant.grid[1] = variant.grid[2] = 1;
  variant.cluster[0] = tile.getSplits();
  variant.block[0] = 32 * warps();
  return entry;
}

void FewRowsPlan::emit(mx::ProductOpInterface op, const KernelSignature &signature,
                       EntryFunction &function) const {
  if (int ctas = residentCtas())
    function.operation()->setAttr("nvvm.minctasm", function.builder().getI32IntegerAttr(ctas));
  emitFewRows(ProductEntry(op, signature, function), *this);
}

namespace {
class FewRowsMachine : public ProductMachine {
public:
  bool takes(Attribute tile) const override { return isa<mx::SwapTileAttr>(tile); }
  void declare(mx::ProductOpInterface, KernelSignature &) const override {} // the copies are the warpgroups'
  std::unique_ptr<ProductPlan> plan(mx::ProductOpInterface op, Attribute tile,
                                    const Target &) const override {
    return std::make_unique<FewRowsPlan>(op, cast<mx::SwapTileAttr>(tile));
  }
};
} // namespace

const ProductMachine *fewRowsMachine() {
  static const FewRowsMachine machine;
  return &machine;
}

} // namespace mxc
