// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @size(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{hadamard must be 16, found 32 [Q18]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) hadamard = 32
}

// -----

mx.kernel @eight_bits(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{hadamard is for elements of 4 bits, found f8E4M3FN [Q18]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) hadamard = 16
}

// -----

mx.kernel @along(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{along names one of the two copies of axis = both, found axis = column [Q18]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) axis = column hadamard = 16 along column
}

// -----

mx.kernel @squares(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{hadamard is for blocks of one row, found blocks of 16, whose two copies have the same codes [Q18]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN>) block = 16x16 to 1x16 hadamard = 16
}

// -----

mx.kernel @word(%x: memref<?x?xbf16>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{'lines' is no axis: expected row, column, both}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) hadamard = 16 along lines
}

// -----

llvm.func @rows(%a: vector<2xbf16>, %b: vector<2xbf16>) {
  // expected-error @+1 {{needs the rows of a block, 16 or 32 or 128, found 2}}
  %y:2 = mx.hadamard_columns %a, %b : vector<2xbf16>, vector<2xbf16> -> vector<2xbf16>, vector<2xbf16>
  llvm.return
}

// -----

llvm.func @lanes(%x: vector<8xbf16>, %lane: i32) {
  // expected-error @+1 {{elements of 1 lanes must be 16, an even number each, or of one lane a multiple, found 'vector<8xbf16>'}}
  %y = mx.hadamard %x lane %lane lanes = 1 : vector<8xbf16> -> vector<8xbf16>
  llvm.return
}

// -----

llvm.func @result(%x: vector<8xf32>, %lane: i32) {
  // expected-error @+1 {{expected results of 'vector<8xbf16>', found 'vector<8xf32>'}}
  %y = mx.hadamard %x lane %lane lanes = 2 : vector<8xf32> -> vector<8xf32>
  llvm.return
}
