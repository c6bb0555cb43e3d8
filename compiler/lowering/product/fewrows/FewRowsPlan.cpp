#include "compiler/lowering/product/fewrows/FewRowsPlan.h"
#include "compiler/lowering/product/plan/CodeBoxes.h"
#include "compiler/lowering/product/plan/ProductMaps.h"
#include "compiler/targets/Multiprocessor.h"

using namespace mlir;

namespace mxc {

FewRowsPlan::FewRowsPlan(mx::ProductOpInterface op, mx::SwapTileAttr tile, const Target &target)
    : operandBits(narrowestBits(op)), tile(tile), gathers(bool(op.getGather())),
      matrices(int(op.getPartCount())), multiprocessorShared(sharedOfMultiprocessor(target)) {
  const int rows = int(tile.getTokens());
  weights = {"weights", int(tile.getStages()),
             slabBoxes(op, {.isB = true,
                            .rows = rowsOfB(),
                            .matrices = matrices == 1 ? 0 : matrices,
                            .tilesBelow = matrices})};
  codes = {
      "codes", int(tile.getCodeStages()),
      slabBoxes(op, {.isB = false, .rows = rows, .tilesBelow = tokenScaleTiles(), .isGathered = gathers})};
  tokens = {"tokens",
            int(tile.getTokenStages()),
            {{.argument = op.getA(), .rows = rows, .step = kStepKBf16, .copied = copiedBeside(kSideM)}}};
  placeRings(shared, FewRowsPlan::rings());
}

// The rings of a share follow one another: sums take the place of codes and tokens.
SmallVector<RingShape> FewRowsPlan::rings() const {
  SmallVector<RingShape> rings;
  for (int share = 0; share < kShares(); ++share) {
    rings.push_back(weights);
    if (!usesCopies()) rings.push_back(codes);
    rings.append({tokens, tokens});
  }
  return rings;
}

SmallVector<OperandBox> FewRowsPlan::operandBoxes() const {
  SmallVector<OperandBox> boxes = weights.boxes;
  llvm::append_range(boxes, usesCopies() ? tokens.boxes : codes.boxes);
  return boxes;
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
  if (!registers().empty()) return 0;                         // warpgroups ask for theirs
  const int64_t ofThread = tile.getTokens() <= 32 ? 80 : 104; // with fewer the products are serialized
  const int64_t ctas = std::min(multiprocessorShared / (shared.bytes() + kSharedOfLaunch),
                                kMultiprocessorRegisters / (ofThread * 32 * warps()));
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

void FewRowsPlan::complete(mx::ProductOpInterface op, const KernelSignature &signature,
                           EntryPlan &entry) const {
  if (usesCopies())
    llvm::append_range(entry.workspaces, ArrayRef{nameOfCopies(copiedBeside(kSideM)).str(), kCounts.str()});
  AbiVariant &variant = entry.variant;
  variant.tile = tile.getText();
  variant.grid[0] = tile.getSplits() * ProductExtents(op, signature).tiles(tile.getTokens(), columns());
  variant.grid[1] = variant.grid[2] = 1;
  variant.cluster[0] = tile.getSplits();
  variant.block[0] = 32 * warps();
}

PipelineShape FewRowsPlan::pipeline() const {
  return {.warps = warps(), .splits = int(tile.getSplits()), .registers = registers()};
}

void FewRowsPlan::emitBefore(mx::ProductOpInterface, const KernelSignature &, EntryFunction &function) const {
  if (int ctas = residentCtas())
    function.operation()->setAttr("nvvm.minctasm", function.builder().getI32IntegerAttr(ctas));
}

void FewRowsPlan::emitBody(mx::ProductOpInterface op, const KernelSignature &signature,
                           EntryFunction &function, ArrayRef<Value> rings) const {
  emitFewRows(ProductEntry(op, signature, function), *this, rings);
}

} // namespace mxc
