// A maximum of Inf or NaN: byte and multiplier by the special mode. The multiplier of any other byte is 2^(127-byte).
// RUN: mxc-opt --mx-lower-tile-ops %s | FileCheck %s

// NaN times anything is NaN.
// CHECK-LABEL: llvm.func @propagate(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @propagate(%a: i32) -> !llvm.struct<(i32, f32)> {
  // CHECK-DAG: %[[INF:.*]] = arith.constant 2139095040 : i32
  // CHECK-DAG: %[[BYTE:.*]] = arith.constant 255 : i32
  // CHECK-DAG: %[[BITS:.*]] = arith.constant 2147483647 : i32
  // CHECK-DAG: %[[TOP:.*]] = arith.constant 254 : i32
  // CHECK: %[[E:.*]] = arith.maxsi
  // CHECK-NEXT: %[[X:.*]] = arith.subi %[[TOP]], %[[E]] : i32
  // CHECK-NEXT: %[[M:.*]] = arith.shli %[[X]], %c23_i32 : i32
  // CHECK-NEXT: %[[SPECIAL:.*]] = arith.cmpi uge, %[[A]], %[[INF]] : i32
  // CHECK-NEXT: %[[B:.*]] = arith.select %[[SPECIAL]], %[[BYTE]], %[[E]] : i32
  // CHECK-NEXT: %[[N:.*]] = arith.select %[[SPECIAL]], %[[BITS]], %[[M]] : i32
  // CHECK-NEXT: %[[F:.*]] = llvm.bitcast %[[N]] : i32 to f32
  // CHECK-NEXT: llvm.insertvalue %[[B]], %{{.*}}[0]
  // CHECK-NEXT: llvm.insertvalue %[[F]], %{{.*}}[1]
  %b, %m = mx.encode_scale %a element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  %0 = llvm.mlir.poison : !llvm.struct<(i32, f32)>
  %1 = llvm.insertvalue %b, %0[0] : !llvm.struct<(i32, f32)>
  %2 = llvm.insertvalue %m, %1[1] : !llvm.struct<(i32, f32)>
  llvm.return %2 : !llvm.struct<(i32, f32)>
}

// 2^-127, a subnormal.
// CHECK-LABEL: llvm.func @saturate(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @saturate(%a: i32) -> !llvm.struct<(i32, f32)> {
  // CHECK-DAG: %[[INF:.*]] = arith.constant 2139095040 : i32
  // CHECK-DAG: %[[BYTE:.*]] = arith.constant 254 : i32
  // CHECK-DAG: %[[BITS:.*]] = arith.constant 4194304 : i32
  // CHECK: %[[E:.*]] = arith.maxsi
  // CHECK-NEXT: %[[X:.*]] = arith.subi %[[BYTE]], %[[E]] : i32
  // CHECK-NEXT: %[[M:.*]] = arith.shli %[[X]], %c23_i32 : i32
  // CHECK-NEXT: %[[SPECIAL:.*]] = arith.cmpi uge, %[[A]], %[[INF]] : i32
  // CHECK-NEXT: %[[B:.*]] = arith.select %[[SPECIAL]], %[[BYTE]], %[[E]] : i32
  // CHECK-NEXT: %[[N:.*]] = arith.select %[[SPECIAL]], %[[BITS]], %[[M]] : i32
  // CHECK-NEXT: %[[F:.*]] = llvm.bitcast %[[N]] : i32 to f32
  // CHECK-NEXT: llvm.insertvalue %[[B]], %{{.*}}[0]
  // CHECK-NEXT: llvm.insertvalue %[[F]], %{{.*}}[1]
  %b, %m = mx.encode_scale %a element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = saturate tiny = exact
  %0 = llvm.mlir.poison : !llvm.struct<(i32, f32)>
  %1 = llvm.insertvalue %b, %0[0] : !llvm.struct<(i32, f32)>
  %2 = llvm.insertvalue %m, %1[1] : !llvm.struct<(i32, f32)>
  llvm.return %2 : !llvm.struct<(i32, f32)>
}

// Megatron divides by infinity.
// CHECK-LABEL: llvm.func @nan_scale(
// CHECK-SAME: %[[A:.*]]: i32)
llvm.func @nan_scale(%a: i32) -> !llvm.struct<(i32, f32)> {
  // CHECK-DAG: %[[INF:.*]] = arith.constant 2139095040 : i32
  // CHECK-DAG: %[[BYTE:.*]] = arith.constant 255 : i32
  // CHECK-DAG: %[[BITS:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[TOP:.*]] = arith.constant 254 : i32
  // CHECK: %[[E:.*]] = arith.maxsi
  // CHECK-NEXT: %[[X:.*]] = arith.subi %[[TOP]], %[[E]] : i32
  // CHECK-NEXT: %[[M:.*]] = arith.shli %[[X]], %c23_i32 : i32
  // CHECK-NEXT: %[[SPECIAL:.*]] = arith.cmpi uge, %[[A]], %[[INF]] : i32
  // CHECK-NEXT: %[[B:.*]] = arith.select %[[SPECIAL]], %[[BYTE]], %[[E]] : i32
  // CHECK-NEXT: %[[N:.*]] = arith.select %[[SPECIAL]], %[[BITS]], %[[M]] : i32
  // CHECK-NEXT: %[[F:.*]] = llvm.bitcast %[[N]] : i32 to f32
  // CHECK-NEXT: llvm.insertvalue %[[B]], %{{.*}}[0]
  // CHECK-NEXT: llvm.insertvalue %[[F]], %{{.*}}[1]
  %b, %m = mx.encode_scale %a element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = nan_scale tiny = exact
  %0 = llvm.mlir.poison : !llvm.struct<(i32, f32)>
  %1 = llvm.insertvalue %b, %0[0] : !llvm.struct<(i32, f32)>
  %2 = llvm.insertvalue %m, %1[1] : !llvm.struct<(i32, f32)>
  llvm.return %2 : !llvm.struct<(i32, f32)>
}
