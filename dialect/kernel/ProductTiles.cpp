// The tiles of products, #mx.matmul_tile and #mx.swap_tile, and which of them an operation may have, whatever
// the chip.
#include "dialect/attributes/TileMemberText.h"
#include "dialect/kernel/MxKernelOps.h"

using namespace mlir;
using namespace mxc::mx;

Attribute MatmulTileAttr::parse(AsmParser &parser, Type) {
  return parseMembers<MatmulTileAttr, MatmulTileMembers>(parser);
}
void MatmulTileAttr::print(AsmPrinter &p) const { printMembers(p, getMembers()); }

LogicalResult MatmulTileAttr::verify(function_ref<InFlightDiagnostic()> emitError, MatmulTileMembers of) {
  static constexpr unsigned kRows[] = {16, 32, 48, 64, 96, 128, 192, 256},
                            kColumns[] = {8, 16, 32, 64, 96, 128, 192, 256};
  if (of.ctas != 1 && of.ctas != 2) return emitError() << "ctas must be 1 or 2, found " << of.ctas;
  if (of.share == SharedOperand::A && of.ctas != 2) return emitError() << "share = a goes with ctas = 2";
  const bool sharesA = of.share == SharedOperand::A;
  const unsigned rows = sharesA ? of.m : of.m / of.ctas, columns = sharesA ? of.n / 2 : of.n;
  if (!llvm::is_contained(kRows, rows))
    return emitError() << "m must be 16, 32, 48, 64, 96, 128, 192 or 256 a CTA, found " << of.m
                       << " with ctas = " << of.ctas;
  if (!llvm::is_contained(kColumns, columns))
    return emitError() << "n must be 8, 16, 32, 64, 96, 128, 192 or 256" << (columns == of.n ? "" : " a CTA")
                       << ", found " << of.n;
  if (of.stages < 2 || of.stages > 16) return emitError() << "stages must be 2 to 16, found " << of.stages;
  if (of.supergroup < 1 || of.supergroup > 64)
    return emitError() << "supergroup must be 1 to 64, found " << of.supergroup;
  if (of.buffers < 1 || of.buffers > 4) return emitError() << "buffers must be 1 to 4, found " << of.buffers;
  if (of.slices < 1 || of.slices > 16) return emitError() << "slices must be 1 to 16, found " << of.slices;
  if (of.load == OperandLoad::Element && of.a != LeftOperand::Copied)
    return emitError() << "load = element goes with a = copied";
  if (of.load == OperandLoad::Element && (of.ctas != 1 || of.store != ResultStore::Rows || of.slices != 1))
    return emitError() << "load = element goes with ctas = 1, store = rows and slices = 1";
  if (of.mmaK == InstructionK::OfKind) return success();
  // Where the next word of b's scales lies is known of these (docs/provenance.md).
  if (of.n != 128 && of.n != 192 && of.n != 256)
    return emitError() << "mma_k = 96 goes with n = 128, 192 or 256, found " << of.n;
  if (of.load == OperandLoad::Element || of.share == SharedOperand::A)
    return emitError() << "mma_k = 96 goes with load = tensor and share = b";
  if (of.stages < 3) return emitError() << "mma_k = 96 goes with 3 stages and more, found " << of.stages;
  return success();
}

bool MatmulTileAttr::takesEverything() const { return getLoad() == OperandLoad::Element && !getWhen(); }

TileAttrInterface MatmulTileAttr::getFallback() const {
  return get(getContext(), {.buffers = 1, .load = OperandLoad::Element, .store = ResultStore::Rows});
}

Attribute SwapTileAttr::parse(AsmParser &parser, Type) {
  return parseMembers<SwapTileAttr, SwapTileMembers>(parser);
}
void SwapTileAttr::print(AsmPrinter &p) const { printMembers(p, getMembers()); }

LogicalResult SwapTileAttr::verify(function_ref<InFlightDiagnostic()> emitError, SwapTileMembers of) {
  static constexpr unsigned kTokens[] = {16, 32, 48, 64, 96, 128, 192, 256};
  if (of.columns != 64 && of.columns != 128)
    return emitError() << "columns must be 64 or 128, found " << of.columns;
  if (!llvm::is_contained(kTokens, of.tokens))
    return emitError() << "tokens must be 16, 32, 48, 64, 96, 128, 192 or 256, found " << of.tokens;
  if (of.splits < 1 || of.splits > 8) return emitError() << "splits must be 1 to 8, found " << of.splits;
  if (of.parts != 1 && of.parts != 2 && of.parts != 4)
    return emitError() << "parts must be 1, 2 or 4, found " << of.parts;
  if (of.columns / 64 * of.parts > 4)
    return emitError() << "parts must be at most " << 256 / of.columns << " with columns = " << of.columns
                       << ", found " << of.parts;
  if (of.stages < 2 || of.stages > 16) return emitError() << "stages must be 2 to 16, found " << of.stages;
  if (of.columns / 64 * of.parts * of.tokens > 512 || (of.columns / 64 * of.parts == 4 && of.tokens > 64))
    return emitError() << "registers do not do for the sums of " << of.columns << " columns x " << of.tokens
                       << " tokens in " << of.parts << " parts";
  const unsigned least =
      of.columns == 128 && of.codeStages == 0 ? 3 : 2; // whose place, and the codes', the sums take
  if (of.tokenStages < least || of.tokenStages > 16)
    return emitError() << "token_stages must be " << least << " to 16, found " << of.tokenStages;
  if (of.codeStages == 1 || of.codeStages > 16)
    return emitError() << "code_stages must be 0 or 2 to 16, found " << of.codeStages;
  if (of.ctasPerSm > 4) return emitError() << "ctas_per_sm must be 0 to 4, found " << of.ctasPerSm;
  return success();
}

bool SwapTileAttr::takesEverything() const { return false; }

TileAttrInterface SwapTileAttr::getFallback() const {
  return MatmulTileAttr::get(getContext(), MatmulTileMembers()).getFallback();
}

// M9: each rule says why a tile breaks it, or "".
static StringRef whyNotSequential(Attribute tile) {
  auto cut = dyn_cast<MatmulTileAttr>(tile);
  if (!cut || cut.getA() != LeftOperand::Copied) return "adds each 128 elements in an order of its own";
  if (cut.getSlices() > 1) return "has several slices";
  return cut.getMmaK() == InstructionK::Wide ? "adds 96 products a step, others 64" : "";
}

// M11.
static StringRef whyNotQuantizing(ProductOpInterface op, Attribute tile) {
  if (auto cut = dyn_cast<MatmulTileAttr>(tile))
    return cut.getA() == LeftOperand::CopiedAlone ? "does not quantize results" : "";
  auto isAlongRows = [](const QuantizedCopy &copy) { return copy.axis == Axis::Row; };
  return llvm::all_of(quantizedResults(op), isAlongRows) // no warp has 32 rows
             ? ""
             : "quantizes results along rows alone";
}

// M12.
static StringRef whyNotParts(Attribute tile) {
  if (auto few = dyn_cast<SwapTileAttr>(tile))
    return few.getColumns() == 128 ? "" : "has columns = 64, of which no part has a warpgroup's 64";
  auto cut = cast<MatmulTileAttr>(tile);
  if (cut.getMmaK() == InstructionK::Wide) return "has mma_k = 96";
  if (cut.getA() == LeftOperand::CopiedAlone) return "has the rows of b on the tensor cores' M side";
  return cut.getSlices() > 1 ? "has several slices" : "";
}

// GM3.
static StringRef whyNotGrouped(Attribute tile, bool isRaggedK) {
  if (auto few = dyn_cast<SwapTileAttr>(tile)) {
    if (isRaggedK) return "has the rows of b on the tensor cores' M side";
    return few.getCodeStages() ? "" : "makes bf16 copies of a, to whose blocks groups do not keep";
  }
  auto cut = cast<MatmulTileAttr>(tile);
  if (cut.getSlices() > 1) return "has several slices";
  if (isRaggedK && cut.getMmaK() == InstructionK::Wide) return "has steps of 768 elements along K";
  return "";
}

// GM4.
static StringRef whyNotGathering(Attribute tile) {
  auto cut = dyn_cast<MatmulTileAttr>(tile);
  return cut && cut.getShare() == SharedOperand::A ? "has share = a" : "";
}

std::optional<TileRefusal> mxc::mx::tileRefusal(ProductOpInterface op, Attribute tile) {
  const bool hasParts = op.getPartCount() > 1, isQuantized = !quantizedResults(op).empty();
  const TileRefusal rules[] = {
      {"GM4", "gather takes tiles whose CTAs bring rows of their own",
       op.getGather() ? whyNotGathering(tile) : ""},
      {"GM3", "groups take tiles of one slice", op.getEnds() ? whyNotGrouped(tile, op.isRaggedK()) : ""},
      {"M12", "parts take tiles of one slice", hasParts ? whyNotParts(tile) : ""},
      {"M11", "results that are codes with scales take tiles that quantize them",
       isQuantized ? whyNotQuantizing(op, tile) : ""},
      {"M9", "reduction = sequential adds in the order of K",
       op.isSequential() ? whyNotSequential(tile) : ""}};
  for (const TileRefusal &refusal : rules)
    if (!refusal.why.empty()) return refusal;
  return std::nullopt;
}

LogicalResult mxc::mx::verifyProductTiles(ProductOpInterface op) {
  if (!op.getTilesAttr()) return success();
  for (Attribute tile : op.getTilesAttr())
    if (std::optional<TileRefusal> refusal = tileRefusal(op, tile))
      return op->emitOpError(refusal->rule)
             << ", but tile " << tile << " " << refusal->why << " [" << refusal->constraint << "]";
  return success();
}
