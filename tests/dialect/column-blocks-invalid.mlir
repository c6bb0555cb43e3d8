// RUN: mxc-opt %s -split-input-file -verify-diagnostics

llvm.func @no_block(%x: vector<2xbf16>) {
  // expected-error @+1 {{needs the rows of a block, 16 or 32 or 128, found 2}}
  %a:2 = mx.column_amax %x, %x special = propagate : vector<2xbf16>, vector<2xbf16> -> i32, i32
  llvm.return
}

// -----

llvm.func @odd(%r0: vector<3xf32>, %r1: vector<3xf32>, %r2: vector<3xf32>, %r3: vector<3xf32>, %r4: vector<3xf32>, %r5: vector<3xf32>, %r6: vector<3xf32>, %r7: vector<3xf32>, %r8: vector<3xf32>, %r9: vector<3xf32>, %r10: vector<3xf32>, %r11: vector<3xf32>, %r12: vector<3xf32>, %r13: vector<3xf32>, %r14: vector<3xf32>, %r15: vector<3xf32>) {
  // expected-error @+1 {{needs an even number of columns, found 3}}
  %a:3 = mx.column_amax %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 special = propagate : vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32>, vector<3xf32> -> i32, i32, i32
  llvm.return
}

// -----

llvm.func @results(%r0: vector<2xbf16>, %r1: vector<2xbf16>, %r2: vector<2xbf16>, %r3: vector<2xbf16>, %r4: vector<2xbf16>, %r5: vector<2xbf16>, %r6: vector<2xbf16>, %r7: vector<2xbf16>, %r8: vector<2xbf16>, %r9: vector<2xbf16>, %r10: vector<2xbf16>, %r11: vector<2xbf16>, %r12: vector<2xbf16>, %r13: vector<2xbf16>, %r14: vector<2xbf16>, %r15: vector<2xbf16>) {
  // expected-error @+1 {{needs one result a column, expected 2, found 1}}
  %a = mx.column_amax %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 special = propagate : vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16> -> i32
  llvm.return
}

// -----

llvm.func @multipliers(%r0: vector<2xbf16>, %r1: vector<2xbf16>, %r2: vector<2xbf16>, %r3: vector<2xbf16>, %r4: vector<2xbf16>, %r5: vector<2xbf16>, %r6: vector<2xbf16>, %r7: vector<2xbf16>, %r8: vector<2xbf16>, %r9: vector<2xbf16>, %r10: vector<2xbf16>, %r11: vector<2xbf16>, %r12: vector<2xbf16>, %r13: vector<2xbf16>, %r14: vector<2xbf16>, %r15: vector<2xbf16>, %m: f32) {
  // expected-error @+1 {{needs one multiplier a column, expected 2, found 1}}
  %c:2 = mx.convert_columns %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 by %m element = f8E4M3FN scale = f8E8M0FNU transpose : vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16> -> vector<4xi32>, vector<4xi32>
  llvm.return
}

// -----

llvm.func @codes(%r0: vector<2xbf16>, %r1: vector<2xbf16>, %r2: vector<2xbf16>, %r3: vector<2xbf16>, %r4: vector<2xbf16>, %r5: vector<2xbf16>, %r6: vector<2xbf16>, %r7: vector<2xbf16>, %r8: vector<2xbf16>, %r9: vector<2xbf16>, %r10: vector<2xbf16>, %r11: vector<2xbf16>, %r12: vector<2xbf16>, %r13: vector<2xbf16>, %r14: vector<2xbf16>, %r15: vector<2xbf16>, %m: f32) {
  // expected-error @+1 {{expected the codes of 16 elements of 'f8E4M3FN' in vector<4xi32>, found 'vector<2xi32>'}}
  %c:2 = mx.convert_columns %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15 by %m, %m element = f8E4M3FN scale = f8E8M0FNU transpose : vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16> -> vector<4xi32>, vector<2xi32>
  llvm.return
}
