// A prologue that hands its one input on is none; without it the maximum is taken on packed 16-bit integers.
// RUN: mxc-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: mx.kernel @dropped
// CHECK-NEXT: mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) rounding = ceil{{$}}
mx.kernel @dropped(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) rounding = ceil {
  ^bb0(%v: f32):
    mx.yield %v : f32
  }
}

// Folding makes it one.
// CHECK-LABEL: mx.kernel @folded
// CHECK-NEXT: mx.quantize {{.*}}memref<?x?xf8E8M0FNU>){{ *$}}
mx.kernel @folded(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%v: f32):
    %one = arith.constant 1.0 : f32
    %y = arith.mulf %v, %one : f32
    mx.yield %y : f32
  }
}

// With two inputs, the second one's absence would change the kernel's arguments.
// CHECK-LABEL: mx.kernel @kept_two_inputs
// CHECK: ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: mx.yield %[[V]] : f32
mx.kernel @kept_two_inputs(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x, %y : memref<?x?xbf16>, memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%v: f32, %w: f32):
    mx.yield %v : f32
  }
}

// CHECK-LABEL: mx.kernel @kept_other_value
// CHECK: %[[Y:.*]] = arith.negf
// CHECK-NEXT: mx.yield %[[Y]] : f32
mx.kernel @kept_other_value(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%v: f32):
    %y = arith.negf %v : f32
    mx.yield %y : f32
  }
}

// So would that of rows(..).
// CHECK-LABEL: mx.kernel @kept_rows
// CHECK: ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: mx.yield %[[V]] : f32
mx.kernel @kept_rows(%x: memref<?x?xbf16>, %f: memref<?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) rows(%f : memref<?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%v: f32, %w: f32):
    mx.yield %v : f32
  }
}
