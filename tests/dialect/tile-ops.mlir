// RUN: mxc-opt %s | mxc-opt | FileCheck %s
// RUN: mxc-opt --mlir-print-op-generic %s | mxc-opt | FileCheck %s

// CHECK-LABEL: llvm.func @values(
// CHECK-SAME: %[[X:.*]]: vector<8xbf16>, %[[Y:.*]]: vector<4xf32>, %[[V:.*]]: i1)
llvm.func @values(%x: vector<8xbf16>, %y: vector<4xf32>, %v: i1) {
  // CHECK: %[[A:.*]]:2 = mx.block_amax %[[X]], %[[X]] valid %[[V]], %[[V]] lanes = 4 special = propagate : vector<8xbf16>, vector<8xbf16> -> i32, i32
  %a:2 = mx.block_amax %x, %x valid %v, %v lanes = 4 special = propagate : vector<8xbf16>, vector<8xbf16> -> i32, i32
  // CHECK: mx.block_amax %[[Y]] valid %[[V]] lanes = 8 special = saturate : vector<4xf32> -> i32
  %b = mx.block_amax %y valid %v lanes = 8 special = saturate : vector<4xf32> -> i32
  // CHECK: mx.block_amax %[[Y]] valid %[[V]] lanes = 8 stride = 4 special = propagate : vector<4xf32> -> i32
  %d = mx.block_amax %y valid %v lanes = 8 stride = 4 special = propagate : vector<4xf32> -> i32
  // CHECK: %[[BYTE:.*]], %[[MULTIPLIER:.*]] = mx.encode_scale %[[A]]#1 element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  %byte, %multiplier = mx.encode_scale %a#1 element = f8E4M3FN scale = f8E8M0FNU rounding = ceil special = propagate tiny = exact
  // CHECK: mx.encode_scale %{{.*}} element = f4E2M1FN scale = f8E8M0FNU rounding = even special = nan_scale tiny = byte_one
  %byte2, %multiplier2 = mx.encode_scale %b element = f4E2M1FN scale = f8E8M0FNU rounding = even special = nan_scale tiny = byte_one
  // CHECK: %[[CODES:.*]] = mx.convert_pack %[[X]] by %[[MULTIPLIER]] element = f8E4M3FN scale = f8E8M0FNU : vector<8xbf16> -> vector<2xi32>
  %codes = mx.convert_pack %x by %multiplier element = f8E4M3FN scale = f8E8M0FNU : vector<8xbf16> -> vector<2xi32>
  // CHECK: mx.convert_pack %[[X]] by %[[MULTIPLIER]] element = f4E2M1FN scale = f32 : vector<8xbf16> -> vector<1xi32>
  %four = mx.convert_pack %x by %multiplier element = f4E2M1FN scale = f32 rounding = nearest : vector<8xbf16> -> vector<1xi32>
  // CHECK: %[[SCALE:.*]] = mx.decode_scale %[[BYTE]] scale = f8E8M0FNU
  %scale = mx.decode_scale %byte scale = f8E8M0FNU
  // CHECK: mx.convert_unpack %[[CODES]] by %[[SCALE]] element = f8E4M3FN : vector<2xi32> -> vector<8xf16>
  %z = mx.convert_unpack %codes by %scale element = f8E4M3FN : vector<2xi32> -> vector<8xf16>
  llvm.return
}

// CHECK-LABEL: llvm.func @scales(
// CHECK-SAME: %[[B:.*]]: i32, %[[LANE:.*]]: i32, %[[R:.*]]: i64, %[[K:.*]]: i64, %[[N:.*]]: i64)
llvm.func @scales(%b: i32, %lane: i32, %r: i64, %k: i64, %n: i64) {
  // CHECK: mx.gather_scales %[[B]] lane %[[LANE]] lanes = 4
  %one = mx.gather_scales %b lane %lane lanes = 4
  // CHECK: mx.gather_scales %[[B]], %[[B]], %[[B]], %[[B]] lane %[[LANE]] lanes = 2
  %four = mx.gather_scales %b, %b, %b, %b lane %lane lanes = 2
  // CHECK: mx.scale_offset[%[[R]], %[[K]]] of %[[N]] layout = <tcgen05>
  %tiled = mx.scale_offset[%r, %k] of %n layout = <tcgen05>
  // CHECK: mx.scale_offset[%[[R]], %[[K]]] of %[[N]] layout = <dense>
  %dense = mx.scale_offset[%r, %k] of %n layout = <dense>
  llvm.return
}

// CHECK-LABEL: llvm.func @shared(
llvm.func @shared() {
  // CHECK: mx.shared_memory bytes = 65552 alignment = 128 : <3>
  %s = mx.shared_memory bytes = 65552 alignment = 128 : !llvm.ptr<3>
  llvm.return
}
