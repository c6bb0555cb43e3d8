// The dialect itself, and what operations of every level say: attributes, types, interfaces. The .td files
// are the reference.
#pragma once

#include "dialect/attributes/MxInterfaces.h"
#include "dialect/formats/BlockScale.h"
#include "dialect/formats/PackedCodes.h"
#include "dialect/formats/RowGroups.h"
#include "dialect/formats/ScaleLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/MxDialect.h.inc"
#include "dialect/attributes/TileMembers.h"

#define GET_ATTRDEF_CLASSES
#include "dialect/MxAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/MxTypes.h.inc"

namespace mxc::mx {

/// The format of an element type of data memrefs.
std::optional<ElementFormat> elementFormatOf(mlir::Type type);

/// The format of an element type of scale memrefs: f8E4M3FN is ue4m3 here.
std::optional<ScaleFormat> scaleFormatOf(mlir::Type type);

/// Bytes of `count` elements in memory, packed below 8 bits.
int64_t storageBytes(mlir::Type element, int64_t count);
/// Words of 32 bits that hold them in registers.
int64_t wordsOf(mlir::Type element, int64_t count);

} // namespace mxc::mx
