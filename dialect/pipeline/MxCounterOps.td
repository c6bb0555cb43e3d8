#ifndef MXC_DIALECT_PIPELINE_MXCOUNTEROPS_TD
#define MXC_DIALECT_PIPELINE_MXCOUNTEROPS_TD

include "dialect/pipeline/MxPipeline.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// Counters in global memory, by which warps of other CTAs and kernels know of each other.

def Mx_TicketOp : Mx_PartOp<"ticket", []> {
  let summary = "the next number of a counter in global memory, one a warp";
  let arguments = (ins LLVM_AnyPointer:$counter);
  let results = (outs I32:$number);
  let assemblyFormat = "$counter attr-dict `:` type($counter)";
}

def Mx_PublishOp : Mx_PartOp<"publish", []> {
  let summary = "the warp's writes to global memory may be read, by bulk copies too: count one up";
  let arguments = (ins LLVM_AnyPointer:$count);
  let assemblyFormat = "$count attr-dict `:` type($count)";
}

def Mx_AwaitOp : Mx_PartOp<"await", []> {
  let summary = "wait until count `index` of each of these arrays has reached `complete`; bulk copies may read then";
  let description = [{Indices go up from 0 to `length` - 1; the lanes ask for 32 of them at a time.}];
  let arguments = (ins Variadic<LLVM_AnyPointer>:$counts, I32:$index, I32:$length, I32Attr:$complete);
  let assemblyFormat = "$counts `[` $index `]` `of` $length `complete` `=` $complete attr-dict `:` type($counts)";
}

def Mx_LastOfOp : Mx_PartOp<"last_of", []> {
  let summary = "whether this warp is the last of `count` that count themselves here; it leaves a zero behind";
  let description = [{The last one sees what the others wrote to global memory before.}];
  let arguments = (ins LLVM_AnyPointer:$counter, I32Attr:$count);
  let results = (outs I1:$last);
  let assemblyFormat = "$counter `count` `=` $count attr-dict `:` type($counter)";
}

def Mx_LeaveOp : Mx_PartOp<"leave", []> {
  let summary = "the warp is through with shared counts; the last of `warps` of each CTA writes zeros to `words` words from `address` on";
  let arguments = (ins LLVM_AnyPointer:$through, I32Attr:$warps, LLVM_AnyPointer:$address, I32:$words);
  let assemblyFormat = "$address `words` $words `through` $through `warps` `=` $warps attr-dict `:` type($address) `,` type($through)";
}

#endif
