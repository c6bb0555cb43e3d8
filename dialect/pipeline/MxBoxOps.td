#ifndef MXC_DIALECT_PIPELINE_MXBOXOPS_TD
#define MXC_DIALECT_PIPELINE_MXBOXOPS_TD

include "dialect/pipeline/MxPipeline.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// Boxes and rows of tensors: bulk copies into a stage, bulk stores out of staging memory.

def Mx_CopyBoxOp : Mx_PartOp<"copy_box", [AttrSizedOperandSegments]> {
  let summary = "bulk tensor copy of one box into a part of the stage that is being filled";
  let description = [{
    `coordinates`, innermost first, in elements of the map. `bytes` of the whole box, as the barrier counts them: those of
    global memory, where padded types of elements have fewer. It lies `offset` bytes after the part's beginning.
    `multicast`: into both CTAs of the pair at the same place; `bytes` are counted in each.
  }];
  let arguments = (ins LLVM_AnyPointer:$map, Variadic<I32>:$coordinates, Mx_RingType:$ring, I32:$stage,
                       Optional<I32>:$offset, I32Attr:$part, I64Attr:$bytes, UnitAttr:$multicast);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $ring `[` $stage `]` `part` `=` $part (`offset` $offset^)? `bytes` `=` $bytes
    (`multicast` $multicast^)? attr-dict `:` type($map)
  }];
}

def Mx_CopyPiecesOp : Mx_PartOp<"copy_pieces", [AttrSizedOperandSegments]> {
  let summary = "pieces that the lanes of a warp name, to a part of the stage that is being filled: copies that threads make (cp.async)";
  let description = [{
    Piece 32 i + l of `count` is `bytes` long, 4 or 16, and lies in global memory at sources[i] of lane l, a multiple of that; it goes to byte
    places[i] of the part, or zeros do where there[i] does not hold: nothing is read then. Whose pieces tensor cores read,
    has a fence between.
  }];
  let arguments = (ins Variadic<LLVM_AnyPointer>:$sources, Variadic<I32>:$places, Variadic<I1>:$there, Mx_RingType:$ring, I32:$stage,
                       I32Attr:$part, I32Attr:$bytes, I32Attr:$count);
  let assemblyFormat = [{
    $sources `at` $places `where` $there `to` $ring `[` $stage `]` `part` `=` $part `bytes` `=` $bytes `count` `=` $count attr-dict
    `:` type($sources)
  }];
}

def Mx_CopyRowOp : Mx_PartOp<"copy_row", []> {
  let summary = "this thread's row of a part of the stage that is being filled: a bulk copy, and zeros after it";
  let description = [{
    For boxes whose rows lie anywhere. Thread t of the role has row t of the part, a row is `row_bytes` long: a power of two, 16 at
    least. `bytes` of it, known when the kernel runs, multiples of 16, are copied from `source`, the others become zeros; where
    `there` does not hold, all do. The ring is filled once: zeros that threads write would have to wait for what copies
    write in another round.
  }];
  let arguments = (ins LLVM_AnyPointer:$source, I32:$bytes, I1:$there, Mx_RingType:$ring, I32:$stage, I32Attr:$part,
                       I64Attr:$row_bytes);
  let assemblyFormat = [{
    $source `bytes` $bytes `where` $there `to` $ring `[` $stage `]` `part` `=` $part `row_bytes` `=` $row_bytes attr-dict
    `:` type($source)
  }];
}

def Mx_StoreBoxOp : Mx_PartOp<"store_box", [AttrSizedOperandSegments]> {
  let summary = "a warp's box through its staging memory to global memory by a bulk tensor store";
  let description = [{
    Each lane has one row of 128 bytes, as words; or, with `fragments`, what mx.warpgroup_mma gives it of 16 rows: vectors of
    words, of row t / 4 and of row t / 4 + 8 in turn, 8 columns after 8 columns; `transposed` those are columns of the box and
    its rows are the columns: a box has 16 columns, under the swizzle as wide as they are. `buffers` boxes a warp (4096 bytes, of
    fragments 2048) lie at `staging`; `box` counts the warp's boxes and chooses one.
  }];
  let arguments = (ins Variadic<AnyType>:$rows, LLVM_AnyPointer:$map, Variadic<I32>:$coordinates,
                       LLVM_AnyPointer:$staging, I32:$box, I32Attr:$buffers, UnitAttr:$fragments,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    (`fragments` $fragments^)? (`transposed` $transposed^)? $rows `to` $map `[` $coordinates `]` `through` $staging `box` $box `buffers` `=` $buffers attr-dict `:` type($rows)
    `to` qualified(type($map)) `through` qualified(type($staging))
  }];
}

def Mx_DrainStoresOp : Mx_PartOp<"drain_stores", []> {
  let summary = "wait until the warp's bulk tensor stores have read shared memory";
  let assemblyFormat = "attr-dict";
}

#endif
