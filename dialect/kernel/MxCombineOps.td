#ifndef MXC_DIALECT_KERNEL_MXCOMBINEOPS_TD
#define MXC_DIALECT_KERNEL_MXCOMBINEOPS_TD

include "dialect/kernel/MxKernelOp.td"
include "dialect/attributes/MxTypes.td"

def Mx_CombineOp : Mx_Op<"combine", [HasParent<"KernelOp">, DeclareOpInterfaceMethods<Mx_KernelOpInterface>]> {
  let summary = "sums of rows that an index names: experts' results back to their tokens";
  let description = [{
    Row t of the result is the sum of `weights[t, j] * input[rows[t, j]]` in the order of j, in f32, each step one fma that is
    rounded to nearest even, from +0; it is rounded once to the result's type. Without `weights` the rows themselves are
    added. An entry of `rows` that is no row of the input (-1, or anything else) counts as nothing: no such address is read.

    ```mlir
    mx.combine ins(%h : memref<?x?xbf16>) gather(%rows : memref<?x8xi32>) weights(%w : memref<?x8xf32>)
        outs(%y : memref<?x?xbf16>)
    ```
    Constraints: C1 rows are i32 [M, k] with a number k from 1 to 16; C2 weights are f32 [M, k]; C3 the result is [M, K]
    of an input [N, K].
  }];
  let arguments = (ins
    Arg<Mx_InputMemRef, "rows that are added [N, K]", [MemRead]>:$input,
    Arg<Mx_NamedRowsMemRef, "which of them, for each row of the result [M, k]", [MemRead]>:$rows,
    Arg<Optional<Mx_WeightsMemRef>, "their weights [M, k]", [MemRead]>:$weights,
    Arg<Mx_InputMemRef, "sums [M, K]", [MemWrite]>:$sums);
  let assemblyFormat = [{
    `ins` `(` $input `:` type($input) `)` `gather` `(` $rows `:` type($rows) `)`
    (`weights` `(` $weights^ `:` type($weights) `)`)?
    `outs` `(` $sums `:` type($sums) `)` `` custom<NoClauses>(ref($input)) attr-dict
  }];
  let hasVerifier = 1;
}

def Mx_GatherDotOp : Mx_Op<"gather_dot", [HasParent<"KernelOp">, DeclareOpInterfaceMethods<Mx_KernelOpInterface>]> {
  let summary = "products of a row with rows that an index names: the gradient of mx.combine's weights";
  let description = [{
    Element [t, j] of the result is the dot product of row t of the first operand with row `rows[t, j]` of the second one, in
    f32, in an order that docs/semantics/combine.md states; +0 where `rows` names no row.

    ```mlir
    mx.gather_dot ins(%dy, %h : memref<?x?xbf16>, memref<?x?xbf16>) gather(%rows : memref<?x8xi32>)
        outs(%dw : memref<?x8xf32>)
    ```
    Constraints: C1; C2 the result is f32 [M, k]; C3 the operands are [M, K] and [N, K].
  }];
  let arguments = (ins
    Arg<Mx_InputMemRef, "a row for each row of the result [M, K]", [MemRead]>:$left,
    Arg<Mx_InputMemRef, "rows that are named [N, K]", [MemRead]>:$right,
    Arg<Mx_NamedRowsMemRef, "which of them, for each row of the result [M, k]", [MemRead]>:$rows,
    Arg<Mx_WeightsMemRef, "dot products [M, k]", [MemWrite]>:$dots);
  let assemblyFormat = [{
    `ins` `(` $left `,` $right `:` type($left) `,` type($right) `)` `gather` `(` $rows `:` type($rows) `)`
    `outs` `(` $dots `:` type($dots) `)` `` custom<NoClauses>(ref($left)) attr-dict
  }];
  let hasVerifier = 1;
}

#endif
