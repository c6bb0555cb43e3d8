// RUN: mxc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{must hold exactly one kernel-level operation, found none [K2]}}
mx.kernel @none(%s: memref<?x?xf8E8M0FNU>) {
}

// -----

#tiles = #mx.scale_layout<tcgen05>

// expected-error @+1 {{must hold exactly one kernel-level operation and nothing else [K2]}}
mx.kernel @two(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #tiles>,
               %c: memref<?x?xf8E8M0FNU>, %d: memref<?x?xf8E8M0FNU, #tiles>) {
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #tiles>)
  // expected-note @+1 {{this is the second}}
  mx.pack_scales ins(%c : memref<?x?xf8E8M0FNU>) outs(%d : memref<?x?xf8E8M0FNU, #tiles>)
}

// -----

#tiles = #mx.scale_layout<tcgen05>

// expected-error @+1 {{must hold exactly one kernel-level operation}}
mx.kernel @another_dialect(%a: memref<?x?xf8E8M0FNU>, %b: memref<?x?xf8E8M0FNU, #tiles>) {
  // expected-note @+1 {{this is none}}
  %c = arith.constant 1.0 : f32
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #tiles>)
}

// -----

// A kernel-level operation stands in a kernel.
llvm.func @outside(%x: f32) {
  // expected-error @+1 {{expects a kernel-level operation around it, found 'llvm.func'}}
  mx.yield %x : f32
}

// -----

builtin.module {
  %a, %b = builtin.unrealized_conversion_cast to memref<?x?xf8E8M0FNU>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>
  // expected-error @+1 {{expects parent op 'mx.kernel'}}
  mx.pack_scales ins(%a : memref<?x?xf8E8M0FNU>) outs(%b : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
}
