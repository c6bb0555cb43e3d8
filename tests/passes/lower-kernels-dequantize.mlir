// Codes and scale bytes in, values out; lanes outside the matrix read a valid place.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a --canonicalize --cse %s | FileCheck %s

// CHECK: \22operation\22:{\22attributes\22:{\22format\22:\22mxfp8_e4m3\22},\22name\22:\22dequantize\22,\22prologue\22:false}
// CHECK-SAME: \22alignments\22:[{\22argument\22:\22q\22,\22bytes\22:8},{\22argument\22:\22x\22,\22bytes\22:16}]
// CHECK-LABEL: llvm.func @dequantize(
// CHECK-SAME: %[[Q:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<1>, %[[X:.*]]: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64)
mx.kernel @dequantize(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>, %x: memref<?x?xbf16>) {
  // CHECK: %[[CODES:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
  // CHECK-COUNT-3: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
  // CHECK: %[[OFFSET:.*]] = mx.scale_offset[%{{.*}}, %{{.*}}] of %{{.*}} layout = <tcgen05>
  // CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[S]][%[[OFFSET]]]
  // CHECK-NEXT: %[[LOADED:.*]] = llvm.load %[[PLACE]] {alignment = 1 : i64} : !llvm.ptr<1> -> i8
  // CHECK-NEXT: %[[BYTE:.*]] = arith.extui %[[LOADED]] : i8 to i32
  // CHECK-COUNT-3: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> i8
  // CHECK-NOT: llvm.load
  // CHECK: %[[SCALE:.*]] = mx.decode_scale %[[BYTE]] scale = f8E8M0FNU
  // CHECK-NEXT: %[[VALUES:.*]] = mx.convert_unpack %[[CODES]] by %[[SCALE]] element = f8E4M3FN : vector<2xi32> -> vector<8xbf16>
  // CHECK-COUNT-3: mx.convert_unpack
  // CHECK: %[[OUT:.*]] = llvm.bitcast %[[VALUES]] : vector<8xbf16> to vector<4xi32>
  // CHECK: %[[WORD:.*]] = llvm.extractelement %[[OUT]][%c0_i32 : i32]
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "@$0 st.global.v4.b32 [$1], {$2, $3, $4, $5};", "b,l,r,r,r,r,~{memory}" %{{.*}}, %{{.*}}, %[[WORD]],
  // CHECK-COUNT-3: "@$0 st.global.v4.b32
  // CHECK-NOT: st.global
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) outs(%x : memref<?x?xbf16>) tiles = [#mx.quantize_tile<>]
}
